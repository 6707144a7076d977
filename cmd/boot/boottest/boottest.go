// Package boottest starts whole servers for tests, on each database engine: over real HTTP, with a real database and no fakes.
package boottest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/sqlitefile"
)

// Key is the bootstrap key of every server started here.
const Key = "hk_test_0123456789abcdefghijklmnopqrstuvwxyz"

// Engine is a database engine that servers are tested on.
type Engine struct {
	Name string
	// URL creates a database for a test, with the schema and no rows.
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

// Address returns an address on which a server can listen again after a restart: a free port on a random loopback address of
// this machine, so that no other program is given the same address meanwhile.
func Address() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1:0" // no other loopback address works
	}
	return fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), 1+rand.IntN(254), 1+rand.IntN(254))
}

// AtOnce sets how many parallel tests run at once, unless the flag -parallel does. A TestMain calls it for tests that mostly wait.
func AtOnce(tests int) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", strconv.Itoa(tests)) // a number
	}
}

// Tick waits until the current millisecond is over, so that the next timestamp differs: servers store milliseconds.
func Tick() {
	now := time.Now()
	time.Sleep(now.Truncate(time.Millisecond).Add(time.Millisecond).Sub(now))
}

// Start runs a server on its own ports until the test ends. Rate limits are effectively off unless a change sets them.
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
		WeakPasswords:     true,
		RequestLog:        "off",
		Simulator:         "/nonexistent/haggle-sim", // tests must not start one that lies next to the test binary
	}
	for _, c := range change {
		c(&config)
	}
	// go test shows the log of packages that fail.
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
