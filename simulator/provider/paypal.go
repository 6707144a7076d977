package provider

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// PayPalMerchant returns the merchant id of a client id. It is the account in the ledger.
func PayPalMerchant(client string) string { return derived("paypal "+client, 13) }

var paypalDialect = &dialect{
	provider: "paypal",
	rateLimited: func(c *call) answer {
		a := c.paypalError(http.StatusTooManyRequests, "RATE_LIMIT_REACHED", "Too many requests. Blocked due to rate limiting.")
		a.header = map[string]string{"Retry-After": "1"}
		return a
	},
	inUse: func(c *call) answer {
		return c.paypalError(http.StatusConflict, "RESOURCE_CONFLICT", "The server has detected a conflict while processing this request.",
			paypalIssue{issue: "PREVIOUS_REQUEST_IN_PROGRESS", description: "A previous request on this resource is currently in progress. Please wait for some time and try again."})
	},
	internal: func(c *call) answer {
		return c.paypalError(http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "An internal server error has occurred.")
	},
	otherUse: func(c *call, _ ledger.KeptAnswer) answer {
		return c.unprocessable("PAYPAL_REQUEST_ID_PREVIOUSLY_USED", "The PayPal-Request-ID has already been used for another request.")
	},
	replay: replayPayPal,
	keyAge: func(c Config) time.Duration { return c.PayPalKeyAge },
	scope:  func(c *call) string { return "paypal " + c.account + " " + c.request.URL.Path + " " + c.key },
}

// replayPayPal shows the current state of what the first request created.
func replayPayPal(s *ledger.State, call *call, kept ledger.KeptAnswer) answer {
	c := &change{State: s}
	if made, ok := s.Refunds.Get(kept.Refund); ok {
		return answer{status: http.StatusOK, body: c.showPayPalRefund(call, made)}
	}
	if made, ok := s.Orders.Get(kept.Order); ok {
		return answer{status: http.StatusOK, body: c.showOrder(call, made)}
	}
	return answer{status: kept.Status, body: kept.Body}
}

func (p *Provider) routePayPal(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/oauth2/token", p.accessToken)
	routes := []struct {
		pattern, operation string
		execute            func(*change, *call) answer
	}{
		{"POST /v2/checkout/orders", "order", createOrder},
		{"GET /v2/checkout/orders/{id}", "read", readOrder},
		{"PATCH /v2/checkout/orders/{id}", "order", patchOrder},
		{"POST /v2/checkout/orders/{id}/capture", "capture", captureOrder},
		{"GET /v2/payments/captures/{id}", "read", readCapture},
		{"POST /v2/payments/captures/{id}/refund", "refund", refundCapture},
		{"GET /v2/payments/refunds/{id}", "read", readPayPalRefund},
		{"GET /v1/customer/disputes/{id}", "read", readPayPalDispute},
		{"POST /v1/customer/disputes/{id}/provide-evidence", "dispute", provideEvidence},
		{"POST /v1/customer/disputes/{id}/accept-claim", "dispute", acceptClaim},
		{"GET /v1/reporting/transactions", "list", reportTransactions},
		{"POST /v1/notifications/webhooks", "webhook", createPayPalWebhook},
		{"GET /v1/notifications/webhooks", "webhook", listPayPalWebhooks},
		{"DELETE /v1/notifications/webhooks/{id}", "webhook", deletePayPalWebhook},
		{"GET /v1/notifications/webhooks-event-types", "webhook", listEventTypes},
		{"POST /v1/notifications/verify-webhook-signature", "verify", verifyPayPalWebhook},
	}
	for _, route := range routes {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			c := &call{
				dialect:   paypalDialect,
				operation: route.operation,
				request:   r,
				id:        derived(newID("", 26), 13),
				token:     paypalTokenOf,
			}
			if refused, ok := p.readPayPal(c); !ok {
				p.reply(w, c, refused, nil)
				return
			}
			p.serve(w, c, route.execute)
		})
	}
}

// accessTokenLife is nine hours, as PayPal's.
const accessTokenLife = 9 * time.Hour

// accessToken issues a token that contains its client id, so that it need not be stored.
func (p *Provider) accessToken(w http.ResponseWriter, r *http.Request) {
	c := &call{
		dialect:   paypalDialect,
		operation: "token",
		request:   r,
		id:        derived(newID("", 26), 13),
	}
	client, secret, ok := r.BasicAuth()
	known, listed := p.config.PayPalClients[client]
	switch {
	case !ok || client == "" || strings.HasPrefix(client, "refused") || len(p.config.PayPalClients) > 0 && (!listed || known != secret):
		p.reply(w, c, oauthError(http.StatusUnauthorized, "invalid_client", "Client Authentication failed"), nil)
		return
	case r.FormValue("grant_type") != "client_credentials":
		p.reply(w, c, oauthError(http.StatusBadRequest, "unsupported_grant_type", "unsupported grant_type"), nil)
		return
	}
	expires := p.now().Add(accessTokenLife).Unix()
	p.reply(w, c, answer{status: http.StatusOK, body: map[string]any{
		"scope":        "https://uri.paypal.com/services/payments/payment https://uri.paypal.com/services/payments/refund https://uri.paypal.com/services/reporting/search/read",
		"access_token": bearer(client, expires), "token_type": "Bearer", "app_id": "APP-" + derived(client, 17),
		"expires_in": int64(accessTokenLife / time.Second), "nonce": newID("", 26),
	}}, nil)
}

func oauthError(status int, code, description string) answer {
	return answer{status: status, body: map[string]any{"error": code, "error_description": description}}
}

