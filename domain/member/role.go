// Package member defines the people of an account: their roles, the links to join and sign in, and their sessions in
// the console. It sends no email.
package member

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Role is the role of a member in the account. It stands for scopes, the same as those of API keys.
type Role struct{ name string }

var (
	Owner   = Role{"owner"}   // everything
	Manager = Role{"manager"} // runs the shops, without keys and members
	Support = Role{"support"} // orders, returns and refunds
	Analyst = Role{"analyst"} // read-only
)

// Roles are all roles, from the most rights to the fewest.
var Roles = []Role{Owner, Manager, Support, Analyst}

var scopes = map[Role][]string{
	Owner: {"*"},
	Manager: {
		"projects:write", "catalog:write", "agents:write", "integrations:write", "finance:write", "analytics:write", "events:write",
		"keys:read",
	},
	Support: {"projects:read", "catalog:read", "finance:write"},
	Analyst: {"projects:read", "catalog:read", "agents:read", "integrations:read", "finance:read", "analytics:read", "events:read"},
}

func (r Role) String() string { return r.name }

// Scopes returns the scopes of an API key with the same rights.
func (r Role) Scopes() []string { return slices.Clone(scopes[r]) }

// ParseRole reads the name of a role.
func ParseRole(name string) (Role, error) {
	if r := (Role{name}); slices.Contains(Roles, r) {
		return r, nil
	}
	return Role{}, fault.Field("role", "must be owner, manager, support or analyst")
}
