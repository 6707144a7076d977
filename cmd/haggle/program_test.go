package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// asProgram makes the test binary behave as the program, so that tests can start and kill it.
const asProgram = "TEST_RUNS_HAGGLE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(t *testing.T, databaseURL string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = []string{asProgram + "=1", "HAGGLE_DATABASE_URL=" + databaseURL, "HAGGLE_BOOTSTRAP_KEY=" + boottest.Key}
	return c
}

// server is a running `haggle serve`.
type server struct {
	process *exec.Cmd
	url     string
	output  string
}

func serve(t *testing.T, databaseURL string, flags ...string) *server {
	t.Helper()
	s := &server{process: command(t, databaseURL, append([]string{"serve", "--addr=127.0.0.1:0", "--ops-addr=127.0.0.1:0"}, flags...)...)}
	out, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.process.Stderr = os.Stderr
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.process.Process.Kill(); _ = s.process.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		s.output += lines.Text() + "\n"
		if words := strings.Fields(lines.Text()); len(words) == 2 && words[0] == "API" {
			s.url = strings.TrimSuffix(words[1], "/v1")
		}
		if strings.HasPrefix(lines.Text(), "Stop with") {
			go func() { _, _ = bufio.NewReader(out).ReadString(0) }() // whatever else it prints
			return s
		}
	}
	t.Fatalf("the server did not start:\n%s", s.output)
	return nil
}

// The demo comes up in one command, and the commands that it prints work.
func TestDemoAndItsCommands(t *testing.T) {
	t.Parallel()
	database := "sqlite://" + filepath.Join(t.TempDir(), "demo.db")
	s := serve(t, database, "--demo")
	pasted := 0
	for line := range strings.Lines(s.output) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "curl ") {
			out, err := exec.Command("sh", "-c", line).CombinedOutput()
			if err != nil || !strings.Contains(string(out), `"session_id":"sess_`) {
				t.Errorf("%s\n%v: %.500s", line, err, out)
			}
			pasted++
		}
	}
	if pasted != 2 {
		t.Errorf("%d curl commands were printed, want 2:\n%s", pasted, s.output)
	}
	story, err := command(t, database, "simulate", "--demo", "--url", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(story), "success: order HG-") {
		t.Errorf("the story: %v\n%s", err, story)
	}
	many, err := command(t, database, "simulate", "--buyers=40", "--seed=7", "--url", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(many), "0 OpenAPI violations") || !strings.Contains(string(many), "0 invariant violations") {
		t.Errorf("forty buyers: %v\n%s", err, many)
	}
}

// A stopped server says goodbye with 0, and starts again with what it had.
func TestStopAndStartAgain(t *testing.T) {
	t.Parallel()
	database := "sqlite://" + filepath.Join(t.TempDir(), "again.db")
	for range 2 {
		s := serve(t, database, "--demo")
		if err := s.process.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := s.process.Wait(); err != nil {
			t.Fatalf("a stopped server ended with %v", err)
		}
	}
}

// Bad configuration stops the start with one clear line.
func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ variable, says string }{
		{"HAGGLE_ADRR=:80", "HAGGLE_ADRR is not a variable of haggle"},
		{"HAGGLE_REDIS_URL=redis://localhost", "HAGGLE_REDIS_URL is set, but"},
		{"HAGGLE_ENV=staging", "--env must be one of"},
		{"HAGGLE_ENV=production", "HAGGLE_MASTER_KEY must be set in production"},
		{"HAGGLE_BOOTSTRAP_KEY=hk_live_0123456789abcdefghijklmnopqrstuvwxyz", "must begin with hk_test_"},
		{"HAGGLE_PUBLIC_URL=localhost", "HAGGLE_PUBLIC_URL is"},
		{"HAGGLE_DATABASE_URL=mysql://x", "HAGGLE_DATABASE_URL must begin with"},
		{"HAGGLE_ACP_DOMAIN=https://x", "HAGGLE_ACP_DOMAIN is"},
		{"HAGGLE_ADDR=nowhere", "cannot listen"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		c := command(t, "sqlite://"+filepath.Join(t.TempDir(), "bad.db"), "serve")
		bounded := exec.CommandContext(ctx, c.Path, c.Args[1:]...)
		bounded.Env = append(c.Env, test.variable)
		out, err := bounded.CombinedOutput()
		cancel()
		text := strings.TrimSpace(string(out))
		if err == nil || !strings.Contains(text, test.says) || strings.Count(text, "\n") > 0 {
			t.Errorf("%s: %v\n%s", test.variable, err, text)
		}
	}
}

// A file is imported line by line; bad lines are named and skipped, and importing again only updates.
func TestImport(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database, file := "sqlite://"+filepath.Join(folder, "import.db"), filepath.Join(folder, "products.csv")
	serve(t, database, "--demo")
	rows := "sku,name,price,category,quantity\nA-1,Field Notebook,12.50,office/paper,5\nA-2,Broken,12.505,office,5\nA-3,,3,office,1\nA-4,Brass Pen,48,office/pens,2\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 created, 0 updated, 2 refused", "0 created, 2 updated, 2 refused"} {
		out, err := command(t, database, "import", file, "--project=demo").CombinedOutput()
		text := string(out)
		if err != nil || !strings.Contains(text, want) || !strings.Contains(text, "line 3:") || !strings.Contains(text, "line 4:") {
			t.Errorf("%v\n%s\nwant %s", err, text, want)
		}
	}
	if out, err := command(t, database, "import", file, "--project=nowhere").CombinedOutput(); err == nil {
		t.Errorf("an unknown project was imported into: %s", out)
	}
}

func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "serve", "simulate", "import", "keys", "migrate"} {
		out, err := command(t, "", strings.Fields(name+" --help")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Usage: haggle") {
			t.Errorf("haggle %s --help: %v\n%s", name, err, out)
		}
	}
}
