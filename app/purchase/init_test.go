package purchase_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// agreed makes a quote on the shop's n-th product as its token finds it.
func (s *till) agreed(token string, n, quantity int, cents int64, change ...func(*negotiation.Snapshot)) {
	p := s.products[n]
	q := negotiation.Snapshot{
		ID: id.New[id.Quote]([16]byte{byte(len(s.quotes) + 1)}), Project: s.project.ID, State: negotiation.Agreed,
		Item:       negotiation.Item{Session: s.visit.ID, Product: p.ID, Variant: p.Variants[0].ID, Quantity: quantity},
		Bounds:     negotiation.RehydrateBounds(p.Price, p.Price, p.Price, p.Price),
		FinalPrice: usd(cents), TokenHash: token, ValidUntil: noon.Add(time.Minute),
	}
	for _, c := range change {
		c(&q)
	}
	s.quotes = append(s.quotes, negotiation.Rehydrate(q))
}

// deals are the tokens that the buyer of these tests holds, and some that are worth nothing.
func (s *till) deals() {
	mug := s.products[2]
	s.agreed("tent", 0, 1, 90_00)
	s.agreed("jackets", 1, 2, 45_00)
	s.agreed("bundle", 0, 1, 92_00, func(q *negotiation.Snapshot) {
		q.WithBundle = true
		q.Bundle = &negotiation.Bundle{Product: mug.ID, Variant: mug.Variants[0].ID, Name: mug.Name, Regular: usd(12_00), Price: usd(8_00)}
	})
	s.agreed("late", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.ValidUntil = noon })
	s.agreed("used", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.RedeemedBy = id.New[id.Order]([16]byte{1}) })
	s.agreed("foreign", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.Item.Session = id.New[id.Session]([16]byte{9}) })
	s.agreed("open", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.State = negotiation.Open })
}

// want is how a line should be priced, in cents.
type want struct{ unit, original int64 }

func TestPrices(t *testing.T) {
	t.Parallel()
	s, _ := open()
	tent, jacket, mug := s.products[0].ID, s.products[1].ID, s.products[2].ID
	small, large := s.products[1].Variants[0].ID, s.products[1].Variants[1].ID
	type items = []purchase.InitItem
	for name, test := range map[string]struct {
		token string
		items items
		want  []want
	}{
		"list price":                   {"", items{{Product: tent, Quantity: 2}}, []want{{100_00, 100_00}}},
		"list price said":              {"", items{{Product: tent, Quantity: 2, Price: price(100_00)}}, []want{{100_00, 100_00}}},
		"one token":                    {"tent", items{{Product: tent, Quantity: 1}}, []want{{90_00, 100_00}}},
		"one token and its price":      {"tent", items{{Product: tent, Quantity: 1, Price: price(90_00)}}, []want{{90_00, 100_00}}},
		"a token alone":                {"jackets", nil, []want{{45_00, 50_00}}},
		"a token finds its variant":    {"jackets", items{{Product: jacket, Quantity: 2}}, []want{{45_00, 50_00}}},
		"an item's own token":          {"", items{{Product: mug, Quantity: 1}, {Product: tent, Quantity: 1, TokenHash: "tent"}}, []want{{10_00, 10_00}, {90_00, 100_00}}},
		"an own token finds a variant": {"tent", items{{Product: jacket, Quantity: 2, TokenHash: "jackets"}, {Product: tent, Quantity: 1}}, []want{{45_00, 50_00}, {90_00, 100_00}}},
		"others beside a token":        {"tent", items{{Product: tent, Quantity: 1}, {Product: jacket, Variant: large, Quantity: 1}}, []want{{90_00, 100_00}, {50_00, 50_00}}},
		"a token is for one line":      {"tent", items{{Product: tent, Quantity: 1}, {Product: tent, Quantity: 1}}, []want{{90_00, 100_00}, {100_00, 100_00}}},
		"a bundle":                     {"bundle", nil, []want{{92_00, 100_00}, {8_00, 12_00}}},
		"a bundle's mug is one":        {"bundle", items{{Product: tent, Quantity: 1}, {Product: mug, Quantity: 2}}, []want{{92_00, 100_00}, {10_00, 10_00}}},
		"the same variant by name":     {"", items{{Product: jacket, Variant: small, Quantity: 2}}, []want{{50_00, 50_00}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := open()
			s.deals()
			c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{Session: s.visit.ID, TokenHash: test.token, Items: test.items, Address: home})
			if err != nil {
				t.Fatal(err)
			}
			var got []want
			for _, l := range c.Snapshot().Lines {
				got = append(got, want{l.Unit.Minor(), l.Original.Minor()})
				if l.Variant.IsZero() || (l.Unit != l.Original) == l.Quote.IsZero() {
					t.Errorf("line %+v", l)
				}
			}
			if !slices.Equal(got, test.want) || s.checkout != c {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// A list price that fell below the agreed one is the price, and nothing was saved. The buyer may name
// either.
func TestListPriceBelowTheAgreedOne(t *testing.T) {
	t.Parallel()
	for _, named := range []*money.Amount{nil, price(90_00), price(60_00)} {
		s, service := open()
		s.deals()
		s.products[0].Price = usd(60_00)
		items := []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1, Price: named}}
		c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{Session: s.visit.ID, TokenHash: "tent", Items: items, Address: home})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Snapshot(); got.Subtotal != usd(60_00) || !got.Savings.IsZero() || got.Lines[0].Quote.IsZero() {
			t.Errorf("naming %v: subtotal %s, savings %s, quote %s", named, got.Subtotal, got.Savings, got.Lines[0].Quote)
		}
	}
}

// The list price that a discount is measured on is the one it was agreed under.
func TestSavingsAfterThePriceChanged(t *testing.T) {
	t.Parallel()
	s, service := open()
	s.deals()
	s.products[0].Price = usd(200_00)
	c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{Session: s.visit.ID, TokenHash: "tent", Address: home})
	if err != nil || c.Snapshot().Savings != usd(10_00) {
		t.Errorf("%v, %v", c, err)
	}
}

