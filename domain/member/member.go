package member

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Most is the largest number of members and open invitations of an account together.
const Most = 200

// Member is a person who works for an account. An email address belongs to at most one account of an installation.
type Member struct {
	ID        id.Member
	Account   id.Account
	Email     string // in lower case
	Name      string
	Role      Role
	Projects  []id.Project // empty: all of the account's
	Password  string       // the hash with its parameters; "": none
	CreatedAt time.Time
	RemovedAt *time.Time // the name is kept for the audit log
}

// Key returns an API key with the member's rights. No program has its secret.
func (m *Member) Key() *account.Key {
	return &account.Key{
		Account:  m.Account,
		Name:     m.Name,
		Scopes:   m.Role.Scopes(),
		Projects: m.Projects,
	}
}

// Grant has the rights of a member: a role, in all projects or in some.
type Grant struct {
	Role     Role
	Projects []id.Project // none: all of the account's
}

// Check reports the fields that are invalid.
func (g Grant) Check(c fault.Check) {
	c.That(g.Role != Role{}, "role", "must be owner, manager, support or analyst")
	c.That(g.Role != Owner || len(g.Projects) == 0, "project_ids", "must be empty: an owner has all projects of the account")
	account.CheckProjects(c, g.Projects)
}

// By reports the rights in the grant that exceed the giver's own.
func (g Grant) By(giver *account.Key, c fault.Check) {
	for _, scope := range g.Role.Scopes() {
		c.That(giver.Allows(scope), "role", "has scopes that you do not have")
	}
	c.That(len(giver.Projects) == 0 || len(g.Projects) > 0, "project_ids", "is required: you are limited to your projects")
	for i, p := range g.Projects {
		c.In("project_ids").That(giver.Reaches(p), strconv.Itoa(i), account.NoProject)
	}
}

// Change is a partial change of a member.
type Change struct {
	Name     patch.Field[string]
	Role     patch.Field[Role]
	Projects patch.Field[[]id.Project]
}

// Change changes a member. otherOwners is the number of other members of the account with the role owner.
func (m *Member) Change(change Change, otherOwners int) error {
	c, next := fault.NewCheck(), *m
	change.Name.Apply(&next.Name, "")
	change.Role.Apply(&next.Role, Role{})
	change.Projects.Apply(&next.Projects, nil)
	CheckName(c, next.Name)
	next.Grant().Check(c)
	c.That(m.Role != Owner || next.Role == Owner || otherOwners > 0, "role", lastOwner)
	if err := c.Err(); err != nil {
		return err
	}
	*m = next
	return nil
}

// lastOwner is the problem with demoting the last owner.
const lastOwner = "must remain owner: the account has no other owner"

// Remove ends a member's access permanently.
func (m *Member) Remove(otherOwners int, now time.Time) error {
	if m.Role == Owner && otherOwners == 0 {
		return fault.New(fault.Conflict, "last_owner", "The account has no other owner. Make another member owner first.")
	}
	m.RemovedAt, m.Password = &now, ""
	return nil
}

// Grant returns the member's rights.
func (m *Member) Grant() Grant { return Grant{m.Role, m.Projects} }

// CheckName checks the name of a person.
func CheckName(c fault.Check, name string) {
	c.That(!nameProblem(name), "name", "must be a line of 1 to 100 characters")
}

func nameProblem(name string) bool {
	return strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(name, unicode.IsControl)
}

// Address parses an email address. Addresses that differ only in case are equal.
func Address(text string) (string, bool) {
	text = strings.TrimSpace(text)
	return strings.ToLower(text), account.IsAddress(text)
}

// The length of passwords in characters.
const (
	shortestPassword = 12
	LongestPassword  = 200
	fewestDifferent  = 5
)

// CheckPassword refuses passwords that are easy to guess (NIST SP 800-63B-4, section 3.1.1: length counts, and there
// are no composition rules).
func CheckPassword(c fault.Check, password, email, name string) {
	length := utf8.RuneCountInString(password)
	if !c.That(length >= shortestPassword && length <= LongestPassword, "password", "must have 12 to 200 characters") {
		return
	}
	folded := strings.ToLower(password)
	different := map[rune]bool{}
	for _, r := range folded {
		different[r] = true
	}
	c.That(len(different) >= fewestDifferent, "password", "must have at least 5 different characters")
	local, _, _ := strings.Cut(email, "@")
	own := slices.ContainsFunc([]string{email, local, strings.ToLower(name)}, func(word string) bool {
		return len(word) >= 4 && len(folded)-len(word) < shortestPassword-4 && strings.Contains(folded, word)
	})
	c.That(!own, "password", "must contain more than your name or e-mail address")
}
