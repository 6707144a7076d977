// Package models_test runs negotiations with simulated language models over HTTP, and checks that models cannot change prices,
// leak secrets or delay a response.
package models_test

import (
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/llm"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/simulator/model"
)

// The negotiation's numbers. No two have the same digits in any notation.
const (
	list                          = 131900
	opening                       = 129990
	offerHigh, offerMid, offerLow = 120000, 101100, 77700
)

var secrets = map[string]int64{"floor": 98765, "target": 117725, "cost": 65432}

func amount(minor int64) string { return money.Of(minor, money.USD).String() }

// shop is a shop whose agents use a simulated model for everything.
type shop struct {
	look   *model.Server
	client *llm.Client
	late   atomic.Int64 // number of timeouts
}

func open(t *testing.T, c model.Config) *shop {
	t.Helper()
	look, err := model.Start("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = look.Close() })
	return &shop{look: look, client: llm.New(llm.Options{
		OpenAIURL:    look.URL + "/v1",
		OpenAIKey:    c.Key,
		AnthropicURL: look.URL,
		AnthropicKey: c.Key,
	})}
}

// Complete asks the model and counts timeouts.
func (s *shop) Complete(ctx ports.Outbound, r ports.ModelRequest) (ports.ModelReply, error) {
	reply, err := s.client.Complete(ctx, r)
	if fault.Is(err, "model_timeout") {
		s.late.Add(1)
	}
	return reply, err
}

func (s *shop) router() *agents.Router {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	wording, strategy := agents.WithModel(s, system.Clock{}, quiet)
	return &agents.Router{
		Programs: map[string]*agent.Program{agent.House: agents.Builtin},
		Wording:  wording,
		Strategy: strategy,
		Log:      quiet,
	}
}

func (s *shop) scene(provider string) agent.Scene {
	builtin := agent.Handler{Kind: agent.Builtin, Program: agent.House}
	return agent.Scene{
		Project: &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: project.DefaultSettings()},
		Mandate: agent.Mandate{
			Policy: negotiation.Builtin(),
			Agent: &agent.Agent{
				Handlers: agent.Handlers{
					Search:   builtin,
					Quote:    builtin,
					Checkout: builtin,
					Finalize: builtin,
				},
				Model: agent.Model{
					Provider:    provider,
					Name:        "look-alike",
					Temperature: -1,
					Wording:     true,
					Strategy:    true,
					Reasons:     true,
				},
			},
		},
	}
}

// offer returns the input for a buyer's second offer, after the shop named its opening price.
func (s *shop) offer(provider string, minor int64, message string) agent.QuoteInput {
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	at, cost := usd(minor), usd(secrets["cost"])
	signals := negotiation.Signals{
		List:       usd(list),
		Cost:       &cost,
		Negotiable: true,
		Quantity:   1,
	}
	return agent.QuoteInput{
		Scene:   s.scene(provider),
		Product: agent.Product{Name: "Nordic Lamp", Quantity: 1},
		Signals: signals,
		Message: message,
		Table: negotiation.Table{
			Terms:  negotiation.Builtin().Terms(signals),
			Bounds: negotiation.RehydrateBounds(usd(list), usd(opening), usd(secrets["target"]), usd(secrets["floor"])),
			Progress: negotiation.Progress{
				Rounds:    1,
				Moves:     1,
				BestOffer: usd(minor / 2),
				Counter:   usd(opening),
			},
			Offer: &at,
		},
	}
}

func (s *shop) found() catalog.Found {
	hit := func(name string) catalog.Hit {
		cost := money.Of(secrets["cost"], money.USD)
		return catalog.Hit{
			Product: &catalog.Product{
				Name:       name,
				Category:   "home/lamps",
				Attributes: map[string]string{"use": "reading"},
				Price:      money.Of(list, money.USD),
				Cost:       &cost,
			},
			Reasons: []string{"category"},
		}
	}
	return catalog.Found{Total: 2, Hits: []catalog.Hit{hit("Nordic Lamp 80"), hit("Tea for Two")}}
}

const patience = 1200 * time.Millisecond
