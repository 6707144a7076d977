package deploy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/version"
)

// imageUser is the user and group that the image's programs run as.
const imageUser = "65532:65532"

// image is an image that buildah built into this test's own storage.
type image struct {
	buildah []string // the command line with the storage
	config  imageConfig
	root    string // where a container's files are mounted
}

// imageConfig is the part of an image's configuration (Docker's format) that tests read.
type imageConfig struct {
	User, WorkingDir, StopSignal string
	Env, Entrypoint, Cmd         []string
	Volumes, ExposedPorts        map[string]struct{}
	Labels                       map[string]string
	Healthcheck                  struct{ Test []string }
}

// TestImage builds the Dockerfile's last stage with the programs of make image, and runs them like a container runtime: as the
// image's user, on a read-only root filesystem.
func TestImage(t *testing.T) {
	if os.Getenv("IMAGE") == "" {
		t.Skip("IMAGE is not set: make image builds what is packed")
	}
	i := pack(t)
	t.Run("configuration", i.checkConfig)
	t.Run("files", i.checkFiles)
	t.Run("sells", i.checkSelling)
}

func pack(t *testing.T) *image {
	t.Helper()
	storage := t.TempDir()
	i := &image{buildah: []string{"buildah", "--root", storage + "/root", "--runroot", storage + "/run", "--storage-driver", "vfs"}}
	i.run(t, "build", "--isolation", "chroot", "--format", "docker", "--target", "prebuilt",
		"--build-arg", "VERSION="+version.Number, "--build-arg", "REVISION=0123456789abcdef", "--tag", "haggle", moduleRoot(t))
	var described struct {
		Docker struct {
			Config imageConfig `json:"config"`
		}
	}
	if err := json.Unmarshal([]byte(i.run(t, "inspect", "--type", "image", "haggle")), &described); err != nil {
		t.Fatal(err)
	}
	i.config = described.Docker.Config
	container := strings.TrimSpace(i.run(t, "from", "haggle"))
	i.root = strings.TrimSpace(i.run(t, "mount", container))
	t.Cleanup(func() { i.run(t, "rm", container) })
	return i
}

// run runs buildah and returns its standard output.
func (i *image) run(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command(i.buildah[0], append(slices.Clone(i.buildah[1:]), args...)...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("buildah %v: %v\n%s%s", args, err, out, said.String())
	}
	return string(out)
}

func (i *image) checkConfig(t *testing.T) {
	c := i.config
	if c.User != imageUser || c.StopSignal != "SIGTERM" || c.WorkingDir != "/data" {
		t.Errorf("user %q, stop signal %q, folder %q", c.User, c.StopSignal, c.WorkingDir)
	}
	if !slices.Equal(c.Entrypoint, []string{"/haggle"}) || !slices.Equal(c.Cmd, []string{"serve"}) {
		t.Errorf("it runs %v %v", c.Entrypoint, c.Cmd)
	}
	if !slices.Equal(c.Healthcheck.Test, []string{"CMD", "/haggle", "health"}) {
		t.Errorf("its health check is %v", c.Healthcheck.Test)
	}
	if _, there := c.Volumes["/data"]; !there || len(c.Volumes) != 1 {
		t.Errorf("volumes %v", c.Volumes)
	}
	if _, there := c.ExposedPorts["8080/tcp"]; !there || len(c.ExposedPorts) != 2 {
		t.Errorf("ports %v", c.ExposedPorts)
	}
	for name, want := range map[string]string{
		"title": "Haggle", "licenses": "MIT", "version": version.Number, "revision": "0123456789abcdef",
	} {
		if got := c.Labels["org.opencontainers.image."+name]; got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}

// checkFiles checks that the image has no unexpected file, and that its user can write only below its data folder.
func (i *image) checkFiles(t *testing.T) {
	var files []string
	err := filepath.WalkDir(i.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, owner := strings.TrimPrefix(path, i.root), info.Sys().(*syscall.Stat_t).Uid
		if !entry.IsDir() {
			files = append(files, name)
		}
		if wanted := map[bool]uint32{true: 65532}[name == "/data"]; owner != wanted || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s is of user %d, mode %o", name, owner, info.Mode().Perm())
		}
		return nil
	})
	if want := []string{"/etc/ssl/certs/ca-certificates.crt", "/haggle", "/haggle-sim"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("the image has %v, want %v: %v", files, want, err)
	}
}

