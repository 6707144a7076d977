package main

import (
	"context"
	"fmt"
	"os"

	"github.com/haggle-commerce/haggle/simulator/connectorcheck"
)

type connectorCheckCmd struct {
	URL  string `arg:"" help:"The base URL of your system, as it is given when it is connected."`
	Key  string `env:"CONNECTOR_KEY" help:"Your system's API key." default:"custom-key"`
	Hook string `name:"webhook-url" help:"The address that a webhook is registered for, and removed again." default:"https://haggle.example/hooks/connector-check"`

	SkipOrders bool `help:"Create no test order in a system that takes orders."`
}

// Run prints a line for each check, with a correction for those that fail. It returns an error if one fails.
func (c *connectorCheckCmd) Run(ctx context.Context) error {
	failed := 0
	for _, r := range connectorcheck.Run(ctx, connectorcheck.Config{
		URL:        c.URL,
		Key:        c.Key,
		Hook:       c.Hook,
		SkipOrders: c.SkipOrders,
	}) {
		if r.Problem == "" {
			fmt.Fprintf(os.Stdout, "ok    %s\n", r.Check)
			continue
		}
		failed++
		fmt.Fprintf(os.Stdout, "FAIL  %s: %s. To do: %s.\n", r.Check, r.Problem, r.Remedy)
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}
