package porttest

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Checkouts is the contract of ports.Checkouts, apart from what Purchase moves.
func Checkouts(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*Shop){
		"undecided attempts":                        checkoutUndecided,
		"a checkout comes back as it was stored":    checkoutRoundTrip,
		"a revised checkout":                        checkoutRevised,
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
			test(OpenShop(t, stores))
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

func checkoutRoundTrip(s *Shop) {
	p := s.Product(5)
	sess := s.Session()
	c := s.Checkout(sess, Line(p, 2), AgreedLine(p, s.Agree(sess, p, 1)))
	Same(s.T, "ready", s.Stored(c).Snapshot(), c.Snapshot())

	claimed := s.MustClaim(c)
	Same(s.T, "processing", s.Stored(c).Snapshot(), claimed.Snapshot())

	expired := s.Checkout(sess, Line(p, 1))
	err := s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) (err error) {
		if expired, _, err = tx.Lock(s.Ctx, expired.ID()); err != nil {
			return err
		}
		if err := expired.Expire(Noon.Add(checkout.Validity)); err != nil {
			return err
		}
		return tx.Save(s.Ctx, expired, nil)
	})
	s.Must(err)
	Same(s.T, "expired", s.Stored(expired).Snapshot(), expired.Snapshot())
}

func checkoutUnknown(s *Shop) {
	foreign := OpenShop(s.T, s.Stores)
	theirs := foreign.Checkout(foreign.Session(), Line(foreign.Product(1), 1))
	for _, unknown := range []id.Checkout{Random[id.Checkout](), theirs.ID()} {
		_, err := s.Checkouts.Get(s.Ctx, s.Project.ID, unknown)
		WantFault(s.T, err, fault.NotFound, "checkout_not_found")
		err = s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
			_, _, err := tx.Lock(s.Ctx, unknown)
			return err
		})
		WantFault(s.T, err, fault.NotFound, "checkout_not_found")
	}
}

func checkoutFailedChange(s *Shop) {
	p := s.Product(5)
	c := s.Checkout(s.Session(), Line(p, 2))
	err := s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		locked, levels, _, err := tx.LockWithStock(s.Ctx, c.ID(), c.Needs(), checkout.Payers(c.Snapshot().Session, ""))
		if err != nil {
			return err
		}
		if err := locked.Claim(checkout.Payment{Method: project.SharedPaymentToken}, takesOf(locked, levels), Noon); err != nil {
			return err
		}
		if err := tx.Claim(s.Ctx, locked, s.Project.Version); err != nil {
			return err
		}
		return ErrPlain
	})
	Same(s.T, "error", err, ErrPlain)
	Same(s.T, "checkout", s.Stored(c).Snapshot(), c.Snapshot())
	Same(s.T, "stock", s.Stock(p), map[string]int{"main": 5})
}

func checkoutNoAliasing(s *Shop) {
	c := s.Checkout(s.Session(), Line(s.Product(5), 2))
	want := s.Stored(c).Snapshot()
	c.Snapshot().Lines[0].Quantity = 99
	s.Stored(c).Snapshot().Lines[0].Quantity = 98
	Same(s.T, "checkout", s.Stored(c).Snapshot(), want)
}

func checkoutRace(s *Shop) {
	c := s.MustClaim(s.Checkout(s.Session(), Line(s.Product(5), 1)))
	winners := s.Race("", func(racer int) error {
		return s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
			locked, _, err := tx.Lock(s.Ctx, c.ID())
			if err != nil {
				return err
			}
			until := locked.Snapshot().LeaseUntil
			if err := locked.Renew(1, until.Add(time.Second-checkout.Lease)); err != nil {
				return err
			}
			return tx.Save(s.Ctx, locked, nil)
		})
	})
	Same(s.T, "winners", winners, Racers)
	Same(s.T, "lease", s.Stored(c).Snapshot().LeaseUntil, c.Snapshot().LeaseUntil.Add(Racers*time.Second))
}

func checkoutWithoutSession(s *Shop) {
	foreign := OpenShop(s.T, s.Stores).Session()
	for _, sess := range []id.Session{Random[id.Session](), foreign.ID} {
		snapshot := s.newCheckout(s.NewSession(), Line(s.Product(1), 1)).Snapshot()
		snapshot.Session = sess
		err := s.openCheckout(checkout.Rehydrate(snapshot))
		WantFault(s.T, err, fault.NotFound, "session_not_found")
	}
}

func checkoutUndecided(s *Shop) {
	p := s.Product(9)
	s.Checkout(s.Session(), Line(p, 1))
	foreign := OpenShop(s.T, s.Stores)
	foreign.MustClaim(foreign.Checkout(foreign.Session(), Line(foreign.Product(1), 1)))
	s.Pay(s.Checkout(s.Session(), Line(p, 1)))
	c := s.MustClaim(s.Checkout(s.Session(), Line(p, 1)))
	undecided := func() (list []checkout.Snapshot) {
		found, err := s.Undecided.UndecidedAttempts(s.Ctx, s.Project.ID)
		s.Must(err)
		for _, c := range found {
			list = append(list, c.Snapshot())
		}
		return list
	}
	Same(s.T, "undecided", undecided(), []checkout.Snapshot{c.Snapshot()})
	s.Must(s.Settle(c.ID(), s.Declined))
	Same(s.T, "undecided once it is declined", len(undecided()), 0)
}

func checkoutOpenLimit(s *Shop) {
	p, in := s.Product(30), s.Session()
	now := time.Now()
	open := func(validUntil time.Time) error {
		snapshot := s.newCheckout(in, Line(p, 1)).Snapshot()
		snapshot.ValidUntil = validUntil
		return s.openCheckout(checkout.Rehydrate(snapshot))
	}
	s.Must(open(now.Add(-time.Hour))) // which is open no more
	for range checkout.MaxOpen {
		s.Must(open(now.Add(time.Hour)))
	}
	full := open(now.Add(time.Hour))
	WantFault(s.T, full, fault.Conflict, "limit_reached")
	var e *fault.Error
	if errors.As(full, &e) && e.RetryAfter <= 0 { // or else the refusal is kept for the request's idempotency key
		s.T.Error("the limit does not say when to try again")
	}
	other := s.Session()
	s.Must(s.openCheckout(s.newCheckout(other, Line(p, 1))))
}
