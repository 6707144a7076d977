package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// Authorizations is the contract of ports.Authorizations.
func Authorizations(t *testing.T, open Open) {
	for name, test := range map[string]func(*shop){
		"a consent comes back as it was asked for": authorizationRoundTrip,
		"one of sixteen sees it unused":            authorizationRace,
		"a failed change leaves no trace":          authorizationFailedChange,
		"unknown and foreign states":               authorizationForeign,
		"old ones are forgotten":                   authorizationForget,
		"they go with their project":               authorizationDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, open(t)))
		})
	}
}

// consent asks for one and stores it.
func (s *shop) consent(at time.Time) *integration.Authorization {
	s.t.Helper()
	a := &integration.Authorization{
		State: hash(random[id.Webhook]().String()), Account: s.project.Account, Project: s.project.ID, Type: integration.Shopify,
		RedirectURI: "https://example.com/back?to=Ægir's", Store: "my-shop.myshopify.com", Verifier: []byte("sealed \x00\xff"), CreatedAt: at,
	}
	s.must(s.Authorizations.Begin(s.ctx, a))
	return a
}

// redeem uses a consent up as its owner.
func (s *shop) redeem(a *integration.Authorization) (*integration.Authorization, error) {
	grant := integration.Grant{Account: a.Account, Project: a.Project, Type: a.Type}
	return s.Authorizations.Redeem(s.ctx, a.State, func(found *integration.Authorization) error {
		return found.Redeem(grant, noon.Add(time.Second))
	})
}

// seen is the consent as it is stored.
func (s *shop) seen(state string) (found *integration.Authorization, err error) {
	_, err = s.Authorizations.Redeem(s.ctx, state, func(a *integration.Authorization) error {
		found = a
		return errPlain
	})
	return found, err
}

func authorizationRoundTrip(s *shop) {
	full, bare := s.consent(noon), &integration.Authorization{
		State: hash("bare"), Account: s.project.Account, Project: s.project.ID, Type: integration.HubSpot, RedirectURI: "http://127.0.0.1:1/",
		CreatedAt: noon.Add(time.Millisecond),
	}
	s.must(s.Authorizations.Begin(s.ctx, bare))
	for _, want := range []*integration.Authorization{full, bare} {
		stored, _ := s.seen(want.State)
		same(s.t, "as asked for", stored, want)
		got, err := s.redeem(want)
		s.must(err)
		want.UsedAt = noon.Add(time.Second)
		same(s.t, "as redeemed", got, want)
		stored, _ = s.seen(want.State)
		same(s.t, "as used up", stored, want)
	}
}

func authorizationRace(s *shop) {
	for range 10 {
		a := s.consent(noon)
		won := s.race("invalid_state", func(int) error {
			_, err := s.redeem(a)
			return err
		})
		same(s.t, "winners", won, 1)
	}
}

func authorizationFailedChange(s *shop) {
	want := s.consent(noon)
	got, err := s.Authorizations.Redeem(s.ctx, want.State, func(a *integration.Authorization) error {
		a.UsedAt, a.Verifier[0] = noon, 'x'
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "answer", got == nil, true)
	stored, _ := s.seen(want.State)
	same(s.t, "as before", stored, want)
}

func authorizationForeign(s *shop) {
	_, err := s.seen(hash("unknown"))
	wantFault(s.t, err, fault.Malformed, "invalid_state")
	foreign := openShop(s.t, s.Stores).consent(noon)
	_, err = s.Authorizations.Redeem(s.ctx, foreign.State, func(a *integration.Authorization) error {
		return a.Redeem(integration.Grant{Account: s.project.Account, Project: s.project.ID, Type: a.Type}, noon)
	})
	wantFault(s.t, err, fault.Malformed, "invalid_state")
	stored, _ := s.seen(foreign.State)
	same(s.t, "the other's", stored, foreign)
	lost := *foreign
	lost.State, lost.Project = hash("lost"), random[id.Project]()
	wantFault(s.t, s.Authorizations.Begin(s.ctx, &lost), fault.NotFound, "project_not_found")
}

func authorizationForget(s *shop) {
	old, used, young := s.consent(noon), s.consent(noon.Add(time.Millisecond)), s.consent(noon.Add(2*time.Millisecond))
	_, err := s.redeem(used)
	s.must(err)
	s.must(s.Authorizations.Forget(s.ctx, young.CreatedAt))
	for _, gone := range []string{old.State, used.State} {
		_, err := s.seen(gone)
		wantFault(s.t, err, fault.Malformed, "invalid_state")
	}
	_, err = s.redeem(young)
	s.must(err)
}

func authorizationDelete(s *shop) {
	a := s.consent(noon)
	s.deleteProject()
	_, err := s.redeem(a)
	wantFault(s.t, err, fault.Malformed, "invalid_state")
}