// A checkout that names no session is opened in that of its tokens, or in a new one.
func TestInitNamesNoSession(t *testing.T) {
	t.Parallel()
	s, service := open()
	s.deals()
	init := func(token string, items ...purchase.InitItem) (*purchase.PreparedInit, error) {
		prepared, err := service.PrepareInit(ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
			TokenHash: token, Items: items, Address: home, Repeatable: true,
		})
		if err == nil {
			err = prepared.Commit(t.Context(), service.Stores)
		}
		return prepared, err
	}
	made, err := init("tent")
	if err != nil || made.Opened || s.opened != nil || made.Checkout.Snapshot().Session != s.visit.ID {
		t.Errorf("with a token: %+v, %v", made, err)
	}
	_, err = init("tent", purchase.InitItem{Product: s.products[0].ID, Quantity: 1, TokenHash: "foreign"})
	expectFault(t, err, "validation_error", "items.0.checkout_token")
	_, err = init("unknown")
	expectFault(t, err, "validation_error", "checkout_token")
	if s.opened != nil {
		t.Error("a refused checkout opened a session")
	}
	made, err = init("", purchase.InitItem{Product: s.products[0].ID, Quantity: 1})
	if err != nil || !made.Opened || s.opened == nil || made.Checkout.Snapshot().Session != s.opened.ID || s.opened.Used() ||
		!s.opened.LastActivity.IsZero() {
		t.Errorf("without one: %+v, %v", made, err)
	}
	s.broken["session"] = errors.New("full")
	if _, err := init("", purchase.InitItem{Product: s.products[0].ID, Quantity: 1}); err == nil {
		t.Error("a checkout without its session")
	}
}

