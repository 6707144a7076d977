package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/cmd/version"
)

// asProgram is a variable that makes the test binary run as the program, so that tests can start and kill it.
const asProgram = "TEST_RUNS_HAGGLE"

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == simulatorName:
		stubSimulator()
	case os.Getenv(asProgram) != "":
		main()
	default:
		code := m.Run()
		removeSimulator()
		os.Exit(code)
	}
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
	s.process.Env = append(s.process.Env, "HAGGLE_REQUEST_LOG=off") // the request log would hide a failed test's output
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
			go func() { _, _ = bufio.NewReader(out).ReadString(0) }() // discards the rest of the output
			return s
		}
	}
	t.Fatalf("the server did not start:\n%s", s.output)
	return nil
}

// The demo starts with one command, and the commands that it prints work.
func TestServeCmd_Run_demo(t *testing.T) {
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
	story, err := simulate(t, "--demo", "--url", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(story), "success: order HG-") || strings.Count(string(story), "Buyer     pays by") != 1 ||
		!strings.Contains(string(story), "Buyer     chooses Express") {
		t.Errorf("the story: %v\n%s", err, story)
	}
	many, err := simulate(t, "--buyers=40", "--seed=7", "--url", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(many), "0 OpenAPI violations") || !strings.Contains(string(many), "0 invariant violations") {
		t.Errorf("forty buyers: %v\n%s", err, many)
	}
}

// A stopped server exits with 0 and keeps its data for the next start.
func TestServeCmd_Run_restart(t *testing.T) {
	t.Parallel()
	database := "sqlite://" + filepath.Join(t.TempDir(), "again.db")
	keyLine := regexp.MustCompile(`API key +(hk_test_\w+)`)
	key := ""
	for range 2 {
		s := serve(t, database, "--demo")
		found := keyLine.FindStringSubmatch(s.output)
		if len(found) != 2 || key != "" && found[1] != key {
			t.Errorf("the demo's key was %s:\n%s", key, s.output)
		} else {
			key = found[1]
		}
		if err := s.process.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := s.process.Wait(); err != nil {
			t.Fatalf("a stopped server ended with %v", err)
		}
	}
}

