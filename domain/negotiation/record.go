package negotiation

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Entry is one request and its answer: a line of the session's history and, with its inputs, bounds and rule, the
// record of the decision (features/PROTOCOL.md#negotiation). Seq counts a session's entries from 1.
type Entry struct {
	ID            id.Decision
	Project       id.Project
	Session       id.Session
	Seq           int
	Quote         id.Quote
	Item          Item
	At            time.Time
	Offer         *money.Amount
	Outcome       Outcome
	Price         *money.Amount // quoted, counter or final price, or the current price of a rejection; nil in old ones
	Rule          Rule
	PolicyVersion int
	Bounds        Bounds
	Before        Progress
	Signals       Signals
	Message       string // the buyer's, its first LongestMessage characters; no decision depends on it

	Agent    id.Agent
	Handler  string        // who answered
	Fallback string        // why the built-in agent answered instead; "" if it did not
	Proposal *money.Amount // the price that a custom agent proposed: see Proposed
	Client   string        // a hash of the buyer's address, or a Pseudonym; "" if none is known
}

// LongestMessage is the number of characters of a buyer's message that are stored.
const LongestMessage = 500

// cut returns at most so many characters of the text.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i]
		}
		n++
	}
	return text
}

// NewEntry returns the record of a decision.
func NewEntry(entry id.Decision, seq int, q *Quote, t Table, s Signals, d Decision, message string, now time.Time) Entry {
	return Entry{
		ID:            entry,
		Project:       q.s.Project,
		Session:       q.s.Item.Session,
		Seq:           seq,
		Quote:         q.s.ID,
		Item:          q.s.Item,
		At:            now,
		Offer:         t.Offer,
		Outcome:       d.Outcome(),
		Price:         PriceIn(d),
		Rule:          d.Rule(),
		PolicyVersion: t.Terms.Version,
		Bounds:        t.Bounds,
		Before:        t.Progress,
		Signals:       s,
		Message:       cut(message, LongestMessage),
	}
}

// Proposed returns the price of an agent's proposal, or nil. A price in another currency is recorded as the price that
// Guard treats it as, in the currency of the list price.
func Proposed(t Table, proposal Decision) *money.Amount {
	price := PriceIn(proposal)
	if price == nil || price.Currency() == t.Bounds.list.Currency() {
		return price
	}
	counted := t.clamp(*price, 0)
	return &counted
}

// PriceIn returns the price in a decision, or nil.
func PriceIn(d Decision) *money.Amount {
	switch d := d.(type) {
	case Quoted:
		return &d.Price
	case Accepted:
		return &d.Price
	case Countered:
		return &d.Price
	case Rejected:
		return &d.Price
	}
	return nil
}
