package boottest

import (
	"fmt"
	"os/exec"
)

// Browser is the path of Chromium. Its headless shell is the same engine without the windows around pages, which took more than
// half of the processors' time.
func Browser() (path string, err error) {
	// Debian's script for the shell leaves it running when it is killed itself.
	for _, program := range []string{"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium"} {
		if path, err = exec.LookPath(program); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("install Chromium: .ci/need chromium (%w)", err)
}
