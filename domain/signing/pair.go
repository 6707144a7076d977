package signing

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"math/big"
)

// Algorithm is the signature algorithm: ECDSA over P-256 with SHA-256 (RFC 7518, section 3.4).
const Algorithm = "ES256"

const (
	// PrivateSize is the length of a private key in bytes.
	PrivateSize = 32
	// SignatureSize is the length of a signature: r and s, each of 32 bytes, big-endian. Other forms, such as DER, are
	// invalid.
	SignatureSize = 64
)

// ErrNoKey means that bytes are not a valid key.
var ErrNoKey = errors.New("signing: these bytes are no P-256 key")

// Public is a public key: the point's coordinates, each of 32 bytes, big-endian.
type Public struct{ X, Y [32]byte }

// Private is a private key with its public key.
type Private struct{ key *ecdsa.PrivateKey }

// ParsePrivate parses a private key. Nearly all random bytes are a valid key; for others it returns ErrNoKey.
func ParsePrivate(raw []byte) (Private, error) {
	if len(raw) != PrivateSize {
		return Private{}, ErrNoKey
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return Private{}, ErrNoKey
	}
	return Private{key}, nil
}

// Public returns the public key.
func (p Private) Public() Public {
	var public Public
	point, err := p.key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		panic("signing: a key of another curve: " + err.Error())
	}
	copy(public.X[:], point[1:33])
	copy(public.Y[:], point[33:])
	return public
}

// Sign signs a message. It is deterministic (RFC 6979), so it does not depend on a random source.
func (p Private) Sign(message []byte) ([]byte, error) {
	sum := sha256.Sum256(message)
	der, err := p.key.Sign(nil, sum[:], crypto.SHA256)
	if err != nil {
		return nil, err
	}
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &numbers); err != nil {
		return nil, err
	}
	signature := make([]byte, SignatureSize)
	numbers.R.FillBytes(signature[:SignatureSize/2])
	numbers.S.FillBytes(signature[SignatureSize/2:])
	return signature, nil
}

// Verify reports whether the key signed the message. It returns false for a key that is not a point of the curve.
func (p Public) Verify(message, signature []byte) bool {
	if len(signature) != SignatureSize {
		return false
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, p.X[:]...), p.Y[:]...))
	if err != nil {
		return false
	}
	sum := sha256.Sum256(message)
	r, s := new(big.Int).SetBytes(signature[:SignatureSize/2]), new(big.Int).SetBytes(signature[SignatureSize/2:])
	return ecdsa.Verify(key, sum[:], r, s)
}

// Coordinates returns the key's coordinates in the form of a JSON Web Key (RFC 7518, section 6.2.1).
func (p Public) Coordinates() (x, y string) {
	return base64.RawURLEncoding.EncodeToString(p.X[:]), base64.RawURLEncoding.EncodeToString(p.Y[:])
}

// Thumbprint returns the key's name, by RFC 7638: the hash of its JSON Web Key with only the required members, ordered
// by name.
func (p Public) Thumbprint() string {
	x, y := p.Coordinates()
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
