package faults

import (
	"fmt"
	"os/exec"
	"strings"
)

const module = "github.com/haggle-commerce/haggle/"

// LinkerFlags enable the failpoints in a program that go build makes.
const LinkerFlags = "-X " + module + "app/failpoint.enabled=yes"

// Build builds haggle and haggle-sim with failpoints into dir.
func Build(dir string) error {
	out, err := exec.Command("go", "build", "-ldflags", LinkerFlags, "-o", strings.TrimSuffix(dir, "/")+"/", module+"cmd/haggle", module+"cmd/haggle-sim").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building the programs: %w\n%s", err, out)
	}
	return nil
}
