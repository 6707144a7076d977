// Package haggling answers offers: it loads the quote and its product, asks the agent for a proposal, applies the guardrails
// and stores the answer. Package negotiation has the price rules. The buyer's message is stored and passed to the agent, but
// does not affect the price.
package haggling

import (
	"context"
	"log/slog"
	"time"

	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// maxOffers is how many offers a session may have, because every read of a session returns its whole history. Later offers
// can only redeem a promised price.
const maxOffers = 1000

// ErrPriceChanged refuses a buyer who accepts a price that is not the current one.
var ErrPriceChanged = fault.New(fault.Conflict, "price_changed", "The standing_price has changed. Read the negotiation, and accept the new one or make an offer.")

var errExhausted = fault.New(fault.Conflict, "session_exhausted", "The session has reached its limit of 1,000 offers. Start a new one.")

// Service answers offers.
type Service struct {
	*ports.Stores

	Agent    ports.Agent
	Mandates ports.Mandates
	Index    ports.Index
	Clock    ports.Clock
	Entropy  ports.Entropy
	Log      *slog.Logger
	Meter    ports.Meter // nil: answers are not counted
	Tokens   dealtoken.Tokens
	// Fresh brings the index up to date before a bundle is looked up in it.
	Fresh func(context.Context, *project.Project) error
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Request is an offer, or a question for the price if Offer is nil.
type Request struct {
	Ask       ports.HaggleAsk
	Offer     *money.Amount
	Claims    *session.Claims // nil: unchanged
	Place     string          // ISO 3166; refines or replaces the claimed location if Claims is nil; "": unchanged
	Message   string
	AddBundle bool
	// ByQuote means that the quote's id alone authorizes the request and identifies the session.
	ByQuote bool
	// Accept means that Offer accepts the current price. The request is refused if that is another one.
	Accept bool
	Agent  agentid.Agent // the calling agent; it is stored with a session that the request opens and does not affect the price
	// Physical means that the protocol has no checkout for digital items, so that they are refused.
	Physical bool
	// Repeatable means that the response is stored and replayed if the request is sent again.
	Repeatable bool
	// Again means that another answer in the session was stored first. An agent that calls out is not called a second time.
	Again bool
}

// ErrDigital refuses a negotiation that could not end in a checkout of the same protocol.
var ErrDigital = fault.New(fault.Conflict, "item_unavailable",
	"The item is digital and cannot be sold over this protocol. Buy it over the shop's Agent Commerce Protocol.")

// Answer is the response to the buyer. If Expired, Decision is nil and nothing was changed.
type Answer struct {
	Session   id.Session
	Quote     negotiation.Snapshot
	Product   *catalog.Product
	Decision  negotiation.Decision
	Expired   bool
	Offer     *money.Amount
	Reasoning string
	Message   string
	Why       string // the reason in a sentence, without names and texts of the merchant; it reveals nothing new
	Token     string // of an accepted offer; never stored
	Final     bool   // no further offer brings a lower price
	RoundCap  int    // the counter of this number is final
	// Personalized is the notice to the buyer if personal signals moved the price; nil: none did.
	Personalized *personalization.Notice
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
		c.That(!r.AddBundle, "add_bundle", "is only for a quote that suggests a bundle")
		c.That(!r.Ask.Product.IsZero() || r.Ask.Ref != "", "product_id", "is required")
		c.That(r.Ask.Quantity >= 1 && r.Ask.Quantity <= 1000, "quantity", "must be between 1 and 1,000")
	} else {
		c.That(r.ByQuote || !r.Ask.Session.IsZero(), "session_id", "is required with quote_id")
	}
	c.That(r.Offer == nil || r.Offer.IsPositive(), "offer_price", "must be more than zero")
	return c.Err()
}

// answer loads the quote and its product, decides, and sets q.Answer and q.result.
func (q *PreparedQuote) answer(ctx ports.Outbound) error {
	s, p, r, now := q.service, q.project, q.request, q.service.Clock.Now()
	q.result = nil
	h, mandate, err := s.load(ctx, p, r.Ask, now)
	if err != nil {
		return err
	}
	roundCap := mandate.Policy.RoundCap
	current, touched, err := s.sessionOf(p, h, r, now)
	if err != nil {
		return err
	}
	if h.Quote != nil && h.Quote.Expired(now) {
		q.Answer = Answer{
			Session:  current.ID,
			Quote:    h.Quote.Snapshot(),
			Product:  h.Product,
			Expired:  true,
			RoundCap: roundCap,
		}
		return nil
	}
	mandate, err = s.Mandates.Mandate(ctx, p, current.ID) // a new session may be one of the holdout
	if err != nil {
		return err
	}
	t, err := s.thread(p, h, r, current, mandate, now)
	if err != nil {
		return err
	}
	if err := t.checkAccepted(r); err != nil {
		return err
	}
	if h.LastSeq >= maxOffers && !t.redeemsPromise(h, r) {
		return errExhausted
	}
	answer, result, err := s.decide(ctx, p, h, r, t, now)
	if err != nil {
		return err
	}
	if current.KeepUntil(answer.Quote.ValidUntil) { // a session may be shorter than the time for which a price is promised
		touched.Time = true
	}
	result.Session, result.NewSession, result.Touched, result.Version = current, h.Session == nil, touched, p.Version
	q.Answer, q.result = answer, &result
	return nil
}

// load reads the mandate, and the quote, product and stock that the request is about.
func (s *Service) load(ctx context.Context, p *project.Project, ask ports.HaggleAsk, now time.Time) (ports.Haggle, agent.Mandate, error) {
	mandate, err := s.Mandates.Mandate(ctx, p, ask.Session)
	if err != nil {
		return ports.Haggle{}, mandate, err
	}
	h, err := s.Haggling.Load(ctx, p.ID, withProbeWindows(ask, mandate.Policy.Probing, now))
	return h, mandate, err
}

// withProbeWindows sets the periods for which the store counts the client's sessions, where the policy limits them. A client
// counts as a prober if, of its newest sessions (twice the limit), more than the limit led to no order.
func withProbeWindows(ask ports.HaggleAsk, limits negotiation.Probing, now time.Time) ports.HaggleAsk {
	if limits.Client > 0 {
		ask.Since = now.Add(-24 * time.Hour)
	}
	if limits.Product > 0 {
		ask.ProductSince = now.Add(-negotiation.ProbingWindow)
		ask.Sessions = min(2*limits.Product, maxCountedSessions)
	}
	return ask
}

// maxCountedSessions is how many of a client's sessions about a product are counted at most.
const maxCountedSessions = 2000

// sessionOf returns the session that the request names, touched, or a new one.
func (s *Service) sessionOf(p *project.Project, h ports.Haggle, r Request, now time.Time) (current *session.Session, touched session.Touched, err error) {
	timeout := p.Settings.SessionTimeout()
	if r.Claims == nil && r.Place != "" {
		r.Claims = &session.Claims{}
		if h.Session != nil {
			*r.Claims = h.Session.Claims
		}
		r.Claims.Location = checkout.Refine(r.Claims.Location, r.Place, p.Storefront.Home())
	}
	if r.Ask.Session.IsZero() && r.Ask.Quote.IsZero() {
		claims := session.Claims{}
		if r.Claims != nil {
			claims = *r.Claims
		}
		current = session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, claims, timeout, now)
		current.Agent = r.Agent
		if r.Repeatable {
			current.AwaitUse()
		}
		return current, touched, nil
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

// decide gets a proposal from the built-in rules or the agent, applies the guardrails, and returns the answer and the result to
// store.
func (s *Service) decide(ctx ports.Outbound, p *project.Project, h ports.Haggle, r Request, t *thread, now time.Time) (Answer, ports.HaggleResult, error) {
	offer := t.offer(r)
	in := agent.QuoteInput{
		Scene: agent.Scene{
			Project: p,
			Session: negotiation.Given(t.session, p.Storefront.Personalization, p.Storefront.Home()),
			Mandate: t.mandate,
			History: s.history(p, h, t.session),
		},
		Table:   t.quote.Table(t.terms, offer),
		Signals: t.signals,
		Message: r.Message,
		Product: agent.Product{
			ID:       t.product.ID,
			Variant:  t.variant.ID,
			Name:     t.product.Name,
			Category: t.product.Category,
			Quantity: t.signals.Quantity,
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
	t.quote.Personalize(movedBy(t, in.Session, in.Table, proposal.Answered), t.region)
	t.quote.EndBy(t.session.End())
	if _, agreed := decision.(negotiation.Accepted); !agreed {
		t.quote.Suggest(s.bundle(ctx, p, t, r.Physical, h.Cart, now))
	}
	result := ports.HaggleResult{
		Quote:    t.quote,
		NewQuote: t.fresh,
		Entry:    s.entry(h, r, t, in, proposal, decision, now),
	}
	if t.fresh && h.Prior != nil {
		h.Prior.Supersede()
		result.Superseded = h.Prior
	}
	answer := Answer{
		Session:  t.session.ID,
		Product:  t.product,
		Decision: decision,
		Offer:    offer,
		RoundCap: t.mandate.Policy.RoundCap,
	}
	if agreed, ok := decision.(negotiation.Accepted); ok {
		answer.Token = s.closeDeal(t, agreed, r.AddBundle, &result, now)
	}
	answer.Quote = t.quote.Snapshot()
	answer.Final = answer.Quote.Final(t.terms)
	answer.Personalized = notice(p, answer.Quote.Personal)
	if decision != proposal.Decision {
		proposal.Reasoning, proposal.Message = "", "" // its words are about another decision
	}
	answer.Why = publicOf(in.Table, decision, answer.Final).why()
	answer.Reasoning, answer.Message = words(answer, s.addWords(ctx, in, proposal, answer, r.Again))
	return answer, result, nil
}

// propose asks the agent. If the agent fails, it returns the proposal of the built-in rules. It does not call a remote agent a
// second time after another answer in the session was stored first, because the agent has used up its time.
func (s *Service) propose(ctx ports.Outbound, in agent.QuoteInput, builtin agent.QuoteAnswer, again bool) (agent.QuoteAnswer, error) {
	if again && in.Mandate.Agent.CallsOut() {
		builtin.Answered.Fallback = "contended"
		return builtin, nil
	}
	proposal, err := s.Agent.Quote(ctx, in)
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return proposal, err // the request breaks a rule of the agent's
	case err != nil:
		s.Log.WarnContext(ctx, "agent gave no answer; the built-in rules decide", "error", err)
		builtin.Answered.Fallback = "agent_failed"
		return builtin, nil
	}
	return proposal, nil
}

// entry returns the record of the decision in the session's history.
func (s *Service) entry(h ports.Haggle, r Request, t *thread, in agent.QuoteInput, a agent.QuoteAnswer, d negotiation.Decision, now time.Time) negotiation.Entry {
	e := negotiation.NewEntry(id.New[id.Decision](s.Entropy.IDBits()), h.LastSeq+1, t.quote, in.Table, t.signals, d, r.Message, now)
	e.Agent, e.Client = t.mandate.Agent.ID, r.Ask.Client
	e.Handler, e.Fallback = a.Answered.Handler, a.Answered.Fallback
	if e.Handler != agent.HouseHandler {
		e.Proposal = negotiation.Proposed(in.Table, a.Decision)
	}
	return e
}

// addWords asks the agent to word its decision if the proposal has no words.
func (s *Service) addWords(ctx ports.Outbound, in agent.QuoteInput, a agent.QuoteAnswer, answer Answer, again bool) agent.QuoteAnswer {
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

// history returns a function with which the agent can read the session's history, or nil for a new session.
func (s *Service) history(p *project.Project, h ports.Haggle, current *session.Session) func(context.Context) ([]negotiation.Entry, error) {
	if h.Session == nil || s.Sessions == nil {
		return nil
	}
	return func(ctx context.Context) ([]negotiation.Entry, error) {
		known, err := s.Sessions.Visit(ctx, p.ID, current.ID)
		return known.History, err
	}
}

// closeDeal creates the checkout token of an accepted quote, fills the cart and adds the event.
func (s *Service) closeDeal(t *thread, agreed negotiation.Accepted, withBundle bool, result *ports.HaggleResult, now time.Time) string {
	salt := s.Entropy.Secret(20)
	token := s.Tokens.New(t.quote.Snapshot().ID, salt)
	t.quote.Seal(id.Hash(token), salt, withBundle)
	q := t.quote.Snapshot()
	result.Cart = []session.CartItem{{
		Product:  q.Item.Product,
		Variant:  q.Item.Variant,
		Name:     t.product.Name,
		Quantity: q.Item.Quantity,
		Price:    agreed.Price,
		Quote:    q.ID,
	}}
	if q.WithBundle {
		result.Cart = append(result.Cart, session.CartItem{
			Product:  q.Bundle.Product,
			Variant:  q.Bundle.Variant,
			Name:     q.Bundle.Name,
			Quantity: 1,
			Price:    q.Bundle.Price,
			Quote:    q.ID,
		})
	}
	result.Event = event.New(s.Entropy.IDBits(), q.Project, now, event.QuoteAccepted{
		Quote:    q.ID,
		Session:  q.Item.Session,
		Product:  q.Item.Product,
		Variant:  q.Item.Variant,
		Quantity: q.Item.Quantity,
		List:     q.Bounds.List(),
		Price:    agreed.Price,
	})
	return token
}
