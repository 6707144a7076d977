package wire_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// recordingStore is a fakeKeyStore that also records, in order, what the pipeline did.
type recordingStore struct {
	fakeKeyStore
	did     []string
	claimed bool
	use     *ports.KeyUsage // of the last stored answer
}

func (j *recordingStore) write(format string, args ...any) {
	j.did = append(j.did, fmt.Sprintf(format, args...))
}

func (j *recordingStore) Claim(context.Context, ports.KeyUsage) error {
	if j.claimed || j.kept != nil {
		return ports.ErrKeyTaken
	}
	j.claimed = true
	j.write("claim")
	return nil
}

func (j *recordingStore) Release(context.Context, ports.KeyUsage) error {
	j.claimed = false
	j.write("release")
	return nil
}

func (j *recordingStore) Record(ctx context.Context, r ports.Record) error {
	if r.Event != nil {
		j.write("event %s", r.Event.Target)
	}
	if r.Use != nil {
		j.use = r.Use
		j.write("keep %d", r.Answer.Status)
	}
	return j.fakeKeyStore.Record(ctx, r)
}

// serve serves one operation, added by add, of an API with an audit log.
func (j *recordingStore) serve(add func(*wire.Mount[nobody, int])) (send func(key string) *httptest.ResponseRecorder) {
	handler := j.handler(add)
	return func(key string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/v1/thing", nil)
		r.Header.Set(wire.KeyHeader, key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
}

func (j *recordingStore) handler(add func(*wire.Mount[nobody, int])) http.Handler {
	mux := http.NewServeMux()
	mount := keyedMount(wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"}), &j.fakeKeyStore)
	mount.Keys = wire.KeyStore{
		IdempotencyKeys: j,
		Records:         j,
		Vault:           j,
		Clock:           j,
	}
	mount.Audit = func(_ context.Context, _ wire.Entry[nobody], n wire.Note) *audit.Event {
		return &audit.Event{Target: n.Target}
	}
	mount.Begin = func(_ context.Context, claim *ports.KeyUsage, work func(int, ports.Records) error) (bool, error) {
		j.write("begin")
		if claim != nil && j.kept != nil {
			return false, ports.ErrKeyTaken
		}
		if err := work(1, j); err != nil {
			j.write("rollback")
			return false, err
		}
		j.write("commit")
		return true, nil
	}
	add(mount)
	return wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)})
}

func (j *recordingStore) is(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(j.did, ", "); got != want {
		t.Errorf("it did %s\nwant   %s", got, want)
	}
	j.did = nil
}

type none = struct{}

func TestAddAtomic(t *testing.T) {
	t.Parallel()
	j := &recordingStore{}
	var refuse error
	send := j.serve(func(m *wire.Mount[nobody, int]) {
		wire.AddAtomic(m, postTo("atomic", "/v1/thing"), func(_ context.Context, rq stagedRequest, _ *none) (*said, error) {
			j.write("handler on %d", rq.Stores)
			rq.Note.Target = "it"
			return &said{}, refuse
		})
	})
	send("")
	j.is(t, "begin, handler on 1, event it, commit")
	refuse = fault.New(fault.Conflict, "taken", "It is taken.")
	send("k")
	j.is(t, "begin, handler on 1, rollback, keep 409")
	if w := send("k"); w.Code != 409 || w.Header().Get(wire.ReplayedHeader) == "" {
		t.Errorf("again: %d %v", w.Code, w.Header())
	}
	j.is(t, "")
}

