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
	Shop       shopCmd           `cmd:"" default:"withargs" help:"Send simulated buyers to a server and report what happened (the default)."`
	MCP        mcpCmd            `cmd:"" name:"mcp" help:"Haggle and buy over MCP in this terminal, with nothing but the address of a shop."`
	Market     marketCmd         `cmd:"" help:"Say what a negotiation policy earns from populations of buyers, without a server."`
	Provider   providerCmd       `cmd:"" help:"Run a payment provider that speaks Stripe's and PayPal's protocols and moves no money."`
	Platforms  platformsCmd      `cmd:"" help:"Run look-alikes of Shopify, HubSpot, ShipStation, WooCommerce and a merchant's own system."`
	Connector  connectorCheckCmd `cmd:"" name:"connector-check" help:"Check a system of your own against the contract of the custom connector; exit code 1 if a check fails. If it takes orders, a test order is created and canceled."`
	Embeddings embeddingsCmd     `cmd:"" help:"Run a look-alike of an OpenAI-compatible embeddings endpoint."`
	Model      modelCmd          `cmd:"" help:"Run a look-alike of two language model services, which writes as it is told to."`
	Agent      agentCmd          `cmd:"" help:"Run a merchant's own handler of the agent events, which misbehaves as it is told to."`
	SearchEval searchEvalCmd     `cmd:"" help:"Measure how well search finds what people judged to be relevant (haggle search-eval)."`
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
		kong.Description("Buyers, markets and look-alikes for a Haggle server. haggle simulate … runs haggle-sim … with the same arguments."),
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
