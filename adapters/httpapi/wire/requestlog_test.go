package wire_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// requestLines sends requests to a handler with this RequestLog, and returns its log.
func requestLines(t *testing.T, which wire.RequestLog, requests ...*http.Request) (lines []map[string]any) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		wire.NoteCaller(r.Context(), "key_1")
		wire.NoteProject(r.Context(), "proj_1")
		w.WriteHeader(map[string]int{"gone": 404, "broken": 500}[r.PathValue("id")])
	})
	mux.HandleFunc("GET /silent", func(http.ResponseWriter, *http.Request) {})
	var out bytes.Buffer
	handler := wire.Handler(mux, wire.Watch{Log: slog.New(slog.NewJSONHandler(&out, nil)), Requests: which})
	for _, r := range requests {
		handler.ServeHTTP(&laxRecorder{httptest.NewRecorder()}, r)
	}
	for text := range strings.Lines(out.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines
}

// laxRecorder ignores the status 0, for a handler that sends none.
type laxRecorder struct{ *httptest.ResponseRecorder }

func (l *laxRecorder) WriteHeader(status int) {
	if status != 0 {
		l.ResponseRecorder.WriteHeader(status)
	}
}

func requestWithID(method, path string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("X-Request-Id", "mine-1")
	return r
}

func TestHandler_requestLogFields(t *testing.T) {
	t.Parallel()
	lines := requestLines(t, wire.AllRequests, requestWithID("GET", "/orders/gone?secret=planted"))
	if len(lines) != 1 {
		t.Fatalf("%v", lines)
	}
	line := lines[0]
	if took, ok := line["duration_ms"].(float64); !ok || took < 0 || took > 10_000 {
		t.Errorf("duration_ms is %v", line["duration_ms"])
	}
	delete(line, "duration_ms")
	delete(line, "time")
	got, _ := json.Marshal(line)
	want := `{"caller":"key_1","level":"INFO","method":"GET","msg":"request","project":"proj_1","request_id":"mine-1","route":"/orders/{id}","status":404}`
	if string(got) != want {
		t.Errorf("logged %s\nwant   %s", got, want)
	}
}

func TestHandler_requestLogVolume(t *testing.T) {
	t.Parallel()
	requests := func() []*http.Request {
		return []*http.Request{
			requestWithID("GET", "/silent"), requestWithID("GET", "/orders/gone"), requestWithID("GET", "/orders/broken"), requestWithID("BREW", "/nowhere"),
		}
	}
	for which, want := range map[wire.RequestLog][]float64{
		wire.AllRequests:    {200, 404, 500, 404},
		wire.FailedRequests: {404, 500, 404},
		wire.NoRequests:     nil,
		"":                  nil,
	} {
		var got []float64
		for _, line := range requestLines(t, which, requests()...) {
			got = append(got, line["status"].(float64))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", which, got, want)
		}
	}
	last := requestLines(t, wire.AllRequests, requests()...)[3]
	if last["method"] != "OTHER" || last["route"] != "unmatched" || last["caller"] != nil || last["project"] != nil {
		t.Errorf("a request that nobody knows: %v", last)
	}
}

// Without log lines, a request costs no more allocations than an unwatched one.
func TestHandler_requestLogOffCostsNothing(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /silent", func(_ http.ResponseWriter, r *http.Request) {
		wire.NoteCaller(r.Context(), "key_1")
		wire.NoteProject(r.Context(), "proj_1")
	})
	allocations := func(which wire.RequestLog) float64 {
		handler := wire.Handler(mux, wire.Watch{Log: slog.New(slog.NewJSONHandler(&bytes.Buffer{}, nil)), Requests: which})
		r := requestWithID("GET", "/silent")
		return testing.AllocsPerRun(100, func() { handler.ServeHTTP(httptest.NewRecorder(), r) })
	}
	if off, all := allocations(wire.NoRequests), allocations(wire.AllRequests); off > 20 || off >= all {
		t.Errorf("%v allocations without a line, %v with one", off, all)
	}
}
