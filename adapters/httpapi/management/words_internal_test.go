package management

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestEveryOutcomeHasAWord(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, o := range negotiation.Outcomes() {
		if seen[responses[o]] {
			t.Errorf("%s has no word of its own: %q", o, responses[o])
		}
		seen[responses[o]] = true
	}
}

func TestValueOf(t *testing.T) {
	t.Parallel()
	for _, o := range negotiation.Outcomes() {
		if got := valueOf(responses[o], responses); got != o {
			t.Errorf("%q is read as %s", responses[o], got)
		}
	}
	if got := valueOf("", responses); got != (negotiation.Outcome{}) {
		t.Errorf("no word is read as %s", got)
	}
}
