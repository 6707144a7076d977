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
	Problem    string // why the provider could not be asked the last time, in words for the merchant
	Refund     string // the provider's id of the refund that succeeded last
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

// FailedManually is the failure of an orphan whose refund a person declared failed.
const FailedManually = "resolved_by_merchant"

// OrphanDecidableAfter is how old an orphan must be before a person may decide its refund.
const OrphanDecidableAfter = 10 * time.Minute

const orphanPrefix = "orphan-"

// IsOrphan reports whether the key of a refund is that of an orphan.
func IsOrphan(key string) bool { return strings.HasPrefix(key, orphanPrefix) }

// Orphaned is money of an attempt of this checkout that no order comes of.
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
	// A revised checkout remembers its last attempt among the earlier ones: its total is another one since.
	i := slices.IndexFunc(c.s.Earlier, func(a Attempt) bool { return a.Number == attempt })
	switch {
	case i >= 0:
		o.Route, o.Amount = c.s.Earlier[i].Route, c.s.Earlier[i].Amount
	case attempt != c.s.Attempt:
		o.Doubt(ErrAttemptUnknown, now)
	}
	return o
}

// Pending reports whether the refund is not decided yet.
func (o *Orphan) Pending() bool { return o.State == OrphanDetected || o.State == OrphanRefunding }

// Booked reports whether the ledger has the charge. Of one that is in doubt it is not sure that it is money of its own.
func (o *Orphan) Booked() bool { return o.Failure != ErrAttemptUnknown && o.Failure != ErrSecondCharge }

// Doubt leaves a charge that was just found to a person.
func (o *Orphan) Doubt(why string, now time.Time) { o.end(OrphanFailed, why, now) }

// Refunded records that the money goes back, by the provider's id of the refund, and reports whether that is news. A
// refund that a person declared failed may turn out to have been made, and so may one that the provider had refused
// without making it: another server may have asked again. One that was made and failed never succeeds.
func (o *Orphan) Refunded(refund string, now time.Time) (news bool) {
	late := o.Failure == FailedManually || o.State == OrphanFailed && o.Refund == "" && o.Booked()
	if !o.Pending() && !late {
		return false
	}
	o.Refund = refund
	o.end(OrphanRefunded, "", now)
	return true
}

// RefundFailed records that the provider refuses the refund, or takes back one that had succeeded, and reports whether
// that is news. The money is owed to the buyer until a person sees to it. refund is the provider's id, if it has one:
// reports repeat, also after a person gave the money back by another refund.
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

// Postpone records that nobody knows yet what became of the refund: the provider is asked again after a pause that
// grows. problem is why it could not be asked, or empty: it has taken the refund on and not decided it.
func (o *Orphan) Postpone(problem string, now time.Time) {
	if !o.Pending() {
		return
	}
	pause := min(firstRetry<<min(o.Attempts, 12), longestOrphanPause)
	o.Attempts++
	o.State, o.Problem, o.UpdatedAt, o.DueAt = OrphanRefunding, problem, now, now.Add(pause)
}

// Decidable returns why a person cannot decide the refund now, or nil. A person decides one whose state the provider did
// not report when it was last asked, and says of one that failed how the money went back after all.
func (o *Orphan) Decidable(succeeded bool, now time.Time) error {
	switch age := now.Sub(o.DetectedAt); {
	case o.State == OrphanFailed && succeeded:
		return nil
	case !o.Pending():
		return fault.New(fault.Conflict, "orphan_decided", "The refund of the orphaned charge is decided. The charge is "+o.State.String()+".")
	case age < OrphanDecidableAfter:
		return fault.New(fault.Conflict, "refund_too_recent", "The charge was found less than 10 minutes ago: the provider may still answer by itself.").
			After(OrphanDecidableAfter - age)
	case o.Attempts == 0:
		return fault.New(fault.Conflict, "refund_not_asked", "The payment provider has not been asked for the refund yet. Try again.").After(OrphanLease)
	case o.Problem == "":
		return fault.New(fault.Conflict, "refund_at_provider", "The payment provider has taken the refund on and decides it by itself.").
			After(longestOrphanPause)
	}
	return nil
}

// DecideManually records what a person says became of the refund. refund is the provider's id of it, if it succeeded.
func (o *Orphan) DecideManually(succeeded bool, refund string, now time.Time) error {
	if err := o.Decidable(succeeded, now); err != nil {
		return err
	}
	if !succeeded {
		o.end(OrphanFailed, FailedManually, now)
		return nil
	}
	failure := "" // what is in doubt stays so: the ledger has neither the charge nor its refund
	if !o.Booked() {
		failure = o.Failure
	}
	o.Refund = refund
	o.end(OrphanRefunded, failure, now)
	return nil
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

// remember keeps what the last attempt was before the next one takes its place, or another total that of its charge.
func (c *Checkout) remember() {
	n := len(c.s.Earlier)
	if c.s.Attempt == 0 || n > 0 && c.s.Earlier[n-1].Number == c.s.Attempt {
		return
	}
	earlier := append(slices.Clone(c.s.Earlier), Attempt{c.s.Attempt, c.Total(), c.s.Payment.Route})
	c.s.Earlier = earlier[max(0, len(earlier)-maxEarlier):]
}
