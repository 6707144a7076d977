// Package agentkey is the keys that a shop gives to agents that do not sign their requests. A request that is sent with a key
// counts as signed for the key's profile. The package makes no secret and stores none.
package agentkey

import (
	"crypto/sha256"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Max is how many keys of a project work at the same time.
const Max = 100

// Begins is how the secret of every agent key begins, in either environment.
const Begins = "hak_"

// SecretBytes are the random bytes of a secret: 160 bits.
const SecretBytes = 20

// A secret is the environment's mark, hak_test_ or hak_live_, and its random bytes in base32. The first characters of it, the
// mark and four more, are kept to recognise it by.
const (
	markLength   = len("hak_test_")
	secretLength = markLength + SecretBytes*8/5
	prefixLength = markLength + 4
)

// Key is an agent's at one shop. Only the SHA-256 of its secret is kept.
type Key struct {
	ID        id.AgentKey
	Project   id.Project
	Name      string
	Profile   string // the URL of the profile of the agent that sends it
	Hash      [32]byte
	Prefix    string // the first characters of the secret, to recognise it by
	CreatedAt time.Time
	RevokedAt *time.Time // nil: it works
}

// Works reports whether requests may be sent with the key.
func (k *Key) Works() bool { return k.RevokedAt == nil }

// Draft is what a key is to be.
type Draft struct{ Name, Profile string }

// Check names what makes the draft no key. A profile is one that a request could name as its agent's.
func (d Draft) Check(c fault.Check, rules agentid.Rules) {
	blank := strings.TrimSpace(d.Name) == ""
	c.That(!blank && utf8.RuneCountInString(d.Name) <= 200 && !strings.ContainsFunc(d.Name, unicode.IsControl), "name",
		"must be a line of 1 to 200 characters")
	_, ok := rules.Claim(d.Profile)
	c.That(ok, "profile", "must be the https URL of an agent's profile, of at most 2,048 bytes")
}

// New makes the key of a secret.
func New(of id.AgentKey, project id.Project, d Draft, secret string, now time.Time) *Key {
	return &Key{
		ID:        of,
		Project:   project,
		Name:      d.Name,
		Profile:   d.Profile,
		Hash:      sha256.Sum256([]byte(secret)),
		Prefix:    secret[:min(prefixLength, len(secret))],
		CreatedAt: now,
	}
}

// Hash is that by which the key of a secret is found. It reports false for what is no secret of any key.
func Hash(secret string) (hash [32]byte, ok bool) {
	if len(secret) != secretLength || !strings.HasPrefix(secret, Begins) {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// ErrInvalid refuses a request with a key that does not work at the shop, or not for the profile that the request names.
func ErrInvalid() *fault.Error {
	return fault.New(fault.Unauthenticated, "agent_key_invalid",
		"The agent key is unknown or revoked, or it is not for the profile that the request names.")
}
