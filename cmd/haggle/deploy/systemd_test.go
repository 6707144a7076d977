package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

// service returns the path of a copy of the unit whose program exists on this machine.
func service(t *testing.T) (path string) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Fatalf("%v: run .ci/need systemd, as make test does", err)
	}
	path = filepath.Join(t.TempDir(), "haggle.service")
	unit := strings.Replace(read(t, "systemd/haggle.service"), "ExecStart=/usr/local/bin/haggle ", "ExecStart=/bin/true ", 1)
	if err := os.WriteFile(path, []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestService_verify(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", service(t)).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestService_exposure(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", service(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`Overall exposure level for haggle.service: ([\d.]+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%s", out)
	}
	level, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil || level >= 1.5 {
		t.Errorf("the exposure level is %v, want less than 1.5: %v\n%s", level, err, out)
	}
}

// Every variable is known to haggle, and names a credential that the unit loads.
func TestService_credentials(t *testing.T) {
	t.Parallel()
	unit := read(t, "systemd/haggle.service")
	var environ []string
	for _, found := range regexp.MustCompile(`(?m)^Environment=(\S+)$`).FindAllStringSubmatch(unit, -1) {
		environ = append(environ, found[1])
		if _, credential, ok := strings.Cut(found[1], "=%d/"); ok && !strings.Contains(unit, "\nLoadCredential="+credential+":/etc/haggle/"+credential+"\n") {
			t.Errorf("the credential %s is not loaded", credential)
		}
	}
	if err := boot.CheckEnvironment(environ); err != nil || len(environ) != 3 {
		t.Errorf("%v: %v", environ, err)
	}
}
