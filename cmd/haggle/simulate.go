package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// simulateCmd and searchEvalCmd pass all their arguments to haggle-sim, including flags and --help.
type (
	simulateCmd struct {
		Args []string `arg:"" optional:"" help:"Arguments of haggle-sim. To list them, run haggle simulate --help."`
	}
	searchEvalCmd struct {
		Args []string `arg:"" optional:"" help:"Arguments of haggle-sim search-eval."`
	}
)

func (c simulateCmd) Run() error { return runSimulator(c.Args) }

func (c searchEvalCmd) Run() error { return runSimulator(append([]string{"search-eval"}, c.Args...)) }

// simulatorName is the file name of the second program.
var simulatorName = map[bool]string{false: "haggle-sim", true: "haggle-sim.exe"}[runtime.GOOS == "windows"]

// runSimulator replaces this process with haggle-sim, so that the process id, standard input and output, signals and the exit
// code are haggle-sim's. It returns only if haggle-sim cannot be started. Windows cannot replace a process, so haggle waits for
// haggle-sim, which shares its console, and exits with the same code.
func runSimulator(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path, err := findSimulator(filepath.Dir(self))
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return runChild(path, args)
	}
	return cannotRun(path, syscall.Exec(path, append([]string{path}, args...), os.Environ()))
}

// runChild returns only if the child cannot be started.
func runChild(path string, args []string) error {
	child := exec.Command(path, args...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := child.Run()
	if child.ProcessState == nil {
		return cannotRun(path, err)
	}
	os.Exit(child.ProcessState.ExitCode())
	return nil
}

func cannotRun(path string, err error) error { return fmt.Errorf("cannot run %s: %w", path, err) }

// findSimulator looks for haggle-sim in the folder of this program, then on PATH.
func findSimulator(folder string) (string, error) {
	adjacent := filepath.Join(folder, simulatorName)
	if path, err := exec.LookPath(adjacent); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath(simulatorName); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("cannot find %s in %s or on PATH. To build it, run: go build -o %s ./cmd/haggle-sim (or make build)",
		simulatorName, folder, adjacent)
}
