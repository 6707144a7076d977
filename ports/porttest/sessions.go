package porttest

import (
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Sessions is the contract of ports.Sessions.
func Sessions(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a session comes back as it was stored": sessionRoundTrip,
		"update stores and returns the change":  sessionUpdate,
		"a failed change leaves no trace":       sessionFailedChange,
		"what was read belongs to the reader":   sessionNoAliasing,
		"racing updates all count":              sessionRace,
		"unknown and foreign sessions":          sessionUnknown,
		"shown recommendations stay":            sessionShown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

func sessionRoundTrip(s *shop) {
	want := s.session()
	got := s.visit(want.ID)
	same(s.t, "session", got.Session, want)
	if len(got.Cart)+len(got.History)+len(got.Shown) != 0 {
		s.t.Errorf("a new session has %+v", got)
	}
}

func sessionUpdate(s *shop) {
	visit := s.session()
	claims := session.Claims{LoyaltyTier: "silver", PurchaseHistory: 8}
	got, err := s.Sessions.Update(s.ctx, s.project.ID, visit.ID, func(v *session.Session) error {
		return v.Touch(&claims, time.Hour, noon.Add(time.Minute))
	})
	s.must(err)
	want := *visit
	s.must(want.Touch(&claims, time.Hour, noon.Add(time.Minute)))
	same(s.t, "returned", got, &want)
	same(s.t, "stored", s.visit(visit.ID).Session, &want)
}

func sessionFailedChange(s *shop) {
	visit := s.session()
	_, err := s.Sessions.Update(s.ctx, s.project.ID, visit.ID, func(v *session.Session) error {
		v.Claims.Location, v.ExpiresAt = "nowhere", noon
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "session", s.visit(visit.ID).Session, visit)
}

func sessionNoAliasing(s *shop) {
	given := s.session()
	want := *given
	given.Claims.Location = "changed after Create"
	s.visit(want.ID).Session.Claims.Location = "changed after Visit"
	same(s.t, "session", s.visit(want.ID).Session, &want)
}

func sessionRace(s *shop) {
	visit := s.session()
	s.race("", func(int) error {
		_, err := s.Sessions.Update(s.ctx, s.project.ID, visit.ID, func(v *session.Session) error {
			v.Claims.PurchaseHistory++
			return nil
		})
		return err
	})
	same(s.t, "updates", s.visit(visit.ID).Session.Claims.PurchaseHistory, visit.Claims.PurchaseHistory+racers)
}

func sessionUnknown(s *shop) {
	foreign := openShop(s.t, s.Stores).session()
	for _, unknown := range []id.Session{random[id.Session](), foreign.ID} {
		_, err := s.Sessions.Visit(s.ctx, s.project.ID, unknown)
		wantFault(s.t, err, fault.NotFound, "session_not_found")
		_, err = s.Sessions.Update(s.ctx, s.project.ID, unknown, func(*session.Session) error {
			s.t.Error("change ran on an unknown session")
			return nil
		})
		wantFault(s.t, err, fault.NotFound, "session_not_found")
		err = s.Sessions.Show(s.ctx, s.project.ID, unknown, []id.Product{s.product(1).ID})
		wantFault(s.t, err, fault.NotFound, "session_not_found")
	}
}

func sessionShown(s *shop) {
	visit, first, second, third := s.newSession(), s.product(1).ID, s.product(1).ID, s.product(1).ID
	s.must(s.Sessions.Create(s.ctx, visit, second, first))
	s.must(s.Sessions.Show(s.ctx, s.project.ID, visit.ID, []id.Product{first, third}))
	s.must(s.Sessions.Show(s.ctx, s.project.ID, visit.ID, nil))
	want := []session.Shown{{Product: second}, {Product: first}, {Product: third}}
	same(s.t, "shown", s.visit(visit.ID).Shown, want)

	var all sync.WaitGroup
	for range racers {
		all.Go(func() {
			if err := s.Sessions.Show(s.ctx, s.project.ID, visit.ID, []id.Product{third, first}); err != nil {
				s.t.Error(err)
			}
		})
	}
	all.Wait()
	same(s.t, "shown again by many", s.visit(visit.ID).Shown, want)
}
