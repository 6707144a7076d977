package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
)

// Learning is deterministic, and the learned policy earns no less than before, within the confidence interval.
func TestMarketCmd_learn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(name string, flags ...string) (r simulating.Report) {
		file := filepath.Join(dir, name)
		out, said, err := simulateMarket(t, append(flags, "--seed=3", "--buyers=5000", "--population=normal-95-c65", "--json="+file)...)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, out, said)
		}
		if learns := len(flags) > 0; learns != strings.Contains(out, "Learned from") || learns != strings.Contains(said, "learning 1 of 1: normal-95-c65") {
			t.Errorf("%s\n%s", out, said)
		}
		if err := json.Unmarshal(read(t, file), &r); err != nil || !r.OK() {
			t.Fatalf("%v, %+v", err, r.Broken)
		}
		return r
	}
	plain, learnt, again := run("plain"), run("learnt", "--learn=600"), run("again", "--learn=600")
	if !reflect.DeepEqual(learnt.Summary, again.Summary) {
		t.Errorf("learnt otherwise: %+v, %+v", learnt.Summary, again.Summary)
	}
	before, after := plain.Summary.OfPosted, learnt.Summary.OfPosted
	if after.Value < before.Value-2*(before.Error+after.Error) {
		t.Errorf("learnt to earn %.3f where it was %.3f", after.Value, before.Value)
	}
}

// Learning from buyers of only one strategy does no harm.
func TestMarketCmd_learn_anyStrategy(t *testing.T) {
	t.Parallel()
	earned := func(dir, strategy, population string, flags ...string) simulating.Ratio {
		file := filepath.Join(dir, "report.json")
		if out, said, err := simulateMarket(t, append(flags, "--seed=5", "--buyers=3000", "--population="+population, "--strategy="+strategy, "--json="+file)...); err != nil {
			t.Fatalf("%v\n%s%s", err, out, said)
		}
		var r simulating.Report
		if err := json.Unmarshal(read(t, file), &r); err != nil {
			t.Fatal(err)
		}
		return r.Summary.OfPosted
	}
	for _, of := range []struct {
		strategy, population string
		gain                 float64 // factor by which the learned policy's earnings exceed the old ones; 1: within the interval
	}{
		{"boulware", "normal-85-c50", 1}, {"conceder", "normal-85-c50", 1}, {"hardliner", "normal-85-c50", 1.05}, {"tit-for-tat", "normal-85-c50", 1.03},
		{"prober", "normal-85-c50", 1}, {"random", "normal-85-c50", 1}, {"impatient", "normal-85-c50", 1}, {"splitter", "normal-85-c50", 1},
		{"splitter", "normal-95-c65", 1}, // most of them never offer the most that they would pay
	} {
		t.Run(of.strategy+" "+of.population, func(t *testing.T) {
			t.Parallel()
			before, after := earned(t.TempDir(), of.strategy, of.population), earned(t.TempDir(), of.strategy, of.population, "--learn=1000")
			demanded := of.gain * before.Value
			if of.gain == 1 {
				demanded -= 2 * (before.Error + after.Error)
			}
			if after.Value < demanded {
				t.Errorf("learnt to earn %.3f where it was %.3f", after.Value, before.Value)
			}
			t.Logf("%s: %.3f before, %.3f learnt", of.strategy, before.Value, after.Value)
		})
	}
}

func TestMarketCmd_learn_outOfRange(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--learn=199":    "--learn must be between 200 and 100,000",
		"--learn=100001": "--learn must be between 200 and 100,000",
		"--learn=-1":     "--learn must be greater than zero",
	} {
		if _, said, err := simulateMarket(t, flag); err == nil || !strings.Contains(said, want) {
			t.Errorf("%s: %v, %s", flag, err, said)
		}
	}
}
