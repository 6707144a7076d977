package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/haggle-commerce/haggle/simulator/assistant"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

type mcpCmd struct {
	URL         string `arg:"" name:"url" help:"Address of the shop's MCP endpoint, such as http://127.0.0.1:8080/p/demo/mcp."`
	For         string `placeholder:"WORDS" help:"What to search for. Required unless it is asked for."`
	Budget      string `placeholder:"AMOUNT" help:"The most to pay for one piece, before shipping and tax, such as 200 or 49.90. Default: the list price."`
	Quantity    int    `default:"1" help:"How many pieces."`
	Interactive string `default:"auto" enum:"auto,yes,no" help:"Ask which product, what to offer and whether to pay: auto (if the input is a terminal), yes or no."`
	Email       string `default:"ada@example.com" help:"E-mail address of the buyer."`
	ShipTo      string `default:"Ada Byron; 1 Main St; Austin; TX; 78701; US" placeholder:"ADDRESS" help:"Where to ship to: name; street; city; region; postal code; country (${default})."`
	Handler     string `default:"psp_spt" help:"The payment handler that the token is for."`
	Token       string `default:"spt_sandbox_ok" help:"Token to pay with. The default pays in a sandbox, and nowhere else."`
	Color       string `default:"auto" enum:"auto,yes,no" help:"Use colors: auto (on a terminal, unless NO_COLOR is set), yes or no."`
}

// Help is shown below the flags' summary.
func (mcpCmd) Help() string {
	return `A buyer's assistant that speaks the Model Context Protocol, with nothing but the address: it lists the tools, searches, haggles within
the budget, fills a cart, checks out, shows the total, pays with a token of the sandbox, and reads the order. It prints what it asks for, with the
tool that it calls on the right, and what the shop says. Every answer is validated against the published schemas.

  shop=http://127.0.0.1:8080/p/demo/mcp
  haggle simulate mcp $shop                                   # asks you
  haggle simulate mcp $shop --for "rain jacket" --budget 210 --interactive no

By itself it opens at 80 % of the budget, goes up to it in equal steps, accepts as soon as the shop asks for no more than it would offer, and
walks away from what is above the budget. Ends with 1 if nothing was bought, or an answer did not match its schema.`
}

func (c mcpCmd) Run(ctx context.Context) error {
	config, budget, err := c.config()
	if err != nil {
		return err
	}
	asks := c.Interactive == "yes" || c.Interactive == "auto" && term.IsTerminal(int(os.Stdin.Fd()))
	if asks {
		return assistant.Run(ctx, config, assistant.NewPerson(interruptible{ctx, os.Stdin}, config.Page, c.For, budget))
	}
	if strings.TrimSpace(c.For) == "" {
		return errors.New(`say what to buy: --for "rain jacket", or --interactive yes to be asked`)
	}
	return assistant.Run(ctx, config, assistant.Alone{For: c.For, Budget: budget})
}

// interruptible is a reader that returns io.EOF once its context ends, even while Read waits for input.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	type result struct {
		read []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		b := make([]byte, len(p))
		n, err := i.in.Read(b)
		done <- result{b[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.read), r.err
	case <-i.ctx.Done():
		return 0, io.EOF
	}
}

func (c mcpCmd) config() (config assistant.Config, budget decimal.Decimal, err error) {
	if c.Budget != "" {
		if budget, err = decimal.Parse(c.Budget); err != nil || budget.Sign() <= 0 {
			return config, budget, fmt.Errorf("--budget must be an amount above 0, such as 200 or 49.90, and is %q", c.Budget)
		}
	}
	if c.Quantity < 1 {
		return config, budget, errors.New("--quantity must be at least 1")
	}
	to, err := parseAddress(c.ShipTo)
	colors := c.Color == "yes" || c.Color == "auto" && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd()))
	return assistant.Config{
		URL:      c.URL,
		Quantity: c.Quantity,
		Email:    c.Email,
		ShipTo:   to,
		Token:    c.Token,
		Handler:  c.Handler,
		Page:     assistant.Page{W: os.Stdout, Color: colors},
	}, budget, err
}

func parseAddress(text string) (ucp.Address, error) {
	parts := strings.Split(text, ";")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) != 6 || parts[0] == "" || parts[1] == "" || parts[2] == "" || parts[5] == "" {
		return ucp.Address{}, fmt.Errorf("--ship-to must be name; street; city; region; postal code; country, and is %q", text)
	}
	first, last := parts[0], ""
	if at := strings.LastIndex(parts[0], " "); at > 0 {
		first, last = parts[0][:at], parts[0][at+1:]
	}
	return ucp.Address{
		FirstName:  first,
		LastName:   last,
		Street:     parts[1],
		Locality:   parts[2],
		Region:     parts[3],
		PostalCode: parts[4],
		Country:    parts[5],
	}, nil
}
