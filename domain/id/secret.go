package id

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash returns the stored form of a secret: its SHA-256 in hex.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return string(hex.AppendEncode(make([]byte, 0, 2*len(sum)), sum[:]))
}

// NegotiationOf returns a stable name for a session, for people who may not use the session. The session's ID cannot be
// derived from it.
func NegotiationOf(s Session) Negotiation {
	if s.IsZero() {
		return Negotiation{}
	}
	sum := sha256.Sum256([]byte("negotiation of " + s.String()))
	return New[Negotiation]([16]byte(sum[:16]))
}
