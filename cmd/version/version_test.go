package version

import (
	"runtime/debug"
	"testing"
)

func TestCommit(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string][]debug.BuildSetting{
		"":              {{Key: "GOOS", Value: "linux"}},
		"0123456789ab":  {{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "false"}},
		"0123456789ab+": {{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}},
	} {
		if got := commit(settings); got != want {
			t.Errorf("%v: %q, want %q", settings, got, want)
		}
	}
}
