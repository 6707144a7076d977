package checkout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Charge is what a payment provider is asked to charge. Key is the same for every try of one attempt.
type Charge struct {
	Key    string
	Amount money.Amount
	Method project.PaymentMethod
	Route  project.PaymentRoute
	// Since is a time before the charge. A provider need not search for the charge before it.
	Since time.Time
	// Progress is how far an earlier search for the charge got. Only the provider that reported it can read it.
	Progress string
}

// ParseAttemptKey parses a key made by AttemptKey.
func ParseAttemptKey(key string) (of id.Checkout, attempt int, err error) {
	text, number, _ := strings.Cut(key, "-")
	if of, err = id.Parse[id.Checkout](text); err != nil {
		return of, 0, err
	}
	attempt, err = strconv.Atoi(number)
	if err != nil || attempt < 1 {
		return id.Checkout{}, 0, id.ErrMalformed
	}
	return of, attempt, nil
}

// AttemptKey returns the idempotency key of a payment attempt. Every try of the attempt has the same key, and no other
// attempt has it, so that a repeated try is not a second payment.
func AttemptKey(checkout id.Checkout, attempt int) string {
	return checkout.String() + "-" + strconv.Itoa(attempt)
}

// Claim starts the next payment attempt with a means of payment and the stock reserved for it. Nobody else can claim
// the checkout until the outcome is recorded, so no two payments of a checkout are attempted at once.
func (c *Checkout) Claim(p Payment, taken []catalog.Reservation, now time.Time) error {
	if err := c.Payable(now); err != nil {
		return err
	}
	if p.Option == "" {
		p.Option = c.s.Selected
	}
	if err := c.checkOption(p.Option); err != nil {
		return err
	}
	p.Email = cmp.Or(p.Email, c.s.Buyer.Email)
	c.remember()
	if p.Option != c.s.Selected { // the total differs from that of the revision the buyer read
		c.s.Revision++
	}
	c.s.Status, c.s.Attempt = Processing, c.s.Attempt+1
	c.s.Payment, c.s.Selected, c.s.Taken = p, p.Option, taken
	c.s.ClaimedAt, c.s.LeaseUntil = now, now.Add(Lease)
	c.s.Unresolved, c.s.RetryAt, c.s.Progress, c.s.Problem = 0, time.Time{}, "", ""
	return nil
}

// checkOption checks the shipping option of a payment: it must be one of the options, or "" if nothing is shipped.
func (c *Checkout) checkOption(option string) error {
	switch {
	case c.Digital() && option == "":
		return nil
	case c.Digital():
		return fault.Field("shipping_option", "must be omitted: all items are digital, and nothing is shipped")
	case !slices.ContainsFunc(c.s.Options, func(o Option) bool { return o.ID == option }):
		return unknownOption(c.s.Options)
	}
	return nil
}

// Payable returns why the checkout cannot be claimed now, or nil.
func (c *Checkout) Payable(now time.Time) error {
	if c.s.Status == Completed {
		return ErrNotPayable
	}
	if err := c.Revisable(now); err != nil {
		return err
	}
	if c.s.Status == Incomplete {
		return c.incomplete()
	}
	return nil
}

// Revisable returns why the checkout cannot be revised now, or nil.
func (c *Checkout) Revisable(now time.Time) error {
	switch {
	case c.s.Status == Processing:
		return ErrProcessing
	case c.s.Status == Completed:
		return ErrCompleted
	case c.s.Status == Canceled:
		return ErrCanceled
	case c.s.Status == Expired, !now.Before(c.s.ValidUntil):
		return ErrExpired
	}
	return nil
}

// Charge returns the charge of the attempt in flight.
func (c *Checkout) Charge() Charge {
	return Charge{
		Key:      AttemptKey(c.s.ID, c.s.Attempt),
		Amount:   c.Total(),
		Method:   c.s.Payment.Method,
		Route:    c.s.Payment.Route,
		Since:    c.began(),
		Progress: c.s.Progress,
	}
}

// began returns when the attempt in flight was claimed, or a time before that.
func (c *Checkout) began() time.Time {
	if c.s.ClaimedAt.IsZero() {
		return c.s.CreatedAt
	}
	return c.s.ClaimedAt
}

// KeyAge is the largest age of an attempt's key, counted from the claim, at which a charge may be made with it. Every
// payment provider remembers keys for longer. For an older attempt the provider is only asked for the outcome.
const KeyAge = 5 * time.Hour

