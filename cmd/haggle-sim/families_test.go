package main

import (
	"strings"
	"testing"
)

func TestFamiliesCmd(t *testing.T) {
	t.Parallel()
	out, err := command(t, "families", "--buyers=20", "--preset=clear_stock").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"× best posted", "one-shot", "coalition", "sofas", "mean ", "worst "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the tables lack %q:\n%s", want, out)
		}
	}
	out, err = command(t, "families", "--preset=cheap").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "keep_margin, balanced or clear_stock") {
		t.Errorf("an unknown preset: %v, %s", err, out)
	}
}

// Learning is judged with one family left out, and is deterministic.
func TestFamiliesCmd_learn(t *testing.T) {
	t.Parallel()
	out, err := command(t, "families", "--buyers=20", "--learn=400", "--family=agreeable").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"agreeable", "proposals were certainly better", "worst, learned", "largest loss"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the tables lack %q:\n%s", want, out)
		}
	}
	for flag, want := range map[string]string{"--learn=399": "between 400 and 5000", "--family=nobody": "--family must name"} {
		out, err := command(t, "families", "--learn=400", flag).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", flag, err, out)
		}
	}
}
