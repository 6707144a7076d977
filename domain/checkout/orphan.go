package checkout

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// OrphanLease is how long whoever refunds an orphan charge does so alone. It is longer than any such call can
// be under way.
const OrphanLease = 15 * time.Second

// longestOrphanPause is the longest pause between two tries of a refund that the provider has not decided.
const longestOrphanPause = time.Hour

// OrphanState is how far the refund of an orphan charge is.
type OrphanState struct{ name string }

var (
	OrphanDetected  = OrphanState{"detected"}  // to be refunded
	OrphanRefunding = OrphanState{"refunding"} // the provider was asked and has not decided
	OrphanRefunded  = OrphanState{"refunded"}
	OrphanFailed    = OrphanState{"failed"} // a person has to see to it at the provider
)

func (s OrphanState) String() string { return s.name }

// OrphanStates are all of them, by name.
var OrphanStates = map[string]OrphanState{
	"detected": OrphanDetected, "refunding": OrphanRefunding, "refunded": OrphanRefunded, "failed": OrphanFailed,
}

// Orphan is money that a provider took for a payment attempt that was given up: the attempt was recorded as
// declined or not charged, or another charge completed the checkout. No order comes of it, so it is refunded.
type Orphan struct {
	ID         string // also the key of its refund
	Project    id.Project
	Checkout   id.Checkout
	Attempt    int
	Route      project.PaymentRoute
	Charge     string // the provider's id of the charge
	Amount     money.Amount
	State      OrphanState
	Failure    string // why it failed, by the provider's code or ours
	Refund     string // the provider's id of the refund
	DetectedAt time.Time
	UpdatedAt  time.Time
	Attempts   int       // how often the provider was asked and has not decided
	DueAt      time.Time // when it may be refunded by whoever comes; zero once decided
}

// ErrAttemptUnknown is the failure of an orphan whose attempt the checkout has no record of: neither its
// amount nor its provider's account are known for sure, so nothing is refunded by itself.
const ErrAttemptUnknown = "attempt_unknown"

// ErrSecondCharge is the failure of an orphan of the very attempt that completed its checkout, if the provider
// reported it by itself or a person had decided the attempt. It may be the same money by another id, so a person
// looks first.
const ErrSecondCharge = "second_charge_of_attempt"

// Orphaned is money of an attempt of this checkout that no order comes of.
func (c *Checkout) Orphaned(attempt int, charge string, now time.Time) *Orphan {
	o := &Orphan{
		ID:         "orphan-" + id.Hash(charge)[:32],
		Project:    c.s.Project,
		Checkout:   c.s.ID,
		Attempt:    attempt,
		Route:      c.s.Payment.Route,
		Charge:     charge,
		Amount:     c.Total(),
		State:      OrphanDetected,
		DetectedAt: now,
		UpdatedAt:  now,
		DueAt:      now,
	}
	if attempt == c.s.Attempt {
		return o
	}
	i := slices.IndexFunc(c.s.Earlier, func(a Attempt) bool { return a.Number == attempt })
	if i < 0 {
		o.Fail(ErrAttemptUnknown, now)
		return o
	}
	o.Route, o.Amount = c.s.Earlier[i].Route, c.s.Earlier[i].Amount
	return o
}

// Pending reports whether the refund is not decided yet.
func (o *Orphan) Pending() bool { return o.State == OrphanDetected || o.State == OrphanRefunding }

// Refunded records that the money goes back.
func (o *Orphan) Refunded(refund string, now time.Time) {
	o.State, o.Refund, o.UpdatedAt, o.DueAt = OrphanRefunded, refund, now, time.Time{}
}

// Fail records that the money stays where it is until a person sees to it.
func (o *Orphan) Fail(code string, now time.Time) {
	o.State, o.Failure, o.UpdatedAt, o.DueAt = OrphanFailed, code, now, time.Time{}
}

// Postpone records that nobody knows yet what became of the refund: the provider is asked again after a pause
// that grows.
func (o *Orphan) Postpone(now time.Time) {
	pause := longestOrphanPause
	if o.Attempts < 12 { // 2 s doubled 11 times is more than an hour
		pause = min(pause, firstRetry<<o.Attempts)
	}
	o.Attempts++
	o.State, o.UpdatedAt, o.DueAt = OrphanRefunding, now, now.Add(pause)
}

// Attempt is an earlier payment attempt of a checkout, remembered in case that the provider turns out to have
// charged it after all.
type Attempt struct {
	Number int
	Amount money.Amount
	Route  project.PaymentRoute
}

// maxEarlier bounds the earlier attempts that a checkout remembers, the newest ones.
const maxEarlier = 50

// remember keeps what the last attempt was before the next one takes its place.
func (c *Checkout) remember() {
	if c.s.Attempt == 0 {
		return
	}
	earlier := append(slices.Clone(c.s.Earlier), Attempt{c.s.Attempt, c.Total(), c.s.Payment.Route})
	c.s.Earlier = earlier[max(0, len(earlier)-maxEarlier):]
}
