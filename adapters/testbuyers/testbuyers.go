// Package testbuyers runs haggle-sim, which sends simulated buyers to a shop of this server. It knows only haggle-sim's
// command line; haggle-sim chooses the buyers.
package testbuyers

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// longestRun is the time limit of a run.
const longestRun = 2 * time.Minute

// Find returns the path of haggle-sim: the given one, or the one in this program's folder; "" if there is none.
func Find(named string) string {
	if named == "" {
		self, err := os.Executable()
		if err != nil {
			return ""
		}
		named = filepath.Join(filepath.Dir(self), "haggle-sim")
		if runtime.GOOS == "windows" {
			named += ".exe"
		}
	}
	path, err := exec.LookPath(named)
	if err != nil {
		return ""
	}
	return path
}

// Program runs haggle-sim, one process at a time.
type Program struct {
	Path    string        // "": there is none
	URL     func() string // where this server answers
	Log     *slog.Logger
	Longest time.Duration // of a run; 0: two minutes

	mu   sync.Mutex
	runs int64
	stop func() // of the current run; nil if there is none
	done chan struct{}
}

var _ ports.TestBuyers = (*Program)(nil)

// State implements ports.TestBuyers.
func (p *Program) State() (available, running bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Path != "", p.stop != nil
}

// Send implements ports.TestBuyers. Each run has different buyers.
func (p *Program) Send(slug string, buyers int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.Path == "":
		return ports.ErrNoBuyers
	case p.stop != nil:
		return ports.ErrBuyersRunning
	}
	longest := p.Longest
	if longest == 0 {
		longest = longestRun
	}
	ctx, stop := context.WithTimeout(context.Background(), longest)
	p.runs++
	child := exec.CommandContext(ctx, p.Path, "shop", "--url", p.URL(), "--project", slug,
		"--buyers", strconv.Itoa(min(buyers, ports.MostTestBuyers)), "--concurrency", "2", "--seed", strconv.FormatInt(time.Now().Unix()+p.runs, 10))
	child.Env = environment(os.Environ())
	read, written := io.Pipe()
	child.Stdout, child.Stderr = written, written
	child.WaitDelay = time.Second
	if err := child.Start(); err != nil {
		stop()
		return err
	}
	p.stop, p.done = stop, make(chan struct{})
	go p.log(slug, read)
	go p.wait(child, written, stop, p.done)
	return nil
}

// environment removes the server's configuration from the environment, because it contains secrets.
func environment(of []string) (kept []string) {
	for _, entry := range of {
		if !strings.HasPrefix(entry, "HAGGLE_") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// log writes the program's output to the log, line by line.
func (p *Program) log(slug string, from io.Reader) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if text := strings.TrimSpace(lines.Text()); text != "" {
			p.Log.Info("test buyers", "shop", slug, "says", text)
		}
	}
	_, _ = io.Copy(io.Discard, from) // the rest after a line that was too long
}

func (p *Program) wait(child *exec.Cmd, output io.Closer, stop func(), done chan struct{}) {
	err := child.Wait()
	stop()
	output.Close()
	if err != nil {
		p.Log.Warn("test buyers ended early", "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = nil
	close(done)
}

// Stop implements ports.TestBuyers. It waits until the process has ended.
func (p *Program) Stop() {
	p.mu.Lock()
	stop, done := p.stop, p.done
	p.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}
