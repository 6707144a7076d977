package testbuyers_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/testbuyers"
	"github.com/haggle-commerce/haggle/ports"
)

// log collects lines.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// program returns a Program that runs a script instead of haggle-sim.
func program(t *testing.T, script string) (*testbuyers.Program, *log) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it runs a shell script")
	}
	path := filepath.Join(t.TempDir(), "haggle-sim")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	l := &log{}
	p := &testbuyers.Program{
		Path: testbuyers.Find(path),
		URL:  func() string { return "http://127.0.0.1:1" },
		Log:  slog.New(slog.NewTextHandler(l, nil)),
	}
	t.Cleanup(p.Stop)
	return p, l
}

func ended(t *testing.T, p *testbuyers.Program) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, running := p.State(); !running {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it runs and runs")
		}
	}
}

func TestSend_logsWhatTheBuyersDid(t *testing.T) {
	t.Setenv("HAGGLE_MASTER_KEY", "secret")
	p, l := program(t, `echo "$@" "key ${HAGGLE_MASTER_KEY:-none}"`)
	if err := p.Send("demo", 1000); err != nil {
		t.Fatal(err)
	}
	ended(t, p)
	p.Stop() // after the run has ended
	const want = "shop --url http://127.0.0.1:1 --project demo --buyers 50 --concurrency 2 --seed "
	for deadline := time.Now().Add(5 * time.Second); !strings.Contains(l.String(), want); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log has %q", l.String())
		}
	}
	if !strings.Contains(l.String(), "key none") {
		t.Errorf("the program has the server's environment: %q", l.String())
	}
}

func TestSend_oneAtATime(t *testing.T) {
	p, l := program(t, "exec sleep 600")
	if err := p.Send("demo", 1); err != nil {
		t.Fatal(err)
	}
	if err := p.Send("demo", 1); !errors.Is(err, ports.ErrBuyersRunning) {
		t.Errorf("a second run: %v", err)
	}
	p.Stop()
	if available, running := p.State(); !available || running {
		t.Errorf("available %t, running %t", available, running)
	}
	if !strings.Contains(l.String(), "ended early") {
		t.Errorf("the log has %q", l.String())
	}
	p.Longest = 50 * time.Millisecond
	if err := p.Send("demo", 1); err != nil {
		t.Fatal(err)
	}
	ended(t, p)
}

func TestSend_withoutAProgram(t *testing.T) {
	p := &testbuyers.Program{Path: testbuyers.Find(filepath.Join(t.TempDir(), "haggle-sim"))}
	if available, _ := p.State(); available {
		t.Error("there is none")
	}
	if err := p.Send("demo", 1); !errors.Is(err, ports.ErrNoBuyers) {
		t.Errorf("got %v", err)
	}
}
