package paypal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.WebhookPlatform = (*Provider)(nil)
	_ ports.WebhookReader   = (*Provider)(nil)
)

// webhookEvents are the events that ReadWebhook processes. PayPal's pages name the denied capture both DENIED and DECLINED, and
// some lack the events of refunds. Therefore RegisterWebhook subscribes only to those that PayPal lists as available. Sources:
// developer.paypal.com/api/rest/webhooks/event-names, docs.paypal.ai/reference/webhook-events/payments-v2 and
// developer.paypal.com/docs/disputes/webhooks, read November 2026.
var webhookEvents = []string{
	"PAYMENT.CAPTURE.COMPLETED", "PAYMENT.CAPTURE.DENIED", "PAYMENT.CAPTURE.DECLINED",
	"PAYMENT.CAPTURE.REFUNDED", "PAYMENT.CAPTURE.REVERSED",
	"PAYMENT.REFUND.COMPLETED", "PAYMENT.REFUND.PENDING", "PAYMENT.REFUND.FAILED", "PAYMENT.REFUND.DENIED",
	"CUSTOMER.DISPUTE.CREATED", "CUSTOMER.DISPUTE.UPDATED", "CUSTOMER.DISPUTE.RESOLVED",
}

const webhooks = "/v1/notifications/webhooks"

// RegisterWebhook registers a webhook, or returns the existing one of an earlier try. PayPal signs with its own key, and the
// signed data contain the id of the webhook. Therefore the secret is that id.
func (p *Provider) RegisterWebhook(ctx ports.Outbound, a ports.PaymentAccount, address string) (remote, secret string, err error) {
	if remote, err = p.registered(ctx, a, address); err != nil || remote != "" {
		return remote, remote, err
	}
	events, err := p.available(ctx, a)
	if err != nil {
		return "", "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	err = p.do(ctx, a, call{
		method: http.MethodPost,
		path:   webhooks,
		body:   map[string]any{"url": address, "event_types": events},
	}, &made)
	if issueOf(err) == "WEBHOOK_URL_ALREADY_EXISTS" {
		made.ID, err = p.registered(ctx, a, address)
	}
	if err == nil && made.ID == "" {
		err = errors.New("paypal: a webhook without an id")
	}
	return made.ID, made.ID, err
}

type eventType struct {
	Name string `json:"name"`
}

// available returns the webhookEvents that the application may subscribe to.
func (p *Provider) available(ctx context.Context, a ports.PaymentAccount) ([]eventType, error) {
	var list struct {
		Events []eventType `json:"event_types"`
	}
	if err := p.do(ctx, a, call{method: http.MethodGet, path: webhooks + "-event-types"}, &list); err != nil {
		return nil, err
	}
	ours := slices.DeleteFunc(list.Events, func(e eventType) bool { return !slices.Contains(webhookEvents, e.Name) })
	if len(ours) == 0 {
		return nil, errors.New("paypal: no event is available")
	}
	return ours, nil
}

// registered returns the id of the webhook with an address, or "".
func (p *Provider) registered(ctx context.Context, a ports.PaymentAccount, address string) (string, error) {
	var list struct {
		Webhooks []struct {
			ID  string `json:"id"`
			URL string `json:"url"`
		} `json:"webhooks"`
	}
	if err := p.do(ctx, a, call{method: http.MethodGet, path: webhooks}, &list); err != nil {
		return "", err
	}
	for _, w := range list.Webhooks {
		if w.URL == address {
			return w.ID, nil
		}
	}
	return "", nil
}

