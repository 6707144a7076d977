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

// Dispute is a payment that the buyer disputes at the bank or the provider, as the latest report has it.
type Dispute struct {
	ID        id.Dispute
	Project   id.Project
	Order     id.Order
	Payment   id.Payment
	Gateway   string // stripe
	Provider  string // the provider's id of the dispute, unique with Gateway
	Status    DisputeStatus
	Response  DisputeResponse
	DueBy     time.Time // the merchant's deadline; zero: not reported
	Reason    string
	Amount    money.Amount
	Withdrawn money.Amount
	Fee       money.Amount
	Steps     int       // number of its transactions in the ledger
	Reported  time.Time // the provider's time of the latest report
	CreatedAt time.Time
	UpdatedAt time.Time

	Evidence   Evidence  // sent to the provider last
	AnsweredAt time.Time // when it was sent; zero: never
}

// DisputeIDs are new IDs for the records that a report may create.
type DisputeIDs struct {
	Dispute        id.Dispute
	Opened, Closed id.Event
	Withdrawal     id.Transaction
	Fee            id.Transaction // if its currency differs from the withdrawal's
}

// ErrDisputeCurrency refuses a report in another currency than the recorded dispute's.
var ErrDisputeCurrency = fault.New(fault.Conflict, "dispute_currency", "The dispute is recorded in another currency.")

// ReportDispute records the state of a dispute and posts the changes to the ledger. A report that repeats, or is older
// than the recorded one, changes nothing.
func (c *Case) ReportDispute(r DisputeReport, ids DisputeIDs, now time.Time) error {
	r = r.inCurrency(c.Order.Payment.Amount.Currency()).withResponse()
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

// inCurrency sets the payment's currency for amounts without a currency.
func (r DisputeReport) inCurrency(c money.Currency) DisputeReport {
	for _, a := range []*money.Amount{&r.Amount, &r.Withdrawn, &r.Fee} {
		if a.Currency() == (money.Currency{}) {
			*a = money.Of(a.Minor(), c)
		}
	}
	return r
}

// withResponse sets a missing Response: needed for an open dispute. For a closed one it is always closed.
func (r DisputeReport) withResponse() DisputeReport {
	switch {
	case r.Status != DisputeOpen:
		r.Response = ResponseClosed
	case r.Response != UnderReview:
		r.Response = ResponseNeeded
	}
	return r
}

// rank orders reports of the same time.
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

// newer reports whether the report follows the recorded one. Reports of the same time, which providers give in whole
// seconds, are ordered too, so that the result does not depend on the order of arrival. A report that closes the
// dispute follows one that does not, and a review follows the merchant's response. Money is withdrawn before the
// dispute is closed, and returned once it is won.
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

// postDispute posts the changes of a report to the ledger.
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

// change returns the difference between two amounts. A zero amount is equal in every currency.
func change(from, to money.Amount) (money.Amount, error) {
	if from.IsZero() {
		return to, nil
	}
	if from.Currency() != to.Currency() {
		return money.Amount{}, ErrDisputeCurrency
	}
	return money.Of(to.Minor()-from.Minor(), to.Currency()), nil
}

// holdBack updates how much of the payment is held back for disputes: the disputed amount, as long as the provider has
// withdrawn anything for it.
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
