// Package signature signs a platform's requests and verifies a shop's answers and webhooks by RFC 9421 (HTTP Message
// Signatures) with ES256, as UCP uses it. It is written from the RFC and independent of the server's code. It supports
// only what UCP's profile allows: one signature, over components without parameters.
package signature

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// half is the length of r and of s in bytes.
const half = 32

// The errors of Verify.
var (
	ErrMissing = errors.New("there is no signature")
	ErrDigest  = errors.New("the digest is not the body's")
	ErrKey     = errors.New("the key is not known")
	ErrInvalid = errors.New("the signature is not right")
	ErrCovers  = errors.New("the signature does not cover what it must")
)

// Message is a signed message: an answer if Status is not 0, else a request.
type Message struct {
	Method, Authority, Path, Query string // Query without the question mark
	Status                         int
	Header                         http.Header
	Body                           []byte // nil: none
}

// Key is a signing key.
type Key struct {
	ID      string
	Expires time.Time // expiry in its signatures; zero: none
	private *ecdsa.PrivateKey
}

// NewKey creates a key whose id is the RFC 7638 thumbprint of its public key.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	k := &Key{private: private}
	jwk := k.Public()
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, jwk["x"], jwk["y"]))
	k.ID = base64.RawURLEncoding.EncodeToString(sum[:])
	return k, nil
}

// Public returns the key's JWK for a profile.
func (k *Key) Public() map[string]string {
	point, err := k.private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // P-256 keys can always be encoded
	}
	return map[string]string{
		"kid": k.ID,
		"kty": "EC",
		"crv": "P-256",
		"alg": "ES256",
		"use": "sig",
		"x":   base64.RawURLEncoding.EncodeToString(point[1 : 1+half]),
		"y":   base64.RawURLEncoding.EncodeToString(point[1+half:]),
	}
}

// PublicKey decodes the coordinates of a P-256 JWK.
func PublicKey(x, y string) (*ecdsa.PublicKey, error) {
	point := []byte{4}
	for _, coordinate := range []string{x, y} {
		bytes, err := base64.RawURLEncoding.DecodeString(coordinate)
		if err != nil || len(bytes) != half {
			return nil, fmt.Errorf("%w: a coordinate is no 32 bytes", ErrKey)
		}
		point = append(point, bytes...)
	}
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
}

// Sign adds Content-Digest, Signature-Input and Signature to the message's header.
func (k *Key) Sign(m Message, now time.Time) error {
	if m.Body != nil {
		m.Header.Set("Content-Digest", digest(m.Body))
	}
	components := m.needs()
	if m.Status == 0 {
		for _, name := range []string{"webhook-id", "webhook-timestamp"} {
			if m.Header.Get(name) != "" {
				components = append(components, name)
			}
		}
	}
	input := fmt.Sprintf(`%s;created=%d;keyid="%s"`, inner(components), now.Unix(), k.ID)
	if !k.Expires.IsZero() {
		input += fmt.Sprintf(";expires=%d", k.Expires.Unix())
	}
	base, err := m.base(components, input)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(base))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, sum[:])
	if err != nil {
		return err
	}
	raw := make([]byte, 2*half)
	r.FillBytes(raw[:half])
	s.FillBytes(raw[half:])
	m.Header.Set("Signature-Input", "sig1="+input)
	m.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(raw)+":")
	return nil
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// needs lists the components that a signature of the message must cover.
func (m Message) needs() []string {
	names := []string{"@method", "@authority", "@path"}
	if m.Status != 0 {
		names = []string{"@status"}
	} else if m.Query != "" {
		names = append(names, "@query")
	}
	if m.Status == 0 {
		for _, name := range []string{"ucp-agent", "idempotency-key"} {
			if m.Header.Get(name) != "" {
				names = append(names, name)
			}
		}
	}
	if m.Body != nil {
		names = append(names, "content-digest", "content-type")
	}
	return names
}

func inner(components []string) string {
	return `("` + strings.Join(components, `" "`) + `")`
}

// base returns the signature base (RFC 9421 2.5).
func (m Message) base(components []string, input string) (string, error) {
	var base strings.Builder
	for _, name := range components {
		value, err := m.component(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&base, "\"%s\": %s\n", name, value)
	}
	fmt.Fprintf(&base, "\"@signature-params\": %s", input)
	return base.String(), nil
}

func (m Message) component(name string) (string, error) {
	switch name {
	case "@method":
		return m.Method, nil
	case "@authority":
		return strings.ToLower(m.Authority), nil
	case "@path":
		return m.Path, nil
	case "@query":
		return "?" + m.Query, nil
	case "@status":
		return strconv.Itoa(m.Status), nil
	}
	values := m.Header.Values(name)
	if len(values) == 0 || strings.HasPrefix(name, "@") {
		return "", fmt.Errorf("%w: %s is not there", ErrInvalid, name)
	}
	trimmed := make([]string, len(values))
	for i, value := range values {
		trimmed[i] = strings.TrimSpace(value)
	}
	return strings.Join(trimmed, ", "), nil
}

var (
	oneInput = regexp.MustCompile(`^([a-z][a-z0-9_-]*)=(\(((?:"[@a-z0-9-]+" ?)*)\)(.*))$`)
	keyID    = regexp.MustCompile(`;keyid="([^"]*)"`)
)

// Verify checks the digest, the signature by a key of the sender's profile (by kid), and that the signature covers the
// components that UCP requires.
func Verify(m Message, keys map[string]*ecdsa.PublicKey) error {
	parts := oneInput.FindStringSubmatch(m.Header.Get("Signature-Input"))
	if parts == nil {
		return fmt.Errorf("%w: Signature-Input is %q", ErrMissing, m.Header.Get("Signature-Input"))
	}
	label, input, parameters := parts[1], parts[2], parts[4]
	components := strings.Fields(strings.ReplaceAll(parts[3], `"`, ""))
	for _, name := range m.needs() {
		if !slices.Contains(components, name) {
			return fmt.Errorf("%w: %s", ErrCovers, name)
		}
	}
	if m.Body != nil && m.Header.Get("Content-Digest") != digest(m.Body) {
		return ErrDigest
	}
	named := keyID.FindStringSubmatch(parameters)
	if named == nil || keys[named[1]] == nil {
		return fmt.Errorf("%w: %s", ErrKey, parameters)
	}
	value, labelled := strings.CutPrefix(m.Header.Get("Signature"), label+"=:")
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(value, ":"))
	if err != nil || !labelled || len(raw) != 2*half {
		return fmt.Errorf("%w: Signature is %q", ErrInvalid, m.Header.Get("Signature"))
	}
	base, err := m.base(components, input)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(base))
	r, s := new(big.Int).SetBytes(raw[:half]), new(big.Int).SetBytes(raw[half:])
	if !ecdsa.Verify(keys[named[1]], sum[:], r, s) {
		return ErrInvalid
	}
	return nil
}