// RemoveWebhook removes a webhook. A webhook that does not exist is no error.
func (p *Provider) RemoveWebhook(ctx ports.Outbound, a ports.PaymentAccount, remote string) error {
	err := p.do(ctx, a, call{method: http.MethodDelete, path: webhooks + "/" + remote}, nil)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// event has the fields of a webhook's event that are read.
type event struct {
	Type         string          `json:"event_type"`
	At           time.Time       `json:"create_time"`
	ResourceType string          `json:"resource_type"`
	Resource     json.RawMessage `json:"resource"`
}

// ReadWebhook parses a webhook event of PayPal. It does not verify events of types that it ignores. It does
// not check the time of a transmission, because PayPal repeats one for three days, and a repetition changes nothing.
func (p *Provider) ReadWebhook(ctx ports.Outbound, a ports.PaymentAccount, c ports.Call, secret string) (ports.PaymentEvent, error) {
	var e event
	if err := json.Unmarshal(c.Payload, &e); err != nil {
		return ports.PaymentEvent{}, errUnreadableEvent
	}
	if !slices.Contains(webhookEvents, e.Type) {
		return ports.PaymentEvent{}, nil
	}
	if err := p.verify(ctx, a, c, secret); err != nil {
		return ports.PaymentEvent{}, err
	}
	switch kind := strings.ToLower(e.ResourceType); {
	case kind == "dispute":
		return decode(e, disputeNews)
	case kind == "refund":
		return decode(e, refundNews)
	case kind == "capture" && e.Type == "PAYMENT.CAPTURE.REVERSED":
		return decode(e, reversalNews)
	case kind == "capture":
		return decode(e, captureNews)
	}
	return ports.PaymentEvent{}, nil
}

// decode reads an event's resource.
func decode[T any](e event, news func(event, T) ports.PaymentEvent) (ports.PaymentEvent, error) {
	var resource T
	if err := json.Unmarshal(e.Resource, &resource); err != nil {
		return ports.PaymentEvent{}, errUnreadableEvent
	}
	return news(e, resource), nil
}

var (
	errUnreadableEvent  = fault.New(fault.Malformed, "invalid_request", "The event is unreadable.")
	errInvalidSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is not valid.")
)

// verifyTimeout limits a request that verifies a webhook.
const verifyTimeout = 5 * time.Second

// verifyShares limits concurrent verifications. PayPal repeats a webhook that is rejected because of this limit.
var verifyShares = bulkhead.Shares{
	Places: 64,
	Tenant: 16,
	Target: 16,
}

// Verifying returns the bulkhead that limits concurrent verifications of webhooks.
func (p *Provider) Verifying() *bulkhead.Room { return p.verifying }

// verify posts a webhook back to PayPal for verification. The alternative, to verify with the certificate that the call
// names, also needs a request, and a root of trust. verify sends the event back unchanged, because the signature covers
// white space, too. Source: developer.paypal.com/api/rest/webhooks/rest, "Postback method",
// and docs.paypal.ai/reference/api/rest/verify-webhook-signature, read November 2026.
func (p *Provider) verify(ctx context.Context, a ports.PaymentAccount, c ports.Call, webhook string) error {
	about := map[string]string{
		"auth_algo":         c.Header("Paypal-Auth-Algo"),
		"cert_url":          c.Header("Paypal-Cert-Url"),
		"transmission_id":   c.Header("Paypal-Transmission-Id"),
		"transmission_sig":  c.Header("Paypal-Transmission-Sig"),
		"transmission_time": c.Header("Paypal-Transmission-Time"),
		"webhook_id":        webhook,
	}
	for _, value := range about {
		if value == "" {
			return errInvalidSignature
		}
	}
	body, err := json.Marshal(about)
	if err != nil {
		return err
	}
	body = append(bytes.TrimSuffix(body, []byte("}")), `,"webhook_event":`...)
	body = append(append(body, c.Payload...), '}')
	var answer struct {
		Status string `json:"verification_status"`
	}
	err = p.verifying.Wait(ctx, webhook, func() error {
		bounded, cancel := context.WithTimeout(ctx, verifyTimeout)
		defer cancel()
		return p.do(bounded, a, call{
			method: http.MethodPost,
			path:   "/v1/notifications/verify-webhook-signature",
			body:   json.RawMessage(body),
		}, &answer)
	})
	switch {
	case issueOf(err) != "", err == nil && answer.Status == "FAILURE":
		return errInvalidSignature
	case err == nil && answer.Status != "SUCCESS":
		return errors.New("paypal: the answer to a verification is unreadable")
	}
	return err
}

// captureNews returns the outcome of an attempt, which it identifies by the custom id of the order.
func captureNews(_ event, c capture) ports.PaymentEvent {
	outcome, err := judgeCapture([]capture{c})
	if _, _, problem := checkout.ParseAttemptKey(c.Custom); err != nil || problem != nil {
		return ports.PaymentEvent{} // undecided, or not a payment of this server
	}
	return ports.PaymentEvent{Key: c.Custom, Charge: outcome}
}

// refundKey returns the key of a refund that was requested here, or "". The key is both the custom id and the invoice id,
// because PayPal does not always show the custom id. A refund that was made elsewhere has the ids of its capture.
func (g refund) refundKey() string {
	for _, key := range []string{g.Custom, g.Invoice} {
		if _, err := id.Parse[id.Refund](key); err == nil || checkout.IsOrphan(key) {
			return key
		}
	}
	return ""
}

// refundNews reads a refund, or a reversal, which has the same form.
func refundNews(e event, r refund) ports.PaymentEvent {
	outcome, amount := r.outcome(), r.amount()
	switch {
	case e.Type == "PAYMENT.CAPTURE.REVERSED" && outcome == nil:
		outcome = order.Refunded{Provider: r.ID}
	case outcome == nil:
		return ports.PaymentEvent{}
	}
	if key := r.refundKey(); key != "" {
		return ports.PaymentEvent{Key: key, Refund: outcome}
	}
	return external(r.capture(), r.ID, amount, outcome, e.At)
}

// reversalNews reads a capture that PayPal has reversed.
func reversalNews(e event, c capture) ports.PaymentEvent {
	reversal := c.ID + "-reversal" // a reversal has no id of its own
	news := external(c.ID, reversal, c.Amount, order.Refunded{Provider: reversal}, e.At)
	if news.External != nil {
		news.External.Whole = true
	}
	return news
}

func external(charge, of string, value amount, outcome order.RefundOutcome, at time.Time) ports.PaymentEvent {
	read, err := value.read()
	if err != nil || charge == "" || of == "" || !read.IsPositive() {
		return ports.PaymentEvent{}
	}
	return ports.PaymentEvent{External: &order.ExternalRefund{
		Charge:   charge,
		Provider: of,
		Amount:   read,
		Outcome:  outcome,
		At:       at.UTC(),
	}}
}

// lostOutcomes are the outcomes of a dispute in favor of the buyer. Source: "outcome_code" of
// developer.paypal.com/docs/api/customer-disputes/v1, read November 2026.
var lostOutcomes = []string{"RESOLVED_BUYER_FAVOUR", "ACCEPTED"}

// needsResponse are the states in which PayPal waits for the merchant. An open dispute is an inquiry or a claim without a
// response. Source: "status" of developer.paypal.com/docs/api/customer-disputes/v1, read November 2026.
var needsResponse = []string{"OPEN", "WAITING_FOR_SELLER_RESPONSE"}

type dispute struct {
	ID           string    `json:"dispute_id"`
	Reason       string    `json:"reason"`
	Status       string    `json:"status"`
	DueBy        time.Time `json:"seller_response_due_date"`
	Amount       amount    `json:"dispute_amount"`
	Transactions []struct {
		Seller string `json:"seller_transaction_id"`
	} `json:"disputed_transactions"`
	Outcome struct {
		Code string `json:"outcome_code"`
	} `json:"dispute_outcome"`
	Evidences []givenEvidence `json:"evidences"`
	Links     []struct {
		Rel string `json:"rel"`
	} `json:"links"`
}

// disputeNews reads the state of a dispute at the time of the event. Withdrawn is zero: PayPal withdraws money with a refund
// or a reversal of the capture, which has its own event and would count twice, and an undecided dispute only puts the amount
// on hold.
func disputeNews(e event, d dispute) ports.PaymentEvent {
	return d.news(e.Type == "CUSTOMER.DISPUTE.RESOLVED", e.At)
}

func (d dispute) news(resolved bool, at time.Time) ports.PaymentEvent {
	value, err := d.Amount.read()
	if err != nil || d.ID == "" || len(d.Transactions) == 0 || d.Transactions[0].Seller == "" {
		return ports.PaymentEvent{}
	}
	status, response := order.DisputeOpen, order.UnderReview
	if slices.Contains(needsResponse, d.Status) {
		response = order.ResponseNeeded
	}
	if d.Status == "RESOLVED" || resolved {
		response = order.ResponseClosed
		status = order.DisputeWon
		if slices.Contains(lostOutcomes, d.Outcome.Code) {
			status = order.DisputeLost
		}
	}
	none := money.Of(0, value.Currency())
	return ports.PaymentEvent{Dispute: &order.DisputeReport{
		Charge:    d.Transactions[0].Seller,
		Provider:  d.ID,
		Status:    status,
		Response:  response,
		DueBy:     d.DueBy.UTC(),
		Reason:    strings.ToLower(d.Reason),
		Amount:    value,
		Withdrawn: none,
		Fee:       none,
		At:        at.UTC(),
	}}
}
