package httpsig

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/haggle-commerce/haggle/domain/signing"
)

// What a message may have at most: more would cost whoever verifies it.
const (
	longestInput   = 4 << 10
	mostSignatures = 4
	mostComponents = 32
)

// Key verifies signatures by its own algorithm.
type Key interface {
	Verify(message, signature []byte) bool
	// Algorithm is the name in RFC 9421's registry.
	Algorithm() string
}

type (
	// P256 is a key of ECDSA over P-256 with SHA-256, whose signatures are r and s, not DER.
	P256 struct{ signing.Public }
	// Ed25519 is a key of EdDSA over edwards25519.
	Ed25519 ed25519.PublicKey
)

func (P256) Algorithm() string    { return "ecdsa-p256-sha256" }
func (Ed25519) Algorithm() string { return "ed25519" }

func (k Ed25519) Verify(message, signature []byte) bool {
	return len(k) == ed25519.PublicKeySize && ed25519.Verify(ed25519.PublicKey(k), message, signature)
}

// Rules are what a signature has to have.
type Rules struct {
	// Covered are components that it covers. Those that the message does not have, the caller leaves out.
	Covered []string
	// MaxAge is how old it may be, and Skew how far the signer's clock may be ahead.
	MaxAge, Skew time.Duration
	Now          time.Time
}

// Signed reports whether a message says that it is signed, in whichever way: then it must be verified, or refused.
func Signed(m Message) bool {
	return len(m.Header.Values(inputField)) > 0 || len(m.Header.Values(signatureField)) > 0
}

// Verify verifies a message's signatures by the keys that find knows, and returns the id of the first one. find fails with
// ErrKeyNotFound for an id that is none; if all do, so does Verify. A signature by a known key that is not valid, or does
// not keep the rules, fails the message, whatever others it has: ErrInvalid or ErrAlgorithm.
func Verify(m Message, rules Rules, find func(id string) (Key, error)) (id string, err error) {
	inputs, signatures, err := read(m)
	if err != nil {
		return "", err
	}
	var unknown error
	for _, label := range inputs.Names() {
		input, _ := inputs.Get(label)
		params, isList := input.(httpsfv.InnerList)
		member, there := signatures.Get(label)
		item, isItem := member.(httpsfv.Item)
		if !isList || !there || !isItem || params.Params == nil {
			return "", fmt.Errorf("%w: %s is not signed", ErrInvalid, label)
		}
		signature, isBytes := item.Value.([]byte)
		name, err := keyID(params)
		if err != nil || !isBytes {
			return "", fmt.Errorf("%w: %s has no keyid, or is no signature", ErrInvalid, label)
		}
		key, err := find(name)
		if err != nil {
			unknown = err
			continue
		}
		if err := rules.verify(m, params, signature, key); err != nil {
			return "", fmt.Errorf("%s: %w", label, err)
		}
		if id == "" {
			id = name
		}
	}
	if id == "" {
		return "", unknown
	}
	return id, nil
}

// read reads the fields of signatures.
func read(m Message) (inputs, signatures *httpsfv.Dictionary, err error) {
	in, out := m.Header.Values(inputField), m.Header.Values(signatureField)
	if length(in) > longestInput || length(out) > longestInput {
		return nil, nil, fmt.Errorf("%w: its fields are too long", ErrInvalid)
	}
	if inputs, err = httpsfv.UnmarshalDictionary(in); err == nil {
		signatures, err = httpsfv.UnmarshalDictionary(out)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if n := len(inputs.Names()); n == 0 || n > mostSignatures || n != len(signatures.Names()) {
		return nil, nil, fmt.Errorf("%w: the message has %d inputs and %d signatures", ErrInvalid, n, len(signatures.Names()))
	}
	return inputs, signatures, nil
}

func length(values []string) (n int) {
	for _, v := range values {
		n += len(v)
	}
	return n
}

func keyID(params httpsfv.InnerList) (string, error) {
	value, _ := params.Params.Get("keyid")
	if name, ok := value.(string); ok && name != "" {
		return name, nil
	}
	return "", ErrInvalid
}

// verify judges one signature by its key.
func (r Rules) verify(m Message, params httpsfv.InnerList, signature []byte, key Key) error {
	if algorithm, given := params.Params.Get("alg"); given && algorithm != key.Algorithm() {
		return ErrAlgorithm
	}
	if len(params.Items) > mostComponents || repeats(params) || !covers(params, r.Covered) {
		return fmt.Errorf("%w: it does not cover %q, or covers something twice", ErrInvalid, r.Covered)
	}
	if err := r.inTime(params); err != nil {
		return err
	}
	base, err := m.base(params)
	if err != nil {
		return err
	}
	if !key.Verify(base, signature) {
		return ErrInvalid
	}
	return nil
}

// inTime checks when the signature was made and until when it is good.
func (r Rules) inTime(params httpsfv.InnerList) error {
	value, _ := params.Params.Get("created")
	created, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%w: it does not say when it was created", ErrInvalid)
	}
	if age := r.Now.Sub(time.Unix(created, 0)); age > r.MaxAge || age < -r.Skew {
		return fmt.Errorf("%w: it was created %s ago", ErrInvalid, age)
	}
	if value, given := params.Params.Get("expires"); given {
		if expires, ok := value.(int64); !ok || r.Now.After(time.Unix(expires, 0)) {
			return fmt.Errorf("%w: it has expired", ErrInvalid)
		}
	}
	return nil
}

// repeats reports whether a component is covered twice. What is no name is none of them: Message.base refuses it.
func repeats(params httpsfv.InnerList) bool {
	seen := map[string]bool{}
	for _, i := range params.Items {
		name, _ := i.Value.(string)
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}
