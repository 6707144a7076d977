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

// Algorithm is how keys sign: ECDSA over P-256 with SHA-256 (RFC 7518, section 3.4).
const Algorithm = "ES256"

const (
	// PrivateSize is the length of a private key in bytes.
	PrivateSize = 32
	// SignatureSize is the length of a signature: r and s, each of 32 bytes with the highest first. Another form, such as
	// DER, is none.
	SignatureSize = 64
)

// ErrNoKey means that bytes are no key.
var ErrNoKey = errors.New("signing: these bytes are no P-256 key")

// Public is the public part of a key: the point's coordinates, each of 32 bytes with the highest first.
type Public struct{ X, Y [32]byte }

// Private is a whole key.
type Private struct{ key *ecdsa.PrivateKey }

// ParsePrivate reads a private key. Of random bytes nearly all are one; others are ErrNoKey.
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

// Public returns the public part.
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

// Sign signs a message. The same message has the same signature (RFC 6979), so that no randomness can fail.
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

// Verify reports whether the key signed the message. A key that is no point of the curve has signed nothing.
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

// Coordinates are the key's numbers as a JSON Web Key has them (RFC 7518, section 6.2.1).
func (p Public) Coordinates() (x, y string) {
	return base64.RawURLEncoding.EncodeToString(p.X[:]), base64.RawURLEncoding.EncodeToString(p.Y[:])
}

// Thumbprint is the key's name, by RFC 7638: the hash of its JSON Web Key with the required members alone, in the order of
// their names.
func (p Public) Thumbprint() string {
	x, y := p.Coordinates()
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
