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

// The database's clock decides: on a replica whose own is fast or slow, an attempt has the same lease, a
// checkout the same end, and the order the same time.
func TestReplicaWithAnotherClock(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-24 * time.Hour, -time.Minute, time.Minute, 24 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			s, service := open()
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
			if err != nil || placed(result) == nil {
				t.Fatalf("%+v, %v", result, err)
			}
			if c := s.checkout.Snapshot(); !c.LeaseUntil.Equal(noon.Add(checkout.Lease)) || !c.ClaimedAt.Equal(noon) || !placed(result).CreatedAt.Equal(noon) {
				t.Errorf("claimed at %s until %s, ordered at %s", c.ClaimedAt, c.LeaseUntil, placed(result).CreatedAt)
			}
		})
	}
}

// Whoever was held up after the claim charges no more once the rest of the lease is too short, whatever
// the clocks of this machine and of the database tell meanwhile.
func TestTooLateToCharge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pause   time.Duration
		charges int
	}{{6 * time.Second, 1}, {7 * time.Second, 0}} {
		synctest.Test(t, func(t *testing.T) {
			s, service := ready(t)
			service.Checkouts = &slow{checkouts{s}, test.pause}
			_, err := s.pay(t, service)
			if s.charges != test.charges {
				t.Errorf("%d charges %s after the claim, want %d (%v)", s.charges, test.pause, test.charges, err)
			}
		})
	}
}

// A repeated charge that the lease cut off is not resolved either: that call might outlast the lease, too.
func TestTooLateToRepeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, service := ready(t)
		s.broken["charge"] = errGone
		_, err := s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
		service.Checkouts = &slow{checkouts{s}, 7 * time.Second}
		_, err = s.pay(t, service)
		expectFault(t, err, "payment_unresolved")
		if s.charges != 1 || len(s.asked) > 0 {
			t.Errorf("%d charges, asked %d times", s.charges, len(s.asked))
		}
	})
}

// slow are checkouts whose first COMMIT takes a while.
type slow struct {
	checkouts
	pause time.Duration
}

func (s *slow) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	err := s.checkouts.InTx(ctx, p, work)
	time.Sleep(s.pause)
	s.pause = 0
	return err
}
