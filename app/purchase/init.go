// Package purchase turns a cart into a paid order: init prices it, finalize claims it, charges it
// outside of any transaction, and records what came of it.
package purchase

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Service opens and finalizes checkouts.
type Service struct {
	*ports.Stores

	Agent     ports.Agent
	Mandates  ports.Mandates
	Gateway   ports.Gateway
	Tokens    ordertoken.Tokens
	Admission ports.PaymentAdmission // nil: every payment may begin
	Sandbox   bool                   // the built-in provider serves methods that no connected one does
	Clock     ports.Clock
	Entropy   ports.Entropy
	Log       *slog.Logger
	Meter     ports.Meter // nil: nobody counts
	// HookRules and Addresses tell to which URLs orders are sent.
	HookRules event.Rules
	Addresses ports.Addresses
	// Placed hears that something was written for the outbox; nil: nobody does.
	Placed func()
	// Patience is how long a finalize waits for another one of the same checkout, or for a payment of its session or
	// client to end while too many are in flight. Zero: 10 s.
	Patience time.Duration
	Waiting  *bulkhead.Room // where it waits for payments of its session or client; nil: without bounds

	// Lapsed and DueOrphans lease what background work carries on.
	Lapsed     ports.LapsedCheckouts
	DueOrphans ports.DueOrphans
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// InitRequest is a cart to be checked out. Without items it is what the token covers.
type InitRequest struct {
	Session   id.Session // zero: that of the tokens; without any, a new one
	FromCart  bool       // the items are those of the session's cart; there are no others, and no token
	TokenHash string     // "" for none
	Items     []InitItem
	Lenient   *pricing.LenientItems // in place of items and token: what can be sold is taken, and what is wrong with the rest is told
	Address   checkout.Address
	// Destinations and Destination are what an agent selects the address by (checkout.Choose); without any, it is Address.
	Destinations []checkout.Address
	Destination  string
	Buyer        checkout.Buyer
	Agent        agentid.Agent
	Hook         checkout.Hook // the order's
	Option       string        // the way of shipping; "": the cheapest
	// Problems are what else the checkout is incomplete for.
	Problems []checkout.Problem
	// Partial and Strict are those of checkout.Cart.
	Partial, Strict bool
	// Repeatable: the answer is stored under an idempotency key.
	Repeatable bool

	problems []checkout.Problem // of lenient items
}

// InitItem is one line as the buyer wants it.
type InitItem = pricing.Item

// PreparedInit is a priced cart whose checkout is not stored yet.
type PreparedInit struct {
	Checkout *checkout.Checkout
	Opened   bool // its session is new
	// Unused are agreements of the session on what the checkout sells without them.
	Unused []checkout.Agreement
	// Findings are what of lenient items is not as their sender may think.
	Findings []pricing.Finding
	// Short are lines of which there is too little in stock now.
	Short []checkout.Shortage

	session *session.Session
	touched session.Touched
	version int64 // of the project

	// What becomes of the checkout that was made of the cart before: it is answered as it is, or revised, or its time is over.
	asItIs   bool
	revision *PreparedRevision
	lapsed   *checkout.Checkout
}

// Existed reports whether the checkout is the one that was made of the cart before.
func (i *PreparedInit) Existed() bool { return i.asItIs || i.revision != nil }

// PrepareInit prices a cart, and asks the agent for consent. It writes nothing.
func (s *Service) PrepareInit(ctx ports.Outbound, p *project.Project, r InitRequest) (*PreparedInit, error) {
	if err := s.checkHook(r.Hook); err != nil {
		return nil, err
	}
	if r.FromCart {
		return s.initFromCart(ctx, p, r)
	}
	r.chooseOrTell(checkout.Address{})
	known, err := s.Haggling.Basket(ctx, p.ID, r.basket())
	if err != nil {
		return nil, err
	}
	visit, touched, err := s.visit(p, r, known)
	if err != nil {
		return nil, err
	}
	opened := known.Session == nil
	r.Session = visit.ID
	lines, findings, err := r.price(known, nil)
	if err != nil {
		return nil, err
	}
	made, err := s.opened(ctx, p, r, visit, lines, known.Now)
	if err != nil {
		return nil, err
	}
	made.Opened, made.touched, made.Unused, made.Findings = opened, touched, checkout.Unused(lines, known.Agreed), findings
	made.Short = checkout.Short(lines, known.Stock)
	return made, nil
}

// opened is a new checkout of lines that the agent consents to.
func (s *Service) opened(
	ctx ports.Outbound, p *project.Project, r InitRequest, visit *session.Session, lines []checkout.Line, now time.Time,
) (*PreparedInit, error) {
	mandate, err := s.Mandates.Mandate(ctx, p, visit.ID)
	if err != nil {
		return nil, err
	}
	if err := s.consentTo(ctx, agent.Scene{
		Project: p,
		Session: visit,
		Mandate: mandate,
	}, lines); err != nil {
		return nil, err
	}
	if !r.Agent.Said() {
		r.Agent = visit.Agent.Over(r.Agent.Protocol)
	}
	c, err := checkout.Open(id.New[id.Checkout](s.Entropy.IDBits()), p, r.cart(lines), now)
	if err != nil {
		return nil, err
	}
	if err := s.expressible(p, c); err != nil {
		return nil, err
	}
	return &PreparedInit{
		Checkout: c,
		session:  visit,
		version:  p.Version,
	}, nil
}

// visit is the session that a checkout is opened in, and what the request changes of it.
func (s *Service) visit(p *project.Project, r InitRequest, known ports.Basket) (*session.Session, session.Touched, error) {
	named := !r.Session.IsZero() // and not that of a token, which whoever has it may redeem
	switch {
	case named && (known.Session == nil || !r.Agent.FindsWhatWasMadeBy(known.Session.Agent)):
		return nil, session.Touched{}, fault.Missing("session")
	case known.Session != nil:
		touched, err := known.Session.Touch(nil, p.Settings.SessionTimeout(), known.Now)
		return known.Session, touched, err
	}
	opened := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, session.Claims{}, p.Settings.SessionTimeout(), known.Now)
	opened.Agent = r.Agent
	if r.Repeatable {
		opened.AwaitUse()
	}
	return opened, session.Touched{}, nil
}

