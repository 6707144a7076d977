package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// manualClock is a manual clock.
type manualClock struct{ at time.Time }

func (w *manualClock) now() time.Time { return w.at }

func (w *manualClock) pass(d time.Duration) { w.at = w.at.Add(d) }

// Without a terminal there is a line every ten seconds, and none for a short command.
func TestProgress_show_noTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	clock := &manualClock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p := progressOn(&out, false, clock.now, "importing", "products")
	p.show(500, 10, 1000)
	clock.pass(999 * time.Millisecond)
	p.show(1000, 20, 1000)
	if out.Len() > 0 {
		t.Errorf("within a second: %q", out.String())
	}
	clock.pass(1001 * time.Millisecond)
	p.show(12_300, 400, 1000)
	clock.pass(9 * time.Second)
	p.show(13_000, 500, 1000)
	clock.pass(time.Second)
	p.showAt("orders", 24_000, 0, 0)
	p.end()
	want := "importing: 12,300 products, 6,150/s, 40%, 3s left\nimporting orders: 24,000 products, 2,000/s\n"
	if out.String() != want {
		t.Errorf("%q\nwant %q", out.String(), want)
	}
}

// The first update has the rate of at least a second, and no figure in bytes.
func TestProgress_show_terminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	clock := &manualClock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p := progressOn(&out, true, clock.now, "importing", "products")
	p.show(500, 1<<20, 1<<30)
	if out.Len() > 0 {
		t.Errorf("at once: %q", out.String())
	}
	clock.pass(2 * time.Second)
	p.show(5000, 1<<28, 1<<30)
	p.end()
	for _, words := range []string{"importing: 5,000 products, 2,500/s, 25%, 6s left", "25%"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%q lacks %q", out.String(), words)
		}
	}
	if strings.Contains(out.String(), "B/s") || strings.Contains(out.String(), "it/s") {
		t.Errorf("%q counts bytes", out.String())
	}
}

// Steps are shown with the elapsed time. Before their number is known, only the time is shown.
func TestProgress_show_steps(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	clock := &manualClock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p := progressOn(&out, false, clock.now, "verifying", "checks")
	p.steps = true
	clock.pass(12_400 * time.Millisecond)
	p.show(0, 0, 0)
	clock.pass(10 * time.Second)
	p.show(8, 8, 32)
	if out.String() != "verifying: 12s\nverifying: 22s, 8 of 32 checks, 25%, 1m7s left\n" {
		t.Errorf("%q", out.String())
	}
}