// A prepared handler runs outside of the transaction, and runs again if another request was committed first.
func TestAddPrepared(t *testing.T) {
	t.Parallel()
	j := &recordingStore{}
	outcomes := []error{fault.New(fault.Conflict, "stale", "Another was first."), nil}
	send := j.serve(func(m *wire.Mount[nobody, int]) {
		wire.AddPrepared(m, postTo("prepared", "/v1/thing"), func(_ ports.Outbound, rq stagedRequest, _ *none) (wire.Plan[int, said], error) {
			j.write("handler %d on %d", rq.Attempt, rq.Stores)
			rq.Note.Target = fmt.Sprint(rq.Attempt)
			return wire.Plan[int, said]{
				Commit: func(_ context.Context, stores int) (*said, error) {
					j.write("write on %d", stores)
					err := outcomes[0]
					outcomes = outcomes[1:]
					return &said{}, err
				},
				Discard: func() { j.write("discard") },
			}, nil
		})
	})
	send("k")
	j.is(t, "handler 1 on 0, begin, write on 1, rollback, discard, handler 2 on 0, begin, write on 1, event 2, keep 200, commit")
	outcomes, j.kept = []error{fault.New(fault.Conflict, "taken", "It is taken.")}, nil
	if w := send("k"); w.Code != 409 || !strings.Contains(w.Body.String(), `"taken"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	j.is(t, "handler 1 on 0, begin, write on 1, rollback, discard, keep 409")
	outcomes, j.kept = []error{errors.New("disk full")}, nil
	if w := send("k"); w.Code != 500 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	j.is(t, "handler 1 on 0, begin, write on 1, rollback, discard")
}

// A claimed handler runs for only one request of its key.
func TestAddClaimed(t *testing.T) {
	t.Parallel()
	j := &recordingStore{}
	var send func(string) *httptest.ResponseRecorder
	var fail error
	send = j.serve(func(m *wire.Mount[nobody, int]) {
		wire.AddClaimed(m, postTo("claimed", "/v1/thing"), func(ports.Outbound, stagedRequest, *none) (wire.Plan[int, said], error) {
			j.write("handler")
			return wire.Plan[int, said]{Commit: func(context.Context, int) (*said, error) { return &said{}, nil }}, fail
		})
	})
	fail = fault.New(fault.Unavailable, "platform_unavailable", "Try again.")
	send("k")
	j.is(t, "claim, handler, release")
	fail = nil
	send("k")
	j.is(t, "claim, handler, begin, event , keep 200, commit")
	j.kept, j.claimed = nil, true
	if w := send("k"); w.Code != 409 || !strings.Contains(w.Body.String(), "idempotency_in_progress") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	j.is(t, "")
}

func TestAddPhased(t *testing.T) {
	t.Parallel()
	j := &recordingStore{}
	send := j.serve(func(m *wire.Mount[nobody, int]) {
		wire.AddPhased(m, postTo("phased", "/v1/thing"), func(_ ports.Outbound, rq stagedRequest, _ *none) (*said, error) {
			j.write("handler on %d", rq.Stores)
			return &said{}, nil
		})
	})
	send("")
	j.is(t, "handler on 0")
	send("k")
	j.is(t, "claim, handler on 0, keep 200")
}

// The rules of a mount replace those of Haggle's own APIs.
func TestKeyRules(t *testing.T) {
	t.Parallel()
	required := fault.New(fault.Malformed, "key_required", "A key is required.")
	for name, c := range map[string]struct {
		rules  wire.KeyRules[nobody]
		key    string
		status int
		says   string
	}{
		"a key is required": {wire.KeyRules[nobody]{Check: func(_ *huma.Operation, key string) error {
			if key == "" {
				return required
			}
			return nil
		}}, "", 400, "key_required"},
		"in progress": {wire.KeyRules[nobody]{InProgress: fault.New(fault.Conflict, "busy", "Wait.")}, "k", 409, "busy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &recordingStore{claimed: true}
			send := j.serve(func(m *wire.Mount[nobody, int]) {
				c.rules.Owner = m.Rules.Owner
				m.Rules = c.rules
				wire.AddPhased(m, postTo("ruled", "/v1/thing"), func(ports.Outbound, stagedRequest, *none) (*said, error) { return &said{}, nil })
			})
			if w := send(c.key); w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

// later is an answer with Retry-After.
type later struct {
	RetryAfter string `header:"Retry-After"`
	Body       struct{}
}

// An answer with a Retry-After is committed, but not stored under the key, so that the same request gets another answer later.
func TestAddAtomic_retryAfter(t *testing.T) {
	t.Parallel()
	j, after := &recordingStore{}, "1"
	send := j.serve(func(m *wire.Mount[nobody, int]) {
		wire.AddAtomic(m, postTo("atomic", "/v1/thing"), func(context.Context, stagedRequest, *none) (*later, error) {
			j.write("handler")
			return &later{RetryAfter: after}, nil
		})
	})
	if w := send("k"); w.Code != 200 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	j.is(t, "begin, handler, event , commit")
	after = ""
	if w := send("k"); w.Code != 200 || w.Header().Get("Retry-After") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	j.is(t, "begin, handler, event , keep 200, commit")
}
