package cluster

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// deploy is the folder of the configuration files for operators.
const deploy = "../../cmd/haggle/deploy/cluster"

// folder is the working directory of a test's servers. The servers end with the test process, even if that is killed, because a
// shell at the other end of a pipe kills the remaining ones.
type folder struct {
	t        *testing.T
	dir      string
	logs     string // the folder of their logs
	network  string // the first three bytes of the servers' loopback addresses
	programs string // PostgreSQL's
	as       *syscall.Credential

	Passwords passwords
}

// passwords are the servers' passwords.
type passwords struct{ Superuser, Replication, Rewind, Haggle, Redis, Sentinel, NATS, Routes string }

// reaper kills the processes of a folder when its standard input ends, and removes the folder. It kills Patroni first, because
// Patroni would restart PostgreSQL.
const reaper = `
while read -r word; do :; done
for f in "$1"/pids/*; do [ -e "$f" ] && kill -9 "$(cat "$f")"; done
for f in "$1"/*/postgresql/postmaster.pid; do [ -e "$f" ] && kill -9 "$(head -n 1 "$f")"; done
for i in 1 2 3 4 5; do rm -rf "$1" && break; sleep 0.2; done
`

// newFolder creates a folder that PostgreSQL's user can access. It is in memory if there is enough: kill -9 loses no written
// file, and the test does not wait for a slow disk.
func newFolder(t *testing.T) *folder {
	t.Helper()
	f := &folder{t: t, network: fmt.Sprintf("127.%d.%d.", 1+mathrand.IntN(254), mathrand.IntN(255))}
	f.programs, f.as = boottest.PostgreSQL(t)
	for _, p := range []*string{
		&f.Passwords.Superuser, &f.Passwords.Replication, &f.Passwords.Rewind, &f.Passwords.Haggle,
		&f.Passwords.Redis, &f.Passwords.Sentinel, &f.Passwords.NATS, &f.Passwords.Routes,
	} {
		*p = rand.Text()
	}
	parent := os.TempDir()
	if spacious("/dev/shm") {
		parent = "/dev/shm"
	}
	var err error
	if f.dir, err = os.MkdirTemp(parent, "haggle-cluster-"); err != nil {
		t.Fatal(err)
	}
	watch := exec.Command("/bin/sh", "-c", reaper, "reaper", f.dir)
	watch.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C ends the test, and the end of the test ends the servers
	line, err := watch.StdinPipe()
	if err == nil {
		err = watch.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = line.Close()
		_ = watch.Wait() // kill fails if there is nothing left to kill
	})
	f.own(f.dir)
	f.mkdir("pids")
	f.logs = cmp.Or(os.Getenv("CLUSTER_LOGS"), f.mkdir("logs"))
	return f
}

func spacious(dir string) bool {
	const plenty = 4 << 30
	var s syscall.Statfs_t
	return syscall.Statfs(dir, &s) == nil && s.Bavail*uint64(s.Bsize) >= plenty
}

// own gives a path to the servers' user.
func (f *folder) own(path string) {
	if f.as == nil {
		return
	}
	if err := os.Chown(path, int(f.as.Uid), int(f.as.Gid)); err != nil {
		f.t.Fatal(err)
	}
}

// mkdir creates a subfolder.
func (f *folder) mkdir(name string) string {
	path := filepath.Join(f.dir, name)
	if err := os.Mkdir(path, 0o700); err != nil && !os.IsExist(err) {
		f.t.Fatal(err)
	}
	f.own(path)
	return path
}

// address returns a loopback address of this test, on which all ports are free.
func (f *folder) address(n int) string { return fmt.Sprint(f.network, n) }

// render fills in a configuration file of cmd/haggle/deploy/cluster and writes it to a folder.
func (f *folder) render(name, dir string, data any) (path string) {
	f.t.Helper()
	form, err := template.New(name).Option("missingkey=error").ParseFiles(filepath.Join(deploy, name))
	if err != nil {
		f.t.Fatal(err)
	}
	path = filepath.Join(dir, name)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer file.Close()
	if err := form.Execute(file, data); err != nil {
		f.t.Fatal(err)
	}
	f.own(path)
	return path
}

// process is a running server.
type process struct {
	name  string
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// start runs a program until it is killed or the test ends.
func (f *folder) start(name, program string, args ...string) *process {
	f.t.Helper()
	p := &process{
		name:  name,
		cmd:   exec.Command(program, args...),
		log:   filepath.Join(f.logs, name),
		ended: make(chan struct{}),
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		f.t.Fatal(err)
	}
	defer log.Close()
	p.cmd.Dir = f.dir
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin", "LC_ALL=C.UTF-8"}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: f.as, Setsid: true}
	if err := p.cmd.Start(); err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "pids", name), fmt.Append(nil, p.cmd.Process.Pid), 0o600); err != nil {
		f.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // its exit code does not matter
		close(p.ended)
	}()
	return p
}

// kill kills the process with SIGKILL and waits for it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have exited already
	<-p.ended
}

// output returns the end of the process's output.
func (p *process) output() string {
	file, err := os.Open(p.log)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	const most = 3000
	if info, err := file.Stat(); err == nil && info.Size() > most {
		_, _ = file.Seek(-most, io.SeekEnd) // fails if the output is shorter
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// within polls until a condition holds, and reports whether it does within the limit.
func within(limit time.Duration, holds func() bool) bool {
	for deadline := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		switch {
		case holds():
			return true
		case time.Now().After(deadline):
			return false
		}
	}
}
