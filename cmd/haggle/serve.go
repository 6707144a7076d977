package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

type serveCmd struct {
	boot.Config
	Demo bool `help:"Also create the project \"demo\" with a catalogue, and print what to try."`
}

func (s serveCmd) Run(ctx context.Context) error {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return err
	}
	if err := limitMemory(); err != nil {
		return err
	}
	app, err := boot.New(ctx, s.Config, s.Config.Logger(os.Stderr))
	if err != nil {
		return err
	}
	err = s.serve(ctx, app)
	return errors.Join(err, app.Close())
}

func (s serveCmd) serve(ctx context.Context, app *boot.App) error {
	fmt.Printf("Haggle %s, %s environment\n\n", boot.Version, s.Env)
	fmt.Printf("  API             %s/v1\n", app.URL())
	fmt.Printf("  Console         %s/console\n", app.URL())
	fmt.Printf("  Documentation   %s/docs\n", app.URL())
	fmt.Printf("  OpenAPI         %s/openapi.yaml\n", app.URL())
	fmt.Printf("  Health          %s/readyz\n", app.OpsURL())
	if s.Demo {
		shop, err := app.DemoWithHistory(ctx)
		if err != nil {
			return fmt.Errorf("cannot set up the demo: %w", err)
		}
		tryOut(os.Stdout, app.URL(), shop)
	} else {
		fmt.Println("\nNo API key yet? haggle keys create\nNobody in the console yet? haggle members invite EMAIL")
	}
	fmt.Println("\nStop with Ctrl-C.")
	return app.Run(ctx)
}

// tryOut prints commands that work when pasted into another terminal.
func tryOut(w io.Writer, url string, shop boot.DemoShop) {
	fmt.Fprintf(w, "  Demo shop       %s   %d products\n", shop.ACP, shop.Products)
	fmt.Fprintf(w, "  API key         %s\n", shop.Key)
	fmt.Fprintf(w, "\nSee the shop from the inside. This link signs its owner in, once:\n\n   %s\n", shop.Console)
	fmt.Fprintf(w, "\nTry it in another terminal. A buyer's agent would\n\n1. search:\n\n")
	fmt.Fprintf(w, "   curl -s --json '{\"query\": \"%s\", \"limit\": 3}' %s/acp/search\n\n2. haggle:\n\n", shop.Query, shop.ACP)
	fmt.Fprintf(w, "   curl -s --json '{\"product_id\": \"%s\", \"variant_id\": \"%s\", \"quantity\": 1, \"offer_price\": %s}' %s/acp/quote\n\n",
		shop.Product, shop.Variant, shop.Offer, shop.ACP)
	fmt.Fprintf(w, "3. do all of it, and buy:\n\n   %s --demo%s\n", simulation(), elsewhere(url))
}

// simulation is the command that starts simulated buyers, as it can be pasted where this program was started.
func simulation() string {
	name := os.Args[0]
	if strings.HasPrefix(name, os.TempDir()) {
		return "go run ./cmd/haggle-sim" // go run keeps nothing beside haggle
	}
	if here, err := os.Getwd(); err == nil && filepath.IsAbs(name) {
		if relative, err := filepath.Rel(here, name); err == nil && !strings.HasPrefix(relative, "..") {
			name = "./" + relative
		}
	}
	return name + " simulate"
}

const defaultURL = "http://127.0.0.1:8080"

func elsewhere(url string) string {
	if url == defaultURL {
		return ""
	}
	return " --url " + url
}
