// Package purchase turns a cart into a paid order: init prices it; finalize claims the checkout with its stock, charges it and
// records the outcome. It finds unknown outcomes before it charges again, so that no buyer is charged twice, and refunds
// charges without an order. It never calls a payment provider or an agent inside a database transaction.
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
	"github.com/haggle-commerce/haggle/domain/negotiation"
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
	Admission ports.PaymentAdmission // nil: every payment is admitted
	Sandbox   bool                   // the built-in provider serves methods that no connected provider serves
	Clock     ports.Clock
	Entropy   ports.Entropy
	Log       *slog.Logger
	Meter     ports.Meter // may be nil
	// HookRules and Addresses decide which URLs order webhooks may be sent to.
	HookRules event.Rules
	Addresses ports.Addresses
	// Placed is called after something was written to the outbox. It may be nil.
	Placed func()
	// Patience is how long a finalize waits for another finalize of the same checkout, or for a payment of its session
	// or client to end while too many are in flight. Zero: 10 s.
	Patience time.Duration
	Waiting  *bulkhead.Room // limits how many wait for payments of their session or client; nil: no limit

	// Lapsed and DueOrphans lease work to the background jobs.
	Lapsed     ports.LapsedCheckouts
	DueOrphans ports.DueOrphans
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// InitRequest is a cart to be checked out. Without items, it has the items that the token covers.
type InitRequest struct {
	Session   id.Session // zero: that of the tokens; without tokens, a new one
	FromCart  bool       // check out the session's cart; Items and TokenHash must be empty
	TokenHash string     // "": none
	Items     []InitItem
	Lenient   *pricing.LenientItems // instead of Items and TokenHash: items that can be sold are accepted, the others are reported as findings
	Address   checkout.Address
	// Destinations and Destination select the address (checkout.Choose). Without them, it is Address.
	Destinations []checkout.Address
	Destination  string
	Buyer        checkout.Buyer
	Agent        agentid.Agent
	Hook         checkout.Hook // the webhook for the order
	Option       string        // the shipping option; "": the cheapest
	// Problems are further reasons why the checkout is incomplete.
	Problems []checkout.Problem
	// Partial and Strict are the fields of checkout.Cart.
	Partial, Strict bool
	// Repeatable means that the response is stored under an idempotency key.
	Repeatable bool

	problems []checkout.Problem // of lenient items
}

// InitItem is one requested line.
type InitItem = pricing.Item

// PreparedInit is a priced cart whose checkout is not stored yet.
type PreparedInit struct {
	Checkout *checkout.Checkout
	Opened   bool // its session is new
	// Unused are agreements of the session that cover a line but were not used for it.
	Unused []checkout.Agreement
	// Findings are the problems of lenient items.
	Findings []pricing.Finding
	// Short are lines with too little stock.
	Short []checkout.Shortage

	session *session.Session
	touched session.Touched
	version int64 // of the project

	// The cart's earlier checkout, if there is one, is returned unchanged, or revised, or expired by Commit.
	unchanged bool
	revision  *PreparedRevision
	lapsed    *checkout.Checkout
}

// Existed reports whether Checkout is an earlier checkout of the cart.
func (i *PreparedInit) Existed() bool { return i.unchanged || i.revision != nil }

// PrepareInit prices a cart and asks the agent for consent. It writes nothing.
func (s *Service) PrepareInit(ctx ports.Outbound, p *project.Project, r InitRequest) (*PreparedInit, error) {
	if err := s.checkHook(r.Hook); err != nil {
		return nil, err
	}
	if r.FromCart {
		return s.initFromCart(ctx, p, r)
	}
	r.selectAddressOrReport(checkout.Address{})
	known, err := s.Haggling.Basket(ctx, p.ID, r.query())
	if err != nil {
		return nil, err
	}
	sess, touched, err := s.sessionFor(p, r, known)
	if err != nil {
		return nil, err
	}
	opened := known.Session == nil
	r.Session = sess.ID
	lines, findings, err := r.price(known, nil)
	if err != nil {
		return nil, err
	}
	made, err := s.openCheckout(ctx, p, r, sess, lines, known.Now)
	if err != nil {
		return nil, err
	}
	made.Opened, made.touched, made.Unused, made.Findings = opened, touched, checkout.Unused(lines, known.Agreed), findings
	made.Short = checkout.Short(lines, known.Stock)
	return made, nil
}

