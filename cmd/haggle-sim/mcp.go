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
	URL         string `arg:"" name:"url" help:"URL of the MCP endpoint of a shop, such as http://127.0.0.1:8080/p/demo/mcp."`
	For         string `placeholder:"WORDS" help:"Words to search for. Required if the command is not interactive."`
	Budget      string `placeholder:"AMOUNT" help:"Maximum price per unit, before shipping and tax, such as 200 or 49.90. Default: the list price."`
	Quantity    int    `default:"1" help:"Number of units."`
	Interactive string `default:"auto" enum:"auto,yes,no" help:"Ask which product to buy, what to offer and whether to pay: auto (if standard input is a terminal), yes or no."`
	Email       string `default:"ada@example.com" help:"E-mail address of the buyer."`
	ShipTo      string `default:"Ada Byron; 1 Main St; Austin; TX; 78701; US" placeholder:"ADDRESS" help:"Shipping address: name; street; city; region; postal code; country (${default})."`
	Handler     string `default:"psp_spt" help:"Payment handler of the token."`
	Token       string `default:"spt_sandbox_ok" help:"Payment token. The default works only in a sandbox."`
	Color       string `default:"auto" enum:"auto,yes,no" help:"Print in color: auto (on a terminal, unless NO_COLOR is set), yes or no."`
}

// Help is shown below the flags' summary.
func (mcpCmd) Help() string {
	return `Acts as a buyer's assistant that uses the Model Context Protocol (MCP) and knows only the address of the shop. It lists the tools, searches,
negotiates within the budget, fills a cart, checks out, shows the total, pays with a sandbox token and reads the order. It prints each request
with the name of the tool, and each response. It validates every response against the published schemas.

  shop=http://127.0.0.1:8080/p/demo/mcp
  haggle simulate mcp $shop                                   # interactive
  haggle simulate mcp $shop --for "rain jacket" --budget 210 --interactive no

If it is not interactive, it first offers 80 % of the budget and raises the offer to the budget in equal steps. It accepts a price that is not
higher than its next offer, and never pays more than the budget. The exit code is 1 if it bought nothing or a response did not match its schema.`
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
		return errors.New(`set the words to search for, such as --for "rain jacket", or use --interactive yes`)
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
			return config, budget, fmt.Errorf("--budget is %q: it must be an amount above 0, such as 200 or 49.90", c.Budget)
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
		return ucp.Address{}, fmt.Errorf("--ship-to is %q: it must be name; street; city; region; postal code; country", text)
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
