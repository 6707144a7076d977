package provider

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// PayPal's webhooks, https://developer.paypal.com/api/rest/webhooks/rest (read November 2026). The look-alike signs with
// its own key instead of a certificate, so that only it can verify a signature, at verify-webhook-signature.

// available are the events that a webhook may subscribe to.
var available = []string{
	"BILLING.PLAN.CREATED", "CHECKOUT.ORDER.APPROVED", "CUSTOMER.DISPUTE.CREATED", "CUSTOMER.DISPUTE.RESOLVED", "CUSTOMER.DISPUTE.UPDATED",
	"PAYMENT.CAPTURE.COMPLETED", "PAYMENT.CAPTURE.DECLINED", "PAYMENT.CAPTURE.DENIED", "PAYMENT.CAPTURE.PENDING", "PAYMENT.CAPTURE.REFUNDED",
	"PAYMENT.CAPTURE.REVERSED",
}

type named struct {
	Name string `json:"name"`
}

func namedEvents(names []string) []named {
	all := []named{}
	for _, name := range names {
		all = append(all, named{name})
	}
	return all
}

func listEventTypes(*change, *call) answer {
	return answer{status: http.StatusOK, body: map[string]any{"event_types": namedEvents(available)}}
}

func createPayPalWebhook(c *change, call *call) answer {
	var asked struct {
		URL    string  `json:"url"`
		Events []named `json:"event_types"`
	}
	if refused, ok := call.readJSON(&asked); !ok {
		return refused
	}
	address, err := url.Parse(asked.URL)
	if err != nil || address.Host == "" || len(asked.Events) == 0 {
		return call.paypalError(http.StatusBadRequest, "VALIDATION_ERROR", "Invalid data provided")
	}
	made := ledger.Endpoint{
		ID:      strings.ToUpper(newID("", 17)),
		Account: call.account,
		URL:     asked.URL,
		Created: c.seconds(),
	}
	for _, e := range asked.Events {
		if e.Name != "*" && !slices.Contains(available, e.Name) {
			return call.paypalError(http.StatusBadRequest, "VALIDATION_ERROR", "Not a valid webhook event name")
		}
		made.Events = append(made.Events, e.Name)
	}
	for e := range c.Endpoints.Oldest() {
		if e.Account == call.account && e.URL == asked.URL && !e.Deleted {
			return call.paypalError(http.StatusBadRequest, "WEBHOOK_URL_ALREADY_EXISTS", "Webhook URL already exists")
		}
	}
	made.PayPal = true
	c.entry.Endpoints = append(c.entry.Endpoints, made)
	return answer{status: http.StatusCreated, body: showPayPalWebhook(made)}
}

func listPayPalWebhooks(c *change, call *call) answer {
	all := []any{}
	for e := range c.Endpoints.Oldest() {
		if e.Account == call.account && !e.Deleted {
			all = append(all, showPayPalWebhook(e))
		}
	}
	return answer{status: http.StatusOK, body: map[string]any{"webhooks": all}}
}

func deletePayPalWebhook(c *change, call *call) answer {
	known, ok := c.endpointOf(call)
	if !ok {
		return call.noSuchResource()
	}
	known.Deleted = true
	c.entry.Endpoints = append(c.entry.Endpoints, known)
	return answer{status: http.StatusNoContent}
}

func showPayPalWebhook(e ledger.Endpoint) map[string]any {
	return map[string]any{"id": e.ID, "url": e.URL, "event_types": namedEvents(e.Events)}
}

func verifyPayPalWebhook(c *change, call *call) answer {
	var asked struct {
		ID      string          `json:"transmission_id"`
		Time    string          `json:"transmission_time"`
		Sig     string          `json:"transmission_sig"`
		Webhook string          `json:"webhook_id"`
		Event   json.RawMessage `json:"webhook_event"`
	}
	if refused, ok := call.readJSON(&asked); !ok {
		return refused
	}
	known, ok := c.Endpoints.Get(asked.Webhook)
	status := "FAILURE"
	if ok && known.Account == call.account && hmac.Equal([]byte(paypalSignature(asked.ID, asked.Time, asked.Webhook, asked.Event)), []byte(asked.Sig)) {
		status = "SUCCESS"
	}
	return answer{status: http.StatusOK, body: map[string]any{"verification_status": status}}
}

// paypalSignature signs transmission id, time, webhook id and the body's CRC-32, as PayPal does.
func paypalSignature(transmission, at, webhook string, body []byte) string {
	sum := hmac.New(sha256.New, []byte("look-alike"))
	_, _ = fmt.Fprintf(sum, "%s|%s|%s|%d", transmission, at, webhook, crc32.ChecksumIEEE(body))
	return base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// sign adds PayPal's headers to a delivery.
func sign(e ledger.Endpoint, header http.Header, delivery string, at int64, body []byte) {
	header.Set("Paypal-Transmission-Id", delivery)
	header.Set("Paypal-Transmission-Time", moment(at))
	header.Set("Paypal-Transmission-Sig", paypalSignature(delivery, moment(at), e.ID, body))
	header.Set("Paypal-Auth-Algo", "SHA256withRSA")
	header.Set("Paypal-Cert-Url", "https://api.paypal.com/v1/notifications/certs/CERT-"+e.ID)
}

// emitPayPal records a PayPal event and its deliveries.
func (c *change) emitPayPal(call *call, kind, resourceType string, resource map[string]any) {
	event := ledger.Event{
		ID:      "WH-" + newID("", 17),
		Account: call.account,
		Type:    kind,
		Created: c.seconds(),
	}
	event.Body, _ = json.Marshal(map[string]any{
		"id": event.ID, "event_version": "1.0", "create_time": moment(event.Created), "resource_type": resourceType, "resource_version": "2.0",
		"event_type": kind, "summary": kind, "resource": resource, "links": []any{},
	})
	c.send(event)
}
