package purchase_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	app "github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// parallelCards is how many payments are finalized at the same time.
const parallelCards = checkout.MaxOpen

// countingGateway counts the cards that reach the provider, which takes its time to answer.
type countingGateway struct {
	ports.Gateway
	outcome checkout.Outcome
	reached atomic.Int64
}

func (g *countingGateway) Charge(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	g.reached.Add(1)
	time.Sleep(50 * time.Millisecond)
	if paid, ok := g.outcome.(checkout.Paid); ok {
		paid.Provider = r.Charge.Key
		return paid, nil
	}
	return g.outcome, nil
}

type consentingAgent struct{ ports.Agent }

func (consentingAgent) Finalize(ports.Outbound, agent.FinalizeInput) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

type noMandates struct{}

func (noMandates) Mandate(context.Context, *project.Project, id.Session) (agent.Mandate, error) {
	return agent.Mandate{}, nil
}

type randomBits struct{}

func (randomBits) Bits128() (bits [16]byte) { rand.Read(bits[:]); return bits }

func (b randomBits) IDBits() [16]byte { return b.Bits128() }
func (randomBits) Secret(int) string  { return "secret" }

type plainSecrets struct{}

func (plainSecrets) Derive(text, _ string) []string { return []string{text} }

// newPaymentService returns a server's payment service over a store.
func newPaymentService(s *storetest.Store, g ports.Gateway) *app.Service {
	return &app.Service{
		Stores: &ports.Stores{
			Checkouts: s.Checkouts(),
			Orders:    s.Orders(),
		},
		Agent:    consentingAgent{},
		Mandates: noMandates{},
		Gateway:  g,
		Tokens:   ordertoken.Tokens{Secrets: plainSecrets{}},
		Sandbox:  true,
		Entropy:  randomBits{},
		Log:      slog.New(slog.DiscardHandler),
		Patience: time.Minute, // the machine may be busy
	}
}

// replicas are stores of one database, as many as servers may share it.
var replicas = map[string]func(testing.TB) []*storetest.Store{
	"sqlite": func(tb testing.TB) []*storetest.Store { return []*storetest.Store{storetest.FreshSQLite(tb)} },
	"postgres": func(tb testing.TB) []*storetest.Store {
		url := pgserver.Shared(tb).Migrated(tb, storetest.Migrated)
		return []*storetest.Store{storetest.OpenStore(tb, sqlstore.Config{URL: url}), storetest.OpenStore(tb, sqlstore.Config{URL: url})}
	},
}

// finalizeAll pays checkouts at the same time, by one replica after the other, and counts the answers by what they are:
// order, declined or the code of a refusal.
func finalizeAll(t *testing.T, services []*app.Service, p *project.Project, opened []id.Checkout, client string) map[string]int {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	answers := map[string]int{}
	for i, c := range opened {
		all.Go(func() {
			result, err := services[i%len(services)].Finalize(ports.NewOutbound(t.Context()), p, app.FinalizeRequest{
				Checkout: c,
				Method:   project.SharedPaymentToken,
				Token:    "tok_" + c.String(),
				Client:   client,
				Email:    "ada@example.com",
			})
			answer := "order"
			if _, declined := result.(app.Declined); declined {
				answer = "declined"
			}
			if err != nil {
				answer = err.Error()
			}
			var refused *fault.Error
			if errors.As(err, &refused) {
				answer = refused.Code
			}
			mu.Lock()
			defer mu.Unlock()
			answers[answer]++
		})
	}
	all.Wait()
	return answers
}

// Of many stolen cards that are tried at once, no more reach the provider than may be declined.
func TestPurchase_Claim_declineLimit(t *testing.T) {
	t.Parallel()
	for engine, open := range replicas {
		for name, test := range map[string]struct {
			apart  bool // each card in a session of its own
			client string
		}{
			"of a session": {false, ""},
			"of a client":  {true, "client"},
		} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				g := &countingGateway{outcome: checkout.Declined{Code: "stolen_card"}}
				answers := parallelFinalizes(t, open(t), g, test.apart, test.client)
				if n := g.reached.Load(); n != checkout.MostDeclined {
					t.Errorf("%d cards reached the provider, want %d", n, checkout.MostDeclined)
				}
				if answers["declined"] != checkout.MostDeclined || answers["too_many_declines"] != parallelCards-checkout.MostDeclined {
					t.Errorf("answers: %v", answers)
				}
			})
		}
	}
}

// Buyers behind one address do not refuse each other's payments.
func TestPurchase_Claim_honestBuyersOfOneClient(t *testing.T) {
	t.Parallel()
	for engine, open := range replicas {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			answers := parallelFinalizes(t, open(t), &countingGateway{outcome: checkout.Paid{}}, true, "client")
			if answers["order"] != parallelCards {
				t.Errorf("answers: %v", answers)
			}
		})
	}
}

func parallelFinalizes(t *testing.T, stores []*storetest.Store, g *countingGateway, apart bool, client string) map[string]int {
	t.Helper()
	sale := porttest.NewSale(t, storetest.Views(stores[0]))
	opened := sale.Checkouts(parallelCards, apart)
	var services []*app.Service
	for _, s := range stores {
		services = append(services, newPaymentService(s, g))
	}
	return finalizeAll(t, services, sale.Shop(), opened, client)
}
