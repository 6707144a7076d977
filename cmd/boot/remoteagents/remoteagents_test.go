// Package remoteagents_test calls the simulator's handler of agent events through the server's client, and checks the quotes that
// come of it.
package remoteagents_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/remoteagent"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
	handler "github.com/haggle-commerce/haggle/simulator/agent"
)

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// quoteInput asks about an offer for a product with a list price of 100.00, a floor of 80.00 and a counter-offer of 95.00.
func quoteInput(offered *money.Amount) agent.QuoteInput {
	of := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	return agent.QuoteInput{
		Scene:   agent.Scene{Mandate: agent.Mandate{Policy: negotiation.Builtin()}},
		Product: agent.Product{Name: "Tent", Quantity: 1},
		Table: negotiation.Table{
			Terms:  negotiation.Builtin().Terms(negotiation.Signals{List: of(100_00)}),
			Bounds: negotiation.RehydrateBounds(of(100_00), of(98_00), of(92_50), of(80_00)),
			Progress: negotiation.Progress{
				Rounds:    1,
				Moves:     1,
				BestOffer: of(81_00),
				Counter:   of(95_00),
			},
			Offer: offered,
		},
	}
}

// In every mode of the handler, the server gets a price within the bounds or an error on which it falls back to its own answer.
func TestGuard_handlerModes(t *testing.T) {
	t.Parallel()
	for mode, failures := range map[string]map[string]bool{
		"honest": {}, "leak": {}, "gouge": {}, "undercut": {"agent_nonsense": true}, "nonsense": {"agent_nonsense": true},
		"refuse": {"agent_refused": true}, "flap": {"agent_refused": true}, "hang": {"agent_timeout": true}, "slow": {"agent_timeout": true},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, err := handler.Start("127.0.0.1:0", handler.Config{Secret: secret, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			rounds := 2 * handler.Kinds
			if mode == "hang" || mode == "slow" {
				rounds = 1
			}
			failed := 0
			for n := range rounds {
				if err := askOnce(t, s.URL, n, failures); err != nil {
					failed++
				}
			}
			always := mode == "nonsense" || mode == "refuse" || mode == "hang"
			if always && failed != rounds || len(failures) == 0 && failed > 0 {
				t.Errorf("%d of %d questions failed", failed, rounds)
			}
		})
	}
}

// askOnce asks with new Agents, whose circuit breaker is closed.
func askOnce(t *testing.T, url string, n int, failures map[string]bool) error {
	agents := remoteagent.New(delivery.SafeClient(true), system.Clock{}, system.Entropy{}, "Haggle/1")
	offered := money.Of(82_00+int64(n)*10, money.USD)
	in := quoteInput(&offered)
	if n%4 == 3 {
		in = quoteInput(nil)
	}
	answer, err := agents.Quote(ports.NewOutbound(t.Context()), ports.RemoteHandler{URL: url + "/agent", Secret: secret}, in)
	for range 3 {
		if fault.Is(err, "agent_timeout") && !failures["agent_timeout"] { // that was the machine, not the handler
			answer, err = agents.Quote(ports.NewOutbound(t.Context()), ports.RemoteHandler{URL: url + "/agent", Secret: secret}, in)
		}
	}
	for code := range failures {
		if fault.Is(err, code) {
			return err
		}
	}
	if err != nil {
		t.Error(err)
		return err
	}
	checkBounds(t, negotiation.Guard(in.Table, answer.Decision), in.Table)
	return nil
}

func checkBounds(t *testing.T, d negotiation.Decision, table negotiation.Table) {
	t.Helper()
	var price money.Amount
	switch d := d.(type) {
	case negotiation.Quoted:
		price = d.Price
	case negotiation.Accepted:
		price = d.Price
	case negotiation.Countered:
		price = d.Price
	case negotiation.Rejected:
		price = d.Price
	}
	if price.Minor() < table.Bounds.Floor().Minor() || price.Minor() > table.Progress.Counter.Minor() {
		t.Errorf("%+v", d)
	}
}

// The handler refuses a request that is signed with another secret. The server does not call a private address unless loopback is
// allowed.
func TestAgents_Quote_refused(t *testing.T) {
	t.Parallel()
	s, err := handler.Start("127.0.0.1:0", handler.Config{Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, c := range map[string]struct {
		client *http.Client
		key    string
		code   string
	}{
		"another secret":  {delivery.SafeClient(true), "whsec_" + strings.Repeat("B", 32), "agent_refused"},
		"private address": {delivery.SafeClient(false), secret, "agent_unreachable"},
	} {
		agents := remoteagent.New(c.client, system.Clock{}, system.Entropy{}, "Haggle/1")
		_, err := agents.Quote(ports.NewOutbound(t.Context()), ports.RemoteHandler{URL: s.URL, Secret: c.key}, quoteInput(nil))
		if !fault.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if state := s.State(); state.Unsigned != 1 || state.Answered != 0 {
		t.Errorf("%+v", state)
	}
}
