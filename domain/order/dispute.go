package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Dispute is a payment that the buyer disputes at the bank or the provider, as the newest report has it.
type Dispute struct {
	ID        id.Dispute
	Project   id.Project
	Order     id.Order
	Payment   id.Payment
	Gateway   string // stripe
	Provider  string // the provider's id of the dispute, unique with Gateway
	Status    DisputeStatus
	Response  DisputeResponse
	DueBy     time.Time // until when the merchant may respond; zero: the provider does not say
	Reason    string
	Amount    money.Amount
	Withdrawn money.Amount
	Fee       money.Amount
	Steps     int       // how many transactions of the ledger record it
	Reported  time.Time // the provider's time of the newest report
	CreatedAt time.Time
	UpdatedAt time.Time

	Evidence   Evidence  // what was sent to the provider from here, the last time
	AnsweredAt time.Time // when; zero: nothing was
}

// DisputeIDs are new ids for what a report may bring about.
type DisputeIDs struct {
	Dispute        id.Dispute
	Opened, Closed id.Event
	Withdrawal     id.Transaction
	Fee            id.Transaction // where it is in another currency than the withdrawal
}

// ErrDisputeCurrency refuses a report in another currency than what is recorded of the dispute.
var ErrDisputeCurrency = fault.New(fault.Conflict, "dispute_currency", "The dispute is recorded in another currency.")

// ReportDispute records how a dispute stands. A report that repeats, or is older than what is recorded,
// changes nothing; the ledger records what changed.
func (c *Case) ReportDispute(r DisputeReport, ids DisputeIDs, now time.Time) error {
	r = r.inCurrency(c.Order.Payment.Amount.Currency()).inTurn()
	i := slices.IndexFunc(c.Disputes, func(d Dispute) bool { return d.Provider == r.Provider })
	if i < 0 {
		p := c.Order.Payment
		c.Disputes = append(c.Disputes, Dispute{
			ID:        ids.Dispute,
			Project:   c.Order.Project,
			Order:     c.Order.ID,
			Payment:   p.ID,
			Gateway:   p.Route.Provider,
			Provider:  r.Provider,
			Withdrawn: money.Zero(r.Withdrawn.Currency()),
			Fee:       money.Zero(r.Fee.Currency()),
			CreatedAt: now,
		})
		i = len(c.Disputes) - 1
	}
	d := &c.Disputes[i]
	if !r.newer(d) {
		return nil
	}
	if err := c.postDispute(d, r, ids, now); err != nil {
		return err
	}
	before := d.Status
	d.Status, d.Reason, d.Amount, d.Withdrawn, d.Fee = r.Status, cmp.Or(r.Reason, d.Reason), r.Amount, r.Withdrawn, r.Fee
	d.Response, d.Reported, d.UpdatedAt = r.Response, r.At, now
	if !r.DueBy.IsZero() {
		d.DueBy = r.DueBy
	}
	c.holdBack()
	if before == (DisputeStatus{}) || before != DisputeOpen && d.Status == DisputeOpen {
		c.announce(ids.Opened, now, func(n int) event.Data { return event.DisputeOpened{Dispute: d.announced(n)} })
	}
	if d.Status != DisputeOpen && d.Status != before {
		c.announce(ids.Closed, now, func(n int) event.Data { return event.DisputeClosed{Dispute: d.announced(n)} })
	}
	return nil
}

// inCurrency gives amounts that are in no currency the payment's.
func (r DisputeReport) inCurrency(c money.Currency) DisputeReport {
	for _, a := range []*money.Amount{&r.Amount, &r.Withdrawn, &r.Fee} {
		if a.Currency() == (money.Currency{}) {
			*a = money.Of(a.Minor(), c)
		}
	}
	return r
}

// inTurn gives a report that does not say whose turn it is the merchant's, and one of a closed dispute nobody's.
func (r DisputeReport) inTurn() DisputeReport {
	switch {
	case r.Status != DisputeOpen:
		r.Response = ResponseClosed
	case r.Response != UnderReview:
		r.Response = ResponseNeeded
	}
	return r
}

