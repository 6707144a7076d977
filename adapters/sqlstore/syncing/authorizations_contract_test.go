package syncing_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Authorizations is the contract of ports.Authorizations.
func Authorizations(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
		"a consent comes back as it was asked for": authorizationRoundTrip,
		"one of sixteen sees it unused":            authorizationRace,
		"a failed change leaves no trace":          authorizationFailedChange,
		"unknown and foreign states":               authorizationForeign,
		"old ones are forgotten":                   authorizationForget,
		"they go with their project":               authorizationDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

// consent asks for one and stores it.
func consent(s *porttest.Shop, at time.Time) *integration.Authorization {
	s.T.Helper()
	a := &integration.Authorization{
		State:       porttest.Hash(porttest.Random[id.Webhook]().String()),
		Account:     s.Project.Account,
		Project:     s.Project.ID,
		Type:        integration.Shopify,
		RedirectURI: "https://example.com/back?to=Ægir's",
		Store:       "my-shop.myshopify.com",
		Verifier:    []byte("sealed \x00\xff"),
		CreatedAt:   at,
	}
	s.Must(s.Authorizations.Begin(s.Ctx, a))
	return a
}

// redeem uses a consent up as its owner.
func redeem(s *porttest.Shop, a *integration.Authorization) (*integration.Authorization, error) {
	grant := integration.Grant{
		Account: a.Account,
		Project: a.Project,
		Type:    a.Type,
	}
	return s.Authorizations.Change(s.Ctx, a.State, func(found *integration.Authorization) error {
		return found.Redeem(grant, porttest.Noon.Add(time.Second))
	})
}

// seen is the consent as it is stored.
func seen(s *porttest.Shop, state string) (found *integration.Authorization, err error) {
	_, err = s.Authorizations.Change(s.Ctx, state, func(a *integration.Authorization) error {
		found = a
		return porttest.ErrPlain
	})
	return found, err
}

func authorizationRoundTrip(s *porttest.Shop) {
	full, bare := consent(s, porttest.Noon), &integration.Authorization{
		State:       porttest.Hash("bare"),
		Account:     s.Project.Account,
		Project:     s.Project.ID,
		Type:        integration.HubSpot,
		RedirectURI: "http://127.0.0.1:1/",
		CreatedAt:   porttest.Noon.Add(time.Millisecond),
	}
	s.Must(s.Authorizations.Begin(s.Ctx, bare))
	for _, want := range []*integration.Authorization{full, bare} {
		stored, _ := seen(s, want.State)
		porttest.Same(s.T, "as asked for", stored, want)
		got, err := redeem(s, want)
		s.Must(err)
		want.UsedAt = porttest.Noon.Add(time.Second)
		porttest.Same(s.T, "as redeemed", got, want)
		stored, _ = seen(s, want.State)
		porttest.Same(s.T, "as used up", stored, want)
	}
}

func authorizationRace(s *porttest.Shop) {
	for range 10 {
		a := consent(s, porttest.Noon)
		won := s.Race("invalid_state", func(int) error {
			_, err := redeem(s, a)
			return err
		})
		porttest.Same(s.T, "winners", won, 1)
	}
}

func authorizationFailedChange(s *porttest.Shop) {
	want := consent(s, porttest.Noon)
	got, err := s.Authorizations.Change(s.Ctx, want.State, func(a *integration.Authorization) error {
		a.UsedAt, a.Verifier[0] = porttest.Noon, 'x'
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "answer", got == nil, true)
	stored, _ := seen(s, want.State)
	porttest.Same(s.T, "as before", stored, want)
}

func authorizationForeign(s *porttest.Shop) {
	_, err := seen(s, porttest.Hash("unknown"))
	porttest.WantFault(s.T, err, fault.Malformed, "invalid_state")
	foreign := consent(porttest.OpenShop(s.T, s.Stores), porttest.Noon)
	_, err = s.Authorizations.Change(s.Ctx, foreign.State, func(a *integration.Authorization) error {
		return a.Redeem(integration.Grant{
			Account: s.Project.Account,
			Project: s.Project.ID,
			Type:    a.Type,
		}, porttest.Noon)
	})
	porttest.WantFault(s.T, err, fault.Malformed, "invalid_state")
	stored, _ := seen(s, foreign.State)
	porttest.Same(s.T, "the other's", stored, foreign)
	lost := *foreign
	lost.State, lost.Project = porttest.Hash("lost"), porttest.Random[id.Project]()
	porttest.WantFault(s.T, s.Authorizations.Begin(s.Ctx, &lost), fault.NotFound, "project_not_found")
}

func authorizationForget(s *porttest.Shop) {
	old, used, young := consent(s, porttest.Noon), consent(s, porttest.Noon.Add(time.Millisecond)), consent(s, porttest.Noon.Add(2*time.Millisecond))
	_, err := redeem(s, used)
	s.Must(err)
	s.Must(s.Authorizations.Forget(s.Ctx, young.CreatedAt))
	for _, gone := range []string{old.State, used.State} {
		_, err := seen(s, gone)
		porttest.WantFault(s.T, err, fault.Malformed, "invalid_state")
	}
	_, err = redeem(s, young)
	s.Must(err)
}

func authorizationDelete(s *porttest.Shop) {
	a := consent(s, porttest.Noon)
	s.DeleteProject()
	_, err := redeem(s, a)
	porttest.WantFault(s.T, err, fault.Malformed, "invalid_state")
}
