package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"
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

// keyUse is the use of a key that a request makes, if it has one. What is no JSON has none: it is
// refused either way.
func (o Once[S]) keyUse(r *http.Request, owner string, body []byte) (*ports.KeyUse, error) {
	key := r.Header.Get(KeyHeader)
	if len(r.Header.Values(KeyHeader)) > 1 {
		return nil, fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.").
			With(KeyHeader, "must not be repeated")
	}
	if key == "" {
		return nil, nil
	}
	if utf8.RuneCountInString(key) > longestKey || !storable(key) {
		return nil, fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.").
			With(KeyHeader, "must have at most 255 characters of UTF-8 text")
	}
	canonical := jsontext.Value(bytes.Clone(body)) // it is changed in place
	if len(body) > 0 && canonical.Canonicalize() != nil {
		return nil, nil
	}
	return &ports.KeyUse{
		Owner: owner, Route: r.Method + " " + r.URL.EscapedPath(), Key: key,
		Fingerprint: sha256.Sum256(canonical), At: o.Clock.Now(),
	}, nil
}

// replay answers a request that was answered before under its key, if it was.
func (o Once[S]) replay(w http.ResponseWriter, r *http.Request, use ports.KeyUse, repeatable func(context.Context, []byte) error) bool {
	kept, err := o.Keys.Find(r.Context(), use)
	if err == nil && kept == nil {
		return false
	}
	if err == nil {
		kept.Body, err = o.open(use, kept.Body)
	}
	if err == nil && repeatable != nil {
		err = repeatable(r.Context(), kept.Body)
	}
	if err != nil {
		WriteError(w, r, err)
		return true
	}
	if o.Replayed != nil {
		o.Replayed()
	}
	w.Header().Set(ReplayedHeader, "true")
	if kept.ContentType != "" {
		w.Header().Set("Content-Type", kept.ContentType)
	}
	w.WriteHeader(kept.Status)
	_, _ = w.Write(kept.Body) // the client may have gone
	return true
}

// ReplayGone answers a request whose project is gone, if it was the one that deleted it.
func (o Once[S]) ReplayGone(w http.ResponseWriter, r *http.Request, owner string) bool {
	use, err := o.keyUse(r, owner, nil)
	return err == nil && use != nil && o.replay(w, r, *use, nil)
}

// seal makes an answer to be kept. Only its key's owner can open it.
func (o Once[S]) seal(use ports.KeyUse, c *captured) ports.Answer {
	return ports.Answer{
		Status:      c.status,
		ContentType: c.header.Get("Content-Type"),
		Body:        o.Vault.Seal(pack(c.body.Bytes()), purpose(use)),
		Subject:     subjectOf(c.body.Bytes(), []byte(use.Route), c.asked),
	}
}

func (o Once[S]) open(use ports.KeyUse, sealed []byte) ([]byte, error) {
	body, err := o.Vault.Open(sealed, purpose(use))
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

const shortestKeyOf = "shortest idempotency key"

// RequireLongKey has an operation take no key of fewer characters than shortest. What answers an operation with a right
// to something must not be found by trying keys.
func RequireLongKey(op *huma.Operation, shortest int) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[shortestKeyOf] = shortest
}

// ShortestKey is how many characters a key of the operation must have.
func ShortestKey(op *huma.Operation) int {
	n, _ := op.Metadata[shortestKeyOf].(int)
	return n
}

// CheckKey refuses a request whose key is too short for the operation.
func CheckKey(r *http.Request, op *huma.Operation) error {
	key, shortest := r.Header.Get(KeyHeader), ShortestKey(op)
	if key == "" || utf8.RuneCountInString(key) >= shortest {
		return nil
	}
	return fault.New(fault.Invalid, "idempotency_key_too_short", "The Idempotency-Key is too short.").
		With(KeyHeader, fmt.Sprintf("must have at least %d characters that nobody can guess", shortest))
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
	if shortest := ShortestKey(op); shortest > 0 {
		schema.MinLength = &shortest
	}
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: KeyHeader, In: "header", Schema: schema,
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
