package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// The exit code is 1 if a check fails. Each failed check has a remedy, in text and in JSON.
func TestDoctorCmd_Run(t *testing.T) {
	t.Parallel()
	database := "sqlite://" + filepath.Join(t.TempDir(), "haggle.db")
	flags := []string{"doctor", "--addr=127.0.0.1:0", "--ops-addr=127.0.0.1:0"}
	if out, err := command(t, database, flags...).Output(); err != nil || !strings.Contains(string(out), "ok    database") {
		t.Errorf("%v\n%s", err, out)
	}
	flags = append(flags, "--redis-url=redis://127.0.0.1:1")
	c := command(t, database, flags...)
	out, err := c.Output()
	if err == nil || c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "fail  Redis               no response: connection refused. Remedy: start Redis") {
		t.Errorf("%v\n%s", err, out)
	}
	var answer struct {
		Findings []struct{ State, Check, Seen, Remedy string }
	}
	c = command(t, database, append(flags, "--json")...)
	out, err = c.Output()
	if bad := json.Unmarshal(out, &answer); bad != nil || err == nil || c.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v, %v\n%s", bad, err, out)
	}
	for _, f := range answer.Findings {
		if f.Check == "Redis" && f.State == "fail" && f.Seen != "" && f.Remedy != "" {
			return
		}
	}
	t.Errorf("no word on Redis: %s", out)
}