func TestCartsRefused(t *testing.T) {
	t.Parallel()
	s, _ := open()
	tent, jacket, mug := s.products[0].ID, s.products[1].ID, s.products[2].ID
	unknown := id.New[id.Variant]([16]byte{9})
	type items = []purchase.InitItem
	one := items{{Product: tent, Quantity: 1}}
	for name, test := range map[string]struct {
		token  string
		items  items
		code   string
		fields []string
	}{
		"nothing":                           {"", nil, "validation_error", []string{"items"}},
		"too many items":                    {"", slices.Repeat(one, 51), "validation_error", []string{"items"}},
		"no quantity":                       {"", items{{Product: tent}}, "validation_error", []string{"items.0.quantity"}},
		"an unknown product":                {"", items{{Product: id.New[id.Product]([16]byte{9}), Quantity: 1}}, "product_not_found", nil},
		"an unknown variant":                {"", items{{Product: tent, Variant: unknown, Quantity: 1}}, "variant_not_found", nil},
		"which of several":                  {"tent", items{one[0], {Product: jacket, Quantity: 1}}, "validation_error", []string{"items.1.variant_id"}},
		"a price nobody named":              {"", items{{Product: tent, Quantity: 1, Price: price(99_99)}}, "price_mismatch", []string{"items.0.negotiated_price"}},
		"an agreed price without its token": {"", items{{Product: tent, Quantity: 1, Price: price(90_00)}}, "price_mismatch", []string{"items.0.negotiated_price"}},
		"less than agreed":                  {"tent", items{{Product: tent, Quantity: 1, Price: price(89_99)}}, "price_mismatch", []string{"items.0.negotiated_price"}},
		"more than agreed":                  {"tent", items{{Product: tent, Quantity: 2}}, "price_mismatch", []string{"checkout_token"}},
		"another product":                   {"tent", items{{Product: jacket, Variant: s.products[1].Variants[0].ID, Quantity: 1}}, "price_mismatch", []string{"checkout_token"}},
		"another item's token":              {"", items{one[0], {Product: jacket, Variant: s.products[1].Variants[0].ID, Quantity: 1, TokenHash: "tent"}}, "price_mismatch", []string{"items.1.checkout_token"}},
		"a token twice":                     {"", items{{Product: tent, Quantity: 1, TokenHash: "tent"}, {Product: tent, Quantity: 1, TokenHash: "tent"}}, "price_mismatch", []string{"items.1.checkout_token"}},
		"all wrong prices at once": {"", items{{Product: tent, Quantity: 1, Price: price(1)}, {Product: tent, Quantity: 1, Price: price(2)}}, "price_mismatch",
			[]string{"items.0.negotiated_price", "items.1.negotiated_price"}},
		"a bundle's second half alone": {"bundle", items{{Product: mug, Quantity: 1}}, "price_mismatch", []string{"items.0.product_id"}},
		"no such token":                {"none", one, "validation_error", []string{"checkout_token"}},
		"no such token of an item":     {"", items{one[0], {Product: tent, Quantity: 1, TokenHash: "none"}}, "validation_error", []string{"items.1.checkout_token"}},
		"another session's token":      {"foreign", one, "validation_error", []string{"checkout_token"}},
		"a quote that is not agreed":   {"open", one, "validation_error", []string{"checkout_token"}},
		"another session's own":        {"", items{{Product: tent, Quantity: 1, TokenHash: "foreign"}}, "validation_error", []string{"items.0.checkout_token"}},
		"a late token":                 {"late", one, "token_expired", []string{"checkout_token"}},
		"a used token":                 {"used", one, "token_redeemed", []string{"checkout_token"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := open()
			s.deals()
			_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{Session: s.visit.ID, TokenHash: test.token, Items: test.items, Address: home})
			expectFault(t, err, test.code, test.fields...)
			if s.checkout != nil {
				t.Error("a checkout was opened")
			}
		})
	}
}

func TestInitRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*till, *purchase.Service, *purchase.InitRequest)
		code   string
		fields []string
	}{
		"an unknown session": {func(_ *till, _ *purchase.Service, r *purchase.InitRequest) {
			r.Session = id.New[id.Session]([16]byte{9})
		}, "session_not_found", nil},
		"a past session":    {func(s *till, _ *purchase.Service, _ *purchase.InitRequest) { s.now = noon.Add(time.Hour) }, "session_expired", nil},
		"a country too far": {func(_ *till, _ *purchase.Service, r *purchase.InitRequest) { r.Address.Country = "NO" }, "validation_error", []string{"shipping_address.country"}},
		"no address": {func(_ *till, _ *purchase.Service, r *purchase.InitRequest) { r.Address = checkout.Address{} }, "validation_error",
			[]string{"shipping_address.name", "shipping_address.line1", "shipping_address.city", "shipping_address.postal_code", "shipping_address.country"}},
		"the agent refuses": {func(_ *till, service *purchase.Service, _ *purchase.InitRequest) {
			service.Agent = &guard{verdict: agent.Refuse("Not today.")}
		}, "checkout_refused", nil},
		"the agent wants a review": {func(_ *till, service *purchase.Service, _ *purchase.InitRequest) {
			service.Agent = &guard{verdict: agent.AskReview("We call you.")}
		}, "checkout_refused", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := open()
			request := purchase.InitRequest{Session: s.visit.ID, Items: []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}, Address: home}
			test.change(s, service, &request)
			_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, request)
			expectFault(t, err, test.code, test.fields...)
			if s.checkout != nil {
				t.Error("a checkout was opened")
			}
		})
	}
}

