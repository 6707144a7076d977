package payments

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func routeOf(n byte, provider string) project.PaymentRoute {
	return project.PaymentRoute{Provider: provider, Integration: id.New[id.Integration]([16]byte{n})}
}

// pay admits a payment and charges it with the outcome.
func pay(t *testing.T, a *Admission, r project.PaymentRoute, outcome error) error {
	t.Helper()
	leave, err := a.Admit(r)
	if err == nil {
		a.begin(r.Integration)(outcome)
	}
	leave()
	leave() // has no effect the second time
	return err
}

var errLost = errors.New("stripe: 500")

func TestAdmission_Admit_breakerOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, hanging, other := NewAdmission(nil), routeOf(1, "stripe"), routeOf(2, "stripe")
		for range maxFailures {
			if err := pay(t, a, hanging, errLost); err != nil {
				t.Fatal(err)
			}
		}
		if err := pay(t, a, hanging, nil); !fault.Is(err, "payment_unavailable") || a.Suspended() != 1 {
			t.Errorf("after %d failures: %v, %d suspended", maxFailures, err, a.Suspended())
		}
		if err := pay(t, a, other, nil); err != nil {
			t.Errorf("another integration at the same provider: %v", err)
		}
		if err := pay(t, a, project.PaymentRoute{Provider: project.SandboxProvider}, nil); err != nil {
			t.Errorf("the sandbox: %v", err)
		}
		time.Sleep(cooldown + time.Second)
		leave, err := a.Admit(hanging)
		if err != nil {
			t.Fatalf("the probe: %v", err)
		}
		if err := pay(t, a, hanging, nil); !fault.Is(err, "payment_unavailable") {
			t.Errorf("a second one meanwhile: %v", err)
		}
		a.begin(hanging.Integration)(errLost)
		leave()
		if err := pay(t, a, hanging, nil); !fault.Is(err, "payment_unavailable") {
			t.Errorf("after a failed try: %v", err)
		}
		time.Sleep(cooldown + time.Second)
		if leave, err = a.Admit(hanging); err != nil {
			t.Fatal(err)
		}
		leave() // it was not charged because the stock was gone
		for range 2 {
			if err := pay(t, a, hanging, nil); err != nil {
				t.Errorf("it works again: %v", err)
			}
		}
	})
}

// Payments that take days to be decided do not open the breaker.
func TestAdmission_undecidedPayments(t *testing.T) {
	a, r := NewAdmission(nil), routeOf(1, "paypal")
	for range 2 * maxFailures {
		if err := pay(t, a, r, fmt.Errorf("paypal: capture C1 is PENDING: %w", ports.ErrUndecided)); err != nil {
			t.Fatal(err)
		}
	}
}

// A payment that has begun is charged even if the breaker is open.
func TestAdmission_begin_breakerOpen(t *testing.T) {
	a, r := NewAdmission(nil), routeOf(1, "stripe")
	for range 2 * maxFailures {
		a.begin(r.Integration)(errLost)
	}
	var none *Admission
	none.begin(r.Integration)(errLost)
}

// Any answer of the provider ends a series of failures, and a canceled charge does not count.
func TestAnswered(t *testing.T) {
	a, r := NewAdmission(nil), routeOf(1, "stripe")
	for range 3 * maxFailures {
		for _, answer := range []error{nil, ports.ErrCredentialsRefused, ports.ErrAccountRefused, context.Canceled} {
			for _, outcome := range []error{errLost, errLost, answer} {
				if answer != context.Canceled || outcome == answer {
					if err := pay(t, a, r, outcome); err != nil {
						t.Fatalf("%v: %v", answer, err)
					}
				}
			}
		}
	}
}

func TestAdmission_Admit_limitPerIntegration(t *testing.T) {
	a, r := NewAdmission(nil), routeOf(1, "stripe")
	var leaves []func()
	for range maxCharging {
		leave, err := a.Admit(r)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	if _, err := a.Admit(r); !fault.Is(err, "overloaded") {
		t.Errorf("%v", err)
	}
	if _, err := a.Admit(routeOf(2, "stripe")); err != nil {
		t.Errorf("another shop: %v", err)
	}
	leaves[0]()
	if _, err := a.Admit(r); err != nil {
		t.Errorf("once one has ended: %v", err)
	}
}

// skewedClock is a provider's clock with a known skew; zero: unknown.
type skewedClock time.Duration

func (s skewedClock) Skew() (time.Duration, bool) { return time.Duration(s), s != 0 }

// Only payments through a provider whose clock is wrong are refused.
func TestAdmission_Admit_clockSkew(t *testing.T) {
	a := NewAdmission(map[string]ports.RemoteClock{"stripe": skewedClock(61 * time.Second), "paypal": skewedClock(-59 * time.Second), "slow": skewedClock(-2 * time.Hour), "new": skewedClock(0)})
	for provider, refused := range map[string]bool{"stripe": true, "paypal": false, "slow": true, "new": false, "mute": false} {
		if err := pay(t, a, routeOf(1, provider), nil); fault.Is(err, "payment_unavailable") != refused {
			t.Errorf("%s: %v", provider, err)
		}
	}
}
