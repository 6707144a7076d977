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

// checkoutLimit needs stores of its own, because other tests would delete its declines, which are old by the database's
// clock.
func checkoutLimit(t *testing.T, stores Stores) {
	for name, test := range map[string]func(*Shop){
		"attempts in flight count as declines":      checkoutsInFlight,
		"old attempts do not count":                 checkoutsOutsideWindow,
		"racing claims of a session keep the limit": checkoutRaceOfSession,
		"racing claims of a client keep the limit":  checkoutRaceOfClient,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(OpenShop(t, stores))
		})
	}
}

// fill claims as many checkouts of one client, each in a session of its own, as may be in flight.
func (s *Shop) fill(client string, now time.Time) (claimed []*checkout.Checkout) {
	s.T.Helper()
	p := s.Product(100)
	for range checkout.MostDeclined {
		c, err := s.claimFor(s.Checkout(s.Session(), Line(p, 1)).ID(), client, now)
		s.Must(err)
		claimed = append(claimed, c)
	}
	return claimed
}

func (s *Shop) tooMany(err error) {
	s.T.Helper()
	WantFault(s.T, err, fault.Limited, "too_many_payments")
}

func checkoutsInFlight(s *Shop) {
	foreign := OpenShop(s.T, s.Stores)
	claimed := s.fill("client", Noon)
	p := s.Product(100)
	next := s.Checkout(s.Session(), Line(p, 1))
	attempt := func() error {
		_, err := s.claimFor(next.ID(), "client", Noon)
		return err
	}
	s.tooMany(attempt())
	Same(s.T, "stock after a refused claim", s.Stock(p), map[string]int{"main": 100})
	Same(s.T, "the refused checkout", s.Stored(next).Snapshot(), next.Snapshot())

	s.Must(s.Settle(claimed[0].ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.Declined(c)
		settlement.Declined = Noon
		return settlement, err
	}))
	s.tooMany(attempt()) // a decline takes the place of its attempt
	for _, client := range []string{"", "another"} {
		_, err := s.claimFor(s.Checkout(s.Session(), Line(p, 1)).ID(), client, Noon)
		s.Must(err)
	}
	_, err := foreign.claimFor(foreign.Checkout(foreign.Session(), Line(foreign.Product(1), 1)).ID(), "client", Noon)
	s.Must(err)

	s.Must(s.Settle(claimed[1].ID(), s.Paid))
	s.Must(attempt())
	s.Must(s.Settle(claimed[2].ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		back, err := c.PutBack(c.Attempt())
		return ports.Settlement{Checkout: c, PutBack: back}, err
	}))
	_, err = s.claimFor(claimed[2].ID(), "client", Noon)
	s.Must(err)
	_, err = s.claimFor(s.Checkout(s.Session(), Line(p, 1)).ID(), "client", Noon)
	s.tooMany(err)
}

func checkoutsOutsideWindow(s *Shop) {
	claimed := s.fill("client", Noon)
	next := s.Checkout(s.Session(), Line(s.Product(1), 1))
	tried := func(window time.Duration) int {
		s.T.Helper()
		got, err := s.Checkouts.PayAttempts(s.Ctx, s.Project.ID, next.ID(), "client", window)
		s.Must(err)
		Same(s.T, "declines", got.Declines, 0)
		return got.Attempts
	}
	since := s.now().Sub(Noon)
	Same(s.T, "attempts in flight of the client", tried(since+time.Hour), checkout.MostDeclined)
	Same(s.T, "attempts claimed later", tried(since-time.Hour), 0)
	got, err := s.Checkouts.PayAttempts(s.Ctx, s.Project.ID, claimed[0].ID(), "another", since+time.Hour)
	s.Must(err)
	Same(s.T, "attempts in flight of the session", got.Attempts, 1)

	_, err = s.claimFor(next.ID(), "client", Noon.Add(checkout.DeclineWindow-time.Millisecond))
	s.tooMany(err)
	_, err = s.claimFor(next.ID(), "client", Noon.Add(checkout.DeclineWindow))
	s.Must(err)
}

// now is the store's time.
func (s *Shop) now() time.Time {
	s.T.Helper()
	c := s.Checkout(s.Session(), Line(s.Product(1), 1))
	got, err := s.Checkouts.PayAttempts(s.Ctx, s.Project.ID, c.ID(), "", time.Minute)
	s.Must(err)
	return got.Now
}

// cards is how many stolen cards are tried at once.
const cards = 40

func checkoutRaceOfSession(s *Shop) {
	sess := s.Session()
	s.raceOfCards(func() *session.Session { return sess }, "")
}

func checkoutRaceOfClient(s *Shop) { s.raceOfCards(s.Session, "client") }

// raceOfCards claims checkouts at the same time, and declines every attempt that is claimed. Most need stock that no
// other one needs, so that they do not wait for each other's stock.
func (s *Shop) raceOfCards(of func() *session.Session, client string) {
	s.T.Helper()
	shared := s.Product(100)
	var checkouts [cards]*checkout.Checkout
	for i := range checkouts {
		lines := []checkout.Line{Line(s.Product(1), 1)}
		if i%8 == 0 {
			lines = append(lines, Line(shared, 1))
		}
		checkouts[i] = s.Checkout(of(), lines...)
	}
	var claimed atomic.Int64
	for _, err := range Together(cards, func(i int) error {
		if _, err := s.claimFor(checkouts[i].ID(), client, Noon); err != nil {
			return err
		}
		claimed.Add(1)
		return s.Settle(checkouts[i].ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
			settlement, err := s.Declined(c)
			settlement.Declined = Noon
			return settlement, err
		})
	}) {
		if err != nil {
			s.tooMany(err)
		}
	}
	Same(s.T, "attempts", int(claimed.Load()), checkout.MostDeclined)
	Same(s.T, "stock", s.Stock(shared), map[string]int{"main": 100})
}
