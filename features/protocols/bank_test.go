package protocols

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/provider"
)

// bank is a simulated payment provider with a gate. While the gate is shut, charges wait there.
type bank struct {
	url     string
	arrived chan struct{} // receives a value for each charge that reaches the gate
	open    chan struct{} // each value lets one charge pass
	next    http.Handler
}

func openBank(t *testing.T) *bank {
	t.Helper()
	p, err := provider.Open(provider.Config{Ledger: filepath.Join(t.TempDir(), "provider.ledger")})
	must(t, err)
	b := &bank{
		arrived: make(chan struct{}, 16),
		open:    make(chan struct{}, 16),
		next:    p.Handler(),
	}
	server := httptest.NewServer(b)
	b.url = server.URL
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		for range cap(b.open) {
			b.pass()
		}
		if err := <-done; err != nil {
			t.Errorf("the payment provider: %v", err)
		}
		server.Close()
		if err := p.Close(); err != nil {
			t.Errorf("closing the payment provider: %v", err)
		}
	})
	return b
}

// ServeHTTP makes a charge wait at the gate.
func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/payment_intents") {
		b.arrived <- struct{}{}
		select {
		case <-b.open:
		case <-r.Context().Done():
			return
		}
	}
	b.next.ServeHTTP(w, r)
}

// pass lets one charge pass the gate, now or later.
func (b *bank) pass() {
	select {
	case b.open <- struct{}{}:
	default:
	}
}

// serves configures a server to charge here.
func (b *bank) serves(c *boot.Config) { c.StripeURL = b.url }

// connect connects the shop's account at the bank.
func (b *bank) connect(t *testing.T, s *shop) {
	t.Helper()
	_, err := s.merchant.ConnectAPIKey(t.Context(), merchant.NewIntegration{
		Type:        "stripe",
		Credentials: merchant.Credentials{Key: b.accountOf(s)},
	})
	must(t, err)
	s.instrument = "shared_payment_token"
}

func (*bank) accountOf(s *shop) string { return "sk_test_" + s.slug }

// token issues a buyer's token for one charge.
func (b *bank) token(t *testing.T, s *shop) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"kind": "stripe", "script": "ok", "currency": strings.ToLower(s.currency), "max_amount": 10_000_000})
	must(t, err)
	answer, err := http.Post(b.url+"/lookalike/tokens", "application/json", bytes.NewReader(body))
	must(t, err)
	defer answer.Body.Close()
	var granted struct{ ID string }
	must(t, json.NewDecoder(answer.Body).Decode(&granted))
	return granted.ID
}

// charge is a successful charge.
type charge struct {
	Amount   int64             `json:"amount"`
	Status   string            `json:"status"`
	Metadata map[string]string `json:"metadata"`
	Token    string            `json:"token"`
}

// charges returns the charges of a token.
func (b *bank) charges(t *testing.T, token string) (list []charge) {
	t.Helper()
	answer, err := http.Get(b.url + "/ledger")
	must(t, err)
	defer answer.Body.Close()
	var ledger struct {
		Charges []charge `json:"charges"`
	}
	must(t, json.NewDecoder(answer.Body).Decode(&ledger))
	for _, taken := range ledger.Charges {
		if taken.Token == token {
			list = append(list, taken)
		}
	}
	return list
}
