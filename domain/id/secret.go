package id

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is how a secret is kept: its SHA-256, in hex.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
