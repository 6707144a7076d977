package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asProgram makes the test binary behave as the program, so that tests can start and stop it.
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

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "shop", "mcp", "market", "provider", "platforms", "embeddings", "model", "agent", "search-eval"} {
		out, err := command(t, strings.Fields(name+" --help")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Usage: haggle-sim") {
			t.Errorf("haggle-sim %s --help: %v\n%s", name, err, out)
		}
	}
}
