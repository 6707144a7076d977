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

// heard are the events that ReadWebhook knows. PayPal's pages name the denied capture both DENIED and DECLINED, and
// not all name events of refunds, so that only those that PayPal lists as available are subscribed to. Sources:
// developer.paypal.com/api/rest/webhooks/event-names, docs.paypal.ai/reference/webhook-events/payments-v2 and
// developer.paypal.com/docs/disputes/webhooks, read November 2026.
var heard = []string{
	"PAYMENT.CAPTURE.COMPLETED", "PAYMENT.CAPTURE.DENIED", "PAYMENT.CAPTURE.DECLINED",
	"PAYMENT.CAPTURE.REFUNDED", "PAYMENT.CAPTURE.REVERSED",
	"PAYMENT.REFUND.COMPLETED", "PAYMENT.REFUND.PENDING", "PAYMENT.REFUND.FAILED", "PAYMENT.REFUND.DENIED",
	"CUSTOMER.DISPUTE.CREATED", "CUSTOMER.DISPUTE.UPDATED", "CUSTOMER.DISPUTE.RESOLVED",
}

const webhooks = "/v1/notifications/webhooks"

// RegisterWebhook subscribes an address. PayPal signs with a key of its own, and names the webhook in what it signs:
// its id stands for the secret. A webhook that an earlier try, whose answer was lost, has made is the same one.
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

// available are the events of heard that the application may subscribe to.
func (p *Provider) available(ctx context.Context, a ports.PaymentAccount) ([]eventType, error) {
	var list struct {
		Events []eventType `json:"event_types"`
	}
	if err := p.do(ctx, a, call{method: http.MethodGet, path: webhooks + "-event-types"}, &list); err != nil {
		return nil, err
	}
	ours := slices.DeleteFunc(list.Events, func(e eventType) bool { return !slices.Contains(heard, e.Name) })
	if len(ours) == 0 {
		return nil, errors.New("paypal: no event is available")
	}
	return ours, nil
}

// registered is the webhook of an address, or "".
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

