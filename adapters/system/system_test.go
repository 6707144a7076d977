package system

import (
	"testing"
	"time"
)

func TestClock_Now_wholeMilliseconds(t *testing.T) {
	now := Clock{}.Now()
	if now.Location() != time.UTC || now.Nanosecond()%1e6 != 0 {
		t.Errorf("%v is not UTC in whole milliseconds", now)
	}
}

func TestEntropy_differs(t *testing.T) {
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

func TestEntropy_IDBits_sortByTime(t *testing.T) {
	before := time.Now().UnixMilli()
	bits := Entropy{}.IDBits()
	at := int64(bits[0])<<40 | int64(bits[1])<<32 | int64(bits[2])<<24 | int64(bits[3])<<16 | int64(bits[4])<<8 | int64(bits[5])
	if after := time.Now().UnixMilli(); at < before || at > after {
		t.Errorf("%d is not between %d and %d", at, before, after)
	}
	if other := (Entropy{}).IDBits(); [10]byte(other[6:]) == [10]byte(bits[6:]) {
		t.Error("the rest repeats")
	}
}
