package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const agentSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// The handler starts, the commands that it prints work, and Ctrl-C ends it with exit code 0.
func TestAgentCmd_Run(t *testing.T) {
	t.Parallel()
	process := command(t, "agent", "--addr=127.0.0.1:0", "--secret="+agentSecret)
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill() })
	printed := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "curl ") {
			printed++
			answer, err := exec.Command("sh", "-c", line).CombinedOutput()
			if err != nil || strings.Contains(string(answer), `"error"`) || !json.Valid(answer) {
				t.Errorf("%s\n%v: %.300s", line, err, answer)
			}
		}
		if strings.HasPrefix(line, "Stop with") {
			break
		}
	}
	if printed != 3 {
		t.Errorf("%d commands were printed", printed)
	}
	_ = process.Process.Signal(os.Interrupt)
	if err := process.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
