package wire_test

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
)

type howToRead struct {
	Format string `query:"format"`
}

// A body is stored before the transaction, and discarded unless the transaction commits. Requests under one key are distinguished
// by the body and by the query, which says how to read the body.
func TestAddStored(t *testing.T) {
	t.Parallel()
	j := &recordingStore{}
	var refuse error
	handler := j.handler(func(m *wire.Mount[nobody, int]) {
		store := func(_ context.Context, _ stagedRequest, body io.Reader) (wire.Stored, error) {
			text, err := io.ReadAll(body)
			j.write("store %s", text)
			if string(text) == "broken" {
				return wire.Stored{}, fault.New(fault.TooLarge, "body_too_large", "The body is too large.")
			}
			return wire.Stored{
				Sum:   sha256.Sum256(text),
				Value: "stored " + string(text),
				Discard: func(context.Context) error {
					j.write("discard")
					return nil
				},
			}, err
		}
		wire.AddStored(m, postTo("stored", "/v1/thing"), []string{"text/csv", "application/x-ndjson"}, 100, store,
			func(_ context.Context, rq stagedRequest, in *howToRead, value any) (*said, error) {
				j.write("handler on %d with %s as %s", rq.Stores, value, in.Format)
				rq.Note.Target = "it"
				return &said{}, refuse
			})
	})
	send := func(key, query, media, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/v1/thing?"+query, strings.NewReader(body))
		r.Header.Set(wire.KeyHeader, key)
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for _, c := range []struct {
		key, query, media, body string
		refuse                  error
		status                  int
		did                     string
	}{
		{"", "format=x", "text/csv; charset=utf-8", "a,b", nil, 200, "store a,b, begin, handler on 1 with stored a,b as x, event it, commit"},
		{"", "", "application/json", "{}", nil, 415, ""},
		{"", "", "", "{}", nil, 415, ""},
		{"", "", "text/csv", "broken", nil, 413, "store broken"},
		{"", "", "text/csv", "a", fault.New(fault.Conflict, "taken", "It is taken."), 409, "store a, begin, handler on 1 with stored a as , rollback, discard"},
		{"k", "format=x", "application/x-ndjson", "{}", nil, 200, "store {}, begin, handler on 1 with stored {} as x, event it, keep 200, commit"},
		{"k", "format=x", "application/x-ndjson", "{}", nil, 200, "store {}, discard"},
	} {
		refuse = c.refuse
		if w := send(c.key, c.query, c.media, c.body); w.Code != c.status {
			t.Errorf("%q: %d %s", c.body, w.Code, w.Body)
		}
		j.is(t, c.did)
	}
	refuse = nil
	seen := map[[sha256.Size]byte]bool{j.use.Fingerprint: true}
	for _, c := range []struct{ query, body string }{{"format=y", "{}"}, {"format=x", "[]"}} {
		j.kept = nil
		send("k", c.query, "text/csv", c.body)
		if seen[j.use.Fingerprint] {
			t.Errorf("%s with %s has the fingerprint of another request", c.query, c.body)
		}
		seen[j.use.Fingerprint] = true
	}
}
