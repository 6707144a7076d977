package account_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

var one, two, three = id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2}), id.New[id.Project]([16]byte{3})

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

func TestKey_Valid(t *testing.T) {
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

func TestKey_Reaches(t *testing.T) {
	t.Parallel()
	if !(&account.Key{}).Reaches(one) {
		t.Error("a key bound to no project does not reach one")
	}
	if bound := (&account.Key{Projects: []id.Project{two}}); bound.Reaches(one) || !bound.Reaches(two) {
		t.Error("a bound key reaches another project")
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for want, key := range map[account.KeyStatus]account.Key{
		account.Active: {ExpiresAt: new(noon.Add(1))}, account.Expired: {ExpiresAt: new(noon)},
		account.Revoked: {ExpiresAt: new(noon), RevokedAt: new(noon.Add(1))},
	} {
		if got := key.Status(noon); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestKey_Oversees_boundToProjects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, other []id.Project
		want       bool
	}{
		{nil, nil, true},
		{nil, []id.Project{one}, true},
		{[]id.Project{one}, nil, false},
		{[]id.Project{one}, []id.Project{one}, true},
		{[]id.Project{one, two}, []id.Project{two}, true},
		{[]id.Project{one}, []id.Project{one, two}, false},
		{[]id.Project{one}, []id.Project{two}, false},
	} {
		if got := (&account.Key{Projects: c.own}).Oversees(&account.Key{Projects: c.other}); got != c.want {
			t.Errorf("bound to %v oversees one bound to %v: %v", c.own, c.other, got)
		}
	}
}

// named returns the fields that a check reports.
func named(c fault.Check) []string {
	var fields []string
	var e *fault.Error
	if errors.As(c.Err(), &e) {
		for _, d := range e.Details {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

func TestKeyDraft_Check(t *testing.T) {
	t.Parallel()
	many := make([]id.Project, 101)
	for i := range many {
		many[i] = id.New[id.Project]([16]byte{byte(i), 7})
	}
	for _, c := range []struct {
		draft account.KeyDraft
		want  []string
	}{
		{account.KeyDraft{Name: "n", Scopes: []string{"*"}}, nil},
		{account.KeyDraft{
			Name:      "n",
			Scopes:    []string{"keys:read", "events:write"},
			Projects:  []id.Project{one, two},
			ExpiresAt: new(noon.Add(1)),
		}, nil},
		{account.KeyDraft{}, []string{"name", "scopes"}},
		{account.KeyDraft{Name: strings.Repeat("n", 201), Scopes: []string{"*"}}, []string{"name"}},
		{account.KeyDraft{Name: "n", Scopes: []string{"*:read", "dogs:read", "catalog:", "catalog", "*", "*"}},
			[]string{"scopes.0", "scopes.1", "scopes.2", "scopes.3", "scopes.5"}},
		{account.KeyDraft{
			Name:     "n",
			Scopes:   []string{"*"},
			Projects: []id.Project{one, two, one},
		}, []string{"project_ids.2"}},
		{account.KeyDraft{
			Name:     "n",
			Scopes:   []string{"*"},
			Projects: many,
		}, []string{"project_ids"}},
		{account.KeyDraft{
			Name:      "n",
			Scopes:    []string{"*"},
			ExpiresAt: new(noon),
		}, []string{"expires_at"}},
	} {
		check := fault.NewCheck()
		c.draft.Check(check, noon)
		if got := named(check); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.draft, got, c.want)
		}
	}
}

// A key may give only scopes, projects and an expiry within its own.
func TestKey_MayGive(t *testing.T) {
	t.Parallel()
	hour, soon := new(noon.Add(time.Hour)), new(noon.Add(time.Minute))
	for name, c := range map[string]struct {
		giver account.Key
		draft account.KeyDraft
		want  []string
	}{
		"everything":        {account.Key{Scopes: []string{"*"}}, account.KeyDraft{Scopes: []string{"*", "catalog:write"}, Projects: []id.Project{one}}, nil},
		"the same":          {account.Key{Scopes: []string{"keys:write"}}, account.KeyDraft{Scopes: []string{"keys:write", "keys:read"}}, nil},
		"all of few":        {account.Key{Scopes: []string{"keys:write"}}, account.KeyDraft{Scopes: []string{"keys:read", "*", "catalog:read"}}, []string{"scopes.1", "scopes.2"}},
		"write for read":    {account.Key{Scopes: []string{"catalog:read"}}, account.KeyDraft{Scopes: []string{"catalog:write"}}, []string{"scopes.0"}},
		"nonsense":          {account.Key{Scopes: []string{"keys:write"}}, account.KeyDraft{Scopes: []string{"dogs:read"}}, nil}, // the draft's own problem
		"own projects":      {account.Key{Projects: []id.Project{one, two}}, account.KeyDraft{Projects: []id.Project{two}}, nil},
		"another project":   {account.Key{Projects: []id.Project{one, two}}, account.KeyDraft{Projects: []id.Project{two, three}}, []string{"project_ids.1"}},
		"all projects":      {account.Key{Projects: []id.Project{one}}, account.KeyDraft{}, []string{"project_ids"}},
		"the same end":      {account.Key{ExpiresAt: hour}, account.KeyDraft{ExpiresAt: hour}, nil},
		"a sooner end":      {account.Key{ExpiresAt: hour}, account.KeyDraft{ExpiresAt: soon}, nil},
		"a later end":       {account.Key{ExpiresAt: soon}, account.KeyDraft{ExpiresAt: hour}, []string{"expires_at"}},
		"no end":            {account.Key{ExpiresAt: soon}, account.KeyDraft{}, []string{"expires_at"}},
		"an end, from none": {account.Key{}, account.KeyDraft{ExpiresAt: hour}, nil},
	} {
		check := fault.NewCheck()
		c.giver.MayGive(c.draft, check)
		if got := named(check); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
