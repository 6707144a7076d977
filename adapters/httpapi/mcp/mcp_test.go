package mcp

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
)

// manyTools serves eighteen tools, each of about as many bytes as a shop's.
func manyTools() http.Handler {
	var tools []commerce.Tool
	for i := range 18 {
		properties := map[string]any{}
		for j := range 14 {
			properties[fmt.Sprintf("field_%d", j)] = map[string]any{
				"type":        "string",
				"maxLength":   200,
				"description": "Says what is wanted, in so many words.",
			}
		}
		tools = append(tools, commerce.Tool{
			Name:        fmt.Sprintf("tool_%d", i),
			Description: strings.Repeat("Does what it says. ", 14),
			Schema:      map[string]any{"type": "object", "properties": properties, "required": []any{"field_1"}},
		})
	}
	mux := http.NewServeMux()
	mux.Handle("/p/{slug}/mcp", Handler(Config{
		Version:    "1",
		Tools:      tools,
		Operations: http.NotFoundHandler(),
		Admit:      func(*http.Request) error { return nil },
		Vouch:      func(http.ResponseWriter, *http.Request, []byte) error { return nil },
		Ours:       func(string) bool { return true },
		Log:        slog.New(slog.NewTextHandler(io.Discard, nil)),
	}))
	return mux
}

// handshakes are what every client sends before it calls a tool.
var handshakes = []struct{ name, message string }{
	{"initialize", `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}`},
	{"ping", `{"jsonrpc": "2.0", "id": 1, "method": "ping"}`},
	{"tools/list", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`},
}

func send(tb testing.TB, h http.Handler, message string) *httptest.ResponseRecorder {
	tb.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://shop.example.com/p/demo/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"result"`) {
		tb.Fatalf("%d %.300s", w.Code, w.Body)
	}
	return w
}

// The SDK's server, its tools and their schemas are made once. Making them for each request would take thousands of allocations.
func TestHandler_handshakeAllocations(t *testing.T) {
	h := manyTools()
	for _, one := range handshakes {
		if count := testing.AllocsPerRun(20, func() { send(t, h, one.message) }); count > 400 {
			t.Errorf("%s: %v allocations", one.name, count)
		}
	}
}

// Clients may cache the list of tools for five minutes.
func TestHandler_toolListCaching(t *testing.T) {
	if body := send(t, manyTools(), handshakes[2].message).Body.String(); !strings.Contains(body, `"ttlMs":300000`) || !strings.Contains(body, `"cacheScope":"public"`) {
		t.Errorf("%.300s", body)
	}
}

func BenchmarkHandshake(b *testing.B) {
	h := manyTools()
	for _, one := range handshakes {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				size = send(b, h, one.message).Body.Len()
			}
			b.ReportMetric(float64(size), "answer-bytes")
		})
	}
}
