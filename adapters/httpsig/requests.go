package httpsig

import (
	"errors"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// Fields that a request's signature covers where the request has them (UCP, "Identity Resolution Algorithm", step 5).
const (
	ucpAgent       = "ucp-agent"
	idempotencyKey = "idempotency-key"
	signatureAgent = "signature-agent"
)

const (
	// oldest is the maximum age of a request's signature that has a creation time. UCP relies on idempotency keys against
	// replays. They are kept for a day, so a request signed earlier could take effect a second time.
	oldest = 24 * time.Hour
	// skew is how far a signer's clock may be ahead of ours.
	skew = time.Minute
)

// Requests verifies requests as UCP requires.
type Requests struct{}

var _ ports.RequestSignatures = Requests{}

// Signed implements ports.RequestSignatures.
func (Requests) Signed(r ports.SignedRequest) (bool, error) {
	m := messageOf(r)
	if !Signed(m) {
		return false, nil
	}
	for _, field := range []string{inputField, signatureField} {
		if len(m.Header.Values(field)) == 0 {
			return true, fault.New(fault.Unauthenticated, "signature_missing", "The request has no "+field+", which belongs to its signature.")
		}
	}
	if _, _, err := read(m); err != nil {
		return true, toFault(err)
	}
	if len(m.Header.Values(digestField)) > 0 { // without it no signature can cover the body
		if err := CheckDigest(m.Header, r.Body); err != nil {
			return true, toFault(err)
		}
		if !hasSHA256(m.Header) { // UCP, "Body Digest"
			return true, toFault(ErrDigest)
		}
	}
	return true, nil
}

// Verify implements ports.RequestSignatures.
func (Requests) Verify(r ports.SignedRequest, now time.Time, find func(id string) (agentid.Key, bool)) (agentid.Key, error) {
	m := messageOf(r)
	rules := Rules{
		Covered: required(m, r.Body),
		MaxAge:  oldest,
		Skew:    skew,
		Now:     now,
	}
	id, err := Verify(m, rules, func(id string) (Key, error) {
		key, known := find(id)
		if !known {
			return nil, ErrKeyNotFound
		}
		return keyOf(key.Public)
	})
	if err != nil {
		return agentid.Key{}, toFault(err)
	}
	key, _ := find(id)
	return key, nil
}

func messageOf(r ports.SignedRequest) Message {
	return Message{
		Method:    r.Method,
		Authority: r.Authority,
		Path:      r.Path,
		Query:     r.Query,
		Header:    http.Header(r.Header),
	}
}

// required returns the components that a request's signature must cover.
func required(m Message, body []byte) []string {
	names := []string{"@method", "@authority", "@path"}
	if m.Query != "" {
		names = append(names, "@query")
	}
	if len(body) > 0 {
		names = append(names, "content-digest", "content-type")
	}
	for _, field := range []string{ucpAgent, idempotencyKey, signatureAgent} {
		if len(m.Header.Values(field)) > 0 {
			names = append(names, field)
		}
	}
	return names
}

// keyOf returns an agent's key.
func keyOf(public signing.Verifier) (Key, error) {
	switch k := public.(type) {
	case signing.Public:
		return P256{k}, nil
	case signing.Ed25519:
		return Ed25519{k}, nil
	}
	return nil, ErrAlgorithm
}

// toFault converts an error to the one that the signer sees. It contains nothing from the request.
func toFault(err error) error {
	var reason refusal
	switch {
	case errors.Is(err, ErrKeyNotFound):
		return fault.New(fault.Unauthenticated, "key_not_found", "The request is signed by a key that the agent's profile does not have, or that is of no use for signatures.")
	case errors.Is(err, ErrAlgorithm):
		return fault.New(fault.Malformed, "algorithm_unsupported", "The request is signed by an algorithm that is not supported: use ES256 or Ed25519.")
	case errors.Is(err, ErrDigest):
		return fault.New(fault.Malformed, "digest_mismatch", "The body does not have the Content-Digest that the request states.").Because(err)
	case errors.As(err, &reason):
		return fault.New(fault.Unauthenticated, "signature_invalid", "The request's signature is not valid: "+string(reason)+".")
	}
	return fault.New(fault.Unauthenticated, "signature_invalid", "The request's signature is not valid.").Because(err)
}
