package wire_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeKeyStore keeps one answer, unencrypted.
type fakeKeyStore struct {
	ports.IdempotencyKeys
	kept    *ports.Answer
	amended int
}

func (s *fakeKeyStore) Find(context.Context, ports.KeyUsage) (*ports.Answer, error) {
	if s.kept == nil {
		return nil, nil
	}
	found := *s.kept
	return &found, nil
}

func (s *fakeKeyStore) Amend(_ context.Context, _ ports.KeyUsage, a ports.Answer) error {
	s.kept, s.amended = &a, s.amended+1
	return nil
}

func (s *fakeKeyStore) Record(_ context.Context, r ports.Record) error {
	if r.Use != nil {
		s.kept = &r.Answer
	}
	return nil
}

func (*fakeKeyStore) Seal(plain []byte, _ string) []byte { return append([]byte(nil), plain...) }

func (*fakeKeyStore) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

func (*fakeKeyStore) Now() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

type said struct {
	Body struct {
		Text string `json:"text"`
	}
}

// staged serves an operation whose first stage answers "first". If follows is true, second is its second stage.
func staged(t *testing.T, s *fakeKeyStore, first error, follows bool, second func(context.Context) (string, error)) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	mount := keyedMount(wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"}), s)
	op := postTo("staged", "/v1/staged")
	op.DefaultStatus = 201
	wire.AddStaged(mount, op, func(_ context.Context, rq stagedRequest, _ *struct{}) (*said, wire.Second[nobody, int, said], error) {
		if rq.Stores != 1 {
			t.Error("the first stage has not the stores of the transaction")
		}
		out := &said{}
		out.Body.Text = "first"
		if !follows {
			return out, nil, first
		}
		return out, func(ctx ports.Outbound, rq stagedRequest) (*said, error) {
			if rq.Stores != 0 {
				t.Error("the second stage has the stores of the transaction")
			}
			out := &said{}
			text, err := second(ctx)
			out.Body.Text = text
			return out, err
		}, first
	})
	return wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)})
}

type stagedRequest = wire.Request[nobody, int]

// keyedMount returns an API with a key store. The stores of its transactions are 1.
func keyedMount(api huma.API, s *fakeKeyStore) *wire.Mount[nobody, int] {
	return &wire.Mount[nobody, int]{
		API:   api,
		Style: wire.Plain,
		Steps: []wire.Step[nobody]{wire.Check[nobody]},
		Begin: func(_ context.Context, _ *ports.KeyUsage, work func(int, ports.Records) error) (bool, error) {
			err := work(1, s)
			return err == nil, err
		},
		Keys: wire.KeyStore{
			IdempotencyKeys: s,
			Records:         s,
			Vault:           s,
			Clock:           s,
		},
		Rules: wire.KeyRules[nobody]{Owner: func(wire.Entry[nobody], []byte) string { return "" }},
	}
}

func TestAddStaged(t *testing.T) {
	t.Parallel()
	fine := func(context.Context) (string, error) { return "second", nil }
	lost := func(context.Context) (string, error) { return "", errors.New("nobody answers") }
	for name, c := range map[string]struct {
		first    error
		follows  bool
		second   func(context.Context) (string, error)
		status   int
		says     string
		amended  int
		repeated string
	}{
		"both succeed":            {nil, true, fine, 201, "second", 1, "second"},
		"the second fails":        {nil, true, lost, 201, "first", 0, "first"},
		"there is no second":      {nil, false, lost, 201, "first", 0, "first"},
		"the first is refused":    {fault.Missing("thing"), true, fine, 404, "thing_not_found", 0, "thing_not_found"},
		"the first is our mishap": {errors.New("oops"), true, fine, 500, "internal_error", 0, "internal_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fakeKeyStore{}
			handler := staged(t, s, c.first, c.follows, c.second)
			send := func() *httptest.ResponseRecorder {
				r := httptest.NewRequest("POST", "/v1/staged", nil)
				r.Header.Set(wire.KeyHeader, "k")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				return w
			}
			if w := send(); w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if s.amended != c.amended {
				t.Errorf("amended %d times", s.amended)
			}
			if w := send(); w.Code != c.status || !strings.Contains(w.Body.String(), c.repeated) {
				t.Errorf("again: %d %s", w.Code, w.Body)
			}
			if s.amended != c.amended {
				t.Error("a repeated request ran its second stage")
			}
		})
	}
}

// If the process dies in the second stage, the first stage's changes and answer are stored.
func TestAddStaged_secondStageDies(t *testing.T) {
	t.Parallel()
	s := &fakeKeyStore{}
	handler := staged(t, s, nil, true, func(context.Context) (string, error) { panic("it died") })
	for _, want := range []struct {
		status int
		says   string
	}{{500, "internal_error"}, {201, "first"}} {
		r := httptest.NewRequest("POST", "/v1/staged", nil)
		r.Header.Set(wire.KeyHeader, "k")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.says) {
			t.Errorf("%d %s, want %d %s", w.Code, w.Body, want.status, want.says)
		}
	}
}

// The second stage runs to its end after the client has left, but with a deadline.
func TestAddStaged_clientLeaves(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	s := &fakeKeyStore{}
	handler := staged(t, s, nil, true, func(ctx context.Context) (string, error) {
		leave()
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("it may take for ever")
		}
		return "second", ctx.Err()
	})
	r := httptest.NewRequestWithContext(ctx, "POST", "/v1/staged", nil)
	r.Header.Set(wire.KeyHeader, "k")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	if s.kept == nil || !strings.Contains(string(s.kept.Body), "second") {
		t.Errorf("kept is %+v", s.kept)
	}
}

// An idempotency key has at most 255 characters and must not be repeated.
func TestCheckKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys   []string
		status int
	}{
		"255 characters":         {[]string{strings.Repeat("é", 255)}, 201},
		"256 characters":         {[]string{strings.Repeat("é", 256)}, 400},
		"no text":                {[]string{"\xff"}, 400},
		"twice":                  {[]string{"a", "b"}, 400},
		"an empty one and a key": {[]string{"", "b"}, 400},
	} {
		handler := staged(t, &fakeKeyStore{}, nil, false, nil)
		r := httptest.NewRequest("POST", "/v1/staged", nil)
		r.Header[wire.KeyHeader] = c.keys
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
