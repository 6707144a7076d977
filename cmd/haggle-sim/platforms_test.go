package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The simulated platforms start with the requested products and orders, the commands that they print work, and Ctrl-C ends them
// with exit code 0.
func TestPlatformsCmd_Run(t *testing.T) {
	t.Parallel()
	process := command(t, "platforms", "--addr=127.0.0.1:0", "--products=7", "--orders=0")
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill() })
	url, printed := "", []string{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if words := strings.Fields(line); url == "" && len(words) > 1 && words[0] == "Custom" {
			url = strings.TrimSuffix(words[1], "/custom")
		}
		if strings.HasPrefix(line, "curl -s http") && !strings.Contains(line, "/control/webhooks") { // no webhook is registered
			printed = append(printed, line)
		}
		if strings.HasPrefix(line, "Stop with") {
			break
		}
	}
	for _, line := range printed {
		if answer, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil || strings.Contains(string(answer), `"error"`) || !json.Valid(answer) {
			t.Errorf("%s\n%v: %.300s", line, err, answer)
		}
	}
	if len(printed) != 3 {
		t.Errorf("%d commands were printed: %q", len(printed), printed)
	}
	checkHoldings(t, url)
	_ = process.Process.Signal(os.Interrupt)
	if err := process.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func checkHoldings(t *testing.T, url string) {
	t.Helper()
	answer, err := http.Get(url + "/control/state")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var state struct {
		Platforms map[string]map[string]int `json:"platforms"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&state); err != nil || state.Platforms["shopify"]["products"] != 7 || state.Platforms["hubspot"]["orders"] != 0 {
		t.Errorf("%v: %v", err, state)
	}
}
