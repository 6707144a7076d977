package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// built is the directory that haggle-sim is built into for this package's tests.
var (
	buildOnce sync.Once
	built     string
	buildErr  error
)

// simulate returns the command "haggle simulate". It finds haggle-sim on PATH.
func simulate(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	buildOnce.Do(func() {
		if built, buildErr = os.MkdirTemp("", "haggle-sim"); buildErr != nil {
			return
		}
		build := exec.Command("go", "build", "-o", filepath.Join(built, simulatorName), "github.com/haggle-commerce/haggle/cmd/haggle-sim")
		if out, err := build.CombinedOutput(); err != nil {
			buildErr = fmt.Errorf("building haggle-sim: %w\n%s", err, out)
		}
	})
	if buildErr != nil {
		t.Fatal(buildErr)
	}
	c := command(t, "", append([]string{"simulate"}, args...)...)
	c.Env = append(c.Env, "PATH="+built)
	return c
}

func removeSimulator() {
	if built != "" {
		_ = os.RemoveAll(built)
	}
}

// stubSimulator runs when the test binary is called haggle-sim: it prints its arguments and exits with 7.
func stubSimulator() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "wait" {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			fmt.Println("ended by its input")
			os.Exit(6)
		}()
		fmt.Println("waiting")
		fmt.Println("ended by", <-asked)
		os.Exit(5)
	}
	said, _ := io.ReadAll(os.Stdin)
	_ = json.NewEncoder(os.Stdout).Encode(append([]string{os.Args[0]}, args...))
	fmt.Fprintf(os.Stderr, "stdin: %s", said)
	os.Exit(7)
}

// place links the test binary into folder under a name.
func place(t *testing.T, folder, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name)
	if os.Link(self, path) == nil {
		return path
	}
	content, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(path, content, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunSimulator_arguments(t *testing.T) {
	t.Parallel()
	ownFolder, path := t.TempDir(), t.TempDir()
	haggle := place(t, ownFolder, "haggle")
	check := func(sim string) {
		t.Helper()
		for _, test := range []struct{ args, want []string }{
			{[]string{"simulate"}, nil},
			{[]string{"simulate", "--demo", "--url", "http://x"}, []string{"--demo", "--url", "http://x"}},
			{[]string{"simulate", "market", "--seed=1", "--help"}, []string{"market", "--seed=1", "--help"}},
			{[]string{"simulate", "--help"}, []string{"--help"}},
			{[]string{"search-eval", "--json", "--products=a b"}, []string{"search-eval", "--json", "--products=a b"}},
		} {
			c := exec.Command(haggle, test.args...)
			c.Env = []string{asProgram + "=1", "PATH=" + path}
			c.Stdin = strings.NewReader("typed")
			var stdout, stderr strings.Builder
			c.Stdout, c.Stderr = &stdout, &stderr
			_ = c.Run()
			want, _ := json.Marshal(append([]string{sim}, test.want...))
			if code := c.ProcessState.ExitCode(); code != 7 || strings.TrimSpace(stdout.String()) != string(want) || stderr.String() != "stdin: typed" {
				t.Errorf("%q: exit code %d, %s, %s; want 7, %s", test.args, code, stdout.String(), stderr.String(), want)
			}
		}
	}
	check(place(t, path, simulatorName))
	check(place(t, ownFolder, simulatorName)) // the one in haggle's own folder is preferred
}

func TestRunSimulator_signals(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	place(t, path, simulatorName)
	c := command(t, "", "simulate", "wait")
	c.Env = append(c.Env, "PATH="+path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer time.AfterFunc(time.Minute, func() { _ = in.Close() }).Stop() // ends a stub that received no signal
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "waiting" {
		t.Fatalf("it said %q", lines.Text())
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lines.Scan()
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); lines.Text() != "ended by terminated" || code != 5 {
		t.Errorf("it said %q and ended with %d", lines.Text(), code)
	}
}

// Without haggle-sim the error is one line that says what is missing and how to build it.
func TestFindSimulator_missing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	haggle := place(t, folder, "haggle")
	for _, name := range []string{"simulate", "search-eval"} {
		c := exec.Command(haggle, name)
		c.Env = []string{asProgram + "=1", "PATH=" + t.TempDir()}
		out, _ := c.CombinedOutput()
		want := fmt.Sprintf("haggle: cannot find %[2]s in %[1]s or on PATH. To build it, run: go build -o %[1]s/%[2]s ./cmd/haggle-sim (or make build)\n",
			folder, simulatorName)
		if code := c.ProcessState.ExitCode(); code != 1 || string(out) != want {
			t.Errorf("%s: exit code %d\n%s\nwant %s", name, code, out, want)
		}
	}
}

// haggle simulate provider starts the simulated provider of the real haggle-sim.
func TestRunSimulator_provider(t *testing.T) {
	t.Parallel()
	c := simulate(t, "provider", "--addr="+boottest.Address(), "--ledger="+filepath.Join(t.TempDir(), "ledger"))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "Stop with Ctrl-C." {
	}
	_ = c.Process.Signal(os.Interrupt)
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
