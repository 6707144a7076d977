package ucp

import (
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// A request that a running payment keeps from taking effect may be sent again under the same idempotency key.
func TestUntilPaid(t *testing.T) {
	t.Parallel()
	if got := untilPaid(checkout.ErrProcessing); got != askAgain {
		t.Errorf("while it is paid: %q", got)
	}
	if got := untilPaid(checkout.ErrCanceled); got != "" {
		t.Errorf("canceled: %q", got)
	}
}

// The answer to a payment without a known outcome is not stored under the idempotency key, whatever status is read later, unless
// the checkout is completed by then.
func TestUndecided(t *testing.T) {
	t.Parallel()
	for status, said := range statuses {
		want := askAgain
		if status == checkout.Completed {
			want = ""
		}
		if got := undecided(&reply{Body: checkoutBody{Status: said}}); got.RetryAfter != want {
			t.Errorf("%s: %q", said, got.RetryAfter)
		}
	}
	if got := undecided(&reply{Body: failure{}}); got.RetryAfter != askAgain {
		t.Errorf("no checkout: %q", got.RetryAfter)
	}
}

// A commit that lost against a concurrent request is prepared again, so that no agent gets 409 for it.
func TestRaced(t *testing.T) {
	t.Parallel()
	changed := fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
	broken := errors.New("disk full")
	for _, lost := range []error{
		checkout.ErrChanged, checkout.ErrCompleted, checkout.ErrCanceled, checkout.ErrExpired, checkout.ErrProcessing,
		negotiation.ErrClosed, ports.Stale,
	} {
		if got := raced(lost); !errors.Is(got, ports.Stale) {
			t.Errorf("%v is %v", lost, got)
		}
	}
	for _, other := range []error{nil, changed, broken, fault.Missing("checkout")} {
		if got := raced(other); got != other {
			t.Errorf("%v is %v", other, got)
		}
	}
}
