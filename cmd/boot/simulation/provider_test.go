package simulation

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// bank is a payment provider's own ledger.
type bank struct {
	now      func() time.Time // its own clock
	given    func(*moneyBack) // called with a refund that was carried out
	charges  []*charge
	refunds  []*moneyBack
	disputes []*dispute
}

type charge struct {
	id       string
	key      string // of the attempt
	checkout string
	amount   int64
	at       time.Time
}

type moneyBack struct {
	id     string
	charge string
	key    string
	amount int64
	failed bool // it was reversed after it had succeeded
}

// dispute is a dispute of a charge. withdrawn and fee are what the provider has deducted for it so far.
type dispute struct {
	id                     string
	charge                 string
	amount, withdrawn, fee int64
}

func (b *bank) charge(id string) *charge {
	for _, c := range b.charges {
		if c.id == id {
			return c
		}
	}
	return nil
}

// refunded returns the refunded sum of a charge.
func (b *bank) refunded(charge string) (sum int64) {
	for _, r := range b.refunds {
		if r.charge == charge && !r.failed {
			sum += r.amount
		}
	}
	return sum
}

// disputed returns what the provider has withdrawn for disputes of a charge, and its fees.
func (b *bank) disputed(charge string) (withdrawn, fees int64) {
	for _, d := range b.disputes {
		if d.charge == charge {
			withdrawn, fees = withdrawn+d.withdrawn, fees+d.fee
		}
	}
	return withdrawn, fees
}

// left returns what can still be refunded of a charge.
func (b *bank) left(c *charge) int64 {
	withdrawn, _ := b.disputed(c.id)
	return c.amount - b.refunded(c.id) - withdrawn
}

// holds returns the merchant's balance at the provider.
func (b *bank) holds() (sum int64) {
	for _, c := range b.charges {
		withdrawn, fees := b.disputed(c.id)
		sum += c.amount - b.refunded(c.id) - withdrawn - fees
	}
	return sum
}

// of returns the charges of a checkout.
func (b *bank) of(checkout string) (list []*charge) {
	for _, c := range b.charges {
		if c.checkout == checkout {
			list = append(list, c)
		}
	}
	return list
}

// trouble is how a request at the provider fails.
type trouble struct {
	before bool // a 500 that is kept, without an effect
	after  bool // a 500 that is kept, after the effect
}

// stripeModel is the part of Stripe's API that charges and refunds use, written from its documentation:
//
//   - An idempotency key keeps the first response, including a server error, for 24 hours, and refuses other parameters
//     (docs.stripe.com/api/idempotent_requests). While the first request is in progress the response is 409
//     (docs.stripe.com/error-low-level, read November 2026).
//   - Lists are newest first, in pages with has_more, by times of creation in whole seconds of Stripe's clock
//     (docs.stripe.com/api/pagination). Search lags (docs.stripe.com/search).
//   - Webhooks may arrive late, twice and in any order (docs.stripe.com/webhooks).
//
// serve is its HTTP interface, for the real adapter; portStripe calls the model directly.
type stripeModel struct {
	bank
	work    func(what string) trouble
	decided func(key, charge, decline string)
	keys    map[string]*keptReply
	intents []*stripeIntent // in the order of their creation
	busy    int             // pages of other intents before ours in each list
	// unsearchable makes search return an error, as it does for merchants in India.
	unsearchable bool
	// forgetful makes it charge a voided key, which Stripe promises not to do.
	forgetful bool
}

// reply is a response of Stripe, with the state of its objects at that time.
type reply struct {
	status  int
	kind    string // of an error
	code    string
	intent  *stripeIntent
	refund  *moneyBack
	intents []stripeIntent
	refunds []moneyBack
	list    string // the kind of list it is, if one
	more    bool
}

type keptReply struct {
	request string
	at      time.Time
	done    bool
	reply   reply
}

type stripeIntent struct {
	id       string
	key      string
	checkout string
	amount   int64
	status   string
	decline  string
	void     bool
	created  time.Time
}

// forgotten is how long a key is remembered.
const forgotten = 24 * time.Hour

func refusal(status int, kind, code string) reply {
	return reply{
		status: status,
		kind:   kind,
		code:   code,
	}
}

// post carries out a request once per key.
func (m *stripeModel) post(key, what, request string, effect func() reply) reply {
	kept := m.keys[key]
	switch {
	case kept != nil && kept.done && m.now().Sub(kept.at) >= forgotten:
	case kept != nil && kept.request != request && !(m.forgetful && kept.done && kept.reply.intent != nil && kept.reply.intent.void):
		return refusal(http.StatusBadRequest, "idempotency_error", "")
	case kept != nil && kept.request == request && !kept.done:
		return refusal(http.StatusConflict, "idempotency_error", "idempotency_key_in_use")
	case kept != nil && kept.request == request:
		return kept.reply
	}
	kept = &keptReply{request: request, at: m.now()}
	m.keys[key] = kept
	t := m.work(what)
	kept.reply = refusal(http.StatusInternalServerError, "api_error", "")
	if !t.before {
		done := effect()
		if !t.after {
			kept.reply = done
		}
	}
	kept.done = true
	return kept.reply
}

