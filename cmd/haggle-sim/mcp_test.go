package main

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// runMCP runs haggle-sim mcp with typed as its standard input.
func runMCP(t *testing.T, typed string, args ...string) (said string, code int) {
	t.Helper()
	c := command(t, append([]string{"mcp"}, args...)...)
	c.Stdin = strings.NewReader(typed)
	out, err := c.CombinedOutput()
	if ended, ok := err.(*exec.ExitError); ok {
		return string(out), ended.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

func TestMCPCmd_Run(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, "sqlite://"+filepath.Join(t.TempDir(), "shop.db"))
	if _, err := app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	shop := app.URL() + "/p/demo/mcp"
	tests := []struct {
		name  string
		typed string
		args  []string
		code  int
		says  []string
	}{
		{
			name: "by itself it haggles, pays and reads the order",
			args: []string{shop, "--for=rain jacket", "--budget=210"},
			says: []string{"start_negotiation", "make_offer", "The price is agreed: ", "Agreed price", "complete_checkout", "Paid. The order is HG-", "get_order", "Haggling saved "},
		},
		{
			name: "it walks away from what is above the budget",
			args: []string{shop, "--for=rain jacket", "--budget=180"},
			code: 1,
			says: []string{"decline_offer", "nothing was bought: the price stayed at "},
		},
		{
			name:  "a person picks, offers, accepts and pays",
			typed: "n\nwind jacket\n1\n3\n80\ny\ny\n",
			args:  []string{shop, "--interactive=yes", "--for=rain jacket"},
			says:  []string{"Which one?", "What are you looking for?", "I am looking for: wind jacket", "Which of these?", "I offer 80.00 USD.", "it is.", "> Pay ", "Paid. The order is HG-"},
		},
		{
			name:  "a person does not like the total",
			typed: "1\n1\ny\nn\n",
			args:  []string{shop, "--interactive=yes", "--for=rain jacket"},
			code:  1,
			says:  []string{"cancel_checkout", "Nothing is charged.", "nothing was bought: the total was not agreed to"},
		},
		{
			name: "a declined payment is said",
			args: []string{shop, "--for=rain jacket", "--token=spt_sandbox_decline_insufficient_funds"},
			code: 1,
			says: []string{"complete_checkout", "nothing was bought: the payment was not taken, and the checkout is still open"},
		},
		{
			name: "the version before speaks by its own schemas",
			args: []string{app.URL() + "/p/demo/2026-04-08/mcp", "--for=rain jacket", "--budget=210"},
			says: []string{"Paid. The order is HG-", "match the published schemas of UCP 2026-04-08"},
		},
		{
			name: "a payment handler that the shop does not have is said, with those that it has",
			args: []string{shop, "--for=rain jacket", "--handler=cash"},
			code: 1,
			says: []string{`no payment by the handler "cash", but by psp_spt`},
		},
		{
			name: "an address that the shop does not ship to is said",
			args: []string{shop, "--for=rain jacket", "--ship-to=Ada Byron; 1 Ice Rd; McMurdo; ; 1; AQ"},
			code: 1,
			says: []string{"The shop does not ship to this country.", "the checkout is incomplete"},
		},
		{name: "nothing is found", args: []string{shop, "--for=qqqzzz"}, code: 1, says: []string{`nothing was found for "qqqzzz"`}},
		{name: "no such shop", args: []string{app.URL() + "/p/nobody/mcp", "--for=tent"}, code: 1, says: []string{"there is no such shop, or it does not speak MCP"}},
		{name: "another address of the server", args: []string{app.URL() + "/p/demo", "--for=tent"}, code: 1, says: []string{"is no MCP endpoint: it answers 405", "/p/SLUG/mcp"}},
		{name: "nothing to search for", args: []string{shop}, code: 1, says: []string{`set the words to search for, such as --for "rain jacket"`}},
		{name: "a budget that is none", args: []string{shop, "--for=tent", "--budget=cheap"}, code: 1, says: []string{`--budget is "cheap": it must be an amount above 0`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			said, code := runMCP(t, test.typed, test.args...)
			if code != test.code {
				t.Errorf("it ended with %d", code)
			}
			if strings.Contains(said, "! ") {
				t.Error("an answer was not as its schema says")
			}
			rest := said
			for _, want := range test.says {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("it did not say %q, in this order", want)
					break
				}
				rest = after
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}

// Ctrl-C ends the program even while it waits for input.
func TestInterruptible_Read(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	silent, _ := io.Pipe()
	interrupt()
	if _, err := (interruptible{ctx, silent}).Read(make([]byte, 10)); err != io.EOF {
		t.Errorf("interrupted: %v", err)
	}
	typed := bufio.NewReader(interruptible{t.Context(), strings.NewReader("80\n")})
	if line, err := typed.ReadString('\n'); line != "80\n" || err != nil {
		t.Errorf("typed: %q, %v", line, err)
	}
}
