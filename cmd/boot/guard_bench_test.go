package boot

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

const benchKey = "hk_test_0123456789abcdefghijklmnopqrstuvwxyz"

// BenchmarkGetProject measures GET /v1/projects/{id} in process, without the network, and the part of it that authenticates the
// caller and counts the request. BenchmarkPatchProject measures a write, without and with an idempotency key.
func BenchmarkGetProject(b *testing.B) {
	onBenchEngines(b, func(b *testing.B, a *App, send func(method, path, body, key string) int, path string) {
		b.Run("whole", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if status := send("GET", path, "", ""); status != 200 {
					b.Fatal(status)
				}
			}
		})
		b.Run("guard", func(b *testing.B) {
			b.ReportAllocs()
			header := http.Header{}
			for b.Loop() {
				caller, err := a.Access.Authenticate(b.Context(), benchKey)
				if err != nil {
					b.Fatal(err)
				}
				rate := a.limits.rate(caller.Account.Plan)
				if err := wire.Limit(header, a.edge.managed.Allow(b.Context(), caller.Account.ID.String(), rate), rate); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

func BenchmarkPatchProject(b *testing.B) {
	onBenchEngines(b, func(b *testing.B, _ *App, send func(method, path, body, key string) int, path string) {
		n := 0
		for name, keyed := range map[string]bool{"without key": false, "with key": true} {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n++
					key := ""
					if keyed {
						key = strconv.Itoa(n)
					}
					if status := send("PATCH", path, `{"name":"Shop"}`, key); status != 200 {
						b.Fatal(status)
					}
				}
			})
		}
	})
}

var benchDatabases atomic.Int64

func onBenchEngines(b *testing.B, bench func(b *testing.B, a *App, send func(method, path, body, key string) int, path string)) {
	for name, url := range map[string]func() string{
		"sqlite": func() string { return "sqlite://" + filepath.Join(b.TempDir(), "haggle.db") },
		"postgres": func() string {
			server := pgserver.Shared(b)
			name := "guard_bench_" + strconv.FormatInt(benchDatabases.Add(1), 10)
			if err := server.CreateDatabase(name, ""); err != nil {
				b.Fatal(err)
			}
			return server.URL(name)
		},
	} {
		b.Run(name, func(b *testing.B) {
			a, err := New(b.Context(), Config{
				Addr:           "127.0.0.1:0",
				OpsAddr:        "127.0.0.1:0",
				DatabaseURL:    url(),
				Env:            account.Sandbox.String(),
				BootstrapKey:   benchKey,
				EnterpriseRate: "1000000/1000000",
			}, slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = a.Close() })
			handler := a.handler()
			send := func(method, path, body, key string) int {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+benchKey)
				r.Header.Set(wire.KeyHeader, key)
				out := httptest.NewRecorder()
				handler.ServeHTTP(out, r)
				return out.Code
			}
			if status := send("POST", "/v1/projects", `{"name":"Shop","slug":"shop"}`, ""); status != 201 {
				b.Fatal(status)
			}
			p, err := a.storefront.BySlug(b.Context(), "shop")
			if err != nil {
				b.Fatal(err)
			}
			bench(b, a, send, "/v1/projects/"+p.ID.String())
		})
	}
}
