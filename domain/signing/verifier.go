package signing

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
)

// Verifier is a public key of any algorithm: Public or Ed25519.
type Verifier interface {
	// Verify reports whether the key signed the message.
	Verify(message, signature []byte) bool
	// Thumbprint returns the key's name, by RFC 7638.
	Thumbprint() string
}

// Ed25519 is a public key of EdDSA over edwards25519 (RFC 8032). Only others sign with such keys; ours are P-256.
type Ed25519 [ed25519.PublicKeySize]byte

// Verify reports whether the key signed the message.
func (k Ed25519) Verify(message, signature []byte) bool {
	return ed25519.Verify(k[:], message, signature)
}

// Thumbprint returns the key's name, by RFC 7638 with the members of RFC 8037.
func (k Ed25519) Thumbprint() string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(k[:]) + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ParsePublic parses the coordinates of a JSON Web Key of P-256 (RFC 7518, section 6.2.1). It returns ErrNoKey if they
// are not a point of the curve.
func ParsePublic(x, y string) (Public, error) {
	var p Public
	if !decode(p.X[:], x) || !decode(p.Y[:], y) {
		return Public{}, ErrNoKey
	}
	if _, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, p.X[:]...), p.Y[:]...)); err != nil {
		return Public{}, ErrNoKey
	}
	return p, nil
}

// ParseEd25519 parses the value of a JSON Web Key of Ed25519 (RFC 8037, section 2).
func ParseEd25519(x string) (Ed25519, error) {
	var k Ed25519
	if !decode(k[:], x) {
		return Ed25519{}, ErrNoKey
	}
	return k, nil
}

// decode fills all of into from base64url text.
func decode(into []byte, text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && copy(into, raw) == len(into) && len(raw) == len(into)
}
