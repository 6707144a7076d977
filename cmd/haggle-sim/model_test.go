package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The simulated model starts, the commands that it prints work, and Ctrl-C ends it with exit code 0.
func TestModelCmd_Run(t *testing.T) {
	t.Parallel()
	process := command(t, "model", "--addr=127.0.0.1:0", "--behaviour=chatty")
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill() })
	var base string
	var printed []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if value, ok := strings.CutPrefix(line, "HAGGLE_OPENAI_URL="); ok {
			base = strings.Fields(value)[0]
		}
		if strings.HasPrefix(line, "curl ") {
			printed = append(printed, line)
		}
		if strings.HasPrefix(line, "Stop with") {
			break
		}
	}
	question := `--json '{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "{\"price\": \"92.50 USD\"}"}]}'`
	printed = append(printed, "curl -s "+base+"/chat/completions "+question, "curl -s "+base+"/messages "+question)
	for _, line := range printed {
		answer, err := exec.Command("sh", "-c", line).CombinedOutput()
		if err != nil || strings.Contains(string(answer), `"error"`) || !json.Valid(answer) {
			t.Errorf("%s\n%v: %.300s", line, err, answer)
		}
		if strings.Contains(line, "max_tokens") && !strings.Contains(string(answer), "90% off") {
			t.Errorf("it is not as generous as it was told to be: %s", answer)
		}
	}
	if len(printed) != 7 {
		t.Errorf("%d commands were printed: %q", len(printed), printed)
	}
	_ = process.Process.Signal(os.Interrupt)
	if err := process.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