// rank orders what reports of one time say.
func rank(s DisputeStatus, r DisputeResponse) int {
	switch {
	case s == DisputeLost:
		return 4
	case s == DisputeWon:
		return 3
	case r == UnderReview:
		return 2
	}
	return 1
}

// newer reports whether the report follows what is recorded. Reports of the same time, which providers give in
// whole seconds, have an order too, so that the same one is kept in whatever order they come: one that closes
// the dispute follows one that does not, and a review follows the merchant's response; money is withdrawn before the
// dispute is closed, and put back once it is won.
func (r DisputeReport) newer(d *Dispute) bool {
	if d.Status == (DisputeStatus{}) {
		return true
	}
	taken := cmp.Or(cmp.Compare(r.Withdrawn.Minor(), d.Withdrawn.Minor()), cmp.Compare(r.Fee.Minor(), d.Fee.Minor()))
	if r.Status == DisputeWon {
		taken = -taken
	}
	return cmp.Or(
		r.At.Compare(d.Reported), cmp.Compare(rank(r.Status, r.Response), rank(d.Status, d.Response)), taken,
		cmp.Compare(r.Amount.Minor(), d.Amount.Minor()), r.DueBy.Compare(d.DueBy),
	) > 0
}

// postDispute records in the ledger what a report changes.
func (c *Case) postDispute(d *Dispute, r DisputeReport, ids DisputeIDs, now time.Time) error {
	withdrawn, err := change(d.Withdrawn, r.Withdrawn)
	if err != nil {
		return err
	}
	fee, err := change(d.Fee, r.Fee)
	if err != nil {
		return err
	}
	post := func(entry id.Transaction, withdrawn, fee money.Amount) {
		t := ledger.Dispute(ledger.Transaction{
			ID:       entry,
			Project:  d.Project,
			Order:    d.Order,
			Payment:  d.Payment,
			Dispute:  d.ID,
			Provider: d.Gateway,
			At:       now,
		}, d.Steps+1, withdrawn, fee)
		if len(t.Postings) > 0 {
			d.Steps++
			c.Ledger = append(c.Ledger, t)
		}
	}
	if withdrawn.Currency() == fee.Currency() {
		post(ids.Withdrawal, withdrawn, fee)
		return nil
	}
	post(ids.Withdrawal, withdrawn, money.Zero(withdrawn.Currency())) // each transaction is in one currency
	post(ids.Fee, money.Zero(fee.Currency()), fee)
	return nil
}

// change is what leads from one amount to another. Nothing is the same in every currency.
func change(from, to money.Amount) (money.Amount, error) {
	if from.IsZero() {
		return to, nil
	}
	if from.Currency() != to.Currency() {
		return money.Amount{}, ErrDisputeCurrency
	}
	return money.Of(to.Minor()-from.Minor(), to.Currency()), nil
}

// holdBack counts what disputes withhold of the payment at present: the disputed amount, for as long as the
// provider has taken anything for it.
func (c *Case) holdBack() {
	p := &c.Order.Payment
	held := int64(0)
	for _, d := range c.Disputes {
		if d.Withdrawn.IsPositive() && d.Amount.Currency() == p.Amount.Currency() {
			held += d.Amount.Minor()
		}
	}
	p.Disputed = money.Of(min(held, p.Amount.Minor()), p.Amount.Currency())
}

func (d *Dispute) announced(sequence int) event.Dispute {
	return event.Dispute{
		Dispute:   d.ID,
		Order:     d.Order,
		Sequence:  sequence,
		Payment:   d.Payment,
		Provider:  d.Provider,
		Status:    d.Status.String(),
		Reason:    d.Reason,
		Amount:    d.Amount,
		Withdrawn: d.Withdrawn,
		Fee:       d.Fee,
	}
}
