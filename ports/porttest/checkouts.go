package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Checkouts is the contract of ports.Checkouts, apart from what Purchase moves.
func Checkouts(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"undecided attempts":                        checkoutUndecided,
		"a checkout comes back as it was stored":    checkoutRoundTrip,
		"unknown and foreign checkouts":             checkoutUnknown,
		"a failed transaction leaves no trace":      checkoutFailedChange,
		"what was read belongs to the reader":       checkoutNoAliasing,
		"of racing changes none is lost":            checkoutRace,
		"a checkout of a session that is not there": checkoutWithoutSession,
		"a session has so many open checkouts":      checkoutOpenLimit,
		"declines count for a session and a client": checkoutDeclines,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
	t.Run("limit on declines", func(t *testing.T) {
		t.Parallel()
		checkoutLimit(t, open(t))
	})
	t.Run("lapsed checkouts of all projects are adopted once", func(t *testing.T) {
		t.Parallel()
		checkoutAdopted(t, open(t))
	})
}

func checkoutRoundTrip(s *shop) {
	p := s.product(5)
	sess := s.session()
	c := s.checkout(sess, line(p, 2), agreedLine(p, s.agree(sess, p, 1)))
	same(s.t, "ready", s.stored(c).Snapshot(), c.Snapshot())

	claimed := s.mustClaim(c)
	same(s.t, "processing", s.stored(c).Snapshot(), claimed.Snapshot())

	expired := s.checkout(sess, line(p, 1))
	err := s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) (err error) {
		if expired, _, err = tx.Lock(s.ctx, expired.ID()); err != nil {
			return err
		}
		if err := expired.Expire(noon.Add(checkout.Validity)); err != nil {
			return err
		}
		return tx.Save(s.ctx, expired, nil)
	})
	s.must(err)
	same(s.t, "expired", s.stored(expired).Snapshot(), expired.Snapshot())
}

func checkoutUnknown(s *shop) {
	foreign := openShop(s.t, s.Stores)
	theirs := foreign.checkout(foreign.session(), line(foreign.product(1), 1))
	for _, unknown := range []id.Checkout{random[id.Checkout](), theirs.ID()} {
		_, err := s.Checkouts.Get(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "checkout_not_found")
		err = s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
			_, _, err := tx.Lock(s.ctx, unknown)
			return err
		})
		wantFault(s.t, err, fault.NotFound, "checkout_not_found")
	}
}

func checkoutFailedChange(s *shop) {
	p := s.product(5)
	c := s.checkout(s.session(), line(p, 2))
	err := s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.ctx, c.ID())
		if err != nil {
			return err
		}
		levels, err := tx.Stock(s.ctx, locked.Needs(), checkout.Payers(locked.Snapshot().Session, ""))
		if err != nil {
			return err
		}
		if err := locked.Claim(checkout.Payment{Method: "psp_spt"}, takesOf(locked, levels), noon); err != nil {
			return err
		}
		if err := tx.Claim(s.ctx, locked); err != nil {
			return err
		}
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "checkout", s.stored(c).Snapshot(), c.Snapshot())
	same(s.t, "stock", s.stock(p), map[string]int{"main": 5})
}

func checkoutNoAliasing(s *shop) {
	c := s.checkout(s.session(), line(s.product(5), 2))
	want := s.stored(c).Snapshot()
	c.Snapshot().Lines[0].Quantity = 99
	s.stored(c).Snapshot().Lines[0].Quantity = 98
	same(s.t, "checkout", s.stored(c).Snapshot(), want)
}

func checkoutRace(s *shop) {
	c := s.mustClaim(s.checkout(s.session(), line(s.product(5), 1)))
	winners := s.race("", func(racer int) error {
		return s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
			locked, _, err := tx.Lock(s.ctx, c.ID())
			if err != nil {
				return err
			}
			until := locked.Snapshot().LeaseUntil
			if err := locked.Renew(1, until.Add(time.Second-checkout.Lease)); err != nil {
				return err
			}
			return tx.Save(s.ctx, locked, nil)
		})
	})
	same(s.t, "winners", winners, racers)
	same(s.t, "lease", s.stored(c).Snapshot().LeaseUntil, c.Snapshot().LeaseUntil.Add(racers*time.Second))
}

func checkoutWithoutSession(s *shop) {
	foreign := openShop(s.t, s.Stores).session()
	for _, sess := range []id.Session{random[id.Session](), foreign.ID} {
		snapshot := s.newCheckout(s.newSession(), line(s.product(1), 1)).Snapshot()
		snapshot.Session = sess
		err := s.Checkouts.Create(s.ctx, checkout.Rehydrate(snapshot))
		wantFault(s.t, err, fault.NotFound, "session_not_found")
	}
}

func checkoutUndecided(s *shop) {
	p := s.product(9)
	s.checkout(s.session(), line(p, 1))
	foreign := openShop(s.t, s.Stores)
	foreign.mustClaim(foreign.checkout(foreign.session(), line(foreign.product(1), 1)))
	s.pay(s.checkout(s.session(), line(p, 1)))
	c := s.mustClaim(s.checkout(s.session(), line(p, 1)))
	undecided := func() (list []checkout.Snapshot) {
		found, err := s.Undecided.UndecidedAttempts(s.ctx, s.project.ID)
		s.must(err)
		for _, c := range found {
			list = append(list, c.Snapshot())
		}
		return list
	}
	same(s.t, "undecided", undecided(), []checkout.Snapshot{c.Snapshot()})
	s.must(s.settle(c.ID(), s.declined))
	same(s.t, "undecided once it is declined", len(undecided()), 0)
}

func checkoutOpenLimit(s *shop) {
	p, in := s.product(30), s.session()
	now := time.Now()
	open := func(validUntil time.Time) error {
		snapshot := s.newCheckout(in, line(p, 1)).Snapshot()
		snapshot.ValidUntil = validUntil
		return s.Checkouts.Create(s.ctx, checkout.Rehydrate(snapshot))
	}
	s.must(open(now.Add(-time.Hour))) // which is open no more
	for range checkout.MaxOpen {
		s.must(open(now.Add(time.Hour)))
	}
	wantFault(s.t, open(now.Add(time.Hour)), fault.Conflict, "limit_reached")
	other := s.session()
	s.must(s.Checkouts.Create(s.ctx, s.newCheckout(other, line(p, 1))))
}
