package httpsig

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/haggle-commerce/haggle/domain/signing"
)

// Limits of a message, which bound the cost of verifying it.
const (
	longestInput   = 4 << 10
	mostSignatures = 4
	mostComponents = 32
)

// Key verifies signatures with its own algorithm.
type Key interface {
	signing.Verifier
	// Algorithm is the name in RFC 9421's registry.
	Algorithm() string
}

type (
	// P256 is a key of ECDSA over P-256 with SHA-256, whose signatures are r and s, not DER.
	P256 struct{ signing.Public }
	// Ed25519 is a key of EdDSA over edwards25519.
	Ed25519 struct{ signing.Ed25519 }
)

func (P256) Algorithm() string    { return "ecdsa-p256-sha256" }
func (Ed25519) Algorithm() string { return "ed25519" }

// Rules are the requirements of a valid signature.
type Rules struct {
	// Covered are the components that it must cover. The caller omits those that the message does not have.
	Covered []string
	// MaxAge is how old a signature with a creation time may be, and Skew how far the signer's clock may be ahead.
	MaxAge, Skew time.Duration
	Now          time.Time
}

// refusal is an ErrInvalid with a reason that the signer may see.
type refusal string

func (r refusal) Error() string { return ErrInvalid.Error() + ": " + string(r) }
func (refusal) Unwrap() error   { return ErrInvalid }

// Signed reports whether a message has any field of a signature. If so, it must be verified or refused.
func Signed(m Message) bool {
	return len(m.Header.Values(inputField)) > 0 || len(m.Header.Values(signatureField)) > 0
}

// Verify verifies a message's signatures with the keys that find returns, and returns the key id of the first valid one.
// find returns ErrKeyNotFound for an unknown id. One valid signature is enough, whatever others the message has (RFC 9421,
// section 4.3). Without one, the error is that of the first signature by a known key, ErrInvalid or ErrAlgorithm, or
// ErrKeyNotFound if no key is known.
func Verify(m Message, rules Rules, find func(id string) (Key, error)) (id string, err error) {
	inputs, signatures, err := read(m)
	if err != nil {
		return "", err
	}
	var refused error
	for _, label := range inputs.Names() {
		input, _ := inputs.Get(label)
		signature, _ := signatures.Get(label)
		id, err := rules.verifyOne(m, label, input, signature, find)
		switch {
		case err == nil:
			return id, nil
		case refused == nil, errors.Is(refused, ErrKeyNotFound) && !errors.Is(err, ErrKeyNotFound):
			refused = fmt.Errorf("%s: %w", label, err)
		}
	}
	return "", refused
}

// verifyOne verifies the signature with a label and returns the id of its key.
func (r Rules) verifyOne(m Message, label string, input, member httpsfv.Member, find func(id string) (Key, error)) (string, error) {
	params, isList := input.(httpsfv.InnerList)
	item, isItem := member.(httpsfv.Item)
	if !isList || !isItem || params.Params == nil {
		return "", fmt.Errorf("%w: it has no input, or is none", ErrInvalid)
	}
	signature, isBytes := item.Value.([]byte)
	name, err := keyID(params)
	if err != nil || !isBytes {
		return "", fmt.Errorf("%w: it has no keyid, or is no signature", ErrInvalid)
	}
	key, err := find(name)
	if err != nil {
		return "", err
	}
	if err := audience(params, name, key); err != nil {
		return "", err
	}
	return name, r.verify(m, label, params, signature, key)
}

// webBotAuth is the tag of signatures for Web Bot Auth.
const webBotAuth = "web-bot-auth"

// audience refuses signatures with a tag, because they are meant for other verifiers. It accepts those of Web Bot Auth,
// which name the key by its thumbprint.
func audience(params httpsfv.InnerList, name string, key Key) error {
	switch tag, given := params.Params.Get("tag"); {
	case given && tag != webBotAuth:
		return refusal("its tag is not one of ours")
	case given && name != key.Thumbprint():
		return refusal("its keyid is not the key's thumbprint, which its tag asks for")
	}
	return nil
}

// read parses the signature fields.
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

// verify verifies one signature with its key.
func (r Rules) verify(m Message, label string, params httpsfv.InnerList, signature []byte, key Key) error {
	if algorithm, given := params.Params.Get("alg"); given && algorithm != key.Algorithm() {
		return ErrAlgorithm
	}
	if len(params.Items) > mostComponents || repeats(params) {
		return fmt.Errorf("%w: it covers too much, or something twice", ErrInvalid)
	}
	if missing := uncovered(params, label, r.Covered); len(missing) > 0 {
		return refusal("it does not cover " + strings.Join(missing, ", "))
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

// inTime checks the creation and expiry times of a signature that has them.
func (r Rules) inTime(params httpsfv.InnerList) error {
	if value, given := params.Params.Get("created"); given {
		created, ok := value.(int64)
		age := r.Now.Sub(time.Unix(created, 0))
		switch {
		case !ok:
			return refusal("the time of its creation is none")
		case age > r.MaxAge:
			return refusal("it is too old")
		case age < -r.Skew:
			return refusal("it was created in the future")
		}
	}
	if value, given := params.Params.Get("expires"); given {
		if expires, ok := value.(int64); !ok || r.Now.After(time.Unix(expires, 0)) {
			return refusal("it has expired")
		}
	}
	return nil
}

// uncovered returns the names that are missing from the components. A component that is a member of a field does not cover
// the field, except for Signature-Agent: there a signature covers the member with its own label.
func uncovered(params httpsfv.InnerList, label string, names []string) (missing []string) {
	for _, name := range names {
		if !slices.ContainsFunc(params.Items, func(i httpsfv.Item) bool {
			key, isMember := memberKey(i)
			return i.Value == name && (!hasParameters(i) || name == signatureAgent && isMember && key == label)
		}) {
			missing = append(missing, name)
		}
	}
	return missing
}

// repeats reports whether a component is covered twice. It ignores components that cannot be serialized, because
// Message.base refuses those.
func repeats(params httpsfv.InnerList) bool {
	seen := map[string]bool{}
	for _, i := range params.Items {
		name, _ := httpsfv.Marshal(i)
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}
