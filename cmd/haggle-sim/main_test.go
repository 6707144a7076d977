package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asProgram is a variable that makes the test binary run as the program, so that tests can start and stop it.
const asProgram = "TEST_RUNS_HAGGLE_SIM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = []string{asProgram + "=1"}
	return c
}

func TestRun_help(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "shop", "mcp", "market", "families", "provider", "platforms", "embeddings", "model", "agent", "search-eval"} {
		out, err := command(t, strings.Fields(name+" --help")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Usage: haggle-sim") {
			t.Errorf("haggle-sim %s --help: %v\n%s", name, err, out)
		}
	}
}

// The server's default address comes from HAGGLE_ADDR.
func TestServerAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"":             "http://127.0.0.1:8080",
		"0.0.0.0:9090": "http://127.0.0.1:9090",
		"shop.lan:80":  "http://shop.lan:80",
	} {
		t.Setenv("HAGGLE_ADDR", addr)
		if got := serverAddress(""); got != want {
			t.Errorf("HAGGLE_ADDR=%s: %s, want %s", addr, got, want)
		}
	}
	if got := serverAddress("http://127.0.0.1:1"); got != "http://127.0.0.1:1" {
		t.Errorf("with --url: %s", got)
	}
}
