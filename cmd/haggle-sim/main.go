// Command haggle-sim simulates the other parties of a Haggle server: buyers and whole markets of them, payment providers,
// platforms, language models and agent handlers. haggle simulate runs it. The merchant's program links none of this.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	_ "github.com/haggle-commerce/haggle/app/failpoint" // if enabled, FAULT_LIFELINE ends the simulator together with its test
	"github.com/haggle-commerce/haggle/cmd/haggle-sim/searcheval"
	"github.com/haggle-commerce/haggle/cmd/version"
)

type cli struct {
	Shop       shopCmd           `cmd:"" default:"withargs" help:"Send simulated buyers to a server and print a report (default command)."`
	MCP        mcpCmd            `cmd:"" name:"mcp" help:"Negotiate and buy over MCP in this terminal."`
	Market     marketCmd         `cmd:"" help:"Estimate what a negotiation policy earns from simulated populations of buyers."`
	Curve      curveCmd          `cmd:"" help:"Search for the curve with the least worst-case regret over families of buyers."`
	Families   familiesCmd       `cmd:"" help:"Estimate what a policy earns from families of buyers that it was not fitted to."`
	Provider   providerCmd       `cmd:"" help:"Run a simulated payment provider with the APIs of Stripe and PayPal."`
	Platforms  platformsCmd      `cmd:"" help:"Run simulators of Shopify, HubSpot, ShipStation, WooCommerce and a custom system."`
	Connector  connectorCheckCmd `cmd:"" name:"connector-check" help:"Check whether your system implements the API of the custom connector. If it accepts orders, create and cancel a test order. The exit code is 1 if a check fails."`
	Embeddings embeddingsCmd     `cmd:"" help:"Run a simulated OpenAI-compatible embeddings endpoint."`
	Model      modelCmd          `cmd:"" help:"Run simulated language models with the APIs of OpenAI and Anthropic and configurable answers."`
	Agent      agentCmd          `cmd:"" help:"Run a remote handler of agent events with configurable faults."`
	SearchEval searchEvalCmd     `cmd:"" help:"Measure the relevance of search results against judgements by people (haggle search-eval)."`
	Version    kong.VersionFlag  `help:"Print the version."`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "haggle-sim:", err)
		os.Exit(exitCode(err))
	}
}

// exitCode returns 2 for an invalid input file, and 1 for any other error.
func exitCode(err error) int {
	if _, ok := errors.AsType[*searcheval.InputError](err); ok {
		return 2
	}
	return 1
}

func run(args []string) error {
	var c cli
	parser, err := kong.New(&c, kong.Name("haggle-sim"), kong.UsageOnError(),
		kong.Description("Simulated buyers, markets, platforms and providers for a Haggle server. haggle simulate ARGS runs haggle-sim ARGS."),
		kong.Vars{"version": "haggle-sim " + version.Number}, kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w (see haggle-sim --help)", err)
	}
	ctx, stop := untilSignal()
	defer stop()
	command.BindTo(ctx, (*context.Context)(nil))
	return command.Run()
}

// untilSignal returns a context that the first SIGINT or SIGTERM cancels. The second one ends the program at once.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop()
	}()
	return ctx, stop
}