// price makes the lines of the items, and notes what is wrong with lenient ones.
func (r *InitRequest) price(known ports.Basket, before []checkout.Line) ([]checkout.Line, []pricing.Finding, error) {
	if r.Lenient == nil {
		lines, err := pricing.Lines(pricing.Request{
			Session:   r.Session,
			TokenHash: r.TokenHash,
			Items:     r.Items,
		}, known, before)
		return lines, nil, err
	}
	asked := pricing.LenientRequest{
		Session: r.Session,
		Items:   r.Lenient.Items,
		Tokens:  r.Lenient.Tokens,
	}
	lines, findings, err := pricing.Lenient(asked, known, before)
	r.problems = pricing.Problems(findings)
	return lines, findings, err
}

func (r InitRequest) cart(lines []checkout.Line) checkout.Cart {
	return checkout.Cart{
		Session:  r.Session,
		Lines:    lines,
		Address:  r.Address,
		Buyer:    r.Buyer,
		Partial:  r.Partial,
		Strict:   r.Strict,
		FromCart: r.FromCart,
		Agent:    r.Agent,
		Hook:     r.Hook,
		Option:   r.Option,
		Problems: slices.Concat(r.Problems, r.problems),
	}
}

// choose takes the address that the request selects, which may be the one that its checkout holds.
func (r *InitRequest) choose(held checkout.Address) (err error) {
	if len(r.Destinations) > 0 || r.Destination != "" {
		r.Address, err = checkout.Choose(r.Destinations, r.Destination, held)
	}
	return err
}

