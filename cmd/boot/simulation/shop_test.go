package simulation

import (
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// shop is a project, its buyers' checkouts and its payment provider.
type shop struct {
	*simulation
	name     string
	project  *project.Project
	product  *catalog.Product
	stock    int
	session  *session.Session
	opened   []*checkout.Checkout
	books    *bank
	stripe   *stripeModel // nil for another provider
	gateway  func(*server) ports.Gateway
	subs     []time.Time // when each subscription was created
	declined []time.Time // when the provider declined the session's cards

	// keptErrors makes Stripe keep errors of charges that did not happen. Such attempts take a day to be decided.
	keptErrors bool
	// breaksPromise makes Stripe charge keys that were voided. Such charges are orphans.
	breaksPromise bool
	takesBack     bool // refunds are reversed after they succeeded
	disputes      bool // charges are disputed
	deaf          bool // receivers of events do not respond
	poisoned      id.Checkout
	unreadable    bool // the project's settings cannot be read
}

// providerOf returns the first shop's provider by the seed: the real adapter in one of sixteen schedules, PayPal in one of
// eight, and otherwise the cheaper model of Stripe.
func providerOf(seed uint64) string {
	switch seed % 16 {
	case 0:
		return "stripe's adapter"
	case 1, 9:
		return "paypal"
	}
	return "stripe"
}

// openShop opens a shop with its checkouts.
func (s *simulation) openShop(name, provider string, checkouts int, bits *entropy) *shop {
	p, err := project.Open(id.New[id.Project](bits.Bits128()), id.New[id.Account](bits.Bits128()), project.Draft{Name: name, Slug: name}, s.store.Now())
	s.must(err)
	v := catalog.Variant{ID: id.New[id.Variant](bits.Bits128()), SKU: "tent"}
	h := &shop{
		simulation: s,
		name:       name,
		project:    p,
		stock:      1 + s.chance.IntN(4),
		product: &catalog.Product{
			ID:       id.New[id.Product](bits.Bits128()),
			Project:  p.ID,
			SKU:      "tent",
			Name:     "Tent",
			Price:    money.Of(100_00, money.USD),
			Status:   catalog.Active,
			Variants: []catalog.Variant{v},
		},
		session: session.Open(id.New[id.Session](bits.Bits128()), p.ID, session.Claims{}, time.Hour, s.store.Now()),
	}
	if s.carding {
		h.stock = 100
	}
	h.openProvider(provider)
	route := project.PaymentRoute{Provider: "stripe", Integration: id.New[id.Integration](bits.Bits128())}
	if provider == "paypal" {
		route.Provider = "paypal"
	}
	p.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: route}
	s.must(memstore.Projects{Store: s.store}.Create(noReason, p))
	s.must(memstore.Products{Store: s.store}.Create(noReason, ports.ProductWrite{
		Product: h.product, Stock: []catalog.Stock{{Variant: v.ID, Quantity: h.stock}},
	}))
	s.must(memstore.Sessions{Store: s.store}.Create(noReason, h.session))
	for range checkouts {
		h.checkout(id.New[id.Checkout](bits.Bits128()))
	}
	s.shops = append(s.shops, h)
	return h
}

func (h *shop) provider() string { return h.project.Routes[project.SharedPaymentToken].Provider }

func (h *shop) checkout(name id.Checkout) {
	v := h.product.Variants[0]
	c, err := checkout.Open(name, h.project, checkout.Cart{
		Session: h.session.ID,
		Lines: []checkout.Line{{
			Product: h.product.ID, Variant: v.ID, SKU: v.SKU, Name: "Tent", Quantity: 1, Unit: h.product.Price, Original: h.product.Price,
		}},
		Address: checkout.Address{
			Name:       "A. Buyer",
			Line1:      "1 Main St",
			City:       "Springfield",
			State:      "IL",
			PostalCode: "62701",
			Country:    "US",
		},
	}, h.store.Now())
	h.must(err)
	h.must(memstore.Checkouts{Store: h.store}.Create(noReason, c, nil, session.Touched{}, h.project.Version))
	h.opened = append(h.opened, c)
}

// openProvider opens the shop's provider, whose clock is wrong by up to a quarter of an hour.
func (h *shop) openProvider(provider string) {
	off := clock(time.Duration(h.chance.IntN(7200)-3600) * time.Second / 4)
	actor := &process{name: h.name + "'s provider"}
	if provider == "paypal" {
		m := &paypalModel{
			bank:     bank{now: off.Now, given: h.reverseRefund},
			decided:  h.reportCharge,
			requests: map[string]paypalRequest{},
		}
		m.work = func(what string) trouble { return h.troubled(actor, what) }
		h.books, h.gateway = &m.bank, func(s *server) ports.Gateway { return &portPayPal{server: s, paypal: m} }
		return
	}
	m := &stripeModel{
		bank:    bank{now: off.Now, given: h.reverseRefund},
		decided: h.reportCharge,
		keys:    map[string]*keptReply{},
	}
	m.work = func(what string) trouble {
		t := h.troubled(actor, what)
		if what == "payment_intents page" && m.busy > 0 {
			h.pause(3 * time.Second)
			_ = h.again(actor, what)
		}
		return t
	}
	h.books, h.stripe = &m.bank, m
	h.gateway = func(s *server) ports.Gateway { return &portStripe{server: s, stripe: m} }
	if provider != "stripe" {
		h.gateway = func(s *server) ports.Gateway { return s.overHTTP(m) }
	}
}

// afflict enables failures for the first shop only.
func (h *shop) afflict() {
	h.trouble = []int{0, 0, 100, 400}[h.chance.IntN(4)]
	h.takesBack, h.disputes, h.deaf = h.chance.IntN(4) == 0, h.chance.IntN(8) == 0, h.chance.IntN(8) == 0
	if h.stripe == nil {
		return
	}
	h.keptErrors, h.breaksPromise = h.chance.IntN(64) == 0, h.chance.IntN(32) == 0
	h.stripe.forgetful = h.breaksPromise
	if h.chance.IntN(8) == 0 {
		h.stripe.busy, h.stripe.unsearchable = 3+h.chance.IntN(6), h.chance.IntN(2) == 0
	}
}

// troubled returns how a request at the shop's provider fails.
func (h *shop) troubled(actor *process, what string) (t trouble) {
	h.wait(actor, what)
	if h.calm || h != h.shops[0] || h.chance.IntN(1000) >= h.trouble {
		return t
	}
	switch h.chance.IntN(3) {
	case 0:
		h.pause(time.Duration(1+h.chance.IntN(20_000)) * time.Millisecond)
		_ = h.again(actor, what)
	case 1:
		t.after = true
	default:
		t.before = h.keptErrors || h.stripe == nil
	}
	return t
}

// subscribe creates a subscription through one of the servers, by that server's clock.
func (h *shop) subscribe() {
	r := h.replicas[h.own().IntN(len(h.replicas))]
	url := h.receiver(len(h.subs))
	sub, err := event.Subscribe(id.New[id.Subscription](r.entropy().Bits128()), h.project.ID, event.Draft{URL: url, Types: []string{"*"}}, []byte("whsec"), event.Rules{}, r.off.Now())
	h.must(err)
	h.must(memstore.Events{Store: h.store}.Add(noReason, sub))
	h.subs = append(h.subs, h.store.Now())
	h.received[url] = map[string]time.Time{}
}

func (h *shop) receiver(n int) string { return fmt.Sprintf("https://%s.example/%d", h.name, n) }
