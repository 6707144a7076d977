package provider

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// StripeAccount returns the account id of a secret key that Config.Accounts does not have.
func StripeAccount(key string) string { return "acct_" + derived("stripe "+key, 16) }

var stripeDialect = &dialect{
	provider: "stripe",
	rateLimited: func(*call) answer {
		a := stripeError(http.StatusTooManyRequests, stripeFault{kind: "invalid_request_error", code: "rate_limit",
			message: "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits."})
		a.header = map[string]string{"Retry-After": "1", "Stripe-Rate-Limited-Reason": "global-rate"}
		return a
	},
	inUse: func(c *call) answer {
		a := stripeError(http.StatusConflict, stripeFault{kind: "idempotency_error", code: "idempotency_key_in_use",
			message: "There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): " +
				c.request.Header.Get("Idempotency-Key") + ". Please try again later."})
		a.header = map[string]string{"Stripe-Should-Retry": "true"}
		return a
	},
	internal: func(*call) answer {
		return stripeError(http.StatusInternalServerError, stripeFault{kind: "api_error",
			message: "An unknown error occurred"})
	},
	otherUse: func(c *call, kept ledger.KeptAnswer) answer {
		message := "Keys for idempotent requests can only be used with the same parameters they were first used with."
		if kept.Path != c.request.Method+" "+c.request.URL.Path {
			message = "Keys for idempotent requests can only be used for the same endpoint they were first used for ('" + kept.Path + "')."
		}
		return stripeError(http.StatusBadRequest, stripeFault{kind: "idempotency_error",
			message: message + " Try using a key other than '" + c.request.Header.Get("Idempotency-Key") + "' if you meant to execute a different request."})
	},
	replay: func(_ *ledger.State, _ *call, kept ledger.KeptAnswer) answer {
		header := map[string]string{"Idempotent-Replayed": "true"}
		if kept.Status >= 500 {
			header["Stripe-Should-Retry"] = "false"
		}
		return answer{
			status: kept.Status,
			body:   kept.Body,
			header: header,
		}
	},
	keyAge:      func(c Config) time.Duration { return c.StripeKeyAge },
	scope:       func(c *call) string { return "stripe " + c.account + " " + c.key },
	keepsErrors: true,
}

func (p *Provider) routeStripe(mux *http.ServeMux) {
	routes := []struct {
		pattern, operation string
		execute            func(*change, *call) answer
	}{
		{"POST /v1/payment_intents", "charge", createIntent},
		{"GET /v1/payment_intents", "list", listIntents},
		{"GET /v1/payment_intents/search", "list", searchIntents},
		{"GET /v1/payment_intents/{id}", "read", readIntent},
		{"POST /v1/payment_intents/{id}/confirm", "charge", confirmIntent},
		{"POST /v1/payment_intents/{id}/cancel", "cancel", cancelIntent},
		{"GET /v1/charges/{id}", "read", readCharge},
		{"POST /v1/refunds", "refund", createRefund},
		{"GET /v1/refunds", "list", listRefunds},
		{"GET /v1/refunds/{id}", "read", readRefund},
		{"GET /v1/balance_transactions", "list", listBalance},
		{"GET /v1/disputes/{id}", "read", readDispute},
		{"POST /v1/disputes/{id}", "dispute", updateDispute},
		{"POST /v1/disputes/{id}/close", "dispute", acceptDispute},
		{"GET /v1/account", "read", readAccount},
		{"POST /v1/webhook_endpoints", "webhook", createEndpoint},
		{"GET /v1/webhook_endpoints", "webhook", listEndpoints},
		{"GET /v1/webhook_endpoints/{id}", "webhook", readEndpoint},
		{"DELETE /v1/webhook_endpoints/{id}", "webhook", deleteEndpoint},
		{"GET /v1/events", "list", listEvents},
		{"GET /v1/events/{id}", "read", readEvent},
		{"POST /v1/test_helpers/shared_payment/granted_tokens", "token", grantToken},
		{"POST /v1/test_helpers/shared_payment/granted_tokens/{id}/revoke", "token", revokeToken},
		{"GET /v1/shared_payment/granted_tokens/{id}", "token", readToken},
	}
	for _, route := range routes {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			p.serveStripe(w, r, route.operation, route.execute)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p.serveStripe(w, r, "unknown", func(_ *change, c *call) answer {
			return invalid(http.StatusNotFound, "", "", "Unrecognized request URL ("+c.request.Method+": "+c.request.URL.Path+").")
		})
	})
}

func (p *Provider) serveStripe(w http.ResponseWriter, r *http.Request, operation string, execute func(*change, *call) answer) {
	c := &call{
		dialect:   stripeDialect,
		operation: operation,
		request:   r,
		id:        newID("req_", 14),
		token:     stripeTokenOf,
	}
	if refused, ok := p.readStripe(c); !ok {
		p.reply(w, c, refused, nil)
		return
	}
	p.serve(w, c, execute)
}

