package purchase_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakePlace counts how often a request gave up its place and took it back.
type fakePlace struct{ left, returned int }

func (*fakePlace) Tenant() string { return "shop" }
func (p *fakePlace) Leave()       { p.left++ }
func (p *fakePlace) Return()      { p.returned++ }

func (s *fixture) payFrom(ctx context.Context, service *purchase.Service) (purchase.Result, error) {
	return service.Finalize(ports.NewOutbound(ctx), s.project, purchase.FinalizeRequest{
		Checkout: s.checkout.ID(),
		Method:   project.SharedPaymentToken,
		Token:    "tok_secret",
		Client:   "client",
	})
}

// While too many payments of the client are in flight, a finalize waits without a place in its lane, without admission and
// without asking the agent. It continues when one has ended.
func TestFinalize_waitsForPaymentsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service := ready(t)
		s.attempts = checkout.MostDeclined
		asked, admitted, place := &fakeAgent{}, &fakeAdmission{}, &fakePlace{}
		service.Agent, service.Admission, service.Waiting = asked, admitted, bulkhead.NewRoom(bulkhead.Shares{
			Places: 1,
			Tenant: 1,
			Target: 1,
		})
		go func() {
			time.Sleep(3 * time.Second)
			if service.Waiting.Waiting() != 1 || place.left != place.returned+1 || asked.asked != 0 || admitted.under != 0 || s.ended != 0 {
				t.Errorf("%d wait, place left %d times and returned to %d times, agent asked %d times, %d payments, %d transactions",
					service.Waiting.Waiting(), place.left, place.returned, asked.asked, admitted.under, s.ended)
			}
			s.attempts--
		}()
		result, err := s.payFrom(bulkhead.WithPlace(t.Context(), place), service)
		if err != nil || orderOf(result) == nil || asked.asked != 1 || place.left != place.returned {
			t.Errorf("%+v, %v, agent asked %d times, place left %d times and returned to %d times", result, err, asked.asked, place.left, place.returned)
		}
	})
}

// If other payments begin between the check and the claim, the claim refuses, and the finalize waits without admission.
func TestFinalize_waitsAfterRefusedClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service := ready(t)
		s.broken["claim"] = checkout.ErrTooManyInFlight
		asked, admitted := &fakeAgent{}, &fakeAdmission{}
		service.Agent, service.Admission = asked, admitted
		go func() {
			time.Sleep(3 * time.Second)
			if admitted.under != 0 || s.checkout.Status() != checkout.Ready {
				t.Errorf("%d payments have a place, the checkout is %s", admitted.under, s.checkout.Status())
			}
			delete(s.broken, "claim")
		}()
		if result, err := s.payFrom(t.Context(), service); err != nil || orderOf(result) == nil || asked.asked != 1 || admitted.under != 0 {
			t.Errorf("%+v, %v, agent asked %d times, %d payments have a place", result, err, asked.asked, admitted.under)
		}
	})
}

func TestFinalize_stopsWaiting(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		room    bulkhead.Shares
		hangsUp time.Duration
		after   time.Duration
	}{
		"after its patience": {bulkhead.Shares{
			Places: 1,
			Tenant: 1,
			Target: 1,
		}, time.Hour, 10 * time.Second},
		"when the client hangs up": {bulkhead.Shares{
			Places: 1,
			Tenant: 1,
			Target: 1,
		}, time.Second, time.Second},
		"at once when too many wait": {bulkhead.Shares{}, time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, service := ready(t)
				s.attempts = checkout.MostDeclined
				service.Waiting = bulkhead.NewRoom(test.room)
				ctx, cancel := context.WithTimeout(t.Context(), test.hangsUp)
				defer cancel()
				begun := time.Now()
				_, err := s.payFrom(ctx, service)
				if !errors.Is(err, checkout.ErrTooManyInFlight) || s.charges != 0 || s.ended != 0 || time.Since(begun) != test.after {
					t.Errorf("%v after %s with %d charges and %d transactions, want %s", err, time.Since(begun), s.charges, s.ended, test.after)
				}
			})
		})
	}
}
