// Package boottest starts whole servers for tests, on each engine: real HTTP, a real database, nothing
// replaced.
package boottest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/sqlitefile"
)

// Key is the bootstrap key of every server started here.
const Key = "hk_test_0123456789abcdefghijklmnopqrstuvwxyz"

// Engine is a database that servers are tested on.
type Engine struct {
	Name string
	// URL makes a database for a test, with the schema and without a row.
	URL func(tb testing.TB) string
}

// Engines are SQLite and PostgreSQL.
var Engines = []Engine{
	{"sqlite", func(tb testing.TB) string {
		tb.Helper()
		return sqlitefile.Migrated(tb, migrate)
	}},
	{"postgres", func(tb testing.TB) string {
		tb.Helper()
		return pgserver.Shared(tb).Migrated(tb, migrate)
	}},
}

func migrate(url string) error {
	s, err := sqlstore.Open(context.Background(), sqlstore.Config{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

// Address is where a server may listen that is to come back to it: a free port of any of this machine's loopback
// addresses, so that nobody else is given the two meanwhile.
func Address() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1:0" // there is no other
	}
	return fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), 1+rand.IntN(254), 1+rand.IntN(254))
}

// Tick ends the millisecond, so that what comes next is later: servers keep no finer time.
func Tick() {
	now := time.Now()
	time.Sleep(now.Truncate(time.Millisecond).Add(time.Millisecond).Sub(now))
}

// Start runs a server on ports of its own until the test ends. Rates are out of the way unless a change
// sets them.
func Start(tb testing.TB, databaseURL string, change ...func(*boot.Config)) *boot.App {
	tb.Helper()
	config := boot.Config{
		Addr:              "127.0.0.1:0",
		OpsAddr:           "127.0.0.1:0",
		DatabaseURL:       databaseURL,
		Env:               "sandbox",
		BootstrapKey:      Key,
		ACPRate:           "off",
		EnterpriseRate:    "1000000/1000000",
		EnterpriseSize:    "1000000/10000000",
		ProfilesUnlimited: true,
		RequestLog:        "off",
		Simulator:         "/nonexistent/haggle-sim", // no test starts one that happens to lie beside it
	}
	for _, c := range change {
		c(&config)
	}
	// go test shows what is logged of packages that fail.
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	app, err := boot.New(context.Background(), config, log)
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
