package agentprofiles

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// jwk is a JSON Web Key (RFC 7517).
type jwk struct {
	KeyID      *string   `json:"kid"`
	Type       *string   `json:"kty"`
	Curve      *string   `json:"crv"`
	X          *string   `json:"x"`
	Y          *string   `json:"y"`
	Use        *string   `json:"use"`
	Operations *[]string `json:"key_ops"`
	Algorithm  *string   `json:"alg"`

	// Members of private and symmetric keys. The error names them.
	D   jsontext.Value `json:"d"`
	P   jsontext.Value `json:"p"`
	Q   jsontext.Value `json:"q"`
	DP  jsontext.Value `json:"dp"`
	DQ  jsontext.Value `json:"dq"`
	QI  jsontext.Value `json:"qi"`
	Oth jsontext.Value `json:"oth"`
	K   jsontext.Value `json:"k"`
}

// algorithms are the alg values of keys on the known curves.
var algorithms = map[string]string{"P-256": "ES256", "P-384": "ES384", "Ed25519": "EdDSA"}

// readKeys reads a list of keys. An unsupported key does not invalidate the others: only its id is stored. The same holds for
// a key that is not a point on its curve, because an example of the specification has one.
func readKeys(p *agentid.Profile, field string, value jsontext.Value) error {
	var list []jwk
	if len(value) == 0 {
		return nil
	}
	if err := decode(field, value, &list); err != nil {
		return err
	}
	if len(list) > maxKeys {
		return malformed(field, "has more than "+strconv.Itoa(maxKeys)+" keys")
	}
	for n, k := range list {
		at := field + "." + strconv.Itoa(n)
		if err := k.check(at, p.Declares.Release); err != nil {
			return err
		}
		key := agentid.Key{ID: *k.KeyID, Signs: k.signs()}
		if public, err := k.public(); err == nil {
			key.Public = public
		} else {
			key.Signs = false
		}
		p.Keys = append(p.Keys, key)
	}
	return nil
}

// member is a string member of a key.
type member struct {
	name  string
	value *string
}

// check validates a key against the schema of its release. That of 2026-04-08 requires no members per key type.
func (k jwk) check(at string, release capability.Version) error {
	for _, m := range []struct {
		name  string
		value jsontext.Value
	}{
		{"d", k.D}, {"p", k.P}, {"q", k.Q}, {"dp", k.DP}, {"dq", k.DQ}, {"qi", k.QI}, {"oth", k.Oth}, {"k", k.K},
	} {
		if len(m.value) > 0 {
			return malformed(at+"."+m.name, "must not be published: it is the private part of a key")
		}
	}
	required := []member{{"kid", k.KeyID}, {"kty", k.Type}}
	if k.Type != nil && release != capability.V20260408 {
		switch *k.Type {
		case "EC":
			required = append(required, member{"crv", k.Curve}, member{"x", k.X}, member{"y", k.Y})
		case "OKP":
			required = append(required, member{"crv", k.Curve}, member{"x", k.X})
		}
	}
	for _, r := range required {
		if r.value == nil {
			return malformed(at+"."+r.name, "is required")
		}
	}
	if len(*k.KeyID) > maxKeyID {
		return malformed(at+".kid", "is longer than "+strconv.Itoa(maxKeyID)+" bytes")
	}
	if k.Curve == nil || k.Algorithm == nil {
		return nil
	}
	if want, known := algorithms[*k.Curve]; known && *k.Algorithm != want {
		return malformed(at+".alg", "must be "+want+" for the curve "+*k.Curve)
	}
	return nil
}

// signs reports whether signatures may be verified with the key (RFC 7517, sections 4.2 and 4.3).
func (k jwk) signs() bool {
	return (k.Use == nil || *k.Use != "enc") && (k.Operations == nil || slices.Contains(*k.Operations, "verify"))
}

// public returns the public key, nil for an unsupported algorithm.
func (k jwk) public() (signing.Verifier, error) {
	switch {
	case k.Type == nil || k.Curve == nil || k.X == nil:
		return nil, nil
	case *k.Type == "EC" && *k.Curve == "P-256" && k.Y != nil:
		return signing.ParsePublic(*k.X, *k.Y)
	case *k.Type == "OKP" && *k.Curve == "Ed25519":
		return signing.ParseEd25519(*k.X)
	}
	return nil, nil
}
