package account

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Scopes that a key can have, each with :read or :write; "*" is all of them (features/MANAGEMENT.md#keys).
var Scopes = []string{"projects", "catalog", "agents", "integrations", "finance", "analytics", "events", "keys"}

// MaxKeys is the largest number of valid keys of an account.
const MaxKeys = 100

// maxBound is the largest number of projects that a key is bound to.
const maxBound = 100

// Key lets a program act for an account. Only the SHA-256 of its secret is stored.
type Key struct {
	ID         id.APIKey
	Account    id.Account
	Name       string
	Hash       [32]byte
	Prefix     string // the first characters of the secret, to recognise it by
	Scopes     []string
	Projects   []id.Project // empty: all of the account's
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time // up to a minute old
}

// KeyStatus is active, expired or revoked.
type KeyStatus struct{ name string }

var (
	Active  = KeyStatus{"active"}
	Expired = KeyStatus{"expired"}
	Revoked = KeyStatus{"revoked"}
)

func (s KeyStatus) String() string { return s.name }

// Status returns the status at a time. A revoked key is revoked even if it has expired too.
func (k *Key) Status(now time.Time) KeyStatus {
	switch {
	case k.RevokedAt != nil:
		return Revoked
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return Expired
	}
	return Active
}

// Valid reports whether the key works at this time.
func (k *Key) Valid(now time.Time) bool { return k.Status(now) == Active }

// Allows reports whether the key has a scope such as "catalog:read". Write implies read.
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

// Reaches reports whether the key is bound to the project or to none.
func (k *Key) Reaches(project id.Project) bool {
	return len(k.Projects) == 0 || slices.Contains(k.Projects, project)
}

// Oversees reports whether the key sees and may revoke another key of its account. A bound key oversees only keys that
// are bound to some of its projects.
func (k *Key) Oversees(other *Key) bool {
	if len(k.Projects) == 0 {
		return true
	}
	return len(other.Projects) > 0 && !slices.ContainsFunc(other.Projects, func(p id.Project) bool { return !k.Reaches(p) })
}

// KeyDraft has the settings of a new key.
type KeyDraft struct {
	Name      string
	Scopes    []string
	Projects  []id.Project // none: all of the account's
	ExpiresAt *time.Time   // nil: never
}

// Check reports the fields that are invalid.
func (d KeyDraft) Check(c fault.Check, now time.Time) {
	checkName(c, d.Name)
	c.That(len(d.Scopes) > 0, "scopes", "must not be empty")
	for i, scope := range d.Scopes {
		at := strconv.Itoa(i)
		c.In("scopes").That(known(scope), at, "is not a scope such as catalog:read")
		c.In("scopes").That(!slices.Contains(d.Scopes[:i], scope), at, "must not be repeated")
	}
	CheckProjects(c, d.Projects)
	c.That(d.ExpiresAt == nil || d.ExpiresAt.After(now), "expires_at", "must be in the future")
}

// CheckProjects checks the projects that a key or a member is bound to.
func CheckProjects(c fault.Check, bound []id.Project) {
	c.That(len(bound) <= maxBound, "project_ids", "must be at most "+strconv.Itoa(maxBound))
	for i, p := range bound {
		c.In("project_ids").That(!slices.Contains(bound[:i], p), strconv.Itoa(i), "must not be repeated")
	}
}

func known(scope string) bool {
	group, verb, _ := strings.Cut(scope, ":")
	return scope == "*" || slices.Contains(Scopes, group) && (verb == "read" || verb == "write")
}

// NoProject is the problem with a project that the creator of a key cannot access, whether it belongs to another
// account or does not exist.
const NoProject = "is not a project that this key can access"

// MayGive reports the fields of the draft that exceed the key's own rights.
func (k *Key) MayGive(d KeyDraft, c fault.Check) {
	for i, scope := range d.Scopes {
		c.In("scopes").That(!known(scope) || k.Allows(scope), strconv.Itoa(i), "is not one of this key's scopes")
	}
	c.That(len(k.Projects) == 0 || len(d.Projects) > 0, "project_ids", "is required: this key is bound to its projects")
	for i, p := range d.Projects {
		c.In("project_ids").That(k.Reaches(p), strconv.Itoa(i), NoProject)
	}
	if k.ExpiresAt != nil {
		c.That(d.ExpiresAt != nil && !d.ExpiresAt.After(*k.ExpiresAt), "expires_at",
			"must not be after the expiry of this key, "+k.ExpiresAt.UTC().Format(time.RFC3339))
	}
}
