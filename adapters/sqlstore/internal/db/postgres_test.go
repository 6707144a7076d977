package db

import (
	"testing"
	"time"
)

func TestStatementTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "5000": 5 * time.Second, "750ms": 750 * time.Millisecond, "30s": 30 * time.Second, "2min": 2 * time.Minute, "1 h": time.Hour,
		"1d": 24 * time.Hour, "1.5": 2 * time.Millisecond, "5000 ": 5 * time.Second, "400us": 0, "1.5s": 1500 * time.Millisecond,
	} {
		if got, err := statementTime(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "-5s", "soon", "5 parsecs", "5m", "1h30m", "1e3"} {
		if got, err := statementTime(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
