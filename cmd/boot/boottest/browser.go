package boottest

import (
	"fmt"
	"os/exec"
)

// Browser returns the path of Chromium. The headless shell has the same engine without a window system, which took more than
// half of the CPU time.
func Browser() (path string, err error) {
	// Debian's wrapper script leaves the shell running when the script is killed.
	for _, program := range []string{"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium"} {
		if path, err = exec.LookPath(program); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("install Chromium: .ci/need chromium (%w)", err)
}
