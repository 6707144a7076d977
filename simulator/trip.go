package simulator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/shopping"
)

// basisPoints is 100 % in hundredths of a percent.
const basisPoints = 10_000

// trip is one buyer's visit. Number 0 reads the market.
type trip struct {
	plan       plan
	connection *exchange.Client
	client     *acp.Client // of Haggle's own protocol, even if the buyer uses another
	witness    *Witness
	watching   []func(acp.Call)
	config     Config
	measured   []measurement

	haggled  buyer.Outcome
	outcome  Outcome
	discount float64 // in whole hundredths of a percent, so that sums do not depend on their order
	err      error
}

// measurement is what the report counts of one call.
type measurement struct {
	endpoint string
	elapsed  time.Duration
	status   string // of a quote or a finalize
	problem  string // status and code of an error: 409 out_of_stock
	order    string
}

func newTrip(config Config, p plan, manifest acp.Manifest) *trip {
	t := &trip{
		plan:    p,
		witness: NewWitness(manifest),
		config:  config,
	}
	t.watching = []func(acp.Call){t.witness.Saw, t.measure}
	t.connection = exchange.NewClient(exchange.Config{
		URL:        config.URL,
		Validator:  config.Validator,
		Transcript: exchange.NewTranscript(60),
		RequestIDs: fmt.Sprintf("sim-%d-%d", config.Seed, p.number),
		Patience:   config.patience,
	})
	t.client = acp.New(t.connection, config.Project, t.watching...)
	return t
}

// enter opens the shop by the configured protocol.
func (t *trip) enter(ctx context.Context, m market) (buyer.Shop, error) {
	if t.config.Protocol == ACP {
		return acp.New(t.connection, t.config.Project, t.watching...), nil
	}
	return shopping.Enter(ctx, shopping.Config{
		UCP: ucp.Config{
			Connection: t.connection,
			Shop:       t.config.Project,
			Version:    t.config.UCPVersion,
			Transport:  transports[t.config.Protocol],
		},
		Currency:  m.manifest.Currency(),
		Email:     t.plan.email,
		Observers: t.watching,
	})
}

func (t *trip) measure(call acp.Call) {
	m := measurement{endpoint: call.Endpoint, elapsed: call.Raw.Elapsed}
	switch answer := call.Response.(type) {
	case acp.Quote:
		m.status = answer.Status
	case acp.Finalized:
		m.status, m.order = answer.Status, answer.Order.ID
	}
	var problem *acp.Error
	switch {
	case errors.As(call.Err, &problem):
		m.problem = fmt.Sprintf("%d %s", problem.HTTPStatus, problem.Code)
	case call.Err != nil:
		m.problem = "no usable answer"
	}
	t.measured = append(t.measured, m)
}

// run takes the buyer through the shop.
func (t *trip) run(ctx context.Context, m market) {
	entered, err := t.enter(ctx, m)
	if err != nil {
		t.outcome, t.err = outcomeOf(err, Failed), err
		return
	}
	b := buyer.New(ctx, entered)
	b.Manifest, b.Email, b.Claims = m.manifest, t.plan.email, t.plan.claims
	t.haggled, t.outcome = shop(b, t.plan)
	t.err = b.Err()
	if t.haggled.Agreed {
		t.discount = math.Round(b.Discount() * basisPoints)
	}
}
