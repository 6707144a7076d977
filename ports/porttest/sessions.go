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
		"a request keeps what it changed":       sessionKept,
		"a session that awaits its use":         sessionUnused,
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
		_, err := v.Touch(&claims, time.Hour, Noon.Add(time.Minute))
		return err
	})
	s.Must(err)
	want := *visit
	_, err = want.Touch(&claims, time.Hour, Noon.Add(time.Minute))
	s.Must(err)
	Same(s.T, "returned", got, &want)
	Same(s.T, "stored", s.Visit(visit.ID).Session, &want)
}

// sessionKept: two requests have read the session at once, and another one extends it meanwhile. The changes of each
// are stored, whichever comes last.
func sessionKept(s *Shop) {
	visit := s.Session()
	want, said, silent, renamed := *visit, *visit, *visit, *visit
	said.Claims = session.Claims{Location: "Bergen", Urgency: "high"} // read before the buyer was vouched for
	said.LastActivity, said.ExpiresAt = Noon.Add(time.Second), Noon.Add(time.Minute)
	silent.LastActivity, silent.ExpiresAt = Noon.Add(2*time.Second), Noon.Add(2*time.Hour)
	renamed.Claims.LoyaltyTier, renamed.ExpiresAt = "never stored", Noon.Add(24*time.Hour)

	s.Must(s.Sessions.Keep(s.Ctx, &said, session.Touched{Claims: true, Time: true}))
	want.Claims, want.LastActivity = said.Claims, said.LastActivity
	want.Claims.Member = visit.Claims.Member
	Same(s.T, "claims", s.Visit(visit.ID).Session, &want)

	s.Must(s.Sessions.Keep(s.Ctx, &silent, session.Touched{Time: true}))
	want.LastActivity, want.ExpiresAt = silent.LastActivity, silent.ExpiresAt
	Same(s.T, "times", s.Visit(visit.ID).Session, &want)

	s.Must(s.Sessions.Keep(s.Ctx, &renamed, session.Touched{}))
	s.Must(s.Show(&renamed, s.Product(1).ID))
	Same(s.T, "nothing", s.Visit(visit.ID).Session, &want)
}

func sessionUnused(s *Shop) {
	visit := s.NewSession()
	visit.AwaitUse()
	s.Must(s.Sessions.Create(s.Ctx, visit))
	if got := s.Visit(visit.ID).Session; got.Used() || !got.LastActivity.IsZero() {
		s.T.Errorf("stored as %+v", got)
	}
	t, err := visit.Touch(nil, 30*time.Minute, Noon.Add(time.Second))
	s.Must(err)
	s.Must(s.Sessions.Keep(s.Ctx, visit, t))
	if !s.Visit(visit.ID).Session.Used() {
		s.T.Errorf("after a request, %+v changed", t)
	}
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
		visit := s.NewSession()
		visit.ID = unknown
		for _, err := range []error{
			s.Show(visit, s.Product(1).ID),
			s.Sessions.Keep(s.Ctx, visit, session.Touched{Time: true}),
			s.Sessions.Keep(s.Ctx, visit, session.Touched{Claims: true}),
		} {
			WantFault(s.T, err, fault.NotFound, "session_not_found")
		}
	}
}

func sessionShown(s *Shop) {
	visit, first, second, third := s.NewSession(), s.Product(1).ID, s.Product(1).ID, s.Product(1).ID
	s.Must(s.Sessions.Create(s.Ctx, visit, second, first))
	s.Must(s.Show(visit, first, third))
	s.Must(s.Show(visit))
	want := []session.Shown{{Product: second}, {Product: first}, {Product: third}}
	for range 5 { // what comes later is later, however many of a list were shown before
		next := Random[id.Product]()
		s.Must(s.Show(visit, first, second, next))
		want = append(want, session.Shown{Product: next})
	}
	Same(s.T, "shown", s.Visit(visit.ID).Shown, want)

	var all sync.WaitGroup
	for range Racers {
		all.Go(func() {
			if err := s.Show(visit, third, first); err != nil {
				s.T.Error(err)
			}
		})
	}
	all.Wait()
	Same(s.T, "shown again by many", s.Visit(visit.ID).Shown, want)
}
