package id

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is how a secret is kept: its SHA-256, in hex.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return string(hex.AppendEncode(make([]byte, 0, 2*len(sum)), sum[:]))
}

// NegotiationOf names a session to those who may not use it: the same name each time, from which the session's id does
// not follow.
func NegotiationOf(s Session) Negotiation {
	if s.IsZero() {
		return Negotiation{}
	}
	sum := sha256.Sum256([]byte("negotiation of " + s.String()))
	return New[Negotiation]([16]byte(sum[:16]))
}
