// Package lifeline starts a private server for a test process, and stops it when that process ends, however it died. A
// shell script supervises the server: it says "ready" once the server answers, and then reads its standard input, which
// ends with the process. The package knows nothing of the server: the script starts and stops it.
package lifeline

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// Server is a running script with its server.
type Server struct {
	script *exec.Cmd
	line   io.WriteCloser
}

// Start runs a script with its arguments in a folder, as another user if as is not nil, and waits for its "ready". Of
// the environment it only has the PATH: variables of a developer's shell change no server.
func Start(name, script, folder string, as *syscall.Credential, args ...string) (*Server, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "supervise"}, args...)...)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	// A session of its own: Ctrl-C in the terminal ends the test, and the test's end ends the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: as}
	line, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	words := bufio.NewReader(output)
	if word, _ := words.ReadString('\n'); word != "ready\n" {
		log, _ := io.ReadAll(words)
		return nil, fmt.Errorf("%s did not start (%v): %s%s", name, cmd.Wait(), word, log)
	}
	return &Server{cmd, line}, nil
}

// Stop sends its script a word that says how to stop the server, and keeps its folder.
func (s *Server) Stop(word string) error {
	_, err := io.WriteString(s.line, word+"\n")
	return errors.Join(err, s.script.Wait())
}

// Close ends the server as the end of the process would: its folder goes with it.
func (s *Server) Close() error { return errors.Join(s.line.Close(), s.script.Wait()) }