// Repeatable reports whether the charge of the attempt in flight may be made again for a buyer who has sent the same
// token again. It has the same key, which every provider still remembers, and the same amount. An expired checkout is
// not charged any more.
func (c *Checkout) Repeatable(tokenHash string, now time.Time) bool {
	return c.s.Status == Processing && c.s.Payment.TokenHash == tokenHash &&
		now.Before(c.began().Add(KeyAge)) && now.Before(c.s.ValidUntil)
}

// providerSkew is how far the clock of a provider may be behind.
const providerSkew = 5 * time.Minute

// MayHaveTaken reports whether money that a provider returns may be that of the attempt in flight, judging by the
// amount and by the provider's time. A zero time is unknown.
func (c *Checkout) MayHaveTaken(amount money.Amount, at time.Time) bool {
	total := c.Total()
	return c.s.Status == Processing && amount.Currency() == total.Currency() && amount.Minor() <= total.Minor() &&
		(at.IsZero() || !at.Before(c.began().Add(-providerSkew)))
}

// Lapsed reports whether the lease of the attempt in flight has ended, so that its outcome may be asked for.
func (c *Checkout) Lapsed(now time.Time) bool {
	return c.s.Status == Processing && !now.Before(c.s.LeaseUntil)
}

// Renew leases a lapsed attempt to the caller, who asks the provider for its outcome.
func (c *Checkout) Renew(attempt int, now time.Time) error {
	if err := c.inFlight(attempt); err != nil {
		return err
	}
	c.s.LeaseUntil = now.Add(Lease)
	return nil
}

// Release ends the lease of an attempt that nobody is charging any more. A buyer may ask for its outcome at once, and
// background work after a growing pause. Release reports whether the attempt is left without an outcome for the first
// time.
func (c *Checkout) Release(attempt int, now time.Time) (first bool, err error) {
	if err := c.inFlight(attempt); err != nil {
		return false, err
	}
	pause := min(firstRetry<<min(c.s.Unresolved, 8), longestRetry)
	c.s.Unresolved++
	c.s.LeaseUntil, c.s.RetryAt = now, now.Add(pause)
	return c.s.Unresolved == 1, nil
}

// KeepLooking is Release for an attempt whose search at the provider continues from progress the next time. Its pause
// does not grow, because each search comes closer to the outcome.
func (c *Checkout) KeepLooking(attempt int, progress string, now time.Time) (first bool, err error) {
	if err := c.inFlight(attempt); err != nil {
		return false, err
	}
	first = c.s.Unresolved == 0
	if first {
		c.s.Unresolved = 1
	}
	c.s.Progress = progress
	c.s.LeaseUntil, c.s.RetryAt = now, now.Add(firstRetry)
	return first, nil
}

// Complete records that the attempt was paid.
func (c *Checkout) Complete(attempt int) error {
	if err := c.inFlight(attempt); err != nil {
		return err
	}
	c.s.Status = Completed
	return nil
}

// Decline records that the attempt was declined. The checkout may be paid again unless the provider forbids it or this
// was the last decline allowed. Decline returns the stock to put back.
func (c *Checkout) Decline(attempt int, retryAllowed bool) ([]catalog.Reservation, error) {
	if err := c.inFlight(attempt); err != nil {
		return nil, err
	}
	c.s.Declines++
	c.s.Status = c.openStatus()
	if !retryAllowed || c.s.Declines >= MaxDeclines {
		c.s.Status = Canceled
	}
	return c.release(), nil
}

// PutBack records that the attempt was never charged, which does not count as a decline. It returns the stock to put
// back.
func (c *Checkout) PutBack(attempt int) ([]catalog.Reservation, error) {
	if err := c.inFlight(attempt); err != nil {
		return nil, err
	}
	c.s.Status = c.openStatus()
	return c.release(), nil
}

// Expire ends a checkout whose validity is over and that is not being paid.
func (c *Checkout) Expire(now time.Time) error {
	if !c.s.Status.Open() || now.Before(c.s.ValidUntil) {
		return ErrNotPayable
	}
	c.s.Status = Expired
	return nil
}

// Cancel ends a checkout that is not being paid.
func (c *Checkout) Cancel() error {
	switch {
	case c.s.Status.Open():
		c.s.Status = Canceled
		return nil
	case c.s.Status == Processing:
		return ErrProcessing
	case c.s.Status == Completed:
		return ErrCompleted
	case c.s.Status == Expired:
		return ErrExpired
	}
	return ErrCanceled
}

func (c *Checkout) inFlight(attempt int) error {
	if c.s.Status != Processing || c.s.Attempt != attempt {
		return ErrStale
	}
	return nil
}

func (c *Checkout) release() []catalog.Reservation {
	taken := c.s.Taken
	c.s.Taken = nil
	return taken
}