// openCheckout makes a new checkout of lines after the agent has consented.
func (s *Service) openCheckout(
	ctx ports.Outbound, p *project.Project, r InitRequest, sess *session.Session, lines []checkout.Line, now time.Time,
) (*PreparedInit, error) {
	mandate, err := s.Mandates.Mandate(ctx, p, sess.ID)
	if err != nil {
		return nil, err
	}
	if err := s.askConsent(ctx, agent.Scene{
		Project: p,
		Session: negotiation.Given(sess, p.Storefront.Personalization, p.Storefront.Home()),
		Mandate: mandate,
	}, lines); err != nil {
		return nil, err
	}
	if !r.Agent.Said() {
		r.Agent = sess.Agent.Over(r.Agent.Protocol)
	}
	c, err := checkout.Open(id.New[id.Checkout](s.Entropy.IDBits()), p, r.cart(lines), now)
	if err != nil {
		return nil, err
	}
	if err := s.checkChargeable(p, c); err != nil {
		return nil, err
	}
	return &PreparedInit{
		Checkout: c,
		session:  sess,
		version:  p.Version,
	}, nil
}

// sessionFor returns the session that a checkout is opened in, and how the request changes it.
func (s *Service) sessionFor(p *project.Project, r InitRequest, known ports.Basket) (*session.Session, session.Touched, error) {
	named := !r.Session.IsZero() // otherwise it is that of a token, which any agent that has the token may use
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

// price prices the items, and stores the problems of lenient ones in the request.
func (r *InitRequest) price(known ports.Basket, before []checkout.Line) ([]checkout.Line, []pricing.Finding, error) {
	if r.Lenient == nil {
		lines, err := pricing.Lines(pricing.Request{
			Session:   r.Session,
			TokenHash: r.TokenHash,
			Items:     r.Items,
		}, known, before)
		return lines, nil, err
	}
	request := pricing.LenientRequest{
		Session: r.Session,
		Items:   r.Lenient.Items,
		Tokens:  r.Lenient.Tokens,
	}
	lines, findings, err := pricing.Lenient(request, known, before)
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

// selectAddress sets Address to the selected destination, which may be the address of the existing checkout.
func (r *InitRequest) selectAddress(held checkout.Address) (err error) {
	if len(r.Destinations) > 0 || r.Destination != "" {
		r.Address, err = checkout.Choose(r.Destinations, r.Destination, held)
	}
	return err
}

// selectAddressOrReport is selectAddress, but reports an unknown destination as a problem of the checkout.
func (r *InitRequest) selectAddressOrReport(held checkout.Address) {
	if r.selectAddress(held) != nil {
		r.Problems = append(slices.Clone(r.Problems), checkout.Problem{Kind: checkout.DestinationUnknown})
	}
}

// askConsent asks the agent whether a cart may be checked out.
func (s *Service) askConsent(ctx ports.Outbound, scene agent.Scene, lines []checkout.Line) error {
	verdict, err := s.Agent.Checkout(ctx, agent.CheckoutInput{Scene: scene, Lines: lines})
	if err != nil {
		return err
	}
	return refusal(verdict, "checkout_refused", "The shop does not accept this order.")
}

// query names what the request needs to read.
func (r InitRequest) query() ports.BasketAsk {
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

// Commit stores the checkout and its session. If another checkout of the cart was opened since it was prepared, or this one was
// revised, it returns ports.Stale, and the caller must prepare it again.
func (i *PreparedInit) Commit(ctx context.Context, stores *ports.Stores) error {
	switch {
	case i.unchanged:
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

// checkChargeable refuses a checkout if none of the shop's providers can charge its total with one of its shipping options.
// Without this check, the buyer's payment would be declined in the last step.
func (s *Service) checkChargeable(p *project.Project, c *checkout.Checkout) error {
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

// canCharge reports whether the route's provider can charge the amount. Providers without AmountRules are assumed to.
func (s *Service) canCharge(r project.PaymentRoute, total money.Amount) bool {
	rules, ok := s.Gateway.(ports.AmountRules)
	return !ok || rules.CanCharge(r, total)
}
