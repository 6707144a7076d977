package remoteagent_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/adapters/remoteagent"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// counting is a ports.Entropy that returns 1, 2, 3 and so on.
type counting struct {
	mu sync.Mutex
	n  byte
}

func (c *counting) Bits128() (bits [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	bits[15] = c.n
	return bits
}

func (c *counting) IDBits() [16]byte { return c.Bits128() }

func (*counting) Secret(int) string { return "" }

func usd(text string) money.Amount {
	a, err := money.Parse(text, money.USD)
	if err != nil {
		panic(err)
	}
	return a
}

func offer(text string) *money.Amount {
	a := usd(text)
	return &a
}

func bits(n byte) (b [16]byte) {
	b[0] = n
	return b
}

var (
	shop         = &project.Project{ID: id.New[id.Project](bits(1)), Settings: project.DefaultSettings()}
	tent         = id.New[id.Product](bits(2))
	green        = id.New[id.Variant](bits(3))
	self         = id.New[id.Agent](bits(4))
	buyerSession = &session.Session{
		ID: id.New[id.Session](bits(5)), CreatedAt: noon,
		Claims: session.Claims{
			LoyaltyTier:     "gold",
			Location:        "DE",
			PurchaseHistory: 3,
			Urgency:         "flexible",
		},
	}
	policy = negotiation.Policy{
		Version:         3,
		Enabled:         true,
		MaxDiscount:     200,
		MinMargin:       125,
		UnverifiedShare: 250,
		RoundCap:        6,
	}
	scene = agent.Scene{
		Project: shop,
		Session: buyerSession,
		Mandate: agent.Mandate{Policy: policy},
	}
)

// halfway concedes half of the range, independently of the built-in policy.
var halfway = negotiation.Terms{
	Version:  1,
	RoundCap: 6,
	Curve:    negotiation.Curve{Give: [negotiation.Steps]money.Percent{500, 500, 500}},
}

// question is about two tents with a list price of 100.00, a floor of 80.00 and a current price of 95.00.
func question(offered *money.Amount) agent.QuoteInput {
	return agent.QuoteInput{
		Scene: scene,
		Product: agent.Product{
			ID:       tent,
			Variant:  green,
			Name:     "Tent",
			Category: "outdoor/tents",
			Quantity: 2,
		},
		Table: negotiation.Table{
			Terms:  halfway,
			Bounds: negotiation.RehydrateBounds(usd("100"), usd("98"), usd("92.50"), usd("80")),
			Progress: negotiation.Progress{
				Rounds:    1,
				Moves:     1,
				BestOffer: usd("81"),
				Counter:   usd("95"),
			},
			Offer: offered,
		},
		Message: "I take two, if the price is right.",
	}
}

func searching() agent.SearchInput {
	in := agent.SearchInput{Scene: scene, Query: catalog.Query{
		Text:   "tent",
		Limit:  2,
		Filter: catalog.Filter{PriceMax: offer("150")},
	}}
	in.Candidates = catalog.Found{
		Total:      9,
		Confidence: 700,
		Facets:     catalog.Facets{Brands: []catalog.Count{{Name: "Fjell", Count: 9}}},
	}
	for n := range byte(3) {
		in.Candidates.Hits = append(in.Candidates.Hits, catalog.Hit{
			Product: &catalog.Product{
				ID:    id.New[id.Product](bits(10 + n)),
				Name:  "Tent",
				Brand: "Fjell",
				Price: usd("100"),
			},
			Score:   900 - int(n),
			InStock: n > 0,
			Reasons: []string{"it is a tent"},
		})
	}
	return in
}

func paying() agent.FinalizeInput {
	c := checkout.Rehydrate(checkout.Snapshot{ID: id.New[id.Checkout](bits(6)), Payment: checkout.Payment{TokenHash: "hash"}})
	return agent.FinalizeInput{
		Scene:    agent.Scene{Project: shop, Mandate: scene.Mandate},
		Checkout: c,
		Total:    usd("199.90"),
	}
}

func lines() agent.CheckoutInput {
	return agent.CheckoutInput{Scene: scene, Lines: []checkout.Line{{
		Product: tent, Variant: green, SKU: "T-1", Name: "Tent", Quantity: 2, Unit: usd("92.5"), Original: usd("100"),
	}}}
}

// asking starts a server for a handler, and returns Agents and the handler's address.
func asking(t testing.TB, handler http.HandlerFunc) (*remoteagent.Agents, ports.RemoteHandler) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return remoteagent.New(server.Client(), wallClock{}, &counting{}, "Haggle/1").Patient(), ports.RemoteHandler{
		Agent:  self,
		URL:    server.URL,
		Secret: secret,
	}
}

// saying returns a handler that checks the request's signature and answers with a body.
func saying(t testing.TB, body string) http.HandlerFunc {
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		asked, err := io.ReadAll(r.Body)
		if err == nil {
			err = key.Verify(asked, r.Header)
		}
		if err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, body)
	}
}

// calls has a function for each of the four events, which returns the error.
var calls = map[string]func(context.Context, *remoteagent.Agents, ports.RemoteHandler) error{
	"search": func(ctx context.Context, a *remoteagent.Agents, to ports.RemoteHandler) error {
		_, err := a.Search(ports.NewOutbound(ctx), to, searching())
		return err
	},
	"quote": func(ctx context.Context, a *remoteagent.Agents, to ports.RemoteHandler) error {
		_, err := a.Quote(ports.NewOutbound(ctx), to, question(offer("85")))
		return err
	},
	"checkout": func(ctx context.Context, a *remoteagent.Agents, to ports.RemoteHandler) error {
		_, err := a.Checkout(ports.NewOutbound(ctx), to, lines())
		return err
	},
	"finalize": func(ctx context.Context, a *remoteagent.Agents, to ports.RemoteHandler) error {
		_, err := a.Finalize(ports.NewOutbound(ctx), to, paying())
		return err
	},
}

// mustFail checks an error's code, and that the error does not quote the handler.
func mustFail(t testing.TB, err error, code string) {
	t.Helper()
	if fault.KindOf(err) != fault.Unavailable || !fault.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}
