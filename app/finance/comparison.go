package finance

import (
	"cmp"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// comparison builds the report on one provider's statement.
type comparison struct {
	from, to  time.Time
	open      map[string]ports.Moved // ours that are not in the statement so far, by the provider's id
	refundIDs map[string]string      // the provider's ids of our refunds, by our ids
	matched   map[string]bool        // ids of our payments and refunds that are in the statement
	unmatched []ports.Movement       // theirs within the span that match none of ours near the span
	claim     func(ports.Movement)   // handles a charge of an attempt that has no order; may be nil
	seen      map[string]bool        // movements of the statement, by kind and the provider's id
	sums      [2]map[money.Currency]int64
	made      Report
}

const ours, theirs = 0, 1

func newComparison(route project.PaymentRoute, moved []ports.Moved, from, to time.Time) *comparison {
	c := &comparison{
		from:      from,
		to:        to,
		open:      make(map[string]ports.Moved),
		refundIDs: make(map[string]string),
		matched:   make(map[string]bool),
		seen:      make(map[string]bool),
		made:      Report{Route: route},
		sums:      [2]map[money.Currency]int64{{}, {}},
	}
	for _, m := range moved {
		if m.Route != route {
			continue
		}
		c.open[m.Provider] = m
		if !m.Refund.IsZero() {
			c.refundIDs[m.Refund.String()] = m.Provider
		}
	}
	return c
}

func (c *comparison) within(at time.Time) bool { return !at.Before(c.from) && at.Before(c.to) }

func (c *comparison) sum(of int, refund bool, a money.Amount) {
	if refund {
		c.sums[of][a.Currency()] -= a.Minor()
	} else {
		c.sums[of][a.Currency()] += a.Minor()
	}
}

// add adds a movement of the statement.
func (c *comparison) add(m ports.Movement) error {
	if again, err := c.wasSeen(m); again || err != nil {
		return err
	}
	if !c.match(m) && c.within(m.At) {
		c.unmatched = append(c.unmatched, m)
	}
	return nil
}

// addEarlier adds a movement of the statement before the span, because it may match one of ours within the span.
func (c *comparison) addEarlier(m ports.Movement) error {
	if again, err := c.wasSeen(m); again || err != nil {
		return err
	}
	c.match(m)
	return nil
}

// wasSeen reports whether the movement was added before, because pages of a growing list overlap.
func (c *comparison) wasSeen(m ports.Movement) (again bool, err error) {
	name := kindOf(m.Refund) + m.Provider
	if c.seen[name] {
		return true, nil
	}
	c.seen[name] = true
	if len(c.seen) > maxMovements {
		return false, tooMuch()
	}
	return false, nil
}

// match pairs the movement with an open one of ours that has the same id, and reports whether there is one.
func (c *comparison) match(m ports.Movement) bool {
	provider := m.Provider
	if known, ok := c.refundIDs[m.Key]; ok && m.Refund {
		provider = known
	}
	our, found := c.open[provider]
	if !found || m.Refund != !our.Refund.IsZero() {
		return false
	}
	delete(c.open, provider)
	c.pair(our, m)
	return true
}

// pair records a movement that both sides have.
func (c *comparison) pair(our ports.Moved, m ports.Movement) {
	c.matched[referenceOf(our)] = true
	switch {
	case our.Amount != m.Amount && (c.within(our.At) || c.within(m.At)):
		c.sum(ours, m.Refund, our.Amount)
		c.sum(theirs, m.Refund, m.Amount)
		c.differ(ofOurs(our, &m.Amount))
	case c.within(our.At):
		c.sum(ours, m.Refund, our.Amount)
		c.sum(theirs, m.Refund, m.Amount)
		c.made.Matched++
	}
}

// explain looks up unmatched movements in known, which are movements of any time. A movement of ours explains only one of
// theirs, so a second refund with the same key stays unexplained.
func (c *comparison) explain(of id.Project, unmatched []ports.Movement, known knownMovements) {
	for _, m := range unmatched {
		k, found := known.find(m)
		if found && k.State == ports.MovementRecorded && !c.matched[referenceOf(k.Moved)] {
			c.pair(k.Moved, m)
			continue
		}
		d := ports.MoneyDifference{
			Refund:    m.Refund,
			RefundID:  refundOf(m),
			Reference: m.Key,
			Provider:  m.Provider,
			Theirs:    &m.Amount,
			At:        m.At,
		}
		switch {
		case found && k.State == ports.MovementOrphan && m.Refund && k.Provider != "" && k.Provider != m.Provider:
			// A second refund of the orphan charge: a person refunded it, too. It stays unexplained.
		case found && k.State != ports.MovementRecorded:
			d.State = k.State
		case !found && known.elsewhere(of, m):
			d.State = ports.MovementElsewhere
		}
		c.sum(theirs, m.Refund, m.Amount)
		c.differ(d)
	}
}

// kindOf returns a prefix that distinguishes a provider's ids of charges from those of refunds.
func kindOf(refund bool) string {
	if refund {
		return "refund "
	}
	return "charge "
}

// earliestMissing returns when the first of our movements began that is within the span and not in the statement, at most
// longestSpan before the span.
func (c *comparison) earliestMissing() (began time.Time, missing bool) {
	for _, m := range c.open {
		if c.within(m.At) && (!missing || m.Began.Before(began)) {
			began, missing = m.Began, true
		}
	}
	if oldest := c.from.Add(-longestSpan); began.Before(oldest) {
		began = oldest
	}
	return began, missing
}

// refundOf returns the id of our refund if the movement's key is one, also if that refund is not recorded as made.
func refundOf(m ports.Movement) id.Refund {
	if !m.Refund {
		return id.Refund{}
	}
	refund, _ := id.Parse[id.Refund](m.Key) // zero: not ours
	return refund
}

// referenceOf returns our id of the refund or of the payment.
func referenceOf(m ports.Moved) string {
	if !m.Refund.IsZero() {
		return m.Refund.String()
	}
	return m.Payment.String()
}

func ofOurs(m ports.Moved, theirs *money.Amount) ports.MoneyDifference {
	return ports.MoneyDifference{
		Refund:    !m.Refund.IsZero(),
		Payment:   m.Payment,
		RefundID:  m.Refund,
		Reference: referenceOf(m),
		Provider:  m.Provider,
		Ours:      &m.Amount,
		Theirs:    theirs,
		At:        m.At,
	}
}

// differ records a difference. If there are too many, the least important ones are dropped.
func (c *comparison) differ(d ports.MoneyDifference) {
	c.made.Found++
	if d.State == (ports.MovementState{}) {
		c.made.Unexplained++
	}
	c.made.Differences = append(c.made.Differences, d)
	if len(c.made.Differences) >= 2*MostDifferences {
		c.cut()
	}
}

func (c *comparison) cut() {
	slices.SortStableFunc(c.made.Differences, func(a, b ports.MoneyDifference) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), a.At.Compare(b.At), cmp.Compare(a.Provider, b.Provider))
	})
	c.made.Differences = c.made.Differences[:min(len(c.made.Differences), MostDifferences)]
}

// weight is the sort key of a difference. Charges without an order come first, explained differences last.
func weight(d ports.MoneyDifference) int {
	switch {
	case d.State != (ports.MovementState{}):
		return 4
	case d.Ours == nil && !d.Refund:
		return 0
	case d.Ours != nil && d.Theirs != nil:
		return 1
	case d.Theirs == nil:
		return 2
	}
	return 3
}

// report finishes the comparison. Movements of ours that are still open are missing in the statement.
func (c *comparison) report() Report {
	for _, m := range c.open {
		if c.within(m.At) {
			c.sum(ours, !m.Refund.IsZero(), m.Amount)
			c.differ(ofOurs(m, nil))
		}
	}
	c.cut()
	c.made.Ours, c.made.Theirs = c.totals(ours), c.totals(theirs)
	return c.made
}

func (c *comparison) totals(of int) []money.Amount {
	list := []money.Amount{}
	for currency, minor := range c.sums[of] {
		list = append(list, money.Of(minor, currency))
	}
	slices.SortFunc(list, func(a, b money.Amount) int { return cmp.Compare(a.Currency().Code(), b.Currency().Code()) })
	return list
}
