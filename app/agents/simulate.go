package agents

import (
	"context"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// MostSimulated is how many offers a simulation may have.
const MostSimulated = 50

// simulationTimeout bounds the time that remote handlers may take in one simulation. The built-in agent answers the rest.
const simulationTimeout = 20 * time.Second

// Simulation is a negotiation to play, about a product of the shop or an invented one.
type Simulation struct {
	Chosen
	Product id.Product
	Variant id.Variant
	MadeUp  MadeUp

	Quantity int
	Claims   session.Claims
	Offers   []*money.Amount // nil: a question of the price
	// Remote includes the handlers that answer buyers, both remote ones and language models. Language models stop when half
	// of the project's DailyTokens are used. Otherwise only programs of this server answer.
	Remote bool
}

// MadeUp is an invented product.
type MadeUp struct {
	List, Cost, Competitor *money.Amount
	Stock                  *int // nil: ten pieces more than are asked for
	Category               string
}

// Simulated is the result of a simulation.
type Simulated struct {
	Policy negotiation.Policy
	Steps  []Step
}

// Step is an offer and its answer, with the table that led to it.
type Step struct {
	Table    negotiation.Table
	Decision negotiation.Decision
	Answered agent.Answered
	Proposal *money.Amount // of a handler other than the built-in agent
}

// Simulate plays a negotiation until an offer is accepted. It stores nothing, but calls remote handlers and language models
// if sim.Remote is set.
func (s *Service) Simulate(ctx ports.Outbound, p *project.Project, of id.Agent, sim Simulation) (Simulated, error) {
	if err := sim.check(); err != nil {
		return Simulated{}, err
	}
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return Simulated{}, err
	}
	policy, err := s.policyOf(ctx, p, a, sim.Chosen)
	if err != nil {
		return Simulated{}, err
	}
	product, v, stock, err := s.simulatedProduct(ctx, p, sim)
	if err != nil {
		return Simulated{}, err
	}
	signals := negotiation.SignalsOf(product, v, sim.Quantity, stock)
	signals.Identify(sim.Claims, p.Storefront.Personalization, p.Storefront.Home())
	in := agent.QuoteInput{
		Scene: s.simulationScene(p, a, policy, sim),
		Product: agent.Product{
			ID:       product.ID,
			Variant:  v.ID,
			Name:     product.Name,
			Category: product.Category,
			Quantity: sim.Quantity,
		},
		Signals: signals,
	}
	if sim.Remote {
		var cancel context.CancelFunc
		ctx, cancel = asSimulation(ctx).WithTimeout(simulationTimeout)
		defer cancel()
	}
	steps, err := s.play(ctx, in, sim.Offers)
	return Simulated{policy, steps}, err
}

func (sim Simulation) check() error {
	c := fault.NewCheck()
	c.That(sim.Quantity >= 1 && sim.Quantity <= 1000, "quantity", "must be between 1 and 1,000")
	c.That(len(sim.Offers) >= 1 && len(sim.Offers) <= MostSimulated, "offers", "must have 1 to 50 offers")
	for i, o := range sim.Offers {
		c.In("offers").That(o == nil || o.IsPositive(), strconv.Itoa(i), "must be more than zero")
	}
	if made := sim.MadeUp; sim.Product.IsZero() {
		if c.That(made.List != nil, "list_price", "is required without product_id") {
			c.That(made.List.IsPositive(), "list_price", "must be more than zero")
		}
		c.That(made.Cost == nil || !made.Cost.IsNegative(), "cost", "must not be negative")
		c.That(made.Competitor == nil || made.Competitor.IsPositive(), "competitor_price", "must be more than zero")
		c.That(made.Stock == nil || *made.Stock >= 0 && *made.Stock <= 1_000_000_000, "stock", "must be between 0 and 1,000,000,000")
		c.That(sim.Variant.IsZero(), "variant_id", "requires product_id")
	} else {
		c.That(made.List == nil, "list_price", "must be omitted: the product has it")
		c.That(made.Cost == nil, "cost", "must be omitted: the product has it")
		c.That(made.Competitor == nil, "competitor_price", "must be omitted: the product has it")
		c.That(made.Stock == nil, "stock", "must be omitted: the product has it")
		c.That(made.Category == "", "category", "must be omitted: the product has it")
	}
	return c.Err()
}

