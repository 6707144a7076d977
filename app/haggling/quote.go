// Package haggling answers offers: load what the offer is about, let the agent propose, hold the
// proposal to the guardrails, store the answer. The buyer's message is kept and passed on, and moves
// no price.
package haggling

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// mostOffers bounds a session, whose whole history every reading of it shows. Only promises are kept beyond it.
const mostOffers = 1000

// ErrPriceChanged answers a buyer who accepts another price than the one that stands.
var ErrPriceChanged = fault.New(fault.Conflict, "price_changed", "Another price stands now. Read the negotiation, and accept that one or make an offer.")

var errExhausted = fault.New(fault.Conflict, "session_exhausted", "The session has had its 1,000 offers. Start a new one.")

// Service answers offers.
type Service struct {
	*ports.Stores

	Agent    ports.Agent
	Mandates ports.Mandates
	Index    ports.Index
	Clock    ports.Clock
	Entropy  ports.Entropy
	Log      *slog.Logger
	Meter    ports.Meter // nil: nobody counts
	Tokens   dealtoken.Tokens
	// Fresh brings the index up to date before it is asked for a bundle.
	Fresh func(context.Context, *project.Project) error
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Request is an offer, or a question of the price where Offer is nil.
type Request struct {
	Ask       ports.HaggleAsk
	Offer     *money.Amount
	Claims    *session.Claims // nil: nothing new said
	Message   string
	AddBundle bool
	// ByQuote says that the quote's id alone is the right to it, and names its session.
	ByQuote bool
	// Accept says that Offer takes the price that stands, and is refused where another one does.
	Accept bool
	Agent  agentid.Agent // that asks: it is kept with a session that the request opens, and moves no price
	// Physical says that the protocol has no checkout for digital items: none is negotiated about.
	Physical bool
	// Repeatable says that the answer is kept for whoever sends the request again.
	Repeatable bool
	// Again says that another answer in the session came first. An agent that calls out is not asked again.
	Again bool
}

// ErrDigital refuses a negotiation that could not end in a checkout of the same protocol.
var ErrDigital = fault.New(fault.Conflict, "item_unavailable",
	"The item is digital, and is not sold over this protocol. It can be bought over the Agent Commerce Protocol of the shop.")

// Answer is what the buyer gets to hear. With Expired, Decision is nil and nothing changed.
type Answer struct {
	Session   id.Session
	Quote     negotiation.Snapshot
	Product   *catalog.Product
	Decision  negotiation.Decision
	Expired   bool
	Offer     *money.Amount
	Reasoning string
	Message   string
	Token     string // of an accepted offer; never stored
	Final     bool   // no further offer brings a lower price
	RoundCap  int    // the counter of this number is final
}

func (a Answer) count(in ports.Meter) {
	if a.Expired {
		in.QuoteExpired()
		return
	}
	in.Negotiated(a.Decision.Outcome())
}

func (r Request) check() error {
	c := fault.NewCheck()
	if r.Ask.Quote.IsZero() {
		c.That(!r.AddBundle, "add_bundle", "is for a quote that suggests a bundle")
		c.That(!r.Ask.Product.IsZero() || r.Ask.Ref != "", "product_id", "is required")
		c.That(r.Ask.Quantity >= 1 && r.Ask.Quantity <= 1000, "quantity", "must be between 1 and 1,000")
	} else {
		c.That(r.ByQuote || !r.Ask.Session.IsZero(), "session_id", "is required with quote_id")
	}
	c.That(r.Offer == nil || r.Offer.IsPositive(), "offer_price", "must be more than zero")
	return c.Err()
}

// answer loads what the request is about, decides, and keeps the answer with what is to be stored of it.
func (q *PreparedQuote) answer(ctx ports.Outbound) error {
	s, p, r, now := q.service, q.project, q.request, q.service.Clock.Now()
	q.result = nil
	h, mandate, err := s.load(ctx, p, r.Ask, now)
	if err != nil {
		return err
	}
	roundCap := mandate.Policy.RoundCap
	visit, touched, err := s.visit(p, h, r, now)
	if err != nil {
		return err
	}
	if h.Quote != nil && h.Quote.Expired(now) {
		q.Answer = Answer{
			Session:  visit.ID,
			Quote:    h.Quote.Snapshot(),
			Product:  h.Product,
			Expired:  true,
			RoundCap: roundCap,
		}
		return nil
	}
	mandate, err = s.Mandates.Mandate(ctx, p, visit.ID) // a new session may be one of the holdout
	if err != nil {
		return err
	}
	t, err := s.talk(p, h, r, visit, mandate, now)
	if err != nil {
		return err
	}
	if err := t.atStanding(r); err != nil {
		return err
	}
	if h.LastSeq >= mostOffers && !t.owed(h, r) {
		return errExhausted
	}
	answer, result, err := s.decide(ctx, p, h, r, t, now)
	if err != nil {
		return err
	}
	if visit.KeepUntil(answer.Quote.ValidUntil) { // a shop's sessions may be shorter than its promises
		touched.Time = true
	}
	result.Session, result.NewSession, result.Touched, result.Version = visit, h.Session == nil, touched, p.Version
	q.Answer, q.result = answer, &result
	return nil
}

// load reads what the request is about.
func (s *Service) load(ctx context.Context, p *project.Project, ask ports.HaggleAsk, now time.Time) (ports.Haggle, agent.Mandate, error) {
	mandate, err := s.Mandates.Mandate(ctx, p, ask.Session)
	if err != nil {
		return ports.Haggle{}, mandate, err
	}
	h, err := s.Haggling.Load(ctx, p.ID, counting(ask, mandate.Policy.Probing, now))
	return h, mandate, err
}

// counting has what a client tries counted where the policy limits it. A client is only held a prober if, of the newest twice as many sessions, more than the
// limit led to no order.
func counting(ask ports.HaggleAsk, limits negotiation.Probing, now time.Time) ports.HaggleAsk {
	if limits.Client > 0 {
		ask.Since = now.Add(-24 * time.Hour)
	}
	if limits.Product > 0 {
		ask.ProductSince = now.Add(-negotiation.ProbingWindow)
		ask.Sessions = min(2*limits.Product, mostLookedAt)
	}
	return ask
}

// mostLookedAt bounds a client's sessions about a product that are looked at.
const mostLookedAt = 2000

// visit is the session of the request: the one named, or a new one.
func (s *Service) visit(p *project.Project, h ports.Haggle, r Request, now time.Time) (visit *session.Session, touched session.Touched, err error) {
	timeout := p.Settings.SessionTimeout()
	if r.Ask.Session.IsZero() && r.Ask.Quote.IsZero() {
		claims := session.Claims{}
		if r.Claims != nil {
			claims = *r.Claims
		}
		visit = session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, claims, timeout, now)
		visit.Agent = r.Agent
		if r.Repeatable {
			visit.AwaitUse()
		}
		return visit, touched, nil
	}
	switch {
	case r.Ask.Session.IsZero() && (h.Quote == nil || h.Session == nil):
		return nil, touched, fault.Missing("quote")
	case h.Session == nil:
		return nil, touched, fault.Missing("session")
	case !r.Agent.FindsWhatWasMadeBy(h.Session.Agent):
		return nil, touched, fault.Missing("session")
	}
	touched, err = h.Session.Touch(r.Claims, timeout, now)
	return h.Session, touched, err
}

