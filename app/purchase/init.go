// Package purchase turns a cart into a paid order: init prices it, finalize claims it, charges it
// outside of any transaction, and records what came of it.
package purchase

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
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
	TokenHash string     // "" for none
	Items     []InitItem
	Address   checkout.Address
	Buyer     checkout.Buyer
	// Partial and Strict are those of checkout.Cart.
	Partial, Strict bool
	// Repeatable: the answer is stored under an idempotency key.
	Repeatable bool
}

// InitItem is one line as the buyer wants it. A nil price is whatever the token, or the list, says. Line is that of a
// checkout which is revised; 0: a new one.
type InitItem struct {
	Line      int
	Product   id.Product
	Variant   id.Variant
	Quantity  int
	Price     *money.Amount
	TokenHash string
}

// PreparedInit is a priced cart whose checkout is not stored yet.
type PreparedInit struct {
	Checkout *checkout.Checkout
	Opened   bool // its session is new

	session *session.Session
	touched session.Touched
	version int64 // of the project
}

// PrepareInit prices a cart, and asks the agent for consent. It writes nothing.
func (s *Service) PrepareInit(ctx ports.Outbound, p *project.Project, r InitRequest) (*PreparedInit, error) {
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
	mandate, err := s.Mandates.Mandate(ctx, p, visit.ID)
	if err != nil {
		return nil, err
	}
	lines, err := lines(r, known, nil)
	if err != nil {
		return nil, err
	}
	if err := s.consentTo(ctx, agent.Scene{Project: p, Session: visit, Mandate: mandate}, lines); err != nil {
		return nil, err
	}
	c, err := checkout.Open(id.New[id.Checkout](s.Entropy.IDBits()), p, r.cart(lines), known.Now)
	if err != nil {
		return nil, err
	}
	if err := s.expressible(p, c); err != nil {
		return nil, err
	}
	return &PreparedInit{
		Checkout: c,
		Opened:   opened,
		session:  visit,
		touched:  touched,
		version:  p.Version,
	}, nil
}

// visit is the session that a checkout is opened in, and what the request changes of it.
func (s *Service) visit(p *project.Project, r InitRequest, known ports.Basket) (*session.Session, session.Touched, error) {
	switch {
	case known.Session != nil:
		touched, err := known.Session.Touch(nil, p.Settings.SessionTimeout(), known.Now)
		return known.Session, touched, err
	case !r.Session.IsZero():
		return nil, session.Touched{}, fault.Missing("session")
	}
	opened := session.Open(id.New[id.Session](s.Entropy.IDBits()), p.ID, session.Claims{}, p.Settings.SessionTimeout(), known.Now)
	if r.Repeatable {
		opened.AwaitUse()
	}
	return opened, session.Touched{}, nil
}

func (r InitRequest) cart(lines []checkout.Line) checkout.Cart {
	return checkout.Cart{
		Session: r.Session, Lines: lines, Address: r.Address, Buyer: r.Buyer, Partial: r.Partial, Strict: r.Strict,
	}
}

// consentTo asks the agent whether a cart may be checked out.
func (s *Service) consentTo(ctx ports.Outbound, scene agent.Scene, lines []checkout.Line) error {
	verdict, err := s.Agent.Checkout(ctx, agent.CheckoutInput{Scene: scene, Lines: lines})
	if err == nil && verdict.Refused {
		err = fault.New(fault.Conflict, "checkout_refused", cmp.Or(verdict.Reason, "The shop does not take this order."))
	}
	return err
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
	slices.Sort(ask.Tokens)
	ask.Tokens = slices.Compact(ask.Tokens)
	return ask
}

// Commit stores the checkout, and opens or keeps its session.
func (i *PreparedInit) Commit(ctx context.Context, stores *ports.Stores) error {
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
	for _, o := range c.Snapshot().Options {
		total := c.TotalWith(o.ID)
		served := slices.ContainsFunc(methods, func(method project.PaymentMethod) bool { return s.canCharge(p.PaymentRoute(method, s.Sandbox), total) })
		if len(methods) > 0 && !served {
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

// lines prices the items: by the tokens that cover them, the others at list price. A line of before that an item names
// keeps its id, and the price that was agreed for it.
func lines(r InitRequest, known ports.Basket, before []checkout.Line) ([]checkout.Line, error) {
	tokens, err := tokensOf(r, known, before)
	if err != nil {
		return nil, err
	}
	if len(r.Items) == 0 && r.TokenHash != "" {
		r.Items = tokens.items(r.TokenHash)
	}
	if len(r.Items) > checkout.MaxLines {
		return nil, fault.Field("items", "must have 1 to 50 items")
	}
	products := make(map[id.Product]*catalog.Product, len(known.Products))
	for _, product := range known.Products {
		products[product.ID] = product
	}
	r.Items = slices.Clone(r.Items)
	kept, err := keptLines(r.Items, before)
	if err != nil {
		return nil, err
	}
	tokens.spend(kept)
	check, mismatch := fault.NewCheck(), fault.NewCheck()
	lines := make([]checkout.Line, len(r.Items))
	for i, item := range r.Items {
		product := products[item.Product]
		if product == nil {
			return nil, fault.Missing("product")
		}
		if item.Variant.IsZero() {
			item.Variant = tokens.variant(item, r.TokenHash)
		}
		variant, ok := product.Variant(item.Variant)
		switch {
		case !ok && !item.Variant.IsZero():
			return nil, product.NoVariant()
		case !ok:
			check.In("items").At(i).That(false, "variant_id", product.VariantRequired())
			continue
		}
		item.Variant = variant.ID
		if l, ok := kept[i]; ok {
			lines[i] = keep(l, item, mismatch.In("items").At(i))
			continue
		}
		lines[i] = tokens.line(product, variant, item, r.TokenHash, mismatch.In("items").At(i))
		lines[i].ID = item.Line
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	tokens.unused(r, mismatch)
	alone(lines, mismatch)
	return lines, asMismatch(mismatch.Err())
}

// asMismatch gives a wrong price its own code (decisions 10).
func asMismatch(err error) error {
	if e, ok := err.(*fault.Error); ok {
		e.Code, e.Message = "price_mismatch", "A price is neither the agreed one nor the list price."
	}
	return err
}
