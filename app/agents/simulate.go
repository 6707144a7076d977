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

// patience is how long handlers elsewhere may take for a whole simulation. The house answers what is left.
const patience = 20 * time.Second

// Simulation is a negotiation to be played: about a product of the shop, or about one that is made up.
type Simulation struct {
	Chosen
	Product id.Product
	Variant id.Variant
	MadeUp  MadeUp

	Quantity int
	Claims   session.Claims
	Offers   []*money.Amount // nil: a question of the price
	// Remote asks whoever answers buyers, remote handlers and language models too, these until half of the project's
	// DailyTokens are gone. Otherwise only programs of this server are asked.
	Remote bool
}

// MadeUp is a product of which the shop knows nothing.
type MadeUp struct {
	List, Cost, Competitor *money.Amount
	Stock                  *int // nil: ten pieces more than are asked for
	Category               string
}

// Simulated is how it went.
type Simulated struct {
	Policy negotiation.Policy
	Steps  []Step
}

// Step is an offer and its answer, with all that led to it.
type Step struct {
	Table    negotiation.Table
	Decision negotiation.Decision
	Answered agent.Answered
	Proposal *money.Amount // of whoever is not the house
}

// Simulate plays a negotiation up to its deal. It has no effects, but that remote handlers and language models are
// asked if that is wanted.
func (s *Service) Simulate(ctx ports.Outbound, p *project.Project, of id.Agent, sim Simulation) (Simulated, error) {
	if err := sim.check(); err != nil {
		return Simulated{}, err
	}
	a, err := s.Agents.ByID(ctx, p.ID, of)
	if err != nil {
		return Simulated{}, err
	}
	policy, err := s.choose(ctx, p, a, sim.Chosen)
	if err != nil {
		return Simulated{}, err
	}
	product, v, stock, err := s.subject(ctx, p, sim)
	if err != nil {
		return Simulated{}, err
	}
	signals := negotiation.SignalsOf(product, v, sim.Quantity, stock)
	signals.Claims = negotiation.ClaimsOf(sim.Claims)
	in := agent.QuoteInput{
		Scene: s.scene(p, a, policy, sim),
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
		ctx, cancel = onTrial(ctx).WithTimeout(patience)
		defer cancel()
	}
	steps, err := s.playOut(ctx, in, sim.Offers)
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
		if c.That(made.List != nil, "list_price", "is required where no product is named") {
			c.That(made.List.IsPositive(), "list_price", "must be more than zero")
		}
		c.That(made.Cost == nil || !made.Cost.IsNegative(), "cost", "must not be negative")
		c.That(made.Competitor == nil || made.Competitor.IsPositive(), "competitor_price", "must be more than zero")
		c.That(made.Stock == nil || *made.Stock >= 0 && *made.Stock <= 1_000_000_000, "stock", "must be between 0 and 1,000,000,000")
		c.That(sim.Variant.IsZero(), "variant_id", "is for a product that is named")
	} else {
		c.That(made.List == nil, "list_price", "is the product's")
		c.That(made.Cost == nil, "cost", "is the product's")
		c.That(made.Competitor == nil, "competitor_price", "is the product's")
		c.That(made.Stock == nil, "stock", "is the product's")
		c.That(made.Category == "", "category", "is the product's")
	}
	return c.Err()
}

// subject is what the negotiation is about, and how much of it there is.
func (s *Service) subject(ctx context.Context, p *project.Project, sim Simulation) (*catalog.Product, catalog.Variant, int, error) {
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

// scene has the agent as it serves buyers, or without all that is not in this server.
func (s *Service) scene(p *project.Project, a *agent.Agent, policy negotiation.Policy, sim Simulation) agent.Scene {
	played := *a
	if !sim.Remote {
		played.Model = agent.Model{}
		if played.Handlers.Quote.Kind == agent.Remote {
			played.Handlers.Quote = agent.InHouse
		}
	}
	visit := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, sim.Claims, p.Settings.SessionTimeout(), s.Clock.Now())
	return agent.Scene{
		Project: p,
		Session: visit,
		Mandate: agent.Mandate{Agent: &played, Policy: policy.Under(p.Settings)},
	}
}

// betweenOffers is the time between two offers of a simulation.
const betweenOffers = 10 * time.Second

// playOut makes the offers in turn, up to the one that is accepted.
func (s *Service) playOut(ctx ports.Outbound, in agent.QuoteInput, offers []*money.Amount) ([]Step, error) {
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
		at := now.Add(time.Duration(i) * betweenOffers)
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
