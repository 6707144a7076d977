package account_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scopes []string
		want   string
		ok     bool
	}{
		{nil, "catalog:read", false},
		{[]string{"*"}, "catalog:write", true},
		{[]string{"catalog:read"}, "catalog:read", true},
		{[]string{"catalog:read"}, "catalog:write", false},
		{[]string{"catalog:write"}, "catalog:read", true},
		{[]string{"catalog:write"}, "catalog:write", true},
		{[]string{"catalog:write"}, "projects:read", false},
		{[]string{"projects:read", "catalog:write"}, "catalog:read", true},
		{[]string{"catalog"}, "catalog:read", false},
		{[]string{":write"}, "catalog:read", false},
	} {
		if got := (&account.Key{Scopes: c.scopes}).Allows(c.want); got != c.ok {
			t.Errorf("%q allow %q: %v", c.scopes, c.want, got)
		}
	}
}

func TestKeyWorksUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key account.Key
		ok  bool
	}{
		"for ever":          {account.Key{}, true},
		"in time":           {account.Key{ExpiresAt: new(noon.Add(1))}, true},
		"at its end":        {account.Key{ExpiresAt: new(noon)}, false},
		"revoked":           {account.Key{RevokedAt: new(noon.Add(-1))}, false},
		"revoked in time":   {account.Key{RevokedAt: new(noon), ExpiresAt: new(noon.Add(1))}, false},
		"expired long ago ": {account.Key{ExpiresAt: new(noon.Add(-time.Hour))}, false},
	} {
		if got := c.key.Valid(noon); got != c.ok {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestKeyReachesItsProjects(t *testing.T) {
	t.Parallel()
	one, other := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})
	if !(&account.Key{}).Reaches(one) {
		t.Error("a key bound to no project does not reach one")
	}
	if bound := (&account.Key{Projects: []id.Project{other}}); bound.Reaches(one) || !bound.Reaches(other) {
		t.Error("a bound key reaches another project")
	}
}

func TestPlansAndEnvironments(t *testing.T) {
	t.Parallel()
	for _, plan := range []account.Plan{account.Starter, account.Growth, account.Enterprise} {
		if got, err := account.ParsePlan(plan.String()); err != nil || got != plan {
			t.Errorf("%s is read as %s (%v)", plan, got, err)
		}
	}
	for name, mark := range map[string]string{"sandbox": "hk_test_", "production": "hk_live_"} {
		if got, err := account.ParseEnvironment(name); err != nil || got.String() != name || got.KeyMark() != mark {
			t.Errorf("%s is read as %s with keys %s (%v)", name, got, got.KeyMark(), err)
		}
	}
	_, plan := account.ParsePlan("free")
	_, environment := account.ParseEnvironment("")
	if fault.KindOf(plan) != fault.Invalid || fault.KindOf(environment) != fault.Invalid {
		t.Errorf("%v, %v", plan, environment)
	}
}
