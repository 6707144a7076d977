package redisserver

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestServer_Restart_empty(t *testing.T) {
	t.Parallel()
	s := Start(t)
	if got := say(t, s, "SET lamp on"); got != "+OK" {
		t.Fatalf("SET answers %q", got)
	}
	s.Stop()
	s.Stop()
	if conn, err := net.Dial("unix", socket(s.URL())); err == nil {
		conn.Close()
		t.Error("a stopped server takes connections")
	}
	s.Restart()
	if got := say(t, s, "EXISTS lamp"); got != ":0" {
		t.Errorf("EXISTS answers %q after a restart, want :0", got)
	}
}

func TestStart_separateServers(t *testing.T) {
	t.Parallel()
	a, b := Start(t), Start(t)
	say(t, a, "SET lamp on")
	if got := say(t, b, "EXISTS lamp"); got != ":0" {
		t.Errorf("the other server answers %q, want :0", got)
	}
}

const childMark = "REDISSERVER_TEST_CHILD"

// TestMain lets this test program play the process that is killed.
func TestMain(m *testing.M) {
	if os.Getenv(childMark) == "" {
		os.Exit(m.Run())
	}
	s, err := open()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	select {}
}

func TestServer_killedProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childMark+"=1")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(output).ReadString('\n')
	dir := strings.TrimSpace(line)
	conn, err := net.Dial("unix", dir+"/redis.sock")
	if err != nil {
		t.Fatalf("the child's server does not answer: %v", err)
	}
	defer conn.Close()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait() // killed: its error says so
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Fatalf("the server outlives its process: %v", err)
	}
	gone := func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) }
	for deadline := time.Now().Add(20 * time.Second); !gone(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", dir)
		}
	}
}

func TestOpen_missingPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "make test") {
		t.Errorf("got %v, want a line that names make test", err)
	}
}

// say sends one command and returns the first line of the answer.
func say(t *testing.T, s *Server, command string) string {
	t.Helper()
	conn, err := net.Dial("unix", socket(s.URL()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "%s\r\n", command); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func socket(url string) string { return strings.TrimPrefix(url, "unix://") }
