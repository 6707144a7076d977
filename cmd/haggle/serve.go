package main

import (
	"context"
	"encoding/json"
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
	Demo bool `help:"Also create the demo project with a catalog, and print commands to try."`
}

func (s serveCmd) Run(ctx context.Context) error {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return err
	}
	if err := limitMemory(); err != nil {
		return err
	}
	if dir, err := os.UserConfigDir(); err == nil {
		s.DemoKeys = filepath.Join(dir, "haggle")
	}
	app, err := boot.New(ctx, s.Config, s.Config.Logger(os.Stderr))
	if err != nil {
		return err
	}
	err = s.serve(ctx, app)
	return errors.Join(err, app.Close())
}

func (s serveCmd) serve(ctx context.Context, app *boot.App) error {
	var shop *boot.DemoShop
	if s.Demo {
		made, err := app.DemoWithHistory(ctx)
		if err != nil {
			return fmt.Errorf("cannot set up the demo: %w", err)
		}
		shop = &made
	}
	if s.LogFormat == "json" {
		if err := s.announce(os.Stdout, app, shop); err != nil {
			return err
		}
	} else {
		s.welcome(ctx, os.Stdout, app, shop)
	}
	return app.Run(ctx)
}

// welcome prints the server's addresses and what to do next.
func (s serveCmd) welcome(ctx context.Context, w io.Writer, app *boot.App, shop *boot.DemoShop) {
	fmt.Fprintf(w, "Haggle %s, %s environment\n\n", boot.Version, s.Env)
	fmt.Fprintf(w, "  API             %s/v1\n", app.URL())
	fmt.Fprintf(w, "  Console         %s/console\n", app.URL())
	fmt.Fprintf(w, "  Documentation   %s/docs\n", app.URL())
	fmt.Fprintf(w, "  OpenAPI         %s/openapi.yaml\n", app.URL())
	fmt.Fprintf(w, "  Health          %s/readyz\n", app.OpsURL())
	if shop != nil {
		tryOut(w, app.URL(), *shop)
	} else {
		firstSteps(ctx, w, app)
	}
	fmt.Fprintln(w, "\nStop with Ctrl-C.")
}

// addresses is welcome's content as JSON, for log collectors that read JSON lines only.
type addresses struct {
	Version       string     `json:"version"`
	Environment   string     `json:"environment"`
	API           string     `json:"api"`
	Console       string     `json:"console"`
	Documentation string     `json:"documentation"`
	OpenAPI       string     `json:"openapi"`
	Health        string     `json:"health"`
	Demo          *demoShown `json:"demo,omitempty"`
}

type demoShown struct {
	ACP      string `json:"acp"`
	APIKey   string `json:"api_key"`
	Console  string `json:"console"`
	Products int    `json:"products"`
}

// announce prints the addresses as one line of JSON.
func (s serveCmd) announce(w io.Writer, app *boot.App, shop *boot.DemoShop) error {
	said := addresses{
		Version:       boot.Version,
		Environment:   s.Env,
		API:           app.URL() + "/v1",
		Console:       app.URL() + "/console",
		Documentation: app.URL() + "/docs",
		OpenAPI:       app.URL() + "/openapi.yaml",
		Health:        app.OpsURL() + "/readyz",
	}
	if shop != nil {
		said.Demo = &demoShown{
			ACP:      shop.ACP,
			APIKey:   shop.Key,
			Console:  shop.Console,
			Products: shop.Products,
		}
	}
	return json.NewEncoder(w).Encode(said)
}

// firstSteps prints the steps that are required and not done yet.
func firstSteps(ctx context.Context, w io.Writer, app *boot.App) {
	needsKey, needsMember, err := app.FirstSteps(ctx)
	if err != nil {
		return // an error here must not stop the server
	}
	if needsKey || needsMember {
		fmt.Fprintln(w)
	}
	if needsKey {
		fmt.Fprintln(w, "To create the first API key, run: haggle keys create")
	}
	if needsMember {
		fmt.Fprintln(w, "To invite the first member to the console, run: haggle members invite EMAIL")
	}
}

// tryOut prints commands that work when pasted into another terminal.
func tryOut(w io.Writer, url string, shop boot.DemoShop) {
	fmt.Fprintf(w, "  Demo shop       %s   %d products\n", shop.ACP, shop.Products)
	fmt.Fprintf(w, "  API key         %s\n", shop.Key)
	fmt.Fprintf(w, "\nOpen the console of the demo shop. This link signs you in as the owner and works once:\n\n   %s\n", shop.Console)
	fmt.Fprintf(w, "\nRun these commands in another terminal to act as a buyer's agent.\n\n1. Search for products:\n\n")
	fmt.Fprintf(w, "   curl -s --json '{\"query\": \"%s\", \"limit\": 3}' %s/acp/search\n\n2. Make an offer:\n\n", shop.Query, shop.ACP)
	fmt.Fprintf(w, "   curl -s --json '{\"product_id\": \"%s\", \"variant_id\": \"%s\", \"quantity\": 1, \"offer_price\": %s}' %s/acp/quote\n\n",
		shop.Product, shop.Variant, shop.Offer, shop.ACP)
	fmt.Fprintf(w, "3. Simulate a complete purchase:\n\n   %s --demo%s\n", simulation(), elsewhere(url))
}

// simulation returns the command that starts simulated buyers, for the directory in which this program was started.
func simulation() string {
	name := os.Args[0]
	if strings.HasPrefix(name, os.TempDir()) {
		return "go run ./cmd/haggle-sim" // go run leaves no haggle-sim next to the binary
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
