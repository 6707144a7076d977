// Package agentkey defines the keys that a shop issues to agents that do not sign their requests. A request with a key
// counts as signed by the key's profile. The package generates and stores no secrets.
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

// Max is the largest number of valid keys of a project.
const Max = 100

// Begins is the prefix of the secret of every agent key, in either environment.
const Begins = "hak_"

// SecretBytes is the number of random bytes of a secret: 160 bits.
const SecretBytes = 20

// A secret is the environment's prefix, hak_test_ or hak_live_, and its random bytes in base32. Its first characters,
// the prefix and four more, are stored to recognise it.
const (
	markLength   = len("hak_test_")
	secretLength = markLength + SecretBytes*8/5
	prefixLength = markLength + 4
)

// Key is a key of an agent at one shop. Only the SHA-256 of its secret is stored.
type Key struct {
	ID        id.AgentKey
	Project   id.Project
	Name      string
	Profile   string // the URL of the profile of the agent that sends it
	Hash      [32]byte
	Prefix    string // the first characters of the secret, to recognise it by
	CreatedAt time.Time
	RevokedAt *time.Time // nil: valid
}

// Works reports whether the key is valid.
func (k *Key) Works() bool { return k.RevokedAt == nil }

// Draft has the settings of a new key.
type Draft struct{ Name, Profile string }

// Check reports the fields that are invalid. The profile must be one that a request could name.
func (d Draft) Check(c fault.Check, rules agentid.Rules) {
	blank := strings.TrimSpace(d.Name) == ""
	c.That(!blank && utf8.RuneCountInString(d.Name) <= 200 && !strings.ContainsFunc(d.Name, unicode.IsControl), "name",
		"must be a line of 1 to 200 characters")
	_, ok := rules.Claim(d.Profile)
	c.That(ok, "profile", "must be the https URL of an agent's profile, of at most 2,048 bytes")
}

// New returns the key of a secret.
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

// Hash returns the hash by which a secret's key is found. It reports false if the text cannot be a secret.
func Hash(secret string) (hash [32]byte, ok bool) {
	if len(secret) != secretLength || !strings.HasPrefix(secret, Begins) {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// ErrInvalid refuses a request whose key is not valid at the shop, or not for the profile that the request names.
func ErrInvalid() *fault.Error {
	return fault.New(fault.Unauthenticated, "agent_key_invalid",
		"The agent key is unknown or revoked, or belongs to another profile than the one in the request.")
}
