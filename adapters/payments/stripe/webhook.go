package stripe

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.WebhookReader = (*Provider)(nil)

// tolerance is how far the time of a signature may be from ours or, should our clock be wrong, from Stripe's.
const tolerance = 5 * time.Minute

// ReadWebhook reads what Stripe sends to an endpoint. Events of another version of the API than ours
// are read alike: the little that is read has not changed. The instrument of a charge that was paid is
// not in its event.
func (p *Provider) ReadWebhook(_ context.Context, _ ports.PaymentAccount, c ports.Call, secret string) (ports.PaymentNews, error) {
	signature := c.Header("Stripe-Signature")
	event, err := webhook.ConstructEventWithOptions(c.Payload, signature, secret, webhook.ConstructEventOptions{
		IgnoreTolerance: true, IgnoreAPIVersionMismatch: true, // the time is judged here
	})
	if !p.recent(signedAt(signature)) || err != nil || secret == "" {
		return ports.PaymentNews{}, fault.New(fault.Unauthenticated, "invalid_signature", "The signature is not valid.")
	}
	if event.Data == nil {
		return ports.PaymentNews{}, nil
	}
	switch object := event.Data.Object["object"]; object {
	case "payment_intent":
		return chargeNews(event.Data.Raw)
	case "refund":
		return refundNews(event.Data.Raw)
	}
	return ports.PaymentNews{}, nil
}

func (p *Provider) recent(signed time.Time) bool {
	least, most := p.age(signed)
	return least.Abs() <= tolerance || most.Abs() <= tolerance
}

// signedAt is the t= of a signature; zero unless there is exactly one. Of several, nobody knows which one
// is signed.
func signedAt(signature string) time.Time {
	var times []string
	for part := range strings.SplitSeq(signature, ",") {
		if text, ok := strings.CutPrefix(part, "t="); ok {
			times = append(times, text)
		}
	}
	if len(times) != 1 {
		return time.Time{}
	}
	seconds, _ := strconv.ParseInt(times[0], 10, 64)
	return time.Unix(seconds, 0)
}

var errUnreadableEvent = fault.New(fault.Malformed, "invalid_request", "The event is unreadable.")

func chargeNews(raw json.RawMessage) (ports.PaymentNews, error) {
	var intent api.PaymentIntent
	if err := json.Unmarshal(raw, &intent); err != nil {
		return ports.PaymentNews{}, errUnreadableEvent
	}
	outcome, decided := judge(&intent)
	if key := intent.Metadata[metaKey]; decided && key != "" {
		return ports.PaymentNews{Key: key, Charge: outcome}, nil
	}
	return ports.PaymentNews{}, nil
}

func refundNews(raw json.RawMessage) (ports.PaymentNews, error) {
	var refund api.Refund
	if err := json.Unmarshal(raw, &refund); err != nil {
		return ports.PaymentNews{}, errUnreadableEvent
	}
	outcome := judgeRefund(&refund)
	if key := refund.Metadata[metaRefund]; outcome != nil && key != "" {
		return ports.PaymentNews{Key: key, Refund: outcome}, nil
	}
	return ports.PaymentNews{}, nil
}
