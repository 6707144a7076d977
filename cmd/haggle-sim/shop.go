package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/haggle-commerce/haggle/simulator"
)

type shopCmd struct {
	URL         string `default:"http://127.0.0.1:8080" help:"Address of the server."`
	Project     string `default:"demo" help:"Slug of the project to buy from."`
	Buyers      int    `default:"20" help:"How many buyers go shopping."`
	Seed        uint64 `default:"1" help:"The same seed sends the same buyers."`
	Concurrency int    `default:"16" help:"How many buyers shop at one time."`
	Demo        bool   `help:"Send one buyer, and show the whole conversation."`
}

// errBroken makes the program fail when the server broke a promise.
var errBroken = errors.New("the server broke a promise: see above")

func (s shopCmd) Run(ctx context.Context) error {
	if s.Demo {
		return simulator.Story(ctx, simulator.Config{URL: s.URL, Project: s.Project, Seed: s.Seed}, os.Stdout)
	}
	bar := progressbar.NewOptions(s.Buyers, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription("buyers"),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	report, err := simulator.Run(ctx, simulator.Config{
		URL: s.URL, Project: s.Project, Buyers: s.Buyers, Seed: s.Seed, Concurrency: s.Concurrency,
		Progress: func(done, _ int) { _ = bar.Set(done) },
	})
	_ = bar.Finish()
	if report.Buyers > 0 {
		if e := report.Write(os.Stdout); e != nil {
			return e
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("the simulation ended early: %w", err)
	case !report.OK():
		return errBroken
	}
	return nil
}
