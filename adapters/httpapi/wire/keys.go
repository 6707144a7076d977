package wire

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// KeyHeader names the header that makes a request safe to repeat (features/MANAGEMENT.md#idempotency).
const KeyHeader = "Idempotency-Key"

// ReplayedHeader names the header that marks a repeated answer.
const ReplayedHeader = "Idempotent-Replayed"

const longestKey = 255

// KeyStore stores the answers to idempotency keys. They are encrypted, because answers contain secrets that are shown once.
type KeyStore struct {
	ports.IdempotencyKeys
	ports.Records
	Vault ports.Vault
	Clock ports.Clock
	// Replayed is called for each repeated answer; nil: none.
	Replayed func()
}

// KeyRules are an API's rules for idempotency keys.
type KeyRules[C any] struct {
	// Owner returns the owner of a request's key. Only the owner gets the stored answer.
	Owner func(e Entry[C], body []byte) string
	// Key reads a request's key, "" for none; nil: from the header Idempotency-Key.
	Key func(*http.Request) string
	// BodyKey reads it from the body instead.
	BodyKey func(body []byte) string
	// Check refuses a request whose key is missing or invalid; nil: the operation's ShortestKey and at most 255 characters.
	Check func(op *huma.Operation, key string) error
	// Fingerprint returns the fingerprint that distinguishes requests under one key; nil: CanonicalJSON. If ok is false, the key
	// is ignored, because the body will be refused.
	Fingerprint func(body []byte) (sum [sha256.Size]byte, ok bool)
	// Repeat may refuse to repeat an answer by returning an error; nil: every answer may be repeated.
	Repeat func(ctx context.Context, e Entry[C], body, answer []byte) error
	// Reused and InProgress are the API's errors for a key that another request has used, and for a key whose request is still
	// running; nil: 422 idempotency_key_reused and 409 idempotency_in_progress.
	Reused, InProgress *fault.Error
	// Mark marks a repeated answer; nil: by the header Idempotent-Replayed: true.
	Mark func(h http.Header, key string)
}

// CanonicalJSON is the fingerprint of a body's canonical JSON (RFC 8785).
func CanonicalJSON(body []byte) (sum [sha256.Size]byte, ok bool) {
	canonical := jsontext.Value(bytes.Clone(body)) // Canonicalize changes it in place
	if len(body) > 0 && canonical.Canonicalize() != nil {
		return sum, false
	}
	return sha256.Sum256(canonical), true
}

// key reads a request's key. body is nil where it has not been read.
func (k KeyRules[C]) key(r *http.Request, body []byte) string {
	switch {
	case k.BodyKey != nil:
		return k.BodyKey(body)
	case k.Key != nil:
		return k.Key(r)
	}
	return r.Header.Get(KeyHeader)
}

func (k KeyRules[C]) check(op *huma.Operation, key string) error {
	if k.Check != nil {
		return k.Check(op, key)
	}
	return checkKey(op, key)
}

func (k KeyRules[C]) fingerprint(body []byte) ([sha256.Size]byte, bool) {
	if k.Fingerprint != nil {
		return k.Fingerprint(body)
	}
	return CanonicalJSON(body)
}

// translate replaces the store's errors by the API's. It returns copies, because all requests share the API's errors.
func (k KeyRules[C]) translate(err error) error {
	var in *fault.Error
	switch {
	case fault.Is(err, "idempotency_key_reused"):
		in = k.Reused
	case fault.Is(err, ports.ErrKeyTaken.Code):
		in = k.InProgress
	}
	if in == nil {
		return err
	}
	answer := *in
	return answer.Because(err)
}

// checkKey is the default of KeyRules.Check.
func checkKey(op *huma.Operation, key string) error {
	shortest := minKeyOf(op)
	switch {
	case key == "":
		return nil
	case utf8.RuneCountInString(key) < shortest:
		return fault.New(fault.Invalid, "idempotency_key_too_short", "The Idempotency-Key is too short.").
			With(KeyHeader, fmt.Sprintf("must have at least %d random characters", shortest))
	case utf8.RuneCountInString(key) > longestKey || !storable(key):
		return BadParameter(KeyHeader, "must have at most 255 characters of UTF-8 text")
	}
	return nil
}

// keyUse returns the request's use of its key, or nil without a key.
func (c *call[C, S]) keyUse() (*ports.KeyUsage, error) {
	rules, r := c.mount.Rules, c.entry.Request
	key := rules.key(r, c.body)
	if err := rules.check(c.entry.Operation, key); err != nil || key == "" {
		return nil, err
	}
	sum, ok := c.fingerprintOf()
	if !ok {
		return nil, nil
	}
	return &ports.KeyUsage{
		Owner:       rules.Owner(c.entry, c.body),
		Route:       r.Method + " " + r.URL.EscapedPath(),
		Key:         key,
		Fingerprint: sum,
		At:          c.mount.Keys.Clock.Now(),
	}, nil
}

// replay repeats the answer if the request was answered before under its key, and reports whether it was.
func (c *call[C, S]) replay(use ports.KeyUsage) bool {
	w, r := c.entry.Writer, c.entry.Request
	kept, err := c.mount.Keys.Find(r.Context(), use)
	if err == nil && kept == nil {
		return false
	}
	if err == nil {
		kept.Body, err = c.mount.Keys.open(use, kept.Body)
	}
	if err == nil && c.mount.Rules.Repeat != nil {
		err = c.mount.Rules.Repeat(r.Context(), c.entry, c.body, kept.Body)
	}
	if err != nil {
		c.mount.Style.WriteError(w, r, c.mount.Rules.translate(err))
		return true
	}
	if c.mount.Keys.Replayed != nil {
		c.mount.Keys.Replayed()
	}
	c.mount.Rules.mark(w.Header(), use.Key)
	if kept.ContentType != "" {
		w.Header().Set("Content-Type", kept.ContentType)
	}
	w.WriteHeader(kept.Status)
	_, _ = w.Write(kept.Body) // the client may have gone
	return true
}

