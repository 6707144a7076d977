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
	one, two := openShop(t, stores), openShop(t, stores)
	var lapsed []id.Checkout
	for i, s := range []*shop{two, one, two, one} {
		c := s.checkout(s.session(), line(s.product(5), 1))
		_, err := s.claimAt(c.ID(), noon.Add(time.Duration(i)*time.Second))
		s.must(err)
		lapsed = append(lapsed, c.ID())
	}
	one.checkout(one.session(), line(one.product(5), 1))
	one.pay(one.checkout(one.session(), line(one.product(5), 1)))

	adopt := func(after time.Duration, most int) (ids []id.Checkout) {
		t.Helper()
		now := noon.Add(checkout.Lease + after)
		got, err := claimAt(stores, stores.Lapsed, now, checkout.Lease, most)
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
	same(t, "adopted before any lease ended", len(adopt(early, 10)), 0)
	same(t, "adopted after the first", adopt(time.Second+early, 10), lapsed[:1])
	same(t, "adopted of each shop's, the longest waiting", adopt(3*time.Second+early, 1), lapsed[1:3])
	same(t, "adopted meanwhile by others", len(adopt(3*time.Second+early, 10)), 0)

	// One that nobody could decide is left alone for its pause.
	s := two
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.ctx, lapsed[0])
		if err != nil {
			return err
		}
		if _, err := c.Release(c.Attempt(), noon.Add(checkout.Lease)); err != nil {
			return err
		}
		return tx.Save(s.ctx, c, nil)
	}))
	same(t, "adopted in its pause", len(adopt(2*time.Second+early, 10)), 0)
	same(t, "adopted after its pause", adopt(2*time.Second, 10), lapsed[:1])

	var mu sync.Mutex
	times := map[id.Checkout]int{}
	stores.SetClock(noon.Add(time.Hour))
	for _, err := range together(racers, func(int) error {
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

func checkoutDeclines(s *shop) {
	foreign := openShop(s.t, s.Stores)
	sess, p := s.session(), s.product(50)
	window := 4 * time.Hour
	standing := func(c *checkout.Checkout, client string) ports.Standing {
		s.t.Helper()
		got, err := s.Checkouts.Standing(s.ctx, s.project.ID, c.ID(), client, window)
		s.must(err)
		same(s.t, "checkout", got.Checkout.Snapshot(), s.stored(c).Snapshot())
		return got
	}
	first := s.checkout(sess, line(p, 1))
	same(s.t, "declines at first", standing(first, "client").Declines, 0)
	now := standing(first, "client").Now
	for i := range 3 {
		s.mustClaimFor(first, "client")
		s.must(s.settle(first.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
			settlement, err := s.declined(c)
			settlement.Declined = now.Add(time.Duration(i-3) * time.Hour)
			return settlement, err
		}))
	}
	for name, want := range map[*checkout.Checkout]int{first: 3, s.checkout(sess, line(p, 1)): 3, s.checkout(s.session(), line(p, 1)): 0} {
		same(s.t, "declines of the session", standing(name, "nobody").Declines, want)
		got := standing(name, "client")
		same(s.t, "declines of the client", got.Declines, 3)
		same(s.t, "the first of them", got.First, now.Add(-3*time.Hour))
	}
	theirs := foreign.checkout(foreign.session(), line(foreign.product(1), 1))
	got, err := foreign.Checkouts.Standing(s.ctx, foreign.project.ID, theirs.ID(), "client", window)
	s.must(err)
	same(s.t, "declines in another project", got.Declines, 0)
	_, err = s.Checkouts.Standing(s.ctx, s.project.ID, theirs.ID(), "client", window)
	wantFault(s.t, err, fault.NotFound, "checkout_not_found")

	window = 150 * time.Minute
	same(s.t, "declines after the first", standing(first, "client").Declines, 2)
	s.must(s.Checkouts.ForgetDeclines(s.ctx, now.Add(-90*time.Minute)))
	window = 4 * time.Hour
	same(s.t, "declines that are remembered", standing(first, "client").Declines, 1)
}
