package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

type shopCmd struct {
	URL         string `env:"HAGGLE_URL" help:"URL of the server. Default: http://HAGGLE_ADDR, or http://127.0.0.1:8080 if HAGGLE_ADDR is not set."`
	Project     string `default:"demo" help:"Slug of the project to buy from."`
	Buyers      int    `default:"20" help:"Number of buyers."`
	Seed        uint64 `default:"1" help:"Seed of the random numbers. The same seed produces the same buyers."`
	Concurrency int    `default:"16" help:"Number of concurrent buyers."`
	Protocol    string `default:"acp" enum:"acp,ucp,mcp" help:"Protocol of the buyers: acp (Agent Commerce Protocol), ucp (UCP over REST) or mcp (UCP over MCP)."`
	UCPVersion  string `default:"2026-08-25" enum:"2026-08-25,2026-04-08" name:"ucp-version" help:"UCP version: ${enum}."`
	Demo        bool   `help:"Send one buyer and print the whole conversation."`
}

// errBroken makes the exit code 1 if the server broke a promise.
var errBroken = errors.New("the server violated an invariant, see above")

func (s shopCmd) Run(ctx context.Context) error {
	if s.Demo {
		return simulator.Story(ctx, s.config(), os.Stdout)
	}
	bar := progressbar.NewOptions(s.Buyers, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription("buyers"),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	config := s.config()
	config.Progress = func(done, _ int) { _ = bar.Set(done) }
	report, err := simulator.Run(ctx, config)
	_ = bar.Finish()
	if report.Buyers > 0 {
		if e := report.Write(os.Stdout); e != nil {
			return e
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("the simulation stopped early: %w", err)
	case !report.OK():
		return errBroken
	}
	return nil
}

func (s shopCmd) config() simulator.Config {
	return simulator.Config{
		URL:         serverAddress(s.URL),
		Project:     s.Project,
		Buyers:      s.Buyers,
		Seed:        s.Seed,
		Concurrency: s.Concurrency,
		Protocol:    simulator.Protocol(s.Protocol),
		UCPVersion:  schema.Version(s.UCPVersion),
	}
}

// serverAddress returns given, or the address that HAGGLE_ADDR gives a server on this machine.
func serverAddress(given string) string {
	if given != "" {
		return given
	}
	host, port, err := net.SplitHostPort(os.Getenv("HAGGLE_ADDR"))
	if err != nil {
		return "http://127.0.0.1:8080"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
