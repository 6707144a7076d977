package wire_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// BenchmarkHandler measures a request that does nothing.
func BenchmarkHandler(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /p/{slug}/acp/availability", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	for name, watch := range map[string]wire.Watch{
		"off":    {Log: log, Requests: wire.NoRequests},
		"errors": {Log: log, Requests: wire.FailedRequests},
		"all":    {Log: log, Requests: wire.AllRequests},
	} {
		b.Run(name, func(b *testing.B) {
			handler := wire.Handler(mux, watch)
			r := httptest.NewRequest("GET", "/p/demo/acp/availability", nil)
			r.Header.Set("X-Request-Id", "req_0123456789abcdefghjkmnpqrs")
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
