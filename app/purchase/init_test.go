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
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A request without a session uses that of its tokens, or opens a new one.
func TestPrepareInit_noSession(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	s.deals()
	init := func(token string, items ...purchase.InitItem) (*purchase.PreparedInit, error) {
		prepared, err := service.PrepareInit(ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
			TokenHash:  token,
			Items:      items,
			Address:    home,
			Repeatable: true,
		})
		if err == nil {
			err = prepared.Commit(t.Context(), service.Stores)
		}
		return prepared, err
	}
	made, err := init("tent")
	if err != nil || made.Opened || s.opened != nil || made.Checkout.Snapshot().Session != s.session.ID {
		t.Errorf("with a token: %+v, %v", made, err)
	}
	_, err = init("tent", purchase.InitItem{
		Product:   s.products[0].ID,
		Quantity:  1,
		TokenHash: "foreign",
	})
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

func TestPrepareInit_invalidItems(t *testing.T) {
	t.Parallel()
	s, _ := newFixture()
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
			s, service := newFixture()
			s.deals()
			_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
				Session:   s.session.ID,
				TokenHash: test.token,
				Items:     test.items,
				Address:   home,
			})
			expectFault(t, err, test.code, test.fields...)
			if s.checkout != nil {
				t.Error("a checkout was opened")
			}
		})
	}
}

func TestPrepareInit_refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*fixture, *purchase.Service, *purchase.InitRequest)
		code   string
		fields []string
	}{
		"an unknown session": {func(_ *fixture, _ *purchase.Service, r *purchase.InitRequest) {
			r.Session = id.New[id.Session]([16]byte{9})
		}, "session_not_found", nil},
		"a past session":    {func(s *fixture, _ *purchase.Service, _ *purchase.InitRequest) { s.now = noon.Add(time.Hour) }, "session_expired", nil},
		"a country too far": {func(_ *fixture, _ *purchase.Service, r *purchase.InitRequest) { r.Address.Country = "NO" }, "validation_error", []string{"shipping_address.country"}},
		"no address": {func(_ *fixture, _ *purchase.Service, r *purchase.InitRequest) { r.Address = checkout.Address{} }, "validation_error",
			[]string{"shipping_address.name", "shipping_address.line1", "shipping_address.city", "shipping_address.postal_code", "shipping_address.country"}},
		"the agent refuses": {func(_ *fixture, service *purchase.Service, _ *purchase.InitRequest) {
			service.Agent = &fakeAgent{verdict: agent.Refuse("Not today.")}
		}, "checkout_refused", nil},
		"the agent wants a review": {func(_ *fixture, service *purchase.Service, _ *purchase.InitRequest) {
			service.Agent = &fakeAgent{verdict: agent.AskReview("We call you.")}
		}, "checkout_refused", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := newFixture()
			request := purchase.InitRequest{
				Session: s.session.ID,
				Items:   []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}},
				Address: home,
			}
			test.change(s, service, &request)
			_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, request)
			expectFault(t, err, test.code, test.fields...)
			if s.checkout != nil {
				t.Error("a checkout was opened")
			}
		})
	}
}

// Only a refusal that a person can overrule wraps ErrNeedsReview.
func TestErrNeedsReview(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	request := purchase.InitRequest{
		Session: s.session.ID,
		Items:   []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}},
		Address: home,
	}
	for verdict, review := range map[agent.Verdict]bool{agent.Refuse("No."): false, agent.AskReview("We call you."): true} {
		service.Agent = &fakeAgent{verdict: verdict}
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

func TestPrepareInit_dependencyFails(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"basket", "create", "agent", "mandate"} {
		s, service := newFixture()
		s.deals()
		s.broken[what] = errGone
		service.Agent = &fakeAgent{err: s.broken["agent"]}
		_, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
			Session:   s.session.ID,
			TokenHash: "tent",
			Address:   home,
		})
		if !errors.Is(err, errGone) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// Nothing is written before the agent has answered, because the agent may be remote and slow.
func TestPrepareInit_asksAgentBeforeWriting(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	s.now = noon.Add(time.Minute)
	far := &fakeAgent{onCheckout: func() {
		if s.touched != 0 || s.checkout != nil {
			t.Errorf("the session was touched %d times, the checkout is %v", s.touched, s.checkout)
		}
	}}
	service.Agent = far
	request := purchase.InitRequest{
		Session: s.session.ID,
		Items:   []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}},
		Address: home,
	}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, request); err != nil || far.asked != 1 || s.touched != 1 || s.session.LastActivity != s.now {
		t.Errorf("%v, asked %d times, touched %d times, last active at %s", err, far.asked, s.touched, s.session.LastActivity)
	}
}

// tensOnlyGateway charges only multiples of 10 cents, except at PayPal.
type tensOnlyGateway struct{ ports.Gateway }

func (tensOnlyGateway) CanCharge(r project.PaymentRoute, a money.Amount) bool {
	return r.Provider == "paypal" || a.Minor()%10 == 0
}

// PrepareInit refuses an amount that no provider can charge. Finalize refuses one that only the provider of another method can
// charge.
func TestCanCharge_noProvider(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	service.Gateway = tensOnlyGateway{service.Gateway}
	items := []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}}
	init := purchase.InitRequest{
		Session: s.session.ID,
		Items:   items,
		Address: home,
	}
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
	result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
		Checkout: s.checkout.ID(),
		Method:   project.BillingAgreement,
		Token:    "tok",
	})
	if err != nil || orderOf(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestPrepareInit_writesNothing(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	transaction, _ := newFixture()
	prepared, err := service.PrepareInit(ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session: s.session.ID,
		Items:   []purchase.InitItem{{Product: s.products[0].ID, Quantity: 1}},
		Address: home,
	})
	if err != nil || s.checkout != nil {
		t.Fatalf("%v, stored %+v", err, s.checkout)
	}
	err = prepared.Commit(t.Context(), &ports.Stores{
		Checkouts: fakeCheckouts{transaction},
	})
	if err != nil || s.checkout != nil || transaction.checkout != prepared.Checkout {
		t.Errorf("%v, stored %+v, in the transaction %+v", err, s.checkout, transaction.checkout)
	}
}
