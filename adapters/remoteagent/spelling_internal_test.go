package remoteagent

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestStatuses_everyOutcome(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"": true}
	for _, o := range negotiation.Outcomes() {
		if seen[statuses[o]] {
			t.Errorf("%s has no word of its own: %q", o, statuses[o])
		}
		seen[statuses[o]] = true
	}
}
