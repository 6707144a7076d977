package porttest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// checkoutLimit needs stores of its own: nobody may forget its declines, which are old by the database's clock.
func checkoutLimit(t *testing.T, stores Stores) {
	for name, test := range map[string]func(*shop){
		"attempts in flight count as declines":      checkoutsInFlight,
		"old attempts do not count":                 checkoutsOutsideWindow,
		"racing claims of a session keep the limit": checkoutRaceOfSession,
		"racing claims of a client keep the limit":  checkoutRaceOfClient,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// fill claims as many checkouts of one client, each in a session of its own, as may be in flight.
func (s *shop) fill(client string, now time.Time) (claimed []*checkout.Checkout) {
	s.t.Helper()
	p := s.product(100)
	for range checkout.MostDeclined {
		c, err := s.claimFor(s.checkout(s.session(), line(p, 1)).ID(), client, now)
		s.must(err)
		claimed = append(claimed, c)
	}
	return claimed
}

func (s *shop) tooMany(err error) {
	s.t.Helper()
	wantFault(s.t, err, fault.Limited, "too_many_payments")
}

func checkoutsInFlight(s *shop) {
	foreign := openShop(s.t, s.Stores)
	claimed := s.fill("client", noon)
	p := s.product(100)
	next := s.checkout(s.session(), line(p, 1))
	attempt := func() error {
		_, err := s.claimFor(next.ID(), "client", noon)
		return err
	}
	s.tooMany(attempt())
	same(s.t, "stock after a refused claim", s.stock(p), map[string]int{"main": 100})
	same(s.t, "the refused checkout", s.stored(next).Snapshot(), next.Snapshot())

	s.must(s.settle(claimed[0].ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.declined(c)
		settlement.Declined = noon
		return settlement, err
	}))
	s.tooMany(attempt()) // a decline takes the place of its attempt
	for _, client := range []string{"", "another"} {
		_, err := s.claimFor(s.checkout(s.session(), line(p, 1)).ID(), client, noon)
		s.must(err)
	}
	_, err := foreign.claimFor(foreign.checkout(foreign.session(), line(foreign.product(1), 1)).ID(), "client", noon)
	s.must(err)

	s.must(s.settle(claimed[1].ID(), s.paid))
	s.must(attempt())
	s.must(s.settle(claimed[2].ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		back, err := c.PutBack(c.Attempt())
		return ports.Settlement{Checkout: c, PutBack: back}, err
	}))
	_, err = s.claimFor(claimed[2].ID(), "client", noon)
	s.must(err)
	_, err = s.claimFor(s.checkout(s.session(), line(p, 1)).ID(), "client", noon)
	s.tooMany(err)
}

func checkoutsOutsideWindow(s *shop) {
	claimed := s.fill("client", noon)
	next := s.checkout(s.session(), line(s.product(1), 1))
	tried := func(window time.Duration) int {
		s.t.Helper()
		got, err := s.Checkouts.Standing(s.ctx, s.project.ID, next.ID(), "client", window)
		s.must(err)
		same(s.t, "declines", got.Declines, 0)
		return got.Tried
	}
	since := s.now().Sub(noon)
	same(s.t, "attempts in flight of the client", tried(since+time.Hour), checkout.MostDeclined)
	same(s.t, "attempts claimed later", tried(since-time.Hour), 0)
	got, err := s.Checkouts.Standing(s.ctx, s.project.ID, claimed[0].ID(), "another", since+time.Hour)
	s.must(err)
	same(s.t, "attempts in flight of the session", got.Tried, 1)

	_, err = s.claimFor(next.ID(), "client", noon.Add(checkout.DeclineWindow-time.Millisecond))
	s.tooMany(err)
	_, err = s.claimFor(next.ID(), "client", noon.Add(checkout.DeclineWindow))
	s.must(err)
}

// now is the store's time.
func (s *shop) now() time.Time {
	s.t.Helper()
	c := s.checkout(s.session(), line(s.product(1), 1))
	got, err := s.Checkouts.Standing(s.ctx, s.project.ID, c.ID(), "", time.Minute)
	s.must(err)
	return got.Now
}

// cards is how many stolen cards are tried at once.
const cards = 40

func checkoutRaceOfSession(s *shop) {
	sess := s.session()
	s.raceOfCards(func() *session.Session { return sess }, "")
}

func checkoutRaceOfClient(s *shop) { s.raceOfCards(s.session, "client") }

// raceOfCards claims checkouts at the same time, and declines every attempt that is claimed. Most need stock that no
// other one needs, so that they do not wait for each other's stock.
func (s *shop) raceOfCards(of func() *session.Session, client string) {
	s.t.Helper()
	shared := s.product(100)
	var checkouts [cards]*checkout.Checkout
	for i := range checkouts {
		lines := []checkout.Line{line(s.product(1), 1)}
		if i%8 == 0 {
			lines = append(lines, line(shared, 1))
		}
		checkouts[i] = s.checkout(of(), lines...)
	}
	var claimed atomic.Int64
	for _, err := range together(cards, func(i int) error {
		if _, err := s.claimFor(checkouts[i].ID(), client, noon); err != nil {
			return err
		}
		claimed.Add(1)
		return s.settle(checkouts[i].ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
			settlement, err := s.declined(c)
			settlement.Declined = noon
			return settlement, err
		})
	}) {
		if err != nil {
			s.tooMany(err)
		}
	}
	same(s.t, "attempts", int(claimed.Load()), checkout.MostDeclined)
	same(s.t, "stock", s.stock(shared), map[string]int{"main": 100})
}
