package porttest

import (
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// checkoutAdopted needs stores of its own: it adopts those of all projects.
func checkoutAdopted(t *testing.T, stores Stores) {
	one, two := OpenShop(t, stores), OpenShop(t, stores)
	var lapsed []id.Checkout
	for i, s := range []*Shop{two, one, two, one} {
		c := s.Checkout(s.Session(), Line(s.Product(5), 1))
		_, err := s.claimAt(c.ID(), Noon.Add(time.Duration(i)*time.Second))
		s.Must(err)
		lapsed = append(lapsed, c.ID())
	}
	one.Checkout(one.Session(), Line(one.Product(5), 1))
	one.Pay(one.Checkout(one.Session(), Line(one.Product(5), 1)))

	adopt := func(after time.Duration, most int) (ids []id.Checkout) {
		t.Helper()
		now := Noon.Add(checkout.Lease + after)
		got, err := ClaimAt(stores, stores.Lapsed, now, checkout.Lease, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range got {
			c := l.Item
			ids = append(ids, c.ID())
			if s := c.Snapshot(); !s.LeaseUntil.Equal(now.Add(checkout.Lease)) || !l.Until.Equal(s.LeaseUntil) || c.Status() != checkout.Processing {
				t.Errorf("adopted %s until %s", c.Status(), s.LeaseUntil)
			}
		}
		return ids
	}
	const early = -time.Millisecond
	Same(t, "adopted before any lease ended", len(adopt(early, 10)), 0)
	Same(t, "adopted after the first", adopt(time.Second+early, 10), lapsed[:1])
	Same(t, "adopted of each shop's, the longest waiting", adopt(3*time.Second+early, 1), lapsed[1:3])
	Same(t, "adopted meanwhile by others", len(adopt(3*time.Second+early, 10)), 0)

	// A checkout that could not be decided is not leased before its pause is over.
	s := two
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.Ctx, lapsed[0])
		if err != nil {
			return err
		}
		if _, err := c.Release(c.Attempt(), Noon.Add(checkout.Lease)); err != nil {
			return err
		}
		return tx.Save(s.Ctx, c, nil)
	}))
	Same(t, "adopted in its pause", len(adopt(2*time.Second+early, 10)), 0)
	Same(t, "adopted after its pause", adopt(2*time.Second, 10), lapsed[:1])

	var mu sync.Mutex
	times := map[id.Checkout]int{}
	stores.SetClock(Noon.Add(time.Hour))
	for _, err := range Together(Racers, func(int) error {
		got, err := claimUpTo(t.Context(), stores.Lapsed, time.Hour, 1)
		mu.Lock()
		defer mu.Unlock()
		for _, l := range got {
			times[l.Item.ID()]++
		}
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, c := range lapsed {
		if times[c] > 1 {
			t.Errorf("%s was adopted %d times", c, times[c])
		}
	}
}

func checkoutDeclines(s *Shop) {
	foreign := OpenShop(s.T, s.Stores)
	sess, p := s.Session(), s.Product(50)
	window := 4 * time.Hour
	attemptsOf := func(c *checkout.Checkout, client string) ports.PayAttempts {
		s.T.Helper()
		got, err := s.Checkouts.PayAttempts(s.Ctx, s.Project.ID, c.ID(), client, window)
		s.Must(err)
		Same(s.T, "checkout", got.Checkout.Snapshot(), s.Stored(c).Snapshot())
		return got
	}
	first := s.Checkout(sess, Line(p, 1))
	Same(s.T, "declines at first", attemptsOf(first, "client").Declines, 0)
	now := attemptsOf(first, "client").Now
	for i := range 3 {
		s.mustClaimFor(first, "client")
		s.Must(s.Settle(first.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
			settlement, err := s.Declined(c)
			settlement.Declined = now.Add(time.Duration(i-3) * time.Hour)
			return settlement, err
		}))
	}
	for name, want := range map[*checkout.Checkout]int{first: 3, s.Checkout(sess, Line(p, 1)): 3, s.Checkout(s.Session(), Line(p, 1)): 0} {
		Same(s.T, "declines of the session", attemptsOf(name, "nobody").Declines, want)
		got := attemptsOf(name, "client")
		Same(s.T, "declines of the client", got.Declines, 3)
		Same(s.T, "the first of them", got.First, now.Add(-3*time.Hour))
	}
	theirs := foreign.Checkout(foreign.Session(), Line(foreign.Product(1), 1))
	got, err := foreign.Checkouts.PayAttempts(s.Ctx, foreign.Project.ID, theirs.ID(), "client", window)
	s.Must(err)
	Same(s.T, "declines in another project", got.Declines, 0)
	_, err = s.Checkouts.PayAttempts(s.Ctx, s.Project.ID, theirs.ID(), "client", window)
	WantFault(s.T, err, fault.NotFound, "checkout_not_found")

	window = 150 * time.Minute
	Same(s.T, "declines after the first", attemptsOf(first, "client").Declines, 2)
	s.Must(s.Checkouts.ForgetDeclines(s.Ctx, now.Add(-90*time.Minute)))
	window = 4 * time.Hour
	Same(s.T, "declines that are remembered", attemptsOf(first, "client").Declines, 1)
}