// simulatedProduct returns the product and variant to negotiate about, and its stock.
func (s *Service) simulatedProduct(ctx context.Context, p *project.Project, sim Simulation) (*catalog.Product, catalog.Variant, int, error) {
	if sim.Product.IsZero() {
		made, stock := sim.MadeUp, sim.Quantity+10
		if made.Stock != nil {
			stock = *made.Stock
		}
		return &catalog.Product{
			Project:         p.ID,
			Name:            "Made up",
			Category:        made.Category,
			Price:           *made.List,
			Cost:            made.Cost,
			CompetitorPrice: made.Competitor,
			Negotiable:      true,
		}, catalog.Variant{}, stock, nil
	}
	product, err := s.Products.Get(ctx, p.ID, sim.Product)
	if err != nil {
		return nil, catalog.Variant{}, 0, err
	}
	v, ok := product.Variant(sim.Variant)
	switch {
	case !ok && sim.Variant.IsZero():
		return nil, v, 0, fault.Field("variant_id", product.VariantRequired())
	case !ok:
		return nil, v, 0, product.NoVariant()
	}
	stock, err := s.stock(ctx, p, product)
	return product, v, stock[v.ID], err
}

// simulationScene returns the agent as it serves buyers, or without its remote handler and model unless sim.Remote is set.
func (s *Service) simulationScene(p *project.Project, a *agent.Agent, policy negotiation.Policy, sim Simulation) agent.Scene {
	played := *a
	if !sim.Remote {
		played.Model = agent.Model{}
		if played.Handlers.Quote.Kind == agent.Remote {
			played.Handlers.Quote = agent.InHouse
		}
	}
	opened := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, sim.Claims, p.Settings.SessionTimeout(), s.Clock.Now())
	return agent.Scene{
		Project: p,
		Session: negotiation.Given(opened, p.Storefront.Personalization, p.Storefront.Home()),
		Mandate: agent.Mandate{Agent: &played, Policy: policy.Under(p.Settings)},
	}
}

// offerInterval is the simulated time between two offers.
const offerInterval = 10 * time.Second

// play makes the offers in order and stops at the one that is accepted.
func (s *Service) play(ctx ports.Outbound, in agent.QuoteInput, offers []*money.Amount) ([]Step, error) {
	policy, now := in.Mandate.Policy, s.Clock.Now()
	item := negotiation.Item{
		Session:  in.Session.ID,
		Product:  in.Product.ID,
		Variant:  in.Product.Variant,
		Quantity: in.Product.Quantity,
	}
	q := negotiation.Start(id.New[id.Quote](s.Entropy.IDBits()), in.Project.ID, item, policy, in.Signals, nil, now)
	var steps []Step
	var said []negotiation.Entry
	in.History = func(context.Context) ([]negotiation.Entry, error) { return said, nil }
	for i, offer := range offers {
		at := now.Add(time.Duration(i) * offerInterval)
		in.Table = q.Table(policy.Terms(in.Signals), offer)
		step, err := s.step(ctx, in)
		if err != nil {
			return nil, err
		}
		q.Record(in.Table, step.Decision, at)
		steps = append(steps, step)
		said = append(said, negotiation.NewEntry(id.Decision{}, i+1, q, in.Table, in.Signals, step.Decision, "", at))
		if _, agreed := step.Decision.(negotiation.Accepted); agreed {
			break
		}
	}
	return steps, nil
}

func (s *Service) step(ctx ports.Outbound, in agent.QuoteInput) (Step, error) {
	proposal, err := s.Serving.Quote(ctx, in)
	if err != nil {
		return Step{}, err
	}
	step := Step{
		Table:    in.Table,
		Decision: negotiation.Guard(in.Table, proposal.Decision),
		Answered: proposal.Answered,
	}
	if proposal.Answered.Handler != agent.HouseHandler {
		step.Proposal = negotiation.PriceIn(proposal.Decision)
	}
	return step, nil
}
