package documents_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program in the background and its output.
type process struct {
	command *exec.Cmd
	ended   chan struct{}
	mu      sync.Mutex
	text    strings.Builder
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// start runs commands in a process group that ends with the test.
func (r *reader) start(t *testing.T, commands string) *process {
	t.Helper()
	p := &process{command: r.shellFor("-c", commands), ended: make(chan struct{})}
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.command.Stdout, p.command.Stderr = p, p
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.command.Wait(); close(p.ended) }()
	t.Cleanup(p.stop)
	return p
}

// stop interrupts the processes as Ctrl-C does, and kills them after ten seconds.
func (p *process) stop() {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGINT) // it may have exited
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
		<-p.ended
	}
}

// await waits until a process has printed a text. The text "" stands for any line.
func (r *reader) await(t *testing.T, p *process, text string) {
	t.Helper()
	if text == "" {
		text = "\n"
	}
	for deadline := time.Now().Add(time.Minute); !strings.Contains(p.output(), text); time.Sleep(20 * time.Millisecond) {
		select {
		case <-p.ended:
			t.Fatalf("it ended:\n%s", p.output())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("it has not printed %q in a minute:\n%s", text, p.output())
		}
	}
}

// shell is a bash that runs a page's blocks one after the other, so that variables and functions stay defined.
type shell struct {
	in    io.Writer
	lines chan string
}

func openShell(t *testing.T, r *reader) *shell {
	t.Helper()
	c := r.shellFor()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = c.Stdout
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s := &shell{in: in, lines: make(chan string, 1024)}
	go func() {
		defer close(s.lines)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		for range s.lines { // lets the goroutine end
		}
		_ = c.Wait()
	})
	return s
}

// end is printed after a block.
const end = "--- end of the commands"

// run returns the output of the commands, and the first command that failed.
func (s *shell) run(t *testing.T, commands string) (output, failed string) {
	t.Helper()
	const note = `trap 'printf "\n--- failed: %%s\n" "$BASH_COMMAND"' ERR` + "\n%s\ntrap - ERR\nprintf '\\n%s\\n'\n"
	if _, err := fmt.Fprintf(s.in, note, commands, end); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for timeout := time.After(longest); ; {
		select {
		case line, open := <-s.lines:
			switch {
			case !open:
				return text.String(), "the shell ended"
			case strings.TrimSpace(line) == end:
				return text.String(), failed
			case strings.HasPrefix(line, "--- failed: ") && failed == "":
				failed = strings.TrimSpace(line)
			default:
				text.WriteString(line)
			}
		case <-timeout:
			return text.String(), "the commands have not ended in " + longest.String()
		}
	}
}
