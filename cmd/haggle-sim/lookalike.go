package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// serveLookAlike listens, prints the greeting and serves until ctx ends. It does not wait for open requests then.
func serveLookAlike(ctx context.Context, addr string, handler http.Handler, greet func(url string)) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	greet("http://" + listener.Addr().String())
	return serveUntil(ctx, listener, handler, 0, func() {})
}

// serveUntil serves until ctx ends or serving fails. It then calls end to stop background work, and gives open requests the
// grace period to finish.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler, grace time.Duration, end func()) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	end()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(bounded) != nil {
		err = errors.Join(err, server.Close())
	}
	return err
}

// merchantProgram returns the command that starts haggle, for the commands that simulated services print: the binary next to
// this one, "haggle" if it is on PATH, or go run.
func merchantProgram() string {
	self, err := os.Executable()
	if err == nil {
		adjacent := filepath.Join(filepath.Dir(self), "haggle")
		if info, err := os.Stat(adjacent); err == nil && info.Mode().IsRegular() {
			return shortest(adjacent)
		}
	}
	if _, err := exec.LookPath("haggle"); err == nil {
		return "haggle"
	}
	return "go run ./cmd/haggle"
}

// shortest returns the path relative to the working directory if the file is below it.
func shortest(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(here, path)
	if err != nil || !filepath.IsLocal(relative) {
		return path
	}
	return "./" + relative
}
