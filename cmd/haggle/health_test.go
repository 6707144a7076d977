package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// opsAddress returns the operations address that the server printed.
func (s *server) opsAddress(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`Health +http://(\S+)/readyz`).FindStringSubmatch(s.output)
	if found == nil {
		t.Fatalf("the server names no health address:\n%s", s.output)
	}
	return found[1]
}

func TestHealthCmd_Run(t *testing.T) {
	t.Parallel()
	s := serve(t, "sqlite://"+filepath.Join(t.TempDir(), "health.db"))
	address := s.opsAddress(t)
	_, port, _ := strings.Cut(address, ":")
	for _, c := range []struct {
		args  []string
		says  string
		fails bool
	}{
		{[]string{"--ops-addr=" + address}, "ok\n", false},
		{[]string{"--ops-addr=0.0.0.0:" + port, "--live"}, "ok\n", false},
		{[]string{"--ops-addr=[::]:" + port}, "ok\n", false},
		{[]string{"--ops-addr=127.0.0.1:1"}, "haggle: cannot connect to the server at --ops-addr: ", true},
		{[]string{"--ops-addr=nowhere"}, `haggle: --ops-addr is "nowhere": it must be host:port`, true},
		{[]string{"--ops-addr=" + strings.TrimPrefix(s.url, "http://")}, "haggle: the server is not ready: ", true},
	} {
		out, err := command(t, "", append([]string{"health"}, c.args...)...).CombinedOutput()
		if (err != nil) != c.fails || !strings.HasPrefix(string(out), c.says) {
			t.Errorf("haggle health %v: %v\n%s", c.args, err, out)
		}
	}
}

// With --log-format=json the server prints its addresses as one line of JSON, and logs nothing that is not JSON.
func TestServeCmd_Run_jsonLog(t *testing.T) {
	t.Parallel()
	p := command(t, "sqlite://"+filepath.Join(t.TempDir(), "json.db"), "serve", "--demo", "--addr=127.0.0.1:0", "--ops-addr=127.0.0.1:0", "--log-format=json")
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	p.Stderr = &log
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	reader := bufio.NewReader(out)
	line, err := reader.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var said addresses
	if err := json.Unmarshal([]byte(line), &said); err != nil || !strings.HasSuffix(said.API, "/v1") || said.Demo == nil || said.Demo.Products < 100 {
		t.Errorf("%s%v", line, err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(reader)
	if err != nil || len(rest) > 0 {
		t.Errorf("it also prints %q, %v", rest, err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("it logs %s", line)
		}
	}
}

// Secrets are read from files, as systemd, Docker and Kubernetes mount them.
func TestRun_variableFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	url := file("url", "sqlite://"+filepath.Join(folder, "files.db")+"\r\n")
	key := file("key", boottest.Key+"\n")
	migrate := command(t, "", "migrate")
	migrate.Env = []string{asProgram + "=1", "HAGGLE_DATABASE_URL_FILE=" + url}
	if out, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		environment []string
		says        string
	}{
		{[]string{"HAGGLE_DATABASE_URL_FILE=" + url, "HAGGLE_BOOTSTRAP_KEY_FILE=" + key, "HAGGLE_MASTER_KEY_FILE="}, "There are no API keys"},
		{[]string{"HAGGLE_DATABASE_URL_FILE=" + url, "HAGGLE_DATABASE_URL=sqlite://x"}, "HAGGLE_DATABASE_URL and HAGGLE_DATABASE_URL_FILE are both set"},
		{[]string{"HAGGLE_DATABASE_URL_FILE=" + filepath.Join(folder, "none")}, "HAGGLE_DATABASE_URL_FILE: open "},
		{[]string{"HAGGLE_DATABASE_URL_FILE=" + file("empty", "\n")}, "is empty"},
		{[]string{"HAGGLE_MASTER_KEY_FILE=" + file("lines", "a\nb\n")}, "more than one line"},
		{[]string{"HAGGLE_MASTER_KEY_FILE=" + file("large", strings.Repeat("x", 64<<10+1))}, "has more than 65536 bytes"},
		{[]string{"HAGGLE_MASTER_KEI_FILE=" + key}, "HAGGLE_MASTER_KEI_FILE is not a configuration variable of haggle"},
	} {
		p := command(t, "", "keys", "list")
		p.Env = append([]string{asProgram + "=1"}, c.environment...)
		out, err := p.CombinedOutput()
		if !strings.Contains(string(out), c.says) || (err == nil) != (c.says == "There are no API keys") {
			t.Errorf("%v: %v\n%s", c.environment, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "files.db")); err != nil {
		t.Errorf("the database is elsewhere than its file says: %v", err)
	}
}
