package boottest

import (
	"syscall"
	"testing"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// FailPoints names the points at which a program built with the tag faults can be made to fail.
func FailPoints() []string {
	names := make([]string, len(failpoint.All))
	for i, p := range failpoint.All {
		names[i] = string(p)
	}
	return names
}

// PostgreSQL returns the folder of PostgreSQL's programs, and the user to run them as: nil for the current user, another one
// for root, because they refuse to run as root.
func PostgreSQL(tb testing.TB) (programs string, as *syscall.Credential) {
	tb.Helper()
	programs, as, err := pgserver.Programs()
	if err != nil {
		tb.Fatal(err)
	}
	return programs, as
}

// Cluster is a PostgreSQL server.
type Cluster = pgserver.Server

// StartCluster starts a PostgreSQL server for the test. If durable, its commits survive a crash.
func StartCluster(tb testing.TB, durable bool) *Cluster {
	tb.Helper()
	return startCluster(tb, pgserver.Options{Durable: durable, Connections: 1000})
}

// StartClusterIn starts a durable PostgreSQL server whose files are in dir.
func StartClusterIn(tb testing.TB, dir string) *Cluster {
	tb.Helper()
	return startCluster(tb, pgserver.Options{Durable: true, Dir: dir})
}

func startCluster(tb testing.TB, o pgserver.Options) *Cluster {
	tb.Helper()
	c, err := pgserver.Start(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Errorf("closing PostgreSQL: %v", err)
		}
	})
	return c
}
