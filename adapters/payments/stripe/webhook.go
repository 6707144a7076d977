package stripe

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.WebhookReader = (*Provider)(nil)
	_ ports.ChargeReader  = (*Provider)(nil)
	_ ports.DisputeReader = (*Provider)(nil)
)

// tolerance is how far the time of a signature may be from ours or, should our clock be wrong, from Stripe's.
const tolerance = 5 * time.Minute

// ReadWebhook reads what Stripe sends to an endpoint. Events of another version of the API than ours
// are read alike: the little that is read has not changed. The instrument of a charge that was paid is
// not in its event.
func (p *Provider) ReadWebhook(_ ports.Outbound, _ ports.PaymentAccount, c ports.Call, secret string) (ports.PaymentNews, error) {
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
		return decode(event.Data.Raw, newsOfCharge)
	case "refund":
		return decode(event.Data.Raw, newsOf)
	case "charge":
		return decode(event.Data.Raw, newsOfNewestRefund)
	case "dispute":
		return decode(event.Data.Raw, func(dispute *api.Dispute) (ports.PaymentNews, error) {
			return newsOfDispute(dispute, time.Unix(event.Created, 0).UTC()), nil // as it stood when the event was made
		})
	}
	return ports.PaymentNews{}, nil
}

func (p *Provider) recent(signed time.Time) bool {
	least, most := p.remote.Age(signed)
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

// decode reads an event's object.
func decode[T any](raw json.RawMessage, news func(*T) (ports.PaymentNews, error)) (ports.PaymentNews, error) {
	var object T
	if err := json.Unmarshal(raw, &object); err != nil {
		return ports.PaymentNews{}, errUnreadableEvent
	}
	return news(&object)
}

func newsOfCharge(intent *api.PaymentIntent) (ports.PaymentNews, error) {
	outcome, decided := judge(intent)
	if key := intent.Metadata[metaKey]; decided && key != "" {
		return ports.PaymentNews{Key: key, Charge: outcome}, nil
	}
	return ports.PaymentNews{}, nil
}

// newsOfNewestRefund reads charge.refunded of an endpoint that asks for an old version of the API, whose charges hold
// their refunds, newest first. Later ones announce the refund by itself.
func newsOfNewestRefund(charge *api.Charge) (ports.PaymentNews, error) {
	if charge.Refunds == nil || len(charge.Refunds.Data) == 0 {
		return ports.PaymentNews{}, nil
	}
	return newsOf(charge.Refunds.Data[0])
}

// newsOf is what a refund means: an outcome of one that was requested here, or one that was made elsewhere. Charges
// go by their payment intent; those without are not ours.
func newsOf(refund *api.Refund) (ports.PaymentNews, error) {
	outcome := judgeRefund(refund)
	switch key := refund.Metadata[metaRefund]; {
	case outcome == nil:
		return ports.PaymentNews{}, nil
	case key != "":
		return ports.PaymentNews{Key: key, Refund: outcome}, nil
	case refund.PaymentIntent == nil:
		return ports.PaymentNews{}, nil
	}
	amount, err := fromUnits(refund.Amount, string(refund.Currency))
	if err != nil {
		return ports.PaymentNews{}, nil // a currency that no payment here has
	}
	return ports.PaymentNews{External: &order.ExternalRefund{
		Charge:   refund.PaymentIntent.ID,
		Provider: refund.ID,
		Amount:   amount,
		Outcome:  outcome,
		At:       time.Unix(refund.Created, 0).UTC(),
	}}, nil
}

// disputeStatuses are Stripe's. A warning is an inquiry, which has taken no money; one that is closed became no
// dispute. A prevented one was refunded before it became a dispute: that refund is reported by itself. Source:
// docs.stripe.com/api/disputes/object, read November 2026.
var disputeStatuses = map[api.DisputeStatus]order.DisputeStatus{
	api.DisputeStatusLost:                 order.DisputeLost,
	api.DisputeStatusNeedsResponse:        order.DisputeOpen,
	api.DisputeStatusPrevented:            order.DisputeWon,
	api.DisputeStatusUnderReview:          order.DisputeOpen,
	api.DisputeStatusWarningClosed:        order.DisputeWon,
	api.DisputeStatusWarningNeedsResponse: order.DisputeOpen,
	api.DisputeStatusWarningUnderReview:   order.DisputeOpen,
	api.DisputeStatusWon:                  order.DisputeWon,
}

// disputeResponses say whose turn it is.
var disputeResponses = map[api.DisputeStatus]order.DisputeResponse{
	api.DisputeStatusLost:                 order.ResponseClosed,
	api.DisputeStatusPrevented:            order.ResponseClosed,
	api.DisputeStatusWarningClosed:        order.ResponseClosed,
	api.DisputeStatusWon:                  order.ResponseClosed,
	api.DisputeStatusNeedsResponse:        order.ResponseNeeded,
	api.DisputeStatusUnderReview:          order.UnderReview,
	api.DisputeStatusWarningNeedsResponse: order.ResponseNeeded,
	api.DisputeStatusWarningUnderReview:   order.UnderReview,
}

// dueBy is zero if the bank allows no response: then due_by is 0.
func dueBy(dispute *api.Dispute) time.Time {
	if dispute.EvidenceDetails == nil || dispute.EvidenceDetails.DueBy == 0 {
		return time.Time{}
	}
	return time.Unix(dispute.EvidenceDetails.DueBy, 0).UTC()
}

// newsOfDispute reports a dispute as it stood at a time; nothing if it cannot be of a payment here.
func newsOfDispute(dispute *api.Dispute, at time.Time) ports.PaymentNews {
	status, known := disputeStatuses[dispute.Status]
	amount, err := fromUnits(dispute.Amount, string(dispute.Currency))
	if !known || err != nil || dispute.PaymentIntent == nil {
		return ports.PaymentNews{}
	}
	withdrawn, fee := taken(dispute, amount)
	return ports.PaymentNews{Dispute: &order.DisputeReport{
		Charge:    dispute.PaymentIntent.ID,
		Provider:  dispute.ID,
		Status:    status,
		Response:  disputeResponses[dispute.Status],
		DueBy:     dueBy(dispute),
		Reason:    string(dispute.Reason),
		Amount:    amount,
		Withdrawn: withdrawn,
		Fee:       fee,
		At:        at,
	}}
}

// taken sums a dispute's balance transactions: "zero, one, or two [...] that show funds withdrawn and reinstated to your
// Stripe account as a result of this dispute". Of an account that settles in another currency they say only whether the
// disputed amount is gone, and its fee is left to the balance report.
func taken(dispute *api.Dispute, amount money.Amount) (withdrawn, fee money.Amount) {
	var gross, fees int64
	converted, withdrawals := false, 0 // withdrawals that were not put back: at another rate the sums differ
	for _, t := range dispute.BalanceTransactions {
		gross, fees = gross-t.Amount, fees+t.Fee
		converted = converted || t.Currency != dispute.Currency
		withdrawals -= cmp.Compare(t.Amount, 0)
	}
	none := money.Of(0, amount.Currency())
	if converted {
		if withdrawals > 0 {
			return amount, none
		}
		return none, none
	}
	withdrawn, _ = fromUnits(max(gross, 0), string(dispute.Currency))
	fee, _ = fromUnits(fees, string(dispute.Currency))
	return withdrawn, fee
}