// The server prints the first steps until they are done: a key and a member.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	database := "sqlite://" + filepath.Join(t.TempDir(), "steps.db")
	if s := serve(t, database, "--bootstrap-key="); !strings.Contains(s.output, "To create the first API key, run: haggle keys create\nTo invite the first member to the console, run:") {
		t.Errorf("a new database: %s", s.output)
	}
	for _, args := range [][]string{{"keys", "create"}, {"members", "invite", "ada@example.com"}} {
		if out, err := command(t, database, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if s := serve(t, database, "--bootstrap-key="); strings.Contains(s.output, "yet?") {
		t.Errorf("with a key and a member: %s", s.output)
	}
}

// Bad configuration ends the start with a one-line error.
func TestServeCmd_Run_badConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ variable, says string }{
		{"HAGGLE_ADRR=:80", "HAGGLE_ADRR is not a configuration variable of haggle"},
		{"HAGGLE_EMBEDDINGS_URL=localhost:8096", "HAGGLE_EMBEDDINGS_URL is"},
		{"HAGGLE_ENV=staging", "HAGGLE_ENV must be one of"},
		{"HAGGLE_ENV=production", "HAGGLE_MASTER_KEY must be set in production"},
		{"HAGGLE_BOOTSTRAP_KEY=hk_live_0123456789abcdefghijklmnopqrstuvwxyz", "must begin with hk_test_"},
		{"HAGGLE_PUBLIC_URL=localhost", "HAGGLE_PUBLIC_URL is"},
		{"HAGGLE_DATABASE_URL=mysql://x", "HAGGLE_DATABASE_URL must begin with"},
		{"HAGGLE_ACP_DOMAIN=https://x", "HAGGLE_ACP_DOMAIN is"},
		{"HAGGLE_ADDR=nowhere", "HAGGLE_ADDR: cannot listen on nowhere: "},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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

// Standard output has only the key's secret; messages go to standard error.
func TestKeysCmd(t *testing.T) {
	t.Parallel()
	began := time.Now()
	database := "sqlite://" + filepath.Join(t.TempDir(), "keys.db")
	keys := func(args ...string) (out, said string, err error) {
		t.Helper()
		c := command(t, database, append([]string{"keys"}, args...)...)
		var stdout, stderr strings.Builder
		c.Stdout, c.Stderr = &stdout, &stderr
		err = c.Run()
		return stdout.String(), stderr.String(), err
	}
	create := func(account string, args ...string) {
		t.Helper()
		out, said, err := keys(append([]string{"create"}, args...)...)
		if secret, rest, _ := strings.Cut(out, "\n"); err != nil || !strings.HasPrefix(secret, "hk_test_") || rest != "" || !strings.Contains(said, account) {
			t.Errorf("create %v: %q, %q, %v", args, out, said, err)
		}
	}
	if err := command(t, database, "migrate").Run(); err != nil {
		t.Fatal(err)
	}
	if out, said, err := keys("list"); err != nil || out != "" || !strings.Contains(said, "There are no API keys") {
		t.Errorf("an empty list: %q, %q, %v", out, said, err)
	}
	create(`"Main account" (enterprise`)
	create(`"Growth account" (growth`, "--plan=growth", "--name=ci", "--scopes=catalog:write,projects:read", "--expires=720h")
	create(`"Growth account" (growth`, "--plan=growth", "--expires=2999-01-31")
	create(`"Zoë's" (starter`, "--plan=starter", "--new-account=Zoë's")
	create(`"Starter account" (enterprise`, "--new-account=Starter account")
	create(`Expires: never`, "--plan=enterprise", "--expires-in=never")
	out, _, err := keys("list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) != 7 || !strings.HasPrefix(lines[0], "ID ") || !strings.Contains(out, "catalog:write,projects:read") ||
		!strings.Contains(out, "2999-01-31T00:00Z") || len(inThirtyDays(began).FindAllString(out, -1)) != 4 || strings.Count(out, " active") != 6 {
		t.Errorf("%v\n%s", err, out)
	}
	id, _, _ := strings.Cut(lines[1], " ")
	if out, said, err := keys("revoke", id); err != nil || out != "" || !strings.Contains(said, "Revoked the API key") {
		t.Errorf("revoke: %q, %q, %v", out, said, err)
	}
	if out, _, _ := keys("list"); strings.Count(out, " revoked") != 1 || strings.Count(out, " active") != 5 {
		t.Errorf("after revoking:\n%s", out)
	}
	for says, args := range map[string][]string{
		"is already revoked":                         {"revoke", id},
		"no API key has the id key_x":                {"revoke", "key_x"},
		"no project has the slug or id nowhere":      {"create", "--projects=nowhere"},
		"scopes.1 is not a scope such as":            {"create", "--scopes=catalog:read,dogs:read"},
		"--expires-in is \"tomorrow\": it must be a": {"create", "--expires-in=tomorrow"},
		"expires_at must be in the future":           {"create", "--expires=2001-01-01"},
		"name must be a line of 1 to 200 characters": {"create", "--name="},
		"--plan must be one of":                      {"create", "--plan=free"},
	} {
		if out, said, err := keys(args...); err == nil || out != "" || !strings.Contains(said, says) || strings.Count(strings.TrimSpace(said), "\n") > 0 {
			t.Errorf("%v: %q, %q, %v, want %s", args, out, said, err, says)
		}
	}
}

// inThirtyDays matches the days thirty days after began and after now.
func inThirtyDays(began time.Time) *regexp.Regexp {
	day := func(at time.Time) string { return at.UTC().Add(720 * time.Hour).Format("2006-01-02T") }
	return regexp.MustCompile(day(began) + "|" + day(time.Now()))
}

// The version names the build and the schema.
func TestVersionCmd_Run(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^haggle ` + regexp.QuoteMeta(version.Number) + ` \(schema \d+, (commit [0-9a-f]{12}\+?, )?go1\.\d+(\.\d+)?, \w+/\w+\)\n$`)
	for _, asked := range []string{"version", "--version"} {
		if out, err := command(t, "sqlite://unused", asked).Output(); err != nil || !form.Match(out) {
			t.Errorf("%s: %q, %v", asked, out, err)
		}
	}
}

// Standard output has only the invitation's link; messages go to standard error.
func TestMembersCmd(t *testing.T) {
	t.Parallel()
	database := "sqlite://" + filepath.Join(t.TempDir(), "members.db")
	members := func(args ...string) (out, said string, err error) {
		t.Helper()
		c := command(t, database, append([]string{"members"}, args...)...)
		var stdout, stderr strings.Builder
		c.Stdout, c.Stderr = &stdout, &stderr
		err = c.Run()
		return stdout.String(), stderr.String(), err
	}
	if err := command(t, database, "migrate").Run(); err != nil {
		t.Fatal(err)
	}
	if out, said, err := members("list"); err != nil || out != "" || !strings.Contains(said, "There are no members") {
		t.Errorf("an empty list: %q, %q, %v", out, said, err)
	}
	out, said, err := members("invite", "Ada@Example.com")
	if link, rest, _ := strings.Cut(out, "\n"); err != nil || rest != "" || !strings.Contains(link, "/console/join/") || !strings.Contains(said, `"Main account"`) {
		t.Errorf("invite: %q, %q, %v", out, said, err)
	}
	if _, said, err := members("invite", "grace@example.com", "--role=support", "--new-account=Grace's"); err != nil || !strings.Contains(said, "as support") {
		t.Errorf("invite: %q, %v", said, err)
	}
	out, _, err = members("list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) != 3 || !strings.Contains(lines[1], "ada@example.com") || strings.Count(out, "invited until") != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	id, _, _ := strings.Cut(lines[1], " ")
	if out, said, err := members("revoke", id); err != nil || out != "" || !strings.Contains(said, "no longer invited") {
		t.Errorf("revoke: %q, %q, %v", out, said, err)
	}
	for says, args := range map[string][]string{
		"no member or invitation has the id " + id: {"revoke", id},
		"no member has the id mem_nobody:":         {"reset-mfa", "mem_nobody"},
		"no project has the slug or id nowhere":    {"invite", "a@example.com", "--projects=nowhere"},
		"email must be an e-mail address":          {"invite", "nobody"},
		"--role must be one of":                    {"invite", "a@example.com", "--role=admin"},
	} {
		if out, said, err := members(args...); err == nil || out != "" || !strings.Contains(said, says) {
			t.Errorf("%v: %q, %q, %v, want %s", args, out, said, err, says)
		}
	}
}

// An invalid command line exits with 2, suggests a correction and names the command's help.
func TestRun_usage(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"migrat":               `did you mean "migrate"? (see haggle --help)`,
		"keys create --plan=x": "(see haggle keys create --help)",
		"members invite":       "(see haggle members invite --help)",
		"backup":               "(see haggle backup --help)",
		"serve --demoo":        `did you mean "--demo"? (see haggle serve --help)`,
	} {
		c := command(t, "", strings.Fields(line)...)
		out, err := c.CombinedOutput()
		if err == nil || c.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), says) {
			t.Errorf("haggle %s: %v\n%s\nwant %s", line, err, out, says)
		}
	}
	for _, line := range []string{"help", "help keys create", "help backup"} {
		if out, err := command(t, "", strings.Fields(line)...).CombinedOutput(); err != nil || !strings.Contains(string(out), "Usage: haggle"+strings.TrimPrefix(line, "help")) {
			t.Errorf("haggle %s: %v\n%s", line, err, out)
		}
	}
}

func TestNewParser_help(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "serve", "import", "keys", "keys create", "keys list", "keys revoke", "members", "members invite", "members list", "members revoke", "members reset-mfa", "migrate"} {
		out, err := command(t, "", strings.Fields(name+" --help")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Usage: haggle") {
			t.Errorf("haggle %s --help: %v\n%s", name, err, out)
		}
	}
}
