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

// KeyHeader makes a request safe to send again (decisions 6).
const KeyHeader = "Idempotency-Key"

// ReplayedHeader marks an answer that was sent before.
const ReplayedHeader = "Idempotent-Replayed"

const longestKey = 255

// KeyStore keeps the answers to idempotency keys. Answers hold secrets that are shown once, so they are sealed.
type KeyStore struct {
	ports.IdempotencyKeys
	ports.Records
	Vault ports.Vault
	Clock ports.Clock
	// Replayed counts answers that are sent again; nil: nobody counts.
	Replayed func()
}

// KeyRules are how an API treats idempotency keys.
type KeyRules[C any] struct {
	// Owner is whose a request's key is. Only the owner finds the answer.
	Owner func(e Entry[C], body []byte) string
	// Key reads a request's key, "" for none; nil: from the header Idempotency-Key.
	Key func(*http.Request) string
	// BodyKey reads it from the body instead.
	BodyKey func(body []byte) string
	// Check refuses a request by its key, or for lack of one; nil: the operation's ShortestKey and 255 characters.
	Check func(op *huma.Operation, key string) error
	// Fingerprint tells requests under one key apart. Without one (ok is false) the request has no key: its body is refused
	// anyway. nil: CanonicalJSON.
	Fingerprint func(body []byte) (sum [sha256.Size]byte, ok bool)
	// Repeat refuses to send an answer again, by an error; nil: every answer may be sent again.
	Repeat func(ctx context.Context, e Entry[C], body, answer []byte) error
	// Reused and InProgress are the API's errors for a key that another request has used, and for one whose request is
	// under way; nil: 422 idempotency_key_reused and 409 idempotency_in_progress.
	Reused, InProgress *fault.Error
	// Mark marks an answer that is sent again; nil: Idempotent-Replayed: true.
	Mark func(h http.Header, key string)
}

// CanonicalJSON is the fingerprint of a body's canonical JSON (RFC 8785).
func CanonicalJSON(body []byte) (sum [sha256.Size]byte, ok bool) {
	canonical := jsontext.Value(bytes.Clone(body)) // it is changed in place
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

// translate puts the API's errors in the place of those that the store reports. It answers copies: the API's own are
// shared by all requests.
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

// checkKey is the check of an API that has none of its own.
func checkKey(op *huma.Operation, key string) error {
	shortest := minKeyOf(op)
	switch {
	case key == "":
		return nil
	case utf8.RuneCountInString(key) < shortest:
		return fault.New(fault.Invalid, "idempotency_key_too_short", "The Idempotency-Key is too short.").
			With(KeyHeader, fmt.Sprintf("must have at least %d characters that nobody can guess", shortest))
	case utf8.RuneCountInString(key) > longestKey || !storable(key):
		return BadParameter(KeyHeader, "must have at most 255 characters of UTF-8 text")
	}
	return nil
}

// keyUse is the use of a key that the request makes, if it has one.
func (c *call[C, S]) keyUse() (*ports.KeyUse, error) {
	rules, r := c.mount.Rules, c.entry.Request
	key := rules.key(r, c.body)
	if err := rules.check(c.entry.Operation, key); err != nil || key == "" {
		return nil, err
	}
	sum, ok := c.fingerprintOf()
	if !ok {
		return nil, nil
	}
	return &ports.KeyUse{
		Owner:       rules.Owner(c.entry, c.body),
		Route:       r.Method + " " + r.URL.EscapedPath(),
		Key:         key,
		Fingerprint: sum,
		At:          c.mount.Keys.Clock.Now(),
	}, nil
}

// replay answers a request that was answered before under its key, and reports whether it was.
func (c *call[C, S]) replay(use ports.KeyUse) bool {
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

// render makes the answer that is kept of what a handler returned, a pointer to a struct with Body and Status as Huma has
// them, or nil.
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

// passing reports whether what a handler returned has a Retry-After: the same request may get another answer then, so that
// this one is not kept for its key. The claim of the key is over with the transaction.
func passing(out any) bool {
	v := reflect.ValueOf(out)
	if !v.IsValid() || v.IsNil() {
		return false
	}
	after := v.Elem().FieldByName("RetryAfter")
	return after.IsValid() && !after.IsZero()
}

func (k KeyStore) open(use ports.KeyUse, sealed []byte) ([]byte, error) {
	body, err := k.Vault.Open(sealed, purpose(use))
	if err != nil {
		return nil, err
	}
	return inflate(body)
}

func purpose(use ports.KeyUse) string { return "answer of " + use.Owner + " to " + use.Route }

// subjects are the kinds of ids by which answers about a buyer are found, the narrowest first.
var subjects = []*regexp.Regexp{
	regexp.MustCompile(`\bbuyer_[0-9a-f]{32}\b`), regexp.MustCompile(`\bord_[0-9a-z]{26}\b`),
	regexp.MustCompile(`\bchk_[0-9a-z]{26}\b`), regexp.MustCompile(`\bsess_[0-9a-z]{26}\b`),
}

// subjectOf is the first id of a buyer, order, checkout or session in the answer, or else in the request's path or body.
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

// minKeyOf is how many characters a key of the operation must have.
func minKeyOf(op *huma.Operation) int {
	n, _ := op.Metadata[shortestKey].(int)
	return n
}

// Names reads the texts that a body has under names, at its top level. A body that is refused anyway has none.
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

// documentKey describes the header of requests, and that of repeated answers.
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
		Description: "Makes it safe to send the request again: for 24 hours the same key and body get the first answer, " +
			"and nothing happens twice. Another body under the key: 422 idempotency_key_reused. While the first request is " +
			"under way: 409 idempotency_in_progress. Once the buyer it is about was erased: 409 answer_erased.",
	})
	op.Errors = append(op.Errors, http.StatusConflict, http.StatusUnprocessableEntity)
	for _, r := range op.Responses {
		if r.Headers == nil {
			r.Headers = map[string]*huma.Param{}
		}
		r.Headers[ReplayedHeader] = &huma.Param{
			Description: "The answer was sent before, to the same request.", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"true"}},
		}
	}
}

// packedMark begins a kept body that is compressed. No answer begins with it: they are text.
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

// pack makes a body smaller, for many are kept: anybody may have an answer kept for a day.
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

// inflate is the body that pack was given. Earlier releases packed none.
func inflate(kept []byte) ([]byte, error) {
	if len(kept) == 0 || kept[0] != packedMark {
		return kept, nil
	}
	return io.ReadAll(flate.NewReader(bytes.NewReader(kept[1:])))
}