// A refusal that a person can lift is told from one that nobody can.
func TestNeedsReview(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	request := purchase.InitRequest{Session: s.visit.ID, Items: []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}, Address: home}
	for verdict, review := range map[agent.Verdict]bool{agent.Refuse("No."): false, agent.AskReview("We call you."): true} {
		service.Agent = &guard{verdict: verdict}
		_, opening := openCheckout(service, ports.NewOutbound(t.Context()), s.project, request)
		_, paying := s.pay(t, service)
		expectFault(t, opening, "checkout_refused")
		expectFault(t, paying, "finalize_refused")
		for _, err := range []error{opening, paying} {
			if errors.Is(err, purchase.ErrNeedsReview) != review || !strings.Contains(err.Error(), verdict.Reason()) {
				t.Errorf("%+v: %v", verdict, err)
			}
		}
	}
}

func TestInitFails(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"basket", "create", "agent", "mandate"} {
		s, service := open()
		s.deals()
		s.broken[what] = errGone
		service.Agent = &guard{err: s.broken["agent"]}
		_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{Session: s.visit.ID, TokenHash: "tent", Address: home})
		if !errors.Is(err, errGone) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// The agent may be far away: nothing is written, and so no transaction begun, before it has answered.
func TestTheAgentIsAskedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	s, service := open()
	s.now = noon.Add(time.Minute)
	far := &guard{hears: func() {
		if s.touched != 0 || s.checkout != nil {
			t.Errorf("the session was touched %d times, the checkout is %v", s.touched, s.checkout)
		}
	}}
	service.Agent = far
	request := purchase.InitRequest{Session: s.visit.ID, Items: []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}, Address: home}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, request); err != nil || far.asked != 1 || s.touched != 1 || s.visit.LastActivity != s.now {
		t.Errorf("%v, asked %d times, touched %d times, last active at %s", err, far.asked, s.touched, s.visit.LastActivity)
	}
}

// narrow is a gateway whose providers charge whole tens only, the one at PayPal's route any amount.
type narrow struct{ ports.Gateway }

func (narrow) CanCharge(r project.PaymentRoute, a money.Amount) bool {
	return r.Provider == "paypal" || a.Minor()%10 == 0
}

// An amount that no provider can charge is refused before the buyer has come to the payment, and one that
// only another method's can, before it is declined.
func TestAmountThatNoProviderCanCharge(t *testing.T) {
	t.Parallel()
	s, service := open()
	service.Gateway = narrow{service.Gateway}
	items := []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}
	init := purchase.InitRequest{Session: s.visit.ID, Items: items, Address: home}
	_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, init)
	expectFault(t, err, "validation_error", "items")

	s.project.Routes = map[project.PaymentMethod]project.PaymentRoute{project.BillingAgreement: {Provider: "paypal", Integration: id.New[id.Integration]([16]byte{5})}}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, init); err != nil {
		t.Fatal(err)
	}
	_, err = s.pay(t, service)
	expectFault(t, err, "validation_error", "payment.method")
	if s.charges != 0 || s.checkout.Status() != checkout.Ready {
		t.Errorf("%d charges, the checkout is %s", s.charges, s.checkout.Status())
	}
	result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{Checkout: s.checkout.ID(), Method: project.BillingAgreement, Token: "tok"})
	if err != nil || placed(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestPrepareInit_writesNothing(t *testing.T) {
	t.Parallel()
	s, service := open()
	transaction, _ := open()
	prepared, err := service.PrepareInit(ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session: s.visit.ID,
		Items:   []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}},
		Address: home,
	})
	if err != nil || s.checkout != nil {
		t.Fatalf("%v, stored %+v", err, s.checkout)
	}
	err = prepared.Commit(t.Context(), &ports.Stores{
		Checkouts: checkouts{transaction},
	})
	if err != nil || s.checkout != nil || transaction.checkout != prepared.Checkout {
		t.Errorf("%v, stored %+v, in the transaction %+v", err, s.checkout, transaction.checkout)
	}
}
