// Package boottest starts whole servers for tests, on each engine: real HTTP, a real database, nothing
// replaced.
package boottest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// Key is the bootstrap key of every server started here.
const Key = "hk_test_0123456789abcdefghijklmnopqrstuvwxyz"

// Engine is a database that servers are tested on.
type Engine struct {
	Name string
	// URL makes an empty database for a test.
	URL func(tb testing.TB) string
}

// Engines are SQLite and PostgreSQL.
var Engines = []Engine{
	{"sqlite", func(tb testing.TB) string {
		return "sqlite://" + filepath.Join(tb.TempDir(), "haggle.db")
	}},
	{"postgres", func(tb testing.TB) string {
		tb.Helper()
		server := pgserver.Shared(tb)
		name := fmt.Sprintf("haggle_%d", databases.Add(1))
		if err := server.CreateDatabase(name, ""); err != nil {
			tb.Fatal(err)
		}
		return server.URL(name)
	}},
}

var databases atomic.Int64

// Start runs a server on ports of its own until the test ends. Rates are out of the way unless a change
// sets them.
func Start(tb testing.TB, databaseURL string, change ...func(*boot.Config)) *boot.App {
	tb.Helper()
	config := boot.Config{
		Addr: "127.0.0.1:0", OpsAddr: "127.0.0.1:0", DatabaseURL: databaseURL, Env: "sandbox", BootstrapKey: Key,
		ACPRate: "off", EnterpriseRate: "1000000/1000000",
	}
	for _, c := range change {
		c(&config)
	}
	app, err := boot.New(context.Background(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx) }()
	tb.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			tb.Errorf("the server ended with: %v", err)
		}
		if err := app.Close(); err != nil {
			tb.Errorf("closing the server: %v", err)
		}
	})
	return app
}