func (m *stripeModel) create(key, checkout string, amount int64, void bool, token string) reply {
	return m.post(key, "payment_intents", fmt.Sprint("intent ", amount, void, token), func() reply {
		i := &stripeIntent{
			id:       fmt.Sprintf("pi_%d", len(m.intents)+1),
			key:      key,
			checkout: checkout,
			amount:   amount,
			status:   "requires_payment_method",
			void:     void,
			created:  m.now(),
		}
		m.intents = append(m.intents, i)
		switch {
		case void:
			return m.shown(i)
		case declines(token):
			i.decline = "insufficient_funds"
			m.decided(i.key, i.id, i.decline)
			r := refusal(http.StatusPaymentRequired, "card_error", "card_declined")
			r.intent = m.shown(i).intent
			return r
		}
		i.status = "succeeded"
		m.charges = append(m.charges, &charge{i.id, key, checkout, amount, i.created})
		m.decided(i.key, i.id, i.decline)
		return m.shown(i)
	})
}

func declines(token string) bool { return len(token) > 8 && token[:8] == "declined" }

func (m *stripeModel) shown(i *stripeIntent) reply {
	now := *i
	return reply{status: http.StatusOK, intent: &now}
}

func (m *stripeModel) refund(key, of string, amount int64) reply {
	return m.post(key, "refunds", fmt.Sprint("refund ", of, amount), func() reply {
		c := m.charge(of)
		if c == nil || m.left(c) < amount {
			return refusal(http.StatusBadRequest, "invalid_request_error", "charge_already_refunded")
		}
		r := &moneyBack{
			id:     fmt.Sprintf("re_%d", len(m.refunds)+1),
			charge: of,
			key:    key,
			amount: amount,
		}
		m.refunds = append(m.refunds, r)
		m.given(r)
		return reply{status: http.StatusOK, refund: &moneyBack{r.id, of, key, amount, false}}
	})
}

func (m *stripeModel) find(id string) *stripeIntent {
	for _, i := range m.intents {
		if i.id == id {
			return i
		}
	}
	return nil
}

var missing = refusal(http.StatusNotFound, "invalid_request_error", "resource_missing")

func (m *stripeModel) retrieve(id string) reply {
	m.work("payment_intents/" + id)
	if i := m.find(id); i != nil {
		return m.shown(i)
	}
	return missing
}

func (m *stripeModel) cancel(id string) reply {
	m.work("payment_intents/" + id + "/cancel")
	i := m.find(id)
	switch {
	case i == nil:
		return missing
	case i.status == "succeeded":
		return refusal(http.StatusBadRequest, "invalid_request_error", "payment_intent_unexpected_state")
	}
	i.status = "canceled"
	return m.shown(i)
}

// searchLag is how long it takes until search finds an intent.
const searchLag = time.Minute

func (m *stripeModel) search(key string) reply {
	m.work("payment_intents/search")
	if m.unsearchable {
		return refusal(http.StatusBadRequest, "invalid_request_error", "")
	}
	found := reply{status: http.StatusOK, list: "search_result"}
	for _, i := range m.intents {
		if m.now().Sub(i.created) >= searchLag && i.key == key {
			found.intents = append(found.intents, *i)
		}
	}
	return found
}

// page lists intents by their time of creation, starting after an intent.
func (m *stripeModel) page(from, to int64, after string, limit int) reply {
	m.work("payment_intents page")
	found := reply{status: http.StatusOK, list: "list"}
	read, theirs := 0, after == ""
	if _, err := fmt.Sscanf(after, "pi_other_%d", &read); err == nil {
		theirs = true
	}
	if m.busy > 0 && theirs {
		if read < m.busy {
			other := stripeIntent{
				id:      fmt.Sprintf("pi_other_%d", read+1),
				amount:  100,
				status:  "succeeded",
				created: m.now(),
			}
			found.intents, found.more = []stripeIntent{other}, true
			return found
		}
		after = ""
	}
	passed := after == ""
	for _, i := range slices.Backward(m.intents) {
		if at := i.created.Unix(); passed && at >= from && at <= to {
			if found.more = len(found.intents) == limit; found.more {
				break
			}
			found.intents = append(found.intents, *i)
		}
		passed = passed || i.id == after
	}
	return found
}

func (m *stripeModel) refundsOf(intent string) reply {
	m.work("refunds")
	found := reply{status: http.StatusOK, list: "list"}
	for _, r := range slices.Backward(m.refunds) {
		if r.charge == intent {
			found.refunds = append(found.refunds, *r)
		}
	}
	return found
}

func (m *stripeModel) readRefund(id string) reply {
	m.work("refunds/" + id)
	for _, r := range m.refunds {
		if r.id == id {
			now := *r
			return reply{status: http.StatusOK, refund: &now}
		}
	}
	return missing
}
