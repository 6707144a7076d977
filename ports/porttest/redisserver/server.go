// Package redisserver runs a private Redis server for tests and benchmarks, from the programs installed
// on the machine. It keeps nothing on disk, as a server that only counts requests is usually run.
//
// The server has a folder of its own, listens on a Unix socket in that folder only, and ends with the
// process that started it, also when that process is killed: a supervising shell holds the other end of
// a pipe and removes everything when the pipe closes (supervise.sh).
package redisserver

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/lifeline"
)

//go:embed supervise.sh
var supervise string

var errNotInstalled = errors.New("redis-server and redis-cli are not installed: `make test` installs them")

// Server is one server. Its methods may be called concurrently.
type Server struct {
	tb  testing.TB
	dir string

	mu      sync.Mutex
	running *lifeline.Server // nil while stopped
}

// Start runs an empty server until the test ends, and returns when it answers. Errors, here and in the methods, fail
// the test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s, err := open()
	if err != nil {
		tb.Fatal(err)
	}
	s.tb = tb
	tb.Cleanup(func() { s.must(s.close()) })
	return s
}

// URL addresses the server, in the form that Redis clients read.
func (s *Server) URL() string { return "unix://" + s.dir + "/redis.sock" }

// Stop kills the server: connections are cut and everything is forgotten. Stopping a stopped server does
// nothing.
func (s *Server) Stop() {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(s.stop())
}

// Restart stops the server, if it runs, and starts it empty at the same URL.
func (s *Server) Restart() {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(errors.Join(s.stop(), s.start()))
}

func (s *Server) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}

func open() (*Server, error) {
	for _, program := range []string{"redis-server", "redis-cli"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, errNotInstalled
		}
	}
	dir, err := os.MkdirTemp("/tmp", "haggle-redis-") // not TMPDIR: a socket's path has to stay under 100 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	return s, s.start()
}

// start runs the supervising script. The caller holds mu or is alone.
func (s *Server) start() (err error) {
	s.running, err = lifeline.Start("redis-server", supervise, "/", nil, s.dir)
	return err
}

func (s *Server) stop() error {
	if s.running == nil {
		return nil
	}
	err := s.running.Stop("crash")
	s.running = nil
	return err
}

func (s *Server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return os.RemoveAll(s.dir)
	}
	err := s.running.Close()
	s.running = nil
	return err
}
