package checkout

import (
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// OrphanLease is how long a server has the exclusive right to refund an orphaned charge. It is longer than the longest
// call to a provider.
const OrphanLease = 15 * time.Second

// longestOrphanPause is the longest pause between two attempts at a refund that the provider has not decided.
const longestOrphanPause = time.Hour

// OrphanState is the state of the refund of an orphaned charge.
type OrphanState struct{ name string }

var (
	OrphanDetected  = OrphanState{"detected"}  // to be refunded
	OrphanRefunding = OrphanState{"refunding"} // the provider was asked and has not decided
	OrphanRefunded  = OrphanState{"refunded"}
	OrphanFailed    = OrphanState{"failed"} // a person must resolve it at the provider
)

func (s OrphanState) String() string { return s.name }

// OrphanStates are all states by name.
var OrphanStates = map[string]OrphanState{
	"detected": OrphanDetected, "refunding": OrphanRefunding, "refunded": OrphanRefunded, "failed": OrphanFailed,
}

// Orphan is a charge of a payment attempt that was given up: the attempt was recorded as declined or not charged, or
// another charge completed the checkout. It leads to no order, so it is refunded.
type Orphan struct {
	ID         string // also the idempotency key of its refund
	Project    id.Project
	Checkout   id.Checkout
	Attempt    int
	Route      project.PaymentRoute
	Charge     string // the provider's id of the charge
	Amount     money.Amount
	State      OrphanState
	Failure    string // why it failed, by the provider's code or ours
	Problem    string // why the last request to the provider failed, in words for the merchant
	Refund     string // the provider's id of the refund that succeeded last
	DetectedAt time.Time
	UpdatedAt  time.Time
	Attempts   int       // how often the provider was asked and has not decided
	DueAt      time.Time // when any server may attempt the refund; zero once decided
}

// ErrAttemptUnknown is the failure of an orphan whose attempt the checkout has no record of. Neither the amount nor the
// provider's account is certain, so nothing is refunded automatically.
const ErrAttemptUnknown = "attempt_unknown"

// ErrSecondCharge is the failure of an orphan of the attempt that completed its checkout, if the provider reported the
// charge unasked or a person had decided the attempt. It may be the same money under another ID, so a person must check
// it.
const ErrSecondCharge = "second_charge_of_attempt"

// FailedManually is the failure of an orphan whose refund a person declared failed.
const FailedManually = "resolved_by_merchant"

// OrphanDecidableAfter is how old an orphan must be before a person may decide its refund.
const OrphanDecidableAfter = 10 * time.Minute

const orphanPrefix = "orphan-"

// IsOrphan reports whether the key of a refund is that of an orphan.
func IsOrphan(key string) bool { return strings.HasPrefix(key, orphanPrefix) }

// Orphaned returns the orphan of a charge that an attempt of this checkout was given up for.
func (c *Checkout) Orphaned(attempt int, charge string, now time.Time) *Orphan {
	o := &Orphan{
		ID:         orphanPrefix + id.Hash(charge)[:32],
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
	// A revised checkout has its last attempt among the earlier ones, because its total has changed since.
	i := slices.IndexFunc(c.s.Earlier, func(a Attempt) bool { return a.Number == attempt })
	switch {
	case i >= 0:
		o.Route, o.Amount = c.s.Earlier[i].Route, c.s.Earlier[i].Amount
	case attempt != c.s.Attempt:
		o.MarkUncertain(ErrAttemptUnknown, now)
	}
	return o
}

// Pending reports whether the refund is not decided yet.
func (o *Orphan) Pending() bool { return o.State == OrphanDetected || o.State == OrphanRefunding }

// Booked reports whether the ledger has the charge. It has none whose money is uncertain (ErrAttemptUnknown,
// ErrSecondCharge).
func (o *Orphan) Booked() bool { return o.Failure != ErrAttemptUnknown && o.Failure != ErrSecondCharge }

// MarkUncertain leaves a new orphan to a person, because its charge is uncertain.
func (o *Orphan) MarkUncertain(why string, now time.Time) { o.end(OrphanFailed, why, now) }

// Refunded records that the money goes back, with the provider's ID of the refund, and reports whether that changes the
// orphan. A refund that a person declared failed may succeed after all. So may one that the provider refused without
// making it, because another server may have asked again. A refund that was made and failed never succeeds.
func (o *Orphan) Refunded(refund string, now time.Time) (news bool) {
	late := o.Failure == FailedManually || o.State == OrphanFailed && o.Refund == "" && o.Booked()
	if !o.Pending() && !late {
		return false
	}
	o.Refund = refund
	o.end(OrphanRefunded, "", now)
	return true
}

// RefundFailed records that the provider refuses the refund, or reverses one that had succeeded, and reports whether
// that changes the orphan. The money is owed to the buyer until a person resolves it. refund is the provider's ID, if
// it has one, because reports repeat, even after a person returned the money by another refund.
func (o *Orphan) RefundFailed(refund, code string, now time.Time) (news bool) {
	if o.State == OrphanFailed || o.State == OrphanRefunded && refund != "" && refund != o.Refund {
		return false
	}
	if refund != "" {
		o.Refund = refund
	}
	o.end(OrphanFailed, code, now)
	return true
}

func (o *Orphan) end(s OrphanState, failure string, now time.Time) {
	o.State, o.Failure, o.Problem, o.UpdatedAt, o.DueAt = s, failure, "", now, time.Time{}
}

// Postpone records that the outcome of the refund is still unknown. The provider is asked again after a growing pause.
// problem is why the request failed; it is empty if the provider accepted the refund and has not decided it.
func (o *Orphan) Postpone(problem string, now time.Time) {
	if !o.Pending() {
		return
	}
	pause := min(firstRetry<<min(o.Attempts, 12), longestOrphanPause)
	o.Attempts++
	o.State, o.Problem, o.UpdatedAt, o.DueAt = OrphanRefunding, problem, now, now.Add(pause)
}

// Decidable returns why a person cannot decide the refund now, or nil. A person decides a refund whose state the
// provider did not report when it was last asked. For one that failed, a person records how the money was returned
// after all.
func (o *Orphan) Decidable(succeeded bool, now time.Time) error {
	switch age := now.Sub(o.DetectedAt); {
	case o.State == OrphanFailed && succeeded:
		return nil
	case !o.Pending():
		return fault.New(fault.Conflict, "orphan_decided", "The refund of the orphaned charge is decided. The charge is "+o.State.String()+".")
	case age < OrphanDecidableAfter:
		return fault.New(fault.Conflict, "refund_too_recent", "The charge was found less than 10 minutes ago, and the provider may "+
			"still report its refund. Try again later.").
			After(OrphanDecidableAfter - age)
	case o.Attempts == 0:
		return fault.New(fault.Conflict, "refund_not_asked", "The payment provider has not been asked for the refund yet. Try again.").After(OrphanLease)
	case o.Problem == "":
		return fault.New(fault.Conflict, "refund_at_provider", "The payment provider has accepted the refund and will decide it.").
			After(longestOrphanPause)
	}
	return nil
}

// DecideManually records a person's decision on the refund. refund is the provider's ID of it, if it succeeded.
func (o *Orphan) DecideManually(succeeded bool, refund string, now time.Time) error {
	if err := o.Decidable(succeeded, now); err != nil {
		return err
	}
	if !succeeded {
		o.end(OrphanFailed, FailedManually, now)
		return nil
	}
	failure := "" // an uncertain charge stays uncertain: the ledger has neither it nor its refund
	if !o.Booked() {
		failure = o.Failure
	}
	o.Refund = refund
	o.end(OrphanRefunded, failure, now)
	return nil
}

// Attempt is an earlier payment attempt of a checkout, kept in case the provider turns out to have charged it after
// all.
type Attempt struct {
	Number int
	Amount money.Amount
	Route  project.PaymentRoute
}

// maxEarlier is the largest number of earlier attempts that a checkout keeps. It keeps the latest ones.
const maxEarlier = 50

// remember keeps the last attempt before the next one replaces it, or before the total changes.
func (c *Checkout) remember() {
	n := len(c.s.Earlier)
	if c.s.Attempt == 0 || n > 0 && c.s.Earlier[n-1].Number == c.s.Attempt {
		return
	}
	earlier := append(slices.Clone(c.s.Earlier), Attempt{c.s.Attempt, c.Total(), c.s.Payment.Route})
	c.s.Earlier = earlier[max(0, len(earlier)-maxEarlier):]
}
