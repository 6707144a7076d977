package console

import "testing"

func TestStudio_serves(t *testing.T) {
	t.Parallel()
	tenth, first := 10., 1
	s := &studio{agent: &haggler{}}
	served := func() (words [3]string) {
		for i := range words {
			words[i] = s.serves(policyVersion{Version: i + 1, InForce: i == 1})
		}
		return words
	}
	if got := served(); got != [3]string{"", "In force", ""} {
		t.Errorf("%q", got)
	}
	s.agent.Tuning.Trial, s.agent.Tuning.Baseline = &tenth, &first
	if got := served(); got != [3]string{"For other buyers", "On trial, 10%", ""} {
		t.Errorf("on trial: %q", got)
	}
}