// contained runs a command in its own mount namespace, on the image's files, mounted read-only. $data is the volume.
const contained = `
root=$1 data=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount --bind /proc "$root/proc"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"`

// command returns a command in a container with a volume. It does not inherit the test's environment.
func (i *image) command(data string, environment []string, args ...string) *exec.Cmd {
	shell := []string{"--mount", "--propagation", "private", "sh", "-euc", contained, "sh", i.root, data, i.config.User}
	c := exec.Command("unshare", append(append(shell, i.config.Entrypoint...), args...)...)
	c.Env = append(append([]string{"PATH=" + os.Getenv("PATH")}, i.config.Env...), environment...)
	return c
}

func (i *image) checkSelling(t *testing.T) {
	data := t.TempDir()
	if err := os.Chown(data, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(i.root, "proc"), 0o755); err != nil { // container runtimes create it
		t.Fatal(err)
	}
	loopback := []string{"HAGGLE_ADDR=127.0.0.1:0", "HAGGLE_OPS_ADDR=127.0.0.1:0"}
	server := i.command(data, loopback, "serve", "--demo")
	addresses := started(t, server)
	if out, err := i.command(data, []string{"HAGGLE_OPS_ADDR=" + addresses.ops}, "health").CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("haggle health: %v\n%s", err, out)
	}
	out, err := i.command(data, nil, "simulate", "--demo", "--url", addresses.api).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "success: order HG-") {
		t.Errorf("a buyer: %v\n%s", err, out)
	}
	wantConfined(t, server.Process.Pid)
	wantStop(t, server)
	if info, err := os.Stat(filepath.Join(data, "haggle.db")); err != nil || info.Size() == 0 {
		t.Errorf("the volume has no database: %v", err)
	}
}

// addresses are those that a server printed.
type addresses struct{ api, ops string }

// started starts a server, waits until it is ready and returns its addresses.
func started(t *testing.T, c *exec.Cmd) (a addresses) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	slow := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer slow.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 2 && words[0] == "API":
			a.api = strings.TrimSuffix(words[1], "/v1")
		case len(words) == 2 && words[0] == "Health":
			a.ops = strings.TrimSuffix(strings.TrimPrefix(words[1], "http://"), "/readyz")
		case strings.HasPrefix(lines.Text(), "Stop with"):
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return a
		}
	}
	t.Fatalf("the server did not start: %s", said.String())
	return a
}

// wantConfined checks that a process is not root, cannot gain privileges, and cannot write to its root filesystem.
func wantConfined(t *testing.T, pid int) {
	t.Helper()
	status := read(t, fmt.Sprintf("/proc/%d/status", pid))
	for _, line := range []string{"\nUid:\t65532\t65532\t65532\t65532\n", "\nGid:\t65532\t65532\t65532\t65532\n", "\nCapEff:\t0000000000000000\n"} {
		if !strings.Contains(status, line) {
			t.Errorf("there is no line %q in\n%s", line, status)
		}
	}
	mounts := map[string]string{}
	for line := range strings.Lines(read(t, fmt.Sprintf("/proc/%d/mountinfo", pid))) {
		fields := strings.Fields(line)
		mounts[fields[4]] = fields[5] // mount options by mount point
	}
	if !strings.HasPrefix(mounts["/"]+",", "ro,") || !strings.HasPrefix(mounts["/data"]+",", "rw,") {
		t.Errorf("its mounts are %v", mounts)
	}
}

// wantStop checks that SIGTERM ends a server well within the ten seconds that docker stop waits.
func wantStop(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	began, ended := time.Now(), make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
		t.Logf("SIGTERM ended the server in %s", time.Since(began).Round(time.Millisecond))
	case <-time.After(10 * time.Second):
		t.Error("SIGTERM did not end the server in 10 s")
	}
}
