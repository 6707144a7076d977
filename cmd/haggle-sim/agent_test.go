package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
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

const agentSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// The handler comes up, the commands that it prints work, and Ctrl-C ends it well.
func TestAgentAndItsCommands(t *testing.T) {
	t.Parallel()
	process := command(t, "agent", "--addr=127.0.0.1:0", "--secret="+agentSecret)
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill() })
	printed := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "curl ") {
			printed++
			answer, err := exec.Command("sh", "-c", line).CombinedOutput()
			if err != nil || strings.Contains(string(answer), `"error"`) || !json.Valid(answer) {
				t.Errorf("%s\n%v: %.300s", line, err, answer)
			}
		}
		if strings.HasPrefix(line, "Stop with") {
			break
		}
	}
	if printed != 3 {
		t.Errorf("%d commands were printed", printed)
	}
	_ = process.Process.Signal(os.Interrupt)
	if err := process.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// negotiating is about a price of 100.00 over a floor of 80.00, for which 95.00 stands.
func negotiating(offered *money.Amount) agent.QuoteInput {
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

// Whatever a handler does, the server has an answer or a reason to give its own, and no price out of bounds.
func TestNoModeOfAHandlerMovesAPriceOutOfBounds(t *testing.T) {
	t.Parallel()
	for mode, failures := range map[string]map[string]bool{
		"honest": {}, "leak": {}, "gouge": {}, "undercut": {"agent_nonsense": true}, "nonsense": {"agent_nonsense": true},
		"refuse": {"agent_refused": true}, "flap": {"agent_refused": true}, "hang": {"agent_timeout": true}, "slow": {"agent_timeout": true},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, err := handler.Start("127.0.0.1:0", handler.Config{Secret: agentSecret, Mode: mode})
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

// askOnce puts a question as a server that has asked nothing before, which is never suspended.
func askOnce(t *testing.T, url string, n int, failures map[string]bool) error {
	agents := remoteagent.New(delivery.SafeClient(true), system.Clock{}, system.Entropy{}, "Haggle/1")
	offered := money.Of(82_00+int64(n)*10, money.USD)
	in := negotiating(&offered)
	if n%4 == 3 {
		in = negotiating(nil)
	}
	answer, err := agents.Quote(ports.NewOutbound(t.Context()), ports.RemoteHandler{URL: url + "/agent", Secret: agentSecret}, in)
	for range 3 {
		if fault.Is(err, "agent_timeout") && !failures["agent_timeout"] { // that was the machine, not the handler
			answer, err = agents.Quote(ports.NewOutbound(t.Context()), ports.RemoteHandler{URL: url + "/agent", Secret: agentSecret}, in)
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

// A secret that is not the handler's is refused, as is an address that is not public where loopback is not allowed.
func TestOnlyTheRightSecretAndAddressReachAHandler(t *testing.T) {
	t.Parallel()
	s, err := handler.Start("127.0.0.1:0", handler.Config{Secret: agentSecret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, c := range map[string]struct {
		client *http.Client
		secret string
		code   string
	}{
		"another secret":  {delivery.SafeClient(true), "whsec_" + strings.Repeat("B", 32), "agent_refused"},
		"private address": {delivery.SafeClient(false), agentSecret, "agent_unreachable"},
	} {
		agents := remoteagent.New(c.client, system.Clock{}, system.Entropy{}, "Haggle/1")
		_, err := agents.Quote(ports.NewOutbound(t.Context()), ports.RemoteHandler{URL: s.URL, Secret: c.secret}, negotiating(nil))
		if !fault.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if state := s.State(); state.Unsigned != 1 || state.Answered != 0 {
		t.Errorf("%+v", state)
	}
}
