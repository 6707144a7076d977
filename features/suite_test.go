package features

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
)

// suiteTB is a testing.TB that lasts longer than any test. It has the methods that boottest and the fakes call; a failure is
// printed, and fails the whole run.
type suiteTB struct {
	testing.TB // nil

	mu       sync.Mutex
	failed   bool
	cleanups []func()
}

func (*suiteTB) Helper()                  {}
func (*suiteTB) Name() string             { return "features" }
func (*suiteTB) Context() context.Context { return context.Background() }
func (*suiteTB) Log(args ...any)          { fmt.Fprintln(os.Stderr, args...) }

func (s *suiteTB) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *suiteTB) Error(args ...any) {
	s.Log(args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
}

func (s *suiteTB) Errorf(format string, args ...any) { s.Error(fmt.Sprintf(format, args...)) }

// Fatal panics: there is no single test that it could end.
func (*suiteTB) Fatal(args ...any) { panic(fmt.Sprintln(args...)) }

func (s *suiteTB) Fatalf(format string, args ...any) { s.Fatal(fmt.Sprintf(format, args...)) }

func (s *suiteTB) Cleanup(end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, end)
}

func (s *suiteTB) TempDir() string {
	dir, err := os.MkdirTemp("", "haggle-features-")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = os.RemoveAll(dir) }) // best effort
	return dir
}

// end runs the cleanups, the latest first.
func (s *suiteTB) end() {
	for _, end := range slices.Backward(s.cleanups) {
		end()
	}
}
