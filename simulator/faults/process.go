// Package faults breaks a server's surroundings: it starts, stops and kills its processes, and puts a proxy in front of
// its database that delays and cuts connections. It knows the server's command line and the PostgreSQL wire protocol, and
// uses none of the server's code.
package faults

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Command is a server to start.
type Command struct {
	Path string
	Args []string
	Env  []string
	Dir  string // working directory; default: that of the caller
	// Log receives the server's log. If it is set, Output is empty. Otherwise Output keeps the whole log, and a server
	// that logs more than 4 MiB is ended.
	Log *os.File
}

// Process is a running server. Its methods may be called concurrently.
type Process struct {
	URL, Ops string // addresses for clients and for operators

	process *exec.Cmd
	stdin   io.Closer
	output  output
	ended   chan struct{}
}

// starting limits how long a server may take to be ready.
const starting = 60 * time.Second

// Start starts a server and waits until it is ready. A server that watches its standard input ends when the caller's
// process ends.
func Start(c Command) (*Process, error) {
	p := &Process{process: exec.Command(c.Path, c.Args...), ended: make(chan struct{})}
	p.process.Env, p.process.Dir = c.Env, c.Dir
	p.process.Stderr = &p.output
	if c.Log != nil {
		p.process.Stderr = c.Log
	}
	out, in := io.Pipe()
	p.process.Stdout = in
	stdin, err := p.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	if err := p.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.process.Wait() // its exit status does not matter
		_ = in.Close()
		close(p.ended)
	}()
	ready := make(chan bool, 1)
	go func() { ready <- p.read(out) }()
	select {
	case ok := <-ready:
		if ok {
			return p, nil
		}
	case <-time.After(starting):
	}
	p.Kill()
	return nil, fmt.Errorf("the server did not start:\n%s", p.Output())
}

// read finds the addresses in the server's output, returns once the server is ready, and keeps reading in the background.
func (p *Process) read(out io.Reader) bool {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 2 && words[0] == "API":
			p.URL = strings.TrimSuffix(words[1], "/v1")
		case len(words) > 2 && words[0] == "Address": // of a payment provider
			p.URL = words[1]
		case len(words) == 2 && words[0] == "Health":
			p.Ops = strings.TrimSuffix(words[1], "/readyz")
		case strings.HasPrefix(lines.Text(), "Stop with"):
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return true
		}
	}
	return false
}

// PID is the server's process id.
func (p *Process) PID() int { return p.process.Process.Pid }

// Kill kills the server as kill -9 does and waits until it has ended.
func (p *Process) Kill() {
	_ = p.process.Process.Kill() // it may have ended already
	<-p.ended
	_ = p.stdin.Close()
}

// Stop sends SIGSTOP. The server neither works nor answers until Continue.
func (p *Process) Stop() error { return p.process.Process.Signal(syscall.SIGSTOP) }

// Continue sends SIGCONT to a stopped server.
func (p *Process) Continue() error { return p.process.Process.Signal(syscall.SIGCONT) }

// Ended is closed once the server has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Running reports whether the server has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Output returns the server's log.
func (p *Process) Output() string { return p.output.String() }

// Await waits until the server has logged a text, has ended, or the time is over. It reports whether the text was logged.
func (p *Process) Await(text string, within time.Duration) bool {
	deadline := time.After(within)
	for {
		more := p.output.more()
		if strings.Contains(p.Output(), text) {
			return true
		}
		select {
		case <-more:
		case <-p.ended:
			return strings.Contains(p.Output(), text)
		case <-deadline:
			return false
		}
	}
}

// output keeps what is written to it, up to a limit.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

const mostOutput = 4 << 20

var errTooMuch = errors.New("a server that is tested logs too much")

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text.Len() > mostOutput {
		return 0, errTooMuch
	}
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// more returns a channel that is closed at the next write.
func (o *output) more() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}
