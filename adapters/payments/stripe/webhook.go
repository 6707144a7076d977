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

// tolerance is the maximum difference between the time of a signature and ours or, if our clock is wrong, Stripe's.
const tolerance = 5 * time.Minute

// ReadWebhook reads a webhook event. It reads events of other API versions in the same way, because the few fields
// that it reads have not changed. The event of a paid charge does not contain the payment instrument.
func (p *Provider) ReadWebhook(_ ports.Outbound, _ ports.PaymentAccount, c ports.Call, secret string) (ports.PaymentEvent, error) {
	signature := c.Header("Stripe-Signature")
	event, err := webhook.ConstructEventWithOptions(c.Payload, signature, secret, webhook.ConstructEventOptions{
		IgnoreTolerance: true, IgnoreAPIVersionMismatch: true, // recent checks the time
	})
	if !p.recent(signedAt(signature)) || err != nil || secret == "" {
		return ports.PaymentEvent{}, fault.New(fault.Unauthenticated, "invalid_signature", "The signature is not valid.")
	}
	if event.Data == nil {
		return ports.PaymentEvent{}, nil
	}
	switch object := event.Data.Object["object"]; object {
	case "payment_intent":
		return decode(event.Data.Raw, newsOfCharge)
	case "refund":
		return decode(event.Data.Raw, newsOfRefund)
	case "charge":
		return decode(event.Data.Raw, newsOfNewestRefund)
	case "dispute":
		return decode(event.Data.Raw, func(dispute *api.Dispute) (ports.PaymentEvent, error) {
			return newsOfDispute(dispute, time.Unix(event.Created, 0).UTC()), nil // the state at the time of the event
		})
	}
	return ports.PaymentEvent{}, nil
}

func (p *Provider) recent(signed time.Time) bool {
	least, most := p.remote.Age(signed)
	return least.Abs() <= tolerance || most.Abs() <= tolerance
}

// signedAt returns the time t= of a signature. It returns zero unless there is exactly one, because it is unknown which of
// several times is signed.
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
func decode[T any](raw json.RawMessage, news func(*T) (ports.PaymentEvent, error)) (ports.PaymentEvent, error) {
	var object T
	if err := json.Unmarshal(raw, &object); err != nil {
		return ports.PaymentEvent{}, errUnreadableEvent
	}
	return news(&object)
}

func newsOfCharge(intent *api.PaymentIntent) (ports.PaymentEvent, error) {
	outcome, decided := judge(intent)
	if key := intent.Metadata[metaKey]; decided && key != "" {
		return ports.PaymentEvent{Key: key, Charge: outcome}, nil
	}
	return ports.PaymentEvent{}, nil
}

// newsOfNewestRefund reads charge.refunded of an endpoint with an old API version, whose charges contain their refunds,
// newest first. Later versions send a separate event for the refund.
func newsOfNewestRefund(charge *api.Charge) (ports.PaymentEvent, error) {
	if charge.Refunds == nil || len(charge.Refunds.Data) == 0 {
		return ports.PaymentEvent{}, nil
	}
	return newsOfRefund(charge.Refunds.Data[0])
}

// newsOfRefund returns the outcome of a refund that was requested here, or a refund that was made elsewhere. A charge
// without a payment intent is not ours.
func newsOfRefund(refund *api.Refund) (ports.PaymentEvent, error) {
	outcome := judgeRefund(refund)
	switch key := refund.Metadata[metaRefund]; {
	case outcome == nil:
		return ports.PaymentEvent{}, nil
	case key != "":
		return ports.PaymentEvent{Key: key, Refund: outcome}, nil
	case refund.PaymentIntent == nil:
		return ports.PaymentEvent{}, nil
	}
	amount, err := fromUnits(refund.Amount, string(refund.Currency))
	if err != nil {
		return ports.PaymentEvent{}, nil // a currency that no payment here has
	}
	return ports.PaymentEvent{External: &order.ExternalRefund{
		Charge:   refund.PaymentIntent.ID,
		Provider: refund.ID,
		Amount:   amount,
		Outcome:  outcome,
		At:       time.Unix(refund.Created, 0).UTC(),
	}}, nil
}

// disputeStatuses maps Stripe's statuses. A warning is an inquiry, which withdraws no money; a closed one did not become a
// dispute. A prevented dispute was refunded before it became one: that refund has its own event. Source:
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

// disputeResponses says whether a status requires a response.
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

// dueBy returns zero if the bank allows no response, in which case due_by is 0.
func dueBy(dispute *api.Dispute) time.Time {
	if dispute.EvidenceDetails == nil || dispute.EvidenceDetails.DueBy == 0 {
		return time.Time{}
	}
	return time.Unix(dispute.EvidenceDetails.DueBy, 0).UTC()
}

// newsOfDispute reports the state of a dispute at a time. It returns no news if the dispute cannot belong to a payment here.
func newsOfDispute(dispute *api.Dispute, at time.Time) ports.PaymentEvent {
	status, known := disputeStatuses[dispute.Status]
	amount, err := fromUnits(dispute.Amount, string(dispute.Currency))
	if !known || err != nil || dispute.PaymentIntent == nil {
		return ports.PaymentEvent{}
	}
	withdrawn, fee := withdrawals(dispute, amount)
	return ports.PaymentEvent{Dispute: &order.DisputeReport{
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

// withdrawals sums a dispute's balance transactions: "zero, one, or two [...] that show funds withdrawn and reinstated to your
// Stripe account as a result of this dispute". For an account that settles in another currency they only show whether
// the disputed amount was withdrawn; the balance report has its fee.
func withdrawals(dispute *api.Dispute, amount money.Amount) (withdrawn, fee money.Amount) {
	var gross, fees int64
	converted, open := false, 0 // open counts withdrawals without a reinstatement, because sums at another rate differ
	for _, t := range dispute.BalanceTransactions {
		gross, fees = gross-t.Amount, fees+t.Fee
		converted = converted || t.Currency != dispute.Currency
		open -= cmp.Compare(t.Amount, 0)
	}
	none := money.Of(0, amount.Currency())
	if converted {
		if open > 0 {
			return amount, none
		}
		return none, none
	}
	withdrawn, _ = fromUnits(max(gross, 0), string(dispute.Currency))
	fee, _ = fromUnits(fees, string(dispute.Currency))
	return withdrawn, fee
}