// readStripe authenticates the call and parses its parameters.
func (p *Provider) readStripe(c *call) (refused answer, ok bool) {
	secret, _, basic := c.request.BasicAuth()
	if !basic {
		secret, _ = strings.CutPrefix(c.request.Header.Get("Authorization"), "Bearer ")
	}
	if refused, ok = p.authenticate(c, secret); !ok {
		return refused, false
	}
	var err error
	c.form = c.request.URL.Query()
	if c.request.Method == http.MethodPost {
		if c.body, err = readBody(c.request); err == nil {
			c.form, err = url.ParseQuery(string(c.body))
		}
		c.key = strings.TrimSpace(c.request.Header.Get("Idempotency-Key"))
	}
	if err != nil {
		return invalid(http.StatusBadRequest, "", "", "Invalid request body."), false
	}
	if len(c.key) > 255 {
		return stripeError(http.StatusBadRequest, stripeFault{kind: "idempotency_error", message: "Idempotency keys can be at most 255 characters long."}), false
	}
	return answer{}, true
}

func (p *Provider) authenticate(c *call, secret string) (refused answer, ok bool) {
	account, known := p.config.Accounts[secret]
	shaped := strings.HasPrefix(secret, "sk_") || strings.HasPrefix(secret, "rk_")
	refusing := strings.HasPrefix(secret, "sk_test_refused") || strings.HasPrefix(secret, "sk_live_refused")
	switch {
	case secret == "":
		return invalid(http.StatusUnauthorized, "", "", "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."), false
	case !shaped || refusing || len(p.config.Accounts) > 0 && !known:
		return invalid(http.StatusUnauthorized, "", "", "Invalid API Key provided: "+masked(secret)), false
	}
	c.account = cmp.Or(account, StripeAccount(secret))
	c.live = strings.HasPrefix(secret, "sk_live_") || strings.HasPrefix(secret, "rk_live_")
	return answer{}, true
}

func masked(secret string) string {
	if len(secret) <= 12 {
		return strings.Repeat("*", len(secret))
	}
	return secret[:8] + strings.Repeat("*", len(secret)-12) + secret[len(secret)-4:]
}

// stripeFault is Stripe's error object.
type stripeFault struct {
	kind, code, message, param, declineCode, charge string
	intent                                          map[string]any
	method                                          map[string]any
}

func (f stripeFault) object() map[string]any {
	object := map[string]any{"type": f.kind, "message": f.message}
	for name, text := range map[string]string{"code": f.code, "param": f.param, "decline_code": f.declineCode, "charge": f.charge} {
		if text != "" {
			object[name] = text
		}
	}
	if f.code != "" {
		object["doc_url"] = "https://stripe.com/docs/error-codes/" + strings.ReplaceAll(f.code, "_", "-")
	}
	if f.intent != nil {
		object["payment_intent"] = f.intent
	}
	if f.method != nil {
		object["payment_method"] = f.method
	}
	return object
}

func stripeError(status int, f stripeFault) answer {
	return answer{status: status, body: map[string]any{"error": f.object()}}
}

func invalid(status int, code, param, message string) answer {
	return stripeError(status, stripeFault{
		kind:    "invalid_request_error",
		code:    code,
		param:   param,
		message: message,
	})
}

func missingParam(param string) answer {
	return invalid(http.StatusBadRequest, "parameter_missing", param, "Missing required param: "+param+".")
}

// unknownID answers 404 for an id in the path and 400 for one in a parameter.
func unknownID(object, id, param string) answer {
	status := http.StatusBadRequest
	if param == "" {
		status, param = http.StatusNotFound, "id"
	}
	return invalid(status, "resource_missing", param, "No such "+object+": '"+id+"'")
}

// began marks the answer as kept under the idempotency key, because execution began.
func (a answer) began() answer {
	a.kept = true
	return a
}

// unknownParam refuses a parameter whose root is not among the known ones, as Stripe does.
func unknownParam(form url.Values, known ...string) (answer, bool) {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		root, _, _ := strings.Cut(name, "[")
		if root != "expand" && !slices.Contains(known, root) {
			return invalid(http.StatusBadRequest, "parameter_unknown", name, "Received unknown parameter: "+name), true
		}
	}
	return answer{}, false
}

// positive parses a number from 1. It returns 0 if the parameter is missing.
func positive(form url.Values, param string) (int64, answer, bool) {
	if !form.Has(param) {
		return 0, answer{}, true
	}
	n, err := strconv.ParseInt(form.Get(param), 10, 64)
	switch {
	case err != nil:
		return 0, invalid(http.StatusBadRequest, "parameter_invalid_integer", param, "Invalid integer: "+form.Get(param)), false
	case n < 1:
		return 0, invalid(http.StatusBadRequest, "parameter_invalid_integer", param, "This value must be greater than or equal to 1."), false
	case n > 99_999_999_99:
		return 0, invalid(http.StatusBadRequest, "amount_too_large", param, "Amount must be no more than 9999999999."), false
	}
	return n, answer{}, true
}

// list returns the values of name[], name[0], name[1] and so on.
func list(form url.Values, name string) (values []string) {
	for _, key := range slices.Sorted(maps.Keys(form)) {
		if strings.HasPrefix(key, name+"[") {
			values = append(values, form[key]...)
		}
	}
	return values
}

// object returns the values of name[key] by key.
func object(form url.Values, name string) map[string]string {
	values := map[string]string{}
	for key := range form {
		inner, ok := strings.CutPrefix(key, name+"[")
		if inner, ended := strings.CutSuffix(inner, "]"); ok && ended && form.Get(key) != "" {
			values[inner] = form.Get(key)
		}
	}
	return values
}

func expands(form url.Values, field string) bool {
	wanted := list(form, "expand")
	return slices.Contains(wanted, field) || slices.Contains(wanted, "data."+field)
}
