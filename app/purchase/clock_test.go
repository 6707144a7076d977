package purchase_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Leases, the end of a checkout and the time of an order are measured by the database's clock, even if the replica's clock is
// wrong.
func TestFinalize_clockSkew(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-24 * time.Hour, -time.Minute, time.Minute, 24 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			s, service := newFixture()
			s.skew = skew
			s.begin(t, service)
			service.Patience = time.Nanosecond
			s.charging = func() {
				s.charging = nil
				if _, err := s.pay(t, service); err != checkout.ErrProcessing {
					t.Errorf("a finalize next to it: %v", err)
				}
			}
			result, err := s.pay(t, service)
			if err != nil || orderOf(result) == nil {
				t.Fatalf("%+v, %v", result, err)
			}
			if c := s.checkout.Snapshot(); !c.LeaseUntil.Equal(noon.Add(checkout.Lease)) || !c.ClaimedAt.Equal(noon) || !orderOf(result).CreatedAt.Equal(noon) {
				t.Errorf("claimed at %s until %s, ordered at %s", c.ClaimedAt, c.LeaseUntil, orderOf(result).CreatedAt)
			}
		})
	}
}

// A request that is delayed after the claim does not charge if the rest of the lease is too short, by the monotonic clock.
func TestFinalize_tooLateToCharge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pause   time.Duration
		charges int
	}{{6 * time.Second, 1}, {7 * time.Second, 0}} {
		synctest.Test(t, func(t *testing.T) {
			s, service := ready(t)
			service.Checkouts = &slowCheckouts{fakeCheckouts{s}, test.pause}
			_, err := s.pay(t, service)
			if s.charges != test.charges {
				t.Errorf("%d charges %s after the claim, want %d (%v)", s.charges, test.pause, test.charges, err)
			}
		})
	}
}

// If the rest of the lease is too short to repeat a charge, the attempt is not resolved either, because that call could outlast
// the lease, too.
func TestFinalize_tooLateToRepeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service := ready(t)
		s.broken["charge"] = errGone
		_, err := s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
		service.Checkouts = &slowCheckouts{fakeCheckouts{s}, 7 * time.Second}
		_, err = s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
		if s.charges != 1 || len(s.asked) > 0 {
			t.Errorf("%d charges, asked %d times", s.charges, len(s.asked))
		}
	})
}

// slowCheckouts delays the return of the first transaction by pause.
type slowCheckouts struct {
	fakeCheckouts
	pause time.Duration
}

func (s *slowCheckouts) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	err := s.fakeCheckouts.InTx(ctx, p, work)
	time.Sleep(s.pause)
	s.pause = 0
	return err
}
