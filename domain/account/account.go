// Package account is who may manage shops: an account on a plan, and its API keys.
package account

import (
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Plan decides an account's rate limits (spec 8).
type Plan struct{ name string }

var (
	Starter    = Plan{"starter"}
	Growth     = Plan{"growth"}
	Enterprise = Plan{"enterprise"}
)

func (p Plan) String() string { return p.name }

// ParsePlan knows the three plans.
func ParsePlan(name string) (Plan, error) {
	for _, p := range []Plan{Starter, Growth, Enterprise} {
		if p.name == name {
			return p, nil
		}
	}
	return Plan{}, fault.Field("plan", "must be starter, growth or enterprise")
}

// Account owns projects and keys.
type Account struct {
	ID        id.Account
	Name      string
	Plan      Plan
	CreatedAt time.Time
}

// Environment is sandbox or production. A key of one is refused by the other.
type Environment struct{ name, mark string }

var (
	Sandbox    = Environment{"sandbox", "hk_test_"}
	Production = Environment{"production", "hk_live_"}
)

func (e Environment) String() string { return e.name }

// ParseEnvironment knows both environments.
func ParseEnvironment(name string) (Environment, error) {
	for _, e := range []Environment{Sandbox, Production} {
		if e.name == name {
			return e, nil
		}
	}
	return Environment{}, fault.Field("environment", "must be sandbox or production")
}

// KeyMark is how the environment's keys begin.
func (e Environment) KeyMark() string { return e.mark }

// Scopes that a key can have, each with :read or :write; "*" is all of them (decisions 3).
var Scopes = []string{"projects", "catalog", "agents", "integrations", "finance", "analytics", "events", "keys"}

// Key lets a program act for an account. Only the SHA-256 of its secret is kept.
type Key struct {
	ID        id.APIKey
	Account   id.Account
	Name      string
	Hash      [32]byte
	Prefix    string // the first characters of the secret, to recognise it by
	Scopes    []string
	Projects  []id.Project // empty: all of the account's
	CreatedAt time.Time
	ExpiresAt *time.Time
	RevokedAt *time.Time
}

// Valid tells whether the key works at this time.
func (k *Key) Valid(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
}

// Allows tells whether the key has a scope such as "catalog:read". Write implies read.
func (k *Key) Allows(scope string) bool {
	for _, s := range k.Scopes {
		if s == "*" || s == scope {
			return true
		}
		if group, ok := strings.CutSuffix(scope, ":read"); ok && s == group+":write" {
			return true
		}
	}
	return false
}

// Reaches tells whether the key is bound to the project or to none.
func (k *Key) Reaches(project id.Project) bool {
	return len(k.Projects) == 0 || slices.Contains(k.Projects, project)
}
