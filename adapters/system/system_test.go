package system

import (
	"context"
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

func TestResolverKnowsPrivateAddresses(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "localhost": true, "10.1.2.3": true, "192.168.0.1": true, "172.16.5.4": true,
		"169.254.169.254": true, "100.64.0.1": true, "0.0.0.0": true, "::1": true, "fe80::1": true,
		"fd00::1": true, "::ffff:10.0.0.1": true, "224.0.0.1": true,
		"93.184.216.34": false, "2606:2800:220:1::1": false, "name.invalid": false,
	} {
		if got := (Resolver{}).Private(context.Background(), host); got != want {
			t.Errorf("%s: private %v, want %v", host, got, want)
		}
	}
}