// decide has the built-in rules decide or asks the agent, holds its proposal to the guardrails, and makes what is to be
// stored.
func (s *Service) decide(ctx ports.Outbound, p *project.Project, h ports.Haggle, r Request, t *talk, now time.Time) (Answer, ports.HaggleResult, error) {
	offer := t.offer(r)
	in := agent.QuoteInput{
		Scene: agent.Scene{Project: p, Session: t.visit, Mandate: t.mandate, History: s.history(p, h, t.visit)},
		Table: t.quote.Table(t.terms, offer), Signals: t.signals, Message: r.Message,
		Product: agent.Product{
			ID: t.product.ID, Variant: t.variant.ID, Name: t.product.Name, Category: t.product.Category, Quantity: t.signals.Quantity,
		},
	}
	proposal := agent.QuoteAnswer{
		Decision: negotiation.Decide(in.Table),
		Answered: agent.Answered{Handler: agent.HouseHandler},
	}
	if !t.mandate.Agent.DecidesInHouse() {
		var err error
		if proposal, err = s.propose(ctx, in, proposal, r.Again); err != nil {
			return Answer{}, ports.HaggleResult{}, err
		}
	}
	decision := negotiation.Guard(in.Table, proposal.Decision)
	t.quote.Record(in.Table, decision, now)
	t.quote.EndBy(t.visit.End())
	if _, agreed := decision.(negotiation.Accepted); !agreed {
		t.quote.Suggest(s.bundle(ctx, p, t, r.Physical, h.Cart, now))
	}
	result := ports.HaggleResult{Quote: t.quote, NewQuote: t.fresh, Entry: s.entry(h, r, t, in, proposal, decision, now)}
	if t.fresh && h.Prior != nil {
		h.Prior.Supersede()
		result.Superseded = h.Prior
	}
	answer := Answer{
		Session:  t.visit.ID,
		Product:  t.product,
		Decision: decision,
		Offer:    offer,
		RoundCap: t.mandate.Policy.RoundCap,
	}
	if agreed, ok := decision.(negotiation.Accepted); ok {
		answer.Token = s.seal(t, agreed, r.AddBundle, &result, now)
	}
	answer.Quote = t.quote.Snapshot()
	answer.Final = answer.Quote.Final(t.terms)
	if decision != proposal.Decision {
		proposal.Reasoning, proposal.Message = "", "" // its words are about an answer that is not given
	}
	answer.Reasoning, answer.Message = words(answer, s.worded(ctx, in, proposal, answer, r.Again))
	return answer, result, nil
}