// chooseOrTell is choose for a new checkout, which has no address where the one selected is unknown.
func (r *InitRequest) chooseOrTell(held checkout.Address) {
	if r.choose(held) != nil {
		r.Problems = append(slices.Clone(r.Problems), checkout.Problem{Kind: checkout.DestinationUnknown})
	}
}

// consentTo asks the agent whether a cart may be checked out.
func (s *Service) consentTo(ctx ports.Outbound, scene agent.Scene, lines []checkout.Line) error {
	verdict, err := s.Agent.Checkout(ctx, agent.CheckoutInput{Scene: scene, Lines: lines})
	if err != nil {
		return err
	}
	return refusal(verdict, "checkout_refused", "The shop does not take this order.")
}

// basket is what the request is read by.
func (r InitRequest) basket() ports.BasketAsk {
	ask := ports.BasketAsk{Session: r.Session}
	if r.TokenHash != "" {
		ask.Tokens = append(ask.Tokens, r.TokenHash)
	}
	for _, item := range r.Items[:min(len(r.Items), checkout.MaxLines)] {
		ask.Products = append(ask.Products, item.Product)
		if item.TokenHash != "" {
			ask.Tokens = append(ask.Tokens, item.TokenHash)
		}
	}
	if r.Lenient != nil {
		ask.Tokens = append(ask.Tokens, r.Lenient.Tokens...)
		for _, item := range r.Lenient.Items[:min(len(r.Lenient.Items), checkout.MaxLines)] {
			ask.Refs = append(ask.Refs, item.Ref)
		}
	}
	slices.Sort(ask.Tokens)
	ask.Tokens = slices.Compact(ask.Tokens)
	return ask
}

// Commit stores the checkout, and opens or keeps its session. If another checkout was made of the cart since it was
// prepared, or this one was revised, the error is ports.Stale: prepare it again.
func (i *PreparedInit) Commit(ctx context.Context, stores *ports.Stores) error {
	switch {
	case i.asItIs:
		return stores.Sessions.Keep(ctx, i.session, i.touched)
	case i.revision != nil:
		err := i.revision.Commit(ctx, stores)
		i.Checkout = i.revision.Checkout
		if errors.Is(err, checkout.ErrChanged) {
			return ports.Stale
		}
		return err
	case i.lapsed != nil:
		if err := expire(ctx, stores, i.lapsed); err != nil {
			return err
		}
	}
	if i.Opened {
		if err := stores.Sessions.Create(ctx, i.session); err != nil {
			return err
		}
	}
	return stores.Checkouts.Create(ctx, i.Checkout, i.session, i.touched, i.version)
}

// expressible refuses a cart that, with one of its shipping options, comes to an amount which none of the shop's
// providers can charge. Otherwise the buyer would learn of it by a decline, as the last step.
func (s *Service) expressible(p *project.Project, c *checkout.Checkout) error {
	methods := p.ServedMethods(s.Sandbox)
	charged := func(total money.Amount) bool {
		return len(methods) == 0 || slices.ContainsFunc(methods, func(method project.PaymentMethod) bool { return s.canCharge(p.PaymentRoute(method, s.Sandbox), total) })
	}
	if total := c.Total(); c.Digital() && !charged(total) {
		return fault.Field("items", "come to "+total.String()+" "+total.Currency().Code()+", which the shop's payment provider cannot charge")
	}
	for _, o := range c.Snapshot().Options {
		total := c.TotalWith(o.ID)
		if !charged(total) {
			return fault.Field("items", "come to "+total.String()+" "+total.Currency().Code()+" with "+o.ID+" shipping, which the shop's payment provider cannot charge")
		}
	}
	return nil
}

// canCharge reports whether the route's provider can charge the amount, as far as that is known.
func (s *Service) canCharge(r project.PaymentRoute, total money.Amount) bool {
	rules, ok := s.Gateway.(ports.AmountRules)
	return !ok || rules.CanCharge(r, total)
}
