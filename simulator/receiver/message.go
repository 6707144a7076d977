package receiver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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

// News is the body of an order webhook.
type News struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"created_at"`
	Sequence  int             `json:"sequence"`
	Order     json.RawMessage `json:"order"`
}

// signatureInput is the only form of Signature-Input that this package accepts of RFC 9421: one signature by one key,
// over components without parameters.
var signatureInput = regexp.MustCompile(`^sig1=(\(("[a-z0-9@-]+"(?: "[a-z0-9@-]+")*)\);created=([0-9]+);keyid="([A-Za-z0-9_-]+)")$`)

// covered are the components that the signature of a shop's request must cover.
var covered = []string{"@method", "@authority", "@path", "content-digest", "content-type", "webhook-id", "webhook-timestamp"}

// VerifyMessage checks a request's digest and its RFC 9421 signature, and returns the kid of the key. keys is the JSON
// Web Key Set that the shop publishes.
func VerifyMessage(keys []byte, came Request) (kid string, err error) {
	sum := sha256.Sum256(came.Body)
	if want := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"; came.Header.Get("Content-Digest") != want {
		return "", fmt.Errorf("the digest is %q, want %q", came.Header.Get("Content-Digest"), want)
	}
	parts := signatureInput.FindStringSubmatch(came.Header.Get("Signature-Input"))
	if parts == nil {
		return "", fmt.Errorf("the signature's input is %q", came.Header.Get("Signature-Input"))
	}
	params, created, kid := parts[1], parts[3], parts[4]
	components := strings.Split(strings.ReplaceAll(parts[2], `"`, ""), " ")
	for _, name := range covered {
		if !slices.Contains(components, name) {
			return kid, fmt.Errorf("%s is not signed, only %v", name, components)
		}
	}
	seconds, err := strconv.ParseInt(created, 10, 64)
	if off := came.At.Sub(time.Unix(seconds, 0)); err != nil || off > tolerance || off < -tolerance {
		return kid, fmt.Errorf("it was signed %s ago", off)
	}
	base := ""
	for _, name := range components {
		value, err := came.component(name)
		if err != nil {
			return kid, err
		}
		base += fmt.Sprintf("\"%s\": %s\n", name, value)
	}
	base += `"@signature-params": ` + params
	return kid, verifyES256(keys, kid, came.Header.Get("Signature"), base)
}

// component returns the value of a signature component.
func (r Request) component(name string) (string, error) {
	switch name {
	case "@method":
		return http.MethodPost, nil
	case "@authority":
		return strings.ToLower(r.Host), nil
	case "@path":
		return r.Path, nil
	case "@query":
		return "?" + r.Query, nil
	}
	if values := r.Header.Values(name); len(values) == 1 && !strings.HasPrefix(name, "@") {
		return values[0], nil
	}
	return "", fmt.Errorf("%s is signed, and came %d times", name, len(r.Header.Values(name)))
}

func verifyES256(keys []byte, kid, field, base string) error {
	text, found := strings.CutPrefix(field, "sig1=:")
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(text, ":"))
	if err != nil || !found || len(signature) != 64 {
		return fmt.Errorf("the signature is %q", field)
	}
	var set struct {
		Keys []struct{ Kid, Kty, Crv, X, Y string }
	}
	if err := json.Unmarshal(keys, &set); err != nil {
		return fmt.Errorf("the key set: %w", err)
	}
	for _, k := range set.Keys {
		if k.Kid != kid {
			continue
		}
		x, errX := base64.RawURLEncoding.DecodeString(k.X)
		y, errY := base64.RawURLEncoding.DecodeString(k.Y)
		if err := errors.Join(errX, errY); err != nil || k.Kty != "EC" || k.Crv != "P-256" {
			return fmt.Errorf("the key %s is no P-256 key (%w)", kid, err)
		}
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			return err
		}
		hash := sha256.Sum256([]byte(base))
		if !ecdsa.Verify(key, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
			return fmt.Errorf("the signature is not that of %s over:\n%s", kid, base)
		}
		return nil
	}
	return fmt.Errorf("the shop publishes no key %s", kid)
}
