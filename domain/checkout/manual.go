package checkout

import (
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// DecidableAfter is how old an attempt without an outcome must be before a person may decide it. It is longer than a
// provider takes to respond or to send a webhook.
const DecidableAfter = 10 * time.Minute

// People are alerted to an attempt or a refund that is unresolved for AlertAfter, and again every AlertEvery.
const (
	AlertAfter = time.Hour
	AlertEvery = 24 * time.Hour
)

// Decidable returns why a person cannot decide the attempt in flight now, or nil. attempt is the attempt that the
// person means; 0: the one in flight. During a request to the provider, the provider's answer decides.
func (c *Checkout) Decidable(attempt int, now time.Time) error {
	switch age := now.Sub(c.began()); {
	case c.s.Status != Processing:
		return fault.New(fault.Conflict, "payment_decided",
			"No payment attempt of this checkout is undecided. The checkout is "+c.s.Status.String()+".")
	case attempt != 0 && attempt != c.s.Attempt:
		return ErrStale
	case !c.Lapsed(now):
		return fault.New(fault.Conflict, "payment_in_progress", "The payment provider is being asked for the outcome. Try again.").
			After(c.s.LeaseUntil.Sub(now))
	case age < DecidableAfter:
		return fault.New(fault.Conflict, "payment_too_recent",
			"The payment attempt is less than 10 minutes old, and the provider may still report its outcome. Try again later.").After(DecidableAfter - age)
	case c.s.Unresolved == 0:
		return fault.New(fault.Conflict, "payment_not_asked", "The payment provider has not been asked for the outcome of the attempt yet. Try again.").
			After(Lease)
	}
	return nil
}

// DecideManually records that a person decides the attempt in flight. Complete or PutBack must follow.
func (c *Checkout) DecideManually(attempt int, now time.Time) error {
	if err := c.Decidable(attempt, now); err != nil {
		return err
	}
	c.s.Manual = c.s.Attempt
	return nil
}

// Problem records why the outcome of an attempt is not known, in words for the merchant.
func (c *Checkout) Problem(attempt int, text string) {
	if c.inFlight(attempt) == nil {
		c.s.Problem = text
	}
}

// longestReference is the largest length of a provider's ID entered by a person.
const longestReference = 255

// CheckDecision checks a person's decision about money at a provider. If moved, reference is the provider's ID. field
// names the reference.
func CheckDecision(moved bool, reference, field, reason string) error {
	check := fault.NewCheck()
	check.That(reason != "", "reason", "is required")
	check.That(utf8.RuneCountInString(reason) <= 2000, "reason", "must have at most 2,000 characters")
	check.That(moved || reference == "", field, "must be omitted with this outcome")
	check.That(len(reference) <= longestReference, field, "must have at most 255 characters")
	return check.Err()
}
