package boottest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

// PSQL runs a statement on a PostgreSQL database of Engines as its superuser, and returns what psql printed.
func PSQL(tb testing.TB, databaseURL, statement string) (string, error) {
	tb.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	return pgserver.Shared(tb).PSQL(strings.TrimPrefix(u.Path, "/"), statement)
}

// Redis starts a Redis server until the test ends, and returns its URL.
func Redis(tb testing.TB) string {
	tb.Helper()
	return redisserver.Start(tb).URL()
}

// Embeddings starts a simulated embeddings endpoint until the test ends.
func Embeddings(tb testing.TB, c embeddings.Config) *embeddings.Server {
	tb.Helper()
	s, err := embeddings.Start("127.0.0.1:0", c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}