func (k KeyRules[C]) mark(h http.Header, key string) {
	if k.Mark != nil {
		k.Mark(h, key)
		return
	}
	h.Set(ReplayedHeader, "true")
}

// seal makes the answer that is kept.
func (c *call[C, S]) seal(status int, contentType string, body []byte) ports.Answer {
	return ports.Answer{
		Status:      status,
		ContentType: contentType,
		Body:        c.mount.Keys.Vault.Seal(pack(body), purpose(*c.use)),
		Subject:     subjectOf(body, []byte(c.use.Route), c.body),
	}
}

// render converts a handler's output to the answer that is stored. The output is nil, or a pointer to a struct with Body and
// Status as in Huma.
func (c *call[C, S]) render(out any) (ports.Answer, error) {
	status, contentType := c.entry.Operation.DefaultStatus, ""
	var body bytes.Buffer
	if v := reflect.ValueOf(out); !v.IsNil() {
		if given := v.Elem().FieldByName("Status"); given.IsValid() && given.Kind() == reflect.Int {
			status = int(given.Int())
		}
		if given := v.Elem().FieldByName("Body"); given.IsValid() {
			contentType = "application/json"
			if err := encode(&body, given.Interface()); err != nil {
				return ports.Answer{}, err
			}
		}
	}
	return c.seal(status, contentType, body.Bytes()), nil
}

// passing reports whether a handler's output has a Retry-After. Such an answer is not stored under its key, because the same
// request may get another answer later. The claim of the key ends with the transaction.
func passing(out any) bool {
	v := reflect.ValueOf(out)
	if !v.IsValid() || v.IsNil() {
		return false
	}
	after := v.Elem().FieldByName("RetryAfter")
	return after.IsValid() && !after.IsZero()
}

func (k KeyStore) open(use ports.KeyUsage, sealed []byte) ([]byte, error) {
	body, err := k.Vault.Open(sealed, purpose(use))
	if err != nil {
		return nil, err
	}
	return inflate(body)
}

func purpose(use ports.KeyUsage) string { return "answer of " + use.Owner + " to " + use.Route }

// subjects lists the kinds of ids by which stored answers about a buyer are found, the narrowest first.
var subjects = []*regexp.Regexp{
	regexp.MustCompile(`\bbuyer_[0-9a-f]{32}\b`), regexp.MustCompile(`\bord_[0-9a-z]{26}\b`),
	regexp.MustCompile(`\bchk_[0-9a-z]{26}\b`), regexp.MustCompile(`\bsess_[0-9a-z]{26}\b`),
}

// subjectOf returns the first id of a buyer, order, checkout or session in the answer, or else in the request's path or body.
func subjectOf(texts ...[]byte) string {
	for _, text := range texts {
		for _, s := range subjects {
			if found := s.Find(text); found != nil {
				return string(found)
			}
		}
	}
	return ""
}

const shortestKey = "shortest idempotency key"

// minKeyOf returns the minimum length of the operation's keys, in characters.
func minKeyOf(op *huma.Operation) int {
	n, _ := op.Metadata[shortestKey].(int)
	return n
}

// Names returns the strings at the top level of a body that have one of the names. It returns none for a malformed body.
func Names(body []byte, names ...string) []string {
	var fields map[string]jsontext.Value
	found := make([]string, len(names))
	if json.Unmarshal(body, &fields) != nil {
		return found
	}
	for i, name := range names {
		if json.Unmarshal(fields[name], &found[i]) != nil {
			found[i] = ""
		}
	}
	return found
}

// documentKey documents the header of requests and that of repeated answers.
func documentKey(op *huma.Operation) {
	longest := longestKey
	schema := &huma.Schema{Type: huma.TypeString, MaxLength: &longest}
	if shortest := minKeyOf(op); shortest > 0 {
		schema.MinLength = &shortest
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name:   KeyHeader,
		In:     "header",
		Schema: schema,
		Description: "Makes the request safe to repeat: for 24 hours, the same key and body return the first response without " +
			"repeating the effect. Errors: 422 idempotency_key_reused (the key was sent with another body); 409 " +
			"idempotency_in_progress (the first request is still running); 409 answer_erased (the buyer's data in the " +
			"response was erased).",
	})
	op.Errors = append(op.Errors, http.StatusConflict, http.StatusUnprocessableEntity)
	for _, r := range op.Responses {
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		r.Headers[ReplayedHeader] = &huma.Param{
			Description: "Whether this is the stored response of an earlier request with the same key.", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"true"}},
		}
	}
}

// packedMark is the first byte of a stored body that is compressed. No answer begins with it, because answers are text.
const packedMark = 1

// leastPacked is below what compressing gains nothing.
const leastPacked = 200

var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is not a level
	}
	return w
}}

// pack compresses a body, because many are stored: any client can make the server store an answer for a day.
func pack(body []byte) []byte {
	if len(body) < leastPacked {
		return body
	}
	packed := bytes.NewBuffer([]byte{packedMark})
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(packed)
	if _, err := w.Write(body); err != nil {
		return body
	}
	if err := w.Close(); err != nil || packed.Len() >= len(body) {
		return body
	}
	return packed.Bytes()
}

// inflate returns the body that pack was given. Earlier releases stored bodies uncompressed.
func inflate(kept []byte) ([]byte, error) {
	if len(kept) == 0 || kept[0] != packedMark {
		return kept, nil
	}
	return io.ReadAll(flate.NewReader(bytes.NewReader(kept[1:])))
}
