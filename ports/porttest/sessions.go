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
	for name, test := range map[string]func(*Shop){
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
			test(OpenShop(t, stores))
		})
	}
}

func sessionRoundTrip(s *Shop) {
	want := s.Session()
	got := s.Visit(want.ID)
	Same(s.T, "session", got.Session, want)
	if len(got.Cart)+len(got.History)+len(got.Shown) != 0 {
		s.T.Errorf("a new session has %+v", got)
	}
}

func sessionUpdate(s *Shop) {
	visit := s.Session()
	claims := session.Claims{LoyaltyTier: "silver", PurchaseHistory: 8}
	got, err := s.Sessions.Update(s.Ctx, s.Project.ID, visit.ID, func(v *session.Session) error {
		return v.Touch(&claims, time.Hour, Noon.Add(time.Minute))
	})
	s.Must(err)
	want := *visit
	s.Must(want.Touch(&claims, time.Hour, Noon.Add(time.Minute)))
	Same(s.T, "returned", got, &want)
	Same(s.T, "stored", s.Visit(visit.ID).Session, &want)
}

func sessionFailedChange(s *Shop) {
	visit := s.Session()
	_, err := s.Sessions.Update(s.Ctx, s.Project.ID, visit.ID, func(v *session.Session) error {
		v.Claims.Location, v.ExpiresAt = "nowhere", Noon
		return ErrPlain
	})
	Same(s.T, "error", err, ErrPlain)
	Same(s.T, "session", s.Visit(visit.ID).Session, visit)
}

func sessionNoAliasing(s *Shop) {
	given := s.Session()
	want := *given
	given.Claims.Location = "changed after Create"
	s.Visit(want.ID).Session.Claims.Location = "changed after Visit"
	Same(s.T, "session", s.Visit(want.ID).Session, &want)
}

func sessionRace(s *Shop) {
	visit := s.Session()
	s.Race("", func(int) error {
		_, err := s.Sessions.Update(s.Ctx, s.Project.ID, visit.ID, func(v *session.Session) error {
			v.Claims.PurchaseHistory++
			return nil
		})
		return err
	})
	Same(s.T, "updates", s.Visit(visit.ID).Session.Claims.PurchaseHistory, visit.Claims.PurchaseHistory+Racers)
}

func sessionUnknown(s *Shop) {
	foreign := OpenShop(s.T, s.Stores).Session()
	for _, unknown := range []id.Session{Random[id.Session](), foreign.ID} {
		_, err := s.Sessions.Visit(s.Ctx, s.Project.ID, unknown)
		WantFault(s.T, err, fault.NotFound, "session_not_found")
		_, err = s.Sessions.Update(s.Ctx, s.Project.ID, unknown, func(*session.Session) error {
			s.T.Error("change ran on an unknown session")
			return nil
		})
		WantFault(s.T, err, fault.NotFound, "session_not_found")
		err = s.Sessions.Show(s.Ctx, s.Project.ID, unknown, []id.Product{s.Product(1).ID})
		WantFault(s.T, err, fault.NotFound, "session_not_found")
	}
}

func sessionShown(s *Shop) {
	visit, first, second, third := s.NewSession(), s.Product(1).ID, s.Product(1).ID, s.Product(1).ID
	s.Must(s.Sessions.Create(s.Ctx, visit, second, first))
	s.Must(s.Sessions.Show(s.Ctx, s.Project.ID, visit.ID, []id.Product{first, third}))
	s.Must(s.Sessions.Show(s.Ctx, s.Project.ID, visit.ID, nil))
	want := []session.Shown{{Product: second}, {Product: first}, {Product: third}}
	for range 5 { // what comes later is later, however many of a list were shown before
		next := Random[id.Product]()
		s.Must(s.Sessions.Show(s.Ctx, s.Project.ID, visit.ID, []id.Product{first, second, next}))
		want = append(want, session.Shown{Product: next})
	}
	Same(s.T, "shown", s.Visit(visit.ID).Shown, want)

	var all sync.WaitGroup
	for range Racers {
		all.Go(func() {
			if err := s.Sessions.Show(s.Ctx, s.Project.ID, visit.ID, []id.Product{third, first}); err != nil {
				s.T.Error(err)
			}
		})
	}
	all.Wait()
	Same(s.T, "shown again by many", s.Visit(visit.ID).Shown, want)
}
