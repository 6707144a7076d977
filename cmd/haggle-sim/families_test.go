package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
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
	out, err := command(t, "families", "--buyers=20", "--setting=shirts", "--learn=400", "--family=agreeable").Output()
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

func TestFamiliesCmd_html(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "families.html")
	out, err := command(t, "families", "--buyers=20", "--setting=shirts", "--visitors=5000", "--html="+page).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := string(read(t, page))
	for _, want := range []string{"Policy <b>balanced</b>", "for 5,000 visitors", "in the setting shirts", "</html>\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A real server sells to the same buyers at the same prices as the pricing rules in this process, in every family.
func TestFamiliesCmd_live(t *testing.T) {
	t.Parallel()
	s := boottest.Start(t, "sqlite://"+filepath.Join(t.TempDir(), "families.db"))
	flags := []string{"families", "--buyers=10", "--setting=shirts"}
	here, err := command(t, flags...).Output()
	if err != nil {
		t.Fatal(err)
	}
	there := command(t, append(flags, "--url="+s.URL(), "--key="+boottest.Key)...)
	var said strings.Builder
	there.Stderr = &said
	out, err := there.Output()
	if err != nil || !strings.HasPrefix(said.String(), "0 OpenAPI violations in ") {
		t.Errorf("%v: %s", err, said.String())
	}
	if string(out) != string(here) {
		t.Errorf("over HTTP\n%s\nin process\n%s", out, here)
	}
}

func TestFamiliesCmd_refusals(t *testing.T) {
	t.Parallel()
	for want, flags := range map[string][]string{
		"there are snack, soap":       {"--setting=yacht"},
		"require --url":               {"--key=hk_test_1"},
		"--url requires --key":        {"--url=http://127.0.0.1:9"},
		"there must be 10 to":         {"--buyers=3"},
		"no such file":                {"--buyers=10", "--setting=tent", "--html=/no/such/folder/x.html"},
		"--visitors must be":          {"--visitors=0"},
		"cannot be combined with --p": {"--url=http://127.0.0.1:9", "--key=hk_test_1", "--preset=keep_margin"},
	} {
		if out, err := command(t, append([]string{"families"}, flags...)...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, %s; want %q", flags, err, out, want)
		}
	}
}

func TestCurveCmd(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "curve.html")
	out, err := command(t, "curve", "--buyers=10", "--random=2", "--steps=1", "--html="+page).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if text := string(read(t, page)); !strings.Contains(text, "from each family when it is left out") {
		t.Error("the page lacks the families that are left out")
	}
	for _, want := range []string{"34 policies were tried", "reach ", "give  ", "take  ", "bidding: firm", "left out with its parts", "each family left out alone: mean ", "left out with all that share a part: mean "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
}
