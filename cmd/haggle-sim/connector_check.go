package main

import (
	"context"
	"fmt"
	"os"

	"github.com/haggle-commerce/haggle/simulator/connectorcheck"
)

type connectorCheckCmd struct {
	URL  string `arg:"" help:"Base URL of your system, as in the configuration of the integration."`
	Key  string `env:"CONNECTOR_KEY" help:"API key of your system." default:"custom-key"`
	Hook string `name:"webhook-url" help:"URL to register a webhook for. The check removes the webhook afterwards." default:"https://haggle.example/hooks/connector-check"`

	SkipOrders bool `help:"Do not create a test order."`
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
		fmt.Fprintf(os.Stdout, "FAIL  %s: %s. Remedy: %s.\n", r.Check, r.Problem, r.Remedy)
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}
