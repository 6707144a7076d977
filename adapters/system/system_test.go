package system

import (
	"testing"
	"time"
)

func TestClockIsUTCInWholeMilliseconds(t *testing.T) {
	now := Clock{}.Now()
	if now.Location() != time.UTC || now.Nanosecond()%1e6 != 0 {
		t.Errorf("%v is not UTC in whole milliseconds", now)
	}
}

func TestEntropyDoesNotRepeat(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		secret := Entropy{}.Secret(10)
		bits := Entropy{}.Bits128()
		if len(secret) != 16 || seen[secret] || seen[string(bits[:])] {
			t.Fatalf("secret %q: want 16 fresh characters", secret)
		}
		seen[secret], seen[string(bits[:])] = true, true
	}
}