// RemoveWebhook is done also when there is no such webhook any more.
func (p *Provider) RemoveWebhook(ctx ports.Outbound, a ports.PaymentAccount, remote string) error {
	err := p.do(ctx, a, call{method: http.MethodDelete, path: webhooks + "/" + remote}, nil)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// event is as much of a webhook's event as is read.
type event struct {
	Type         string          `json:"event_type"`
	At           time.Time       `json:"create_time"`
	ResourceType string          `json:"resource_type"`
	Resource     json.RawMessage `json:"resource"`
}

// ReadWebhook parses a webhook event of PayPal. It does not verify events that concern no payment of ours. The time of a
// transmission is not judged: PayPal repeats one for three days, and a repeat changes nothing.
func (p *Provider) ReadWebhook(ctx ports.Outbound, a ports.PaymentAccount, c ports.Call, secret string) (ports.PaymentNews, error) {
	var e event
	if err := json.Unmarshal(c.Payload, &e); err != nil {
		return ports.PaymentNews{}, errUnreadableEvent
	}
	if !slices.Contains(heard, e.Type) {
		return ports.PaymentNews{}, nil
	}
	if err := p.verify(ctx, a, c, secret); err != nil {
		return ports.PaymentNews{}, err
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
	return ports.PaymentNews{}, nil
}

// decode reads an event's resource.
func decode[T any](e event, news func(event, T) ports.PaymentNews) (ports.PaymentNews, error) {
	var resource T
	if err := json.Unmarshal(e.Resource, &resource); err != nil {
		return ports.PaymentNews{}, errUnreadableEvent
	}
	return news(e, resource), nil
}

var (
	errUnreadableEvent  = fault.New(fault.Malformed, "invalid_request", "The event is unreadable.")
	errInvalidSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is not valid.")
)

// verifyTimeout bounds the question whether PayPal has sent a webhook.
const verifyTimeout = 5 * time.Second

// verifyShares bound the verifications under way. PayPal repeats a webhook that is turned away.
var verifyShares = bulkhead.Shares{
	Places: 64,
	Tenant: 16,
	Target: 16,
}

// Verifying is the room where webhooks wait for their verification.
func (p *Provider) Verifying() *bulkhead.Room { return p.verifying }

// verify posts a webhook back to PayPal, which knows what it has sent. The alternative, to verify by the certificate
// that the call names, needs a second conversation and a root of trust besides. The event goes back byte for byte:
// another white space is another signature. Source: developer.paypal.com/api/rest/webhooks/rest, "Postback method",
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

// captureNews is the outcome of an attempt, by the custom id of its order.
func captureNews(_ event, c capture) ports.PaymentNews {
	outcome, err := judgeCapture([]capture{c})
	if _, _, problem := checkout.ParseAttemptKey(c.Custom); err != nil || problem != nil {
		return ports.PaymentNews{} // undecided, or not a payment of this server
	}
	return ports.PaymentNews{Key: c.Custom, Charge: outcome}
}

// ours is the key of a refund that was requested here, or "". It is both custom and invoice id, of which PayPal does not
// always show the first. In refunds that are made elsewhere it repeats those of the capture.
func (g refund) ours() string {
	for _, key := range []string{g.Custom, g.Invoice} {
		if _, err := id.Parse[id.Refund](key); err == nil || checkout.IsOrphan(key) {
			return key
		}
	}
	return ""
}

// refundNews reads a refund, or a reversal, which has the form of one.
func refundNews(e event, r refund) ports.PaymentNews {
	outcome, amount := r.outcome(), r.amount()
	switch {
	case e.Type == "PAYMENT.CAPTURE.REVERSED" && outcome == nil:
		outcome = order.Refunded{Provider: r.ID}
	case outcome == nil:
		return ports.PaymentNews{}
	}
	if key := r.ours(); key != "" {
		return ports.PaymentNews{Key: key, Refund: outcome}
	}
	return external(r.capture(), r.ID, amount, outcome, e.At)
}

// reversalNews reads a capture that PayPal has reversed.
func reversalNews(e event, c capture) ports.PaymentNews {
	reversal := c.ID + "-reversal" // it has no id of its own
	news := external(c.ID, reversal, c.Amount, order.Refunded{Provider: reversal}, e.At)
	if news.External != nil {
		news.External.Whole = true
	}
	return news
}

func external(charge, of string, value amount, outcome order.RefundOutcome, at time.Time) ports.PaymentNews {
	read, err := value.read()
	if err != nil || charge == "" || of == "" || !read.IsPositive() {
		return ports.PaymentNews{}
	}
	return ports.PaymentNews{External: &order.ExternalRefund{
		Charge:   charge,
		Provider: of,
		Amount:   read,
		Outcome:  outcome,
		At:       at.UTC(),
	}}
}

// lost are the outcomes of a dispute after which the buyer has the money. Source: "outcome_code" of
// developer.paypal.com/docs/api/customer-disputes/v1, read November 2026.
var lost = []string{"RESOLVED_BUYER_FAVOUR", "ACCEPTED"}

// toRespond are the states in which PayPal waits for the merchant. An open one is an inquiry or a claim to which nobody has
// responded. Source: "status" of developer.paypal.com/docs/api/customer-disputes/v1, read November 2026.
var toRespond = []string{"OPEN", "WAITING_FOR_SELLER_RESPONSE"}

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

// disputeNews reads a dispute as it stood when the event was made. What PayPal takes for it is a refund or a reversal
// of the capture, which is reported by itself; while it is undecided PayPal holds the amount, which takes nothing
// yet. So nothing is withdrawn here, or it would count twice.
func disputeNews(e event, d dispute) ports.PaymentNews {
	return d.news(e.Type == "CUSTOMER.DISPUTE.RESOLVED", e.At)
}

func (d dispute) news(resolved bool, at time.Time) ports.PaymentNews {
	value, err := d.Amount.read()
	if err != nil || d.ID == "" || len(d.Transactions) == 0 || d.Transactions[0].Seller == "" {
		return ports.PaymentNews{}
	}
	status, response := order.DisputeOpen, order.UnderReview
	if slices.Contains(toRespond, d.Status) {
		response = order.ResponseNeeded
	}
	if d.Status == "RESOLVED" || resolved {
		response = order.ResponseClosed
		status = order.DisputeWon
		if slices.Contains(lost, d.Outcome.Code) {
			status = order.DisputeLost
		}
	}
	none := money.Of(0, value.Currency())
	return ports.PaymentNews{Dispute: &order.DisputeReport{
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
