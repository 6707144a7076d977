// Package pgserver runs a private PostgreSQL cluster for tests and benchmarks, from the server programs installed on
// the machine; it uses only psql and knows no schema.
//
// The cluster lives in a folder of its own, listens on a Unix socket in that folder only, and ends with the process
// that started it, also when that process is killed: a supervising shell holds the other end of a pipe and removes
// everything when the pipe closes (supervise.sh).
package pgserver

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/lifeline"
	"github.com/haggle-commerce/haggle/ports/porttest/memdir"
)

//go:embed supervise.sh
var supervise string

// Options of a cluster; the zero value is the fast one.
type Options struct {
	// Durable makes a commit survive a crash of the server, as in production and as slowly, for benchmarks and kill
	// tests.
	Durable bool
	// Connections is how many there can be at once. 0 is 400.
	Connections int
	// Dir is where its folder is made. "" is a place that suits Durable. The server's user has to reach it.
	Dir string
}

// Server is one running cluster. Its methods may be called concurrently.
type Server struct {
	dir     string
	bin     string
	options string
	as      *syscall.Credential // nil: as this process

	mu      sync.Mutex
	running *lifeline.Server // nil while stopped

	template struct { // of Migrated
		once sync.Once
		err  error
	}
}

// Start creates a cluster with the role that owns the databases, and returns when it takes
// connections. About a second.
func Start(o Options) (*Server, error) {
	bin, err := findPrograms(debianPrograms)
	if err != nil {
		return nil, err
	}
	as, err := serverUser()
	if err != nil {
		return nil, err
	}
	dir, err := makeFolder(o, as)
	if err != nil {
		return nil, err
	}
	s := &Server{
		dir:     dir,
		bin:     bin,
		as:      as,
		options: serverOptions(o, dir),
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	if _, err := s.PSQL("postgres", "CREATE ROLE "+Owner+" LOGIN CREATEROLE"); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// makeFolder makes the cluster's folder. Not under TMPDIR: a socket's path has to stay under 100
// bytes, and the server's user has to be able to reach it. /var/tmp is on a disk where /tmp may be
// memory. A cluster that need not last goes into memory, if there is plenty: hundreds of databases are
// gigabytes, and a slow disk holds everybody up.
func makeFolder(o Options, as *syscall.Credential) (string, error) {
	parent := "/tmp"
	switch {
	case o.Dir != "":
		parent = o.Dir
	case o.Durable:
		parent = "/var/tmp"
	case memdir.Parent() != "":
		parent = memdir.Parent()
	}
	dir, err := os.MkdirTemp(parent, "haggle-pg-")
	if err != nil || as == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(as.Uid), int(as.Gid))
}

func serverOptions(o Options, dir string) string {
	options := fmt.Sprintf("-c listen_addresses='' -c max_connections=%d -c unix_socket_directories=%s", cmp.Or(o.Connections, 400), dir)
	if !o.Durable {
		options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
	}
	return options
}

// start runs the supervising script. The caller holds mu or is alone.
func (s *Server) start() (err error) {
	s.running, err = lifeline.Start("PostgreSQL", supervise, s.dir, s.as, s.dir, s.bin, s.options)
	return err
}

// environment keeps PG* variables of the developer's shell away from the programs.
func environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
}

// Stop ends the server and keeps its data for Restart. Immediate is a crash: sessions are cut, no
// checkpoint is written. Otherwise sessions are ended and data is written out. Stopping a stopped
// server does nothing.
func (s *Server) Stop(immediate bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop(immediate)
}

func (s *Server) stop(immediate bool) error {
	if s.running == nil {
		return nil
	}
	mode := "fast"
	if immediate {
		mode = "immediate"
	}
	err := s.running.Stop(mode)
	s.running = nil
	return err
}

// Restart stops the server, if it runs, and starts it on the same data and the same URLs.
func (s *Server) Restart(immediate bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stop(immediate); err != nil {
		return err
	}
	return s.start()
}

// Close ends the server and removes its folder.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return os.RemoveAll(s.dir)
	}
	err := s.running.Close()
	s.running = nil
	return err
}

var shared = sync.OnceValues(func() (*Server, error) { return Start(Options{}) })

// Shared is the one server of this test process, started on first use. It ends with the process,
// and nobody has to close it.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(strings.TrimSpace(err.Error()))
	}
	return s
}
