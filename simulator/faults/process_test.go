package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server that logs to a file may log more than Output would keep, and runs in its own directory.
func TestStart_logFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	const script = `head -c 5000000 /dev/zero >&2; pwd >&2; echo "Stop with Ctrl-C."; read -r line`
	p, err := Start(Command{
		Path: "/bin/sh",
		Args: []string{"-c", script},
		Env:  []string{"PATH=" + os.Getenv("PATH")},
		Dir:  dir,
		Log:  log,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	text, err := os.ReadFile(log.Name())
	if err != nil || len(text) < mostOutput || !strings.HasSuffix(string(text), dir+"\n") {
		t.Errorf("%d bytes in the log, which ends in %q, %v", len(text), text[max(0, len(text)-100):], err)
	}
	if p.Output() != "" {
		t.Errorf("Output has %d bytes too", len(p.Output()))
	}
}
