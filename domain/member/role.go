// Package member has the people of an account: what the role of each lets them do, the links by which they come in, and their
// sessions in the console.
package member

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Role is what a member does for the account. It stands for scopes, the same as those of API keys.
type Role struct{ name string }

var (
	Owner   = Role{"owner"}   // everything
	Manager = Role{"manager"} // runs the shops; keys and members are the owner's
	Support = Role{"support"} // orders, returns and refunds
	Analyst = Role{"analyst"} // reads
)

// Roles are all roles, from the most that a member may do to the least.
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

// Scopes are those of an API key that may do the same.
func (r Role) Scopes() []string { return slices.Clone(scopes[r]) }

// ParseRole accepts the names of the roles.
func ParseRole(name string) (Role, error) {
	if r := (Role{name}); slices.Contains(Roles, r) {
		return r, nil
	}
	return Role{}, fault.Field("role", "must be owner, manager, support or analyst")
}