// propose asks the agent, in whose place the built-in rules answer where it fails. An agent that calls out is not asked
// again when another answer in the session came first: it has had its time.
func (s *Service) propose(ctx ports.Outbound, in agent.QuoteInput, house agent.QuoteAnswer, again bool) (agent.QuoteAnswer, error) {
	if again && in.Mandate.Agent.CallsOut() {
		house.Answered.Fallback = "contended"
		return house, nil
	}
	proposal, err := s.Agent.Quote(ctx, in)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return proposal, err // the request breaks a rule of the agent's
	case err != nil:
		s.Log.WarnContext(ctx, "agent gave no answer; the built-in rules decide", "error", err)
		house.Answered.Fallback = "agent_failed"
		return house, nil
	}
	return proposal, nil
}

// entry is the decision's place in the record.
func (s *Service) entry(h ports.Haggle, r Request, t *talk, in agent.QuoteInput, a agent.QuoteAnswer, d negotiation.Decision, now time.Time) negotiation.Entry {
	e := negotiation.NewEntry(id.New[id.Decision](s.Entropy.IDBits()), h.LastSeq+1, t.quote, in.Table, t.signals, d, r.Message, now)
	e.Agent, e.Client = t.mandate.Agent.ID, r.Ask.Client
	e.Handler, e.Fallback = a.Answered.Handler, a.Answered.Fallback
	if e.Handler != agent.HouseHandler {
		e.Proposal = negotiation.Proposed(in.Table, a.Decision)
	}
	return e
}

// worded has what the agent left without words put into some, if the merchant wants that.
func (s *Service) worded(ctx ports.Outbound, in agent.QuoteInput, a agent.QuoteAnswer, answer Answer, again bool) agent.QuoteAnswer {
	if a.Reasoning != "" || a.Message != "" || again {
		return a
	}
	words := s.Agent.Word(ctx, agent.WordInput{
		Scene:      in.Scene,
		Product:    in.Product,
		Decision:   answer.Decision,
		List:       answer.Quote.Bounds.List(),
		ValidUntil: answer.Quote.ValidUntil,
	})
	a.Reasoning, a.Message = words.Reasoning, words.Message
	return a
}

