package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/haggle-commerce/haggle/simulator"
)

const defaultURL = "http://127.0.0.1:8080"

type simulateCmd struct {
	Shop      shopCmd      `cmd:"" default:"withargs" help:"Send simulated buyers to a server and report what happened (the default)."`
	Market    marketCmd    `cmd:"" help:"Say what a negotiation policy earns from populations of buyers, without a server."`
	Provider  providerCmd  `cmd:"" help:"Run a payment provider that speaks Stripe's and PayPal's protocols and moves no money."`
	Platforms platformsCmd `cmd:"" help:"Run look-alikes of Shopify, HubSpot, ShipStation and a merchant's own system."`

	Embeddings embeddingsCmd `cmd:"" help:"Run a look-alike of an OpenAI-compatible embeddings endpoint."`
	Model      modelCmd      `cmd:"" help:"Run a look-alike of two language model services, which writes as it is told to."`
	Agent      agentCmd      `cmd:"" help:"Run a merchant's own handler of the agent events, which misbehaves as it is told to."`
}

// serveLookAlike listens, greets with the address and serves until ctx ends. What hangs then is not waited for.
func serveLookAlike(ctx context.Context, addr string, handler http.Handler, greet func(url string)) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	greet("http://" + listener.Addr().String())
	return serveUntil(ctx, listener, handler, 0, func() {})
}

// serveUntil serves until ctx ends, or serving fails. Then end stops what else is at work, and the requests under way
// have the grace to be answered in.
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
