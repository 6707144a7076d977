package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// healthCmd checks a server's health in images that have no other HTTP client.
type healthCmd struct {
	OpsAddr string        `env:"HAGGLE_OPS_ADDR" default:"127.0.0.1:8081" help:"Address of /livez and /readyz, host:port. The host 0.0.0.0 means this machine."`
	Live    bool          `help:"Request /livez, which checks only that the process is running, instead of /readyz."`
	Timeout time.Duration `default:"4s" help:"Time limit for the response."`
}

func (h healthCmd) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	url, err := h.url()
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("HAGGLE_OPS_ADDR is %q: %w", h.OpsAddr, err)
	}
	direct := &http.Client{Transport: &http.Transport{}} // without the environment's proxy, because the server is on this machine
	answer, err := direct.Do(r)
	if err != nil {
		return fmt.Errorf("cannot connect to the server at HAGGLE_OPS_ADDR: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", strings.TrimSpace(string(text)))
	}
	_, err = os.Stdout.Write(text)
	return err
}

func (h healthCmd) url() (string, error) {
	host, port, err := net.SplitHostPort(h.OpsAddr)
	if err != nil {
		return "", fmt.Errorf("HAGGLE_OPS_ADDR is %q: it must be host:port", h.OpsAddr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	path := "/readyz"
	if h.Live {
		path = "/livez"
	}
	return "http://" + net.JoinHostPort(host, port) + path, nil
}