// history reads what was said in the session, for agents that ask for it. A new session has none.
func (s *Service) history(p *project.Project, h ports.Haggle, visit *session.Session) func(context.Context) ([]negotiation.Entry, error) {
	if h.Session == nil || s.Sessions == nil {
		return nil
	}
	return func(ctx context.Context) ([]negotiation.Entry, error) {
		known, err := s.Sessions.Visit(ctx, p.ID, visit.ID)
		return known.History, err
	}
}

// seal makes the checkout token of an agreed quote, fills the cart and announces the deal.
func (s *Service) seal(t *talk, agreed negotiation.Accepted, withBundle bool, result *ports.HaggleResult, now time.Time) string {
	salt := s.Entropy.Secret(20)
	token := s.Tokens.New(t.quote.Snapshot().ID, salt)
	t.quote.Seal(id.Hash(token), salt, withBundle)
	q := t.quote.Snapshot()
	result.Cart = []session.CartItem{{
		Product: q.Item.Product, Variant: q.Item.Variant, Name: t.product.Name,
		Quantity: q.Item.Quantity, Price: agreed.Price, Quote: q.ID,
	}}
	if q.WithBundle {
		result.Cart = append(result.Cart, session.CartItem{
			Product: q.Bundle.Product, Variant: q.Bundle.Variant, Name: q.Bundle.Name,
			Quantity: 1, Price: q.Bundle.Price, Quote: q.ID,
		})
	}
	result.Event = event.New(s.Entropy.IDBits(), q.Project, now, event.QuoteAccepted{
		Quote: q.ID, Session: q.Item.Session, Product: q.Item.Product, Variant: q.Item.Variant,
		Quantity: q.Item.Quantity, List: q.Bounds.List(), Price: agreed.Price,
	})
	return token
}

// courtesy is how long a quote waits for an index to suggest a bundle from.
const courtesy = 250 * time.Millisecond

// mostPassedOver is how many digital products a bundle looks past for one that is shipped.
const mostPassedOver = 10

// bundle is a product that goes with the item and is not in the cart, or nil. A bundle is a courtesy: without an index the
// quote goes on without it. physical leaves out what is digital.
func (s *Service) bundle(
	ctx context.Context, p *project.Project, t *talk, physical bool, cart []session.CartItem, now time.Time,
) *negotiation.Bundle {
	if !p.Settings.BundleSuggestions || t.mandate.Policy.Bundles.Off || t.quote.Snapshot().Bundle != nil {
		return nil
	}
	patient, cancel := context.WithTimeout(ctx, courtesy)
	defer cancel()
	if err := s.Fresh(patient, p); err != nil {
		s.Log.WarnContext(ctx, "no index to suggest a bundle from", "error", err)
		return nil
	}
	most := 1 + len(cart)
	if physical {
		most += mostPassedOver
	}
	complements := s.Index.Complements(p.ID, []id.Product{t.product.ID}, most)
	complements = slices.DeleteFunc(complements, func(c ports.Complement) bool {
		return physical && c.Variant.Digital || slices.ContainsFunc(cart, func(item session.CartItem) bool { return item.Product == c.Product.ID })
	})
	if len(complements) == 0 {
		return nil
	}
	c := complements[0]
	regular := c.Product.PriceOf(c.Variant)
	price := t.mandate.Policy.BundlePrice(regular, c.Product.Cost, c.Product.Negotiable, c.Product.Category)
	if price.Minor() < regular.Minor() {
		return &negotiation.Bundle{
			Product: c.Product.ID, Variant: c.Variant.ID, Name: c.Product.Name, Regular: regular, Price: price,
			ValidUntil: now.Add(negotiation.Validity), Digital: c.Variant.Digital,
		}
	}
	return nil
}
