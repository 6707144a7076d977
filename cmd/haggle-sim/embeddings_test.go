package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The simulated service starts, the commands that it prints work, and Ctrl-C ends it with exit code 0.
func TestEmbeddingsCmd_Run(t *testing.T) {
	t.Parallel()
	process := command(t, "embeddings", "--addr=127.0.0.1:0", "--dims=5")
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
		if value, ok := strings.CutPrefix(line, "HAGGLE_EMBEDDINGS_URL="); ok {
			base = strings.Fields(value)[0]
		}
		if strings.HasPrefix(line, "curl ") {
			printed = append(printed, line)
		}
		if strings.HasPrefix(line, "Stop with") {
			break
		}
	}
	printed = append(printed, "curl -s "+base+`/embeddings --json '{"model": "m", "input": "sofa"}'`)
	for _, line := range printed {
		answer, err := exec.Command("sh", "-c", line).CombinedOutput()
		if err != nil || strings.Contains(string(answer), `"error"`) || !json.Valid(answer) {
			t.Errorf("%s\n%v: %.300s", line, err, answer)
		}
		if strings.Contains(line, "/embeddings ") && strings.Count(string(answer), ",") < 5 {
			t.Errorf("%s", answer)
		}
	}
	if len(printed) != 5 {
		t.Errorf("%d commands were printed: %q", len(printed), printed)
	}
	_ = process.Process.Signal(os.Interrupt)
	if err := process.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