func bearer(client string, expires int64) string {
	claim := strconv.FormatInt(expires, 10) + " " + client
	sum := hmac.New(sha256.New, []byte("look-alike"))
	_, _ = sum.Write([]byte(claim))
	return "A21AA" + base64.RawURLEncoding.EncodeToString([]byte(claim)) + "-" + hex.EncodeToString(sum.Sum(nil)[:16])
}

// clientOf parses a bearer token.
func clientOf(given string, now int64) (client string, ok bool) {
	encoded, _ := strings.CutPrefix(given, "A21AA")
	if len(encoded) < 34 {
		return "", false
	}
	claim, err := base64.RawURLEncoding.DecodeString(encoded[:len(encoded)-33])
	moment, client, found := strings.Cut(string(claim), " ")
	expires, _ := strconv.ParseInt(moment, 10, 64)
	genuine := hmac.Equal([]byte(bearer(client, expires)), []byte(given))
	return client, err == nil && found && genuine && now < expires
}

func (p *Provider) readPayPal(c *call) (refused answer, ok bool) {
	given, _ := strings.CutPrefix(c.request.Header.Get("Authorization"), "Bearer ")
	client, ok := clientOf(given, p.now().Unix())
	if !ok {
		return oauthError(http.StatusUnauthorized, "invalid_token", "Token signature verification failed"), false
	}
	c.account = PayPalMerchant(client)
	var err error
	if c.body, err = readBody(c.request); err != nil {
		return c.badRequest("MALFORMED_REQUEST_JSON", "", "The request JSON is not well formed."), false
	}
	if c.request.Method == http.MethodPost {
		c.key = c.request.Header.Get("PayPal-Request-Id")
	}
	return answer{}, true
}

type paypalIssue struct{ issue, field, description string }

// paypalError returns an error with PayPal's body.
func (c *call) paypalError(status int, name, message string, issues ...paypalIssue) answer {
	details := []any{}
	for _, i := range issues {
		detail := map[string]any{"issue": i.issue, "description": i.description}
		if i.field != "" {
			detail["field"], detail["location"] = i.field, "body"
		}
		details = append(details, detail)
	}
	body := map[string]any{"name": name, "message": message, "debug_id": c.id, "links": []any{map[string]any{
		"href": "https://developer.paypal.com/api/rest/reference/orders/v2/errors/", "rel": "information_link", "method": "GET"}}}
	if len(details) > 0 {
		body["details"] = details
	}
	return answer{status: status, body: body}
}

func (c *call) unprocessable(issue, description string) answer {
	return c.paypalError(http.StatusUnprocessableEntity, "UNPROCESSABLE_ENTITY",
		"The requested action could not be performed, semantically incorrect, or failed business validation.",
		paypalIssue{issue: issue, description: description})
}

func (c *call) badRequest(issue, field, description string) answer {
	return c.paypalError(http.StatusBadRequest, "INVALID_REQUEST", "Request is not well-formed, syntactically incorrect, or violates schema.",
		paypalIssue{
			issue:       issue,
			field:       field,
			description: description,
		})
}

func (c *call) noSuchResource() answer {
	return c.paypalError(http.StatusNotFound, "RESOURCE_NOT_FOUND", "The specified resource does not exist.",
		paypalIssue{issue: "INVALID_RESOURCE_ID", description: "Specified resource ID does not exist. Please check the resource ID and try again."})
}

// readJSON decodes the body. An empty body counts as an empty object.
func (c *call) readJSON(into any) (answer, bool) {
	if len(strings.TrimSpace(string(c.body))) == 0 {
		return answer{}, true
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return c.badRequest("MALFORMED_REQUEST_JSON", "", "The request JSON is not well formed."), false
	}
	return answer{}, true
}

func (c *call) link(path, rel, method string) map[string]any {
	return map[string]any{"href": fmt.Sprintf("http://%s%s", c.request.Host, path), "rel": rel, "method": method}
}

func (c *call) minimal() bool {
	return !strings.Contains(c.request.Header.Get("Prefer"), "return=representation")
}

// issueText has PayPal's descriptions of the issues that a script may name.
var issueText = map[string]string{
	"INSTRUMENT_DECLINED":              "The instrument presented was either declined by the processor or bank, or it can't be used for this payment.",
	"PAYER_CANNOT_PAY":                 "Payer cannot pay for this transaction.",
	"TRANSACTION_REFUSED":              "The request was refused.",
	"PAYER_ACCOUNT_RESTRICTED":         "Payer account is restricted.",
	"PAYER_ACCOUNT_LOCKED_OR_CLOSED":   "Payer account cannot be used for this transaction.",
	"PAYEE_BLOCKED_TRANSACTION":        "The fraud settings for this seller are such that this payment cannot be executed.",
	"TRANSACTION_LIMIT_EXCEEDED":       "Total payment amount exceeded transaction limit.",
	"AGREEMENT_ALREADY_CANCELLED":      "The requested agreement is already canceled.",
	"BILLING_AGREEMENT_NOT_FOUND":      "The requested Billing Agreement token was not found.",
	"COMPLIANCE_VIOLATION":             "Transaction cannot be processed due to a possible compliance violation. To get more information about the transaction, call Customer Support.",
	"REFUND_FAILED_INSUFFICIENT_FUNDS": "Capture could not be refunded due to insufficient funds.",
}

func (c *call) refuse(issue string) answer {
	description, known := issueText[issue]
	if !known {
		description = "The request was refused."
	}
	return c.unprocessable(issue, description).began()
}
