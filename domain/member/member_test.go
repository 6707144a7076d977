package member_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/patch"
)

var (
	noon     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	one, two = id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})
)

// fields returns the fields that an error names.
func fields(err error) []string {
	var named []string
	var e *fault.Error
	if errors.As(err, &e) {
		for _, d := range e.Details {
			named = append(named, d.Field)
		}
	}
	return named
}

func TestRole_Scopes(t *testing.T) {
	t.Parallel()
	for _, r := range member.Roles {
		if got, err := member.ParseRole(r.String()); got != r || err != nil {
			t.Errorf("%s is read as %s, %v", r, got, err)
		}
		check := fault.NewCheck()
		account.KeyDraft{Name: "n", Scopes: r.Scopes()}.Check(check, noon)
		if err := check.Err(); err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
	if _, err := member.ParseRole("admin"); !slices.Equal(fields(err), []string{"role"}) {
		t.Errorf("admin: %v", err)
	}
}

// Each role may do less than the one before it. A member can grant every role below its own, if it may grant any.
func TestRoles_nested(t *testing.T) {
	t.Parallel()
	for i, r := range member.Roles {
		giver := (&member.Member{Role: r}).Key()
		for j, given := range member.Roles {
			check := fault.NewCheck()
			member.Grant{Role: given}.By(giver, check)
			ok := j >= i || r == member.Owner
			if r == member.Support && given == member.Analyst {
				ok = false // support staff must not see price limits
			}
			if (check.Err() == nil) != ok {
				t.Errorf("%s gives %s: %v", r, given, check.Err())
			}
		}
	}
}

func TestGrant_Check(t *testing.T) {
	t.Parallel()
	bound := &account.Key{Scopes: []string{"*"}, Projects: []id.Project{one}}
	for name, c := range map[string]struct {
		grant member.Grant
		giver *account.Key
		want  []string
	}{
		"all projects":          {member.Grant{Role: member.Analyst}, nil, nil},
		"no role":               {member.Grant{}, nil, []string{"role"}},
		"an owner of one":       {member.Grant{Role: member.Owner, Projects: []id.Project{one}}, nil, []string{"project_ids"}},
		"twice":                 {member.Grant{Role: member.Support, Projects: []id.Project{one, one}}, nil, []string{"project_ids.1"}},
		"of a bound giver":      {member.Grant{Role: member.Support, Projects: []id.Project{one}}, bound, nil},
		"another one's":         {member.Grant{Role: member.Support, Projects: []id.Project{one, two}}, bound, []string{"project_ids.1"}},
		"all of a bound giver":  {member.Grant{Role: member.Support}, bound, []string{"project_ids"}},
		"owner, bound giver":    {member.Grant{Role: member.Owner}, bound, []string{"project_ids"}},
		"more than a giver has": {member.Grant{Role: member.Manager}, &account.Key{Scopes: []string{"keys:write", "catalog:write"}}, []string{"role"}},
	} {
		check := fault.NewCheck()
		c.grant.Check(check)
		if c.giver != nil {
			c.grant.By(c.giver, check)
		}
		if got := fields(check.Err()); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestMember_lastOwner(t *testing.T) {
	t.Parallel()
	owner := member.Member{Name: "Ada", Role: member.Owner}
	demote := member.Change{Role: patch.To(member.Manager)}
	if err := owner.Change(demote, 0); !slices.Equal(fields(err), []string{"role"}) || owner.Role != member.Owner {
		t.Errorf("the last owner: %v, %s", err, owner.Role)
	}
	if err := owner.Remove(0, noon); !fault.Is(err, "last_owner") || owner.RemovedAt != nil {
		t.Errorf("the last owner: %v", err)
	}
	if err := owner.Change(demote, 1); err != nil || owner.Role != member.Manager {
		t.Errorf("one of two: %v, %s", err, owner.Role)
	}
	owner.Password = "hash"
	if err := owner.Remove(0, noon); err != nil || owner.RemovedAt == nil || owner.Password != "" || owner.Name != "Ada" {
		t.Errorf("a manager: %+v, %v", owner, err)
	}
}

func TestMember_Change_checks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change member.Change
		want   []string
	}{
		"nothing":         {member.Change{}, nil},
		"name":            {member.Change{Name: patch.To("Grace")}, nil},
		"no name":         {member.Change{Name: patch.Null[string]()}, []string{"name"}},
		"lines":           {member.Change{Name: patch.To("a\nb")}, []string{"name"}},
		"long":            {member.Change{Name: patch.To(strings.Repeat("ö", 101))}, []string{"name"}},
		"no role":         {member.Change{Role: patch.Null[member.Role]()}, []string{"role"}},
		"all projects":    {member.Change{Projects: patch.Null[[]id.Project]()}, nil},
		"owner of one":    {member.Change{Role: patch.To(member.Owner)}, []string{"project_ids"}},
		"owner of all":    {member.Change{Role: patch.To(member.Owner), Projects: patch.Null[[]id.Project]()}, nil},
		"other projects":  {member.Change{Projects: patch.To([]id.Project{two})}, nil},
		"project by name": {member.Change{Projects: patch.To([]id.Project{two, two})}, []string{"project_ids.1"}},
	} {
		m := member.Member{
			Name:     "Ada",
			Role:     member.Support,
			Projects: []id.Project{one},
		}
		before := m
		err := m.Change(c.change, 0)
		if got := fields(err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if err != nil && (m.Name != before.Name || m.Role != before.Role || !slices.Equal(m.Projects, before.Projects)) {
			t.Errorf("%s: refused, and changed to %+v", name, m)
		}
	}
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for password, ok := range map[string]bool{
		"correct horse battery":            true,
		"ein Paßwort, das lang ist":        true,
		strings.Repeat("abcde", 40):        true,
		strings.Repeat("abcde", 40) + "f":  false,
		"elevenchars":                      false,
		"aaaaaaaaaaaaaaaa":                 false,
		"abababababababab":                 false,
		"ada.lovelace1":                    false,
		"ada.lovelace@example.com":         false,
		"Ada Lovelace 1":                   false,
		"ada.lovelace is not my password!": true,
	} {
		check := fault.NewCheck()
		member.CheckPassword(check, password, "ada.lovelace@example.com", "Ada Lovelace")
		if err := check.Err(); (err == nil) != ok || err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("%q: %v", password, err)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Ada@Example.com": "ada@example.com", " ada@example.com ": "ada@example.com", "ada": "", "Ada <ada@example.com>": "", "": ""} {
		if got, ok := member.Address(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q is read as %q, %v", text, got, ok)
		}
	}
}

func TestLink_Use_once(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		link member.Link
		ok   bool
	}{
		"in time":         {member.Link{ExpiresAt: noon.Add(1)}, true},
		"at its end":      {member.Link{ExpiresAt: noon}, false},
		"used":            {member.Link{ExpiresAt: noon.Add(1), UsedAt: &noon}, false},
		"revoked":         {member.Link{ExpiresAt: noon.Add(1), RevokedAt: &noon}, false},
		"without any end": {member.Link{}, false},
	} {
		if err := c.link.Use(noon); (err == nil) != c.ok || c.ok && c.link.UsedAt == nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.link.Open(noon) {
			t.Errorf("%s: it is open once more", name)
		}
	}
}

func TestSession_Ends(t *testing.T) {
	t.Parallel()
	const idle = 8 * time.Hour
	for name, c := range map[string]struct {
		created, used time.Duration // before noon
		ended         bool
		ends          time.Duration // after noon
	}{
		"just opened":        {0, 0, false, idle},
		"left alone":         {idle, idle, false, 0},
		"in use":             {10 * idle, time.Hour, false, idle - time.Hour},
		"near its end":       {member.LongestSession - time.Hour, 0, false, time.Hour},
		"used to its end":    {member.LongestSession, 0, false, 0},
		"ended by somebody":  {time.Hour, 0, true, 0},
		"waiting for a code": {time.Minute, 0, false, member.CodeFor - time.Minute},
		"without a code":     {member.CodeFor, 0, false, 0},
	} {
		s := member.Session{
			CreatedAt: noon.Add(-c.created),
			UsedAt:    noon.Add(-c.used),
			CodeDue:   strings.Contains(name, "code"),
		}
		if c.ended {
			s.EndedAt = &noon
		}
		if got := s.Ends(idle); !got.Equal(noon.Add(c.ends)) || s.Lasts(idle, noon) != (c.ends > 0) {
			t.Errorf("%s: it ends at %s, and lasts: %v", name, got, s.Lasts(idle, noon))
		}
	}
}

// A session lasts from the time when it is proven, and its first token becomes invalid.
func TestSession_Prove(t *testing.T) {
	t.Parallel()
	s := member.Session{
		Hash:      [32]byte{1},
		CodeDue:   true,
		CreatedAt: noon,
		UsedAt:    noon,
	}
	later := noon.Add(time.Minute)
	s.Prove([32]byte{2}, later)
	if s.CodeDue || s.Hash != [32]byte{2} || !s.Ends(time.Hour).Equal(later.Add(time.Hour)) {
		t.Errorf("%+v", s)
	}
}
