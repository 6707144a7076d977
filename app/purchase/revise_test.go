package purchase_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

type items = []purchase.InitItem

// noopSessions stores nothing.
type noopSessions struct{ ports.Sessions }

func (noopSessions) Keep(context.Context, *session.Session, session.Touched, ...id.Product) error {
	return nil
}

func (s *fixture) revise(t *testing.T, service *purchase.Service, r purchase.ReviseRequest) (*checkout.Checkout, error) {
	t.Helper()
	r.Checkout, service.Stores.Sessions = s.checkout.ID(), noopSessions{}
	prepared, err := service.PrepareRevise(ports.NewOutbound(t.Context()), s.project, r)
	if err != nil {
		return nil, err
	}
	err = prepared.Commit(t.Context(), service.Stores)
	return prepared.Checkout, err
}

func with(list items) purchase.ReviseRequest {
	return purchase.ReviseRequest{InitRequest: purchase.InitRequest{Items: list, Address: home}}
}

// haggled returns a shop with a checkout of a tent at its agreed price (line 1) and a mug at list price (line 2).
func haggled(t *testing.T) (*fixture, *purchase.Service) {
	t.Helper()
	s, service := newFixture()
	s.deals()
	list := items{{Product: s.products[0].ID, Quantity: 1, TokenHash: "tent"}, {Product: s.products[2].ID, Quantity: 1}}
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session: s.session.ID,
		Items:   list,
		Address: home,
	}); err != nil {
		t.Fatal(err)
	}
	return s, service
}

func TestPrepareRevise_prices(t *testing.T) {
	t.Parallel()
	s, _ := newFixture()
	tent, jacket, mug := s.products[0].ID, s.products[1].ID, s.products[2].ID
	large := s.products[1].Variants[1].ID
	for name, test := range map[string]struct {
		items items
		after time.Duration // since init
		want  []want
		ids   []int
	}{
		"the line is kept":               {items{{Line: 1, Product: tent, Quantity: 1}}, 0, []want{{90_00, 100_00}}, []int{1}},
		"and after the token's time":     {items{{Line: 1, Product: tent, Quantity: 1}}, 20 * time.Minute, []want{{90_00, 100_00}}, []int{1}},
		"the token is sent again":        {items{{Product: tent, Quantity: 1, TokenHash: "tent"}}, 20 * time.Minute, []want{{90_00, 100_00}}, []int{3}},
		"the token and its line":         {items{{Line: 1, Product: tent, Quantity: 1, TokenHash: "tent"}}, 0, []want{{90_00, 100_00}}, []int{1}},
		"neither line nor token":         {items{{Product: tent, Quantity: 1}}, 20 * time.Minute, []want{{90_00, 100_00}}, []int{1}},
		"neither, and not as agreed":     {items{{Product: tent, Quantity: 2}}, 0, []want{{100_00, 100_00}}, []int{3}},
		"neither, twice":                 {items{{Product: tent, Quantity: 1}, {Product: tent, Quantity: 1}}, 0, []want{{90_00, 100_00}, {100_00, 100_00}}, []int{1, 3}},
		"neither, beside the line":       {items{{Product: tent, Quantity: 1}, {Line: 1, Product: tent, Quantity: 1}}, 0, []want{{100_00, 100_00}, {90_00, 100_00}}, []int{3, 1}},
		"at list price, without line":    {items{{Product: mug, Quantity: 5}}, 0, []want{{10_00, 10_00}}, []int{2}},
		"more of a line at list price":   {items{{Line: 2, Product: mug, Quantity: 5}}, 0, []want{{10_00, 10_00}}, []int{2}},
		"a new token":                    {items{{Product: jacket, Quantity: 2, TokenHash: "jackets"}, {Line: 1, Product: tent, Quantity: 1}}, 0, []want{{45_00, 50_00}, {90_00, 100_00}}, []int{3, 1}},
		"a line and another one at list": {items{{Product: jacket, Variant: large, Quantity: 1}, {Line: 2, Product: mug, Quantity: 1}}, 0, []want{{50_00, 50_00}, {10_00, 10_00}}, []int{3, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := haggled(t)
			s.now = s.now.Add(test.after)
			c, err := s.revise(t, service, with(test.items))
			if err != nil {
				t.Fatal(err)
			}
			var got []want
			var ids []int
			for _, l := range c.Snapshot().Lines {
				got, ids = append(got, want{l.Unit.Minor(), l.Original.Minor()}), append(ids, l.ID)
			}
			if !slices.Equal(got, test.want) || !slices.Equal(ids, test.ids) || c.Revision() != 2 || s.checkout != c {
				t.Errorf("lines %v: %v, want %v: %v, revision %d", ids, got, test.ids, test.want, c.Revision())
			}
		})
	}
}

func TestPrepareRevise_refused(t *testing.T) {
	t.Parallel()
	s, _ := newFixture()
	tent, mug := s.products[0].ID, s.products[2].ID
	for name, test := range map[string]struct {
		items items
		field string
	}{
		"a line that there is not":         {items{{Line: 7, Product: tent, Quantity: 1}}, "items.0.line_id"},
		"a line twice":                     {items{{Line: 2, Product: mug, Quantity: 1}, {Line: 2, Product: mug, Quantity: 1}}, "items.1.line_id"},
		"a line of something else":         {items{{Line: 1, Product: mug, Quantity: 1}}, "items.0.line_id"},
		"more of what was agreed":          {items{{Line: 1, Product: tent, Quantity: 2}}, "items.0.quantity"},
		"another price than agreed":        {items{{Line: 1, Product: tent, Quantity: 1, Price: price(80_00)}}, "items.0.negotiated_price"},
		"the token once more":              {items{{Product: tent, Quantity: 1, TokenHash: "tent"}, {Line: 1, Product: tent, Quantity: 1}}, "items.0.checkout_token"},
		"a token whose time is over":       {items{{Product: tent, Quantity: 1, TokenHash: "late"}}, "items.0.checkout_token"},
		"a token that was redeemed before": {items{{Product: tent, Quantity: 1, TokenHash: "used"}}, "items.0.checkout_token"},
		"nothing":                          {nil, "items"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := haggled(t)
			before := s.checkout
			var e *fault.Error
			if _, err := s.revise(t, service, with(test.items)); !errors.As(err, &e) || len(e.Details) == 0 || e.Details[0].Field != test.field {
				t.Errorf("%v, want %s", err, test.field)
			}
			if s.checkout != before {
				t.Error("something was stored")
			}
		})
	}
}

// Commit fails if the checkout, the shop or the time has changed after PrepareRevise.
func TestPreparedRevision_Commit_conflict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		between func(*fixture) error
		want    string
	}{
		"a claim": {func(s *fixture) error {
			return s.checkout.Claim(checkout.Payment{Option: "standard"}, nil, s.now)
		}, "checkout_processing"},
		"a cancel": {func(s *fixture) error { return s.checkout.Cancel() }, "checkout_canceled"},
		"another revision": {func(s *fixture) error {
			c := s.checkout.Snapshot()
			return s.checkout.Revise(s.project, checkout.Cart{Lines: c.Lines, Address: c.Address}, s.now)
		}, "checkout_changed"},
		"the end of its time":  {func(s *fixture) error { s.now = s.now.Add(time.Hour); return nil }, "checkout_expired"},
		"a change of the shop": {func(s *fixture) error { s.project.Version++; return nil }, ports.ProjectChanged},
		"nothing, but it is not by the revision that there is": {nil, "checkout_changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service := haggled(t)
			r := with(items{{Line: 1, Product: s.products[0].ID, Quantity: 1}})
			r.Checkout, r.Revision = s.checkout.ID(), 1
			project := *s.project
			if test.between == nil {
				r.Revision = 2
			}
			prepared, err := service.PrepareRevise(ports.NewOutbound(t.Context()), &project, r)
			if test.between != nil {
				if err == nil {
					err = test.between(s)
				}
				if err != nil {
					t.Fatal(err)
				}
				err = prepared.Commit(t.Context(), service.Stores)
			}
			if !fault.Is(err, test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// The mug of a bundle keeps its agreed price only together with the tent.
func TestPrepareRevise_bundle(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	s.deals()
	if _, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session:   s.session.ID,
		TokenHash: "bundle",
		Address:   home,
	}); err != nil {
		t.Fatal(err)
	}
	tent, mug := purchase.InitItem{
		Line:     1,
		Product:  s.products[0].ID,
		Quantity: 1,
	}, purchase.InitItem{
		Line:     2,
		Product:  s.products[2].ID,
		Quantity: 1,
	}
	if c, err := s.revise(t, service, with(items{mug, tent})); err != nil || c.Snapshot().Subtotal != usd(100_00) {
		t.Errorf("both: %v", err)
	}
	var e *fault.Error
	if _, err := s.revise(t, service, with(items{mug})); !errors.As(err, &e) || e.Code != "price_mismatch" {
		t.Errorf("the mug alone: %v", err)
	}
	if c, err := s.revise(t, service, with(items{tent})); err != nil || c.Snapshot().Subtotal != usd(92_00) {
		t.Errorf("the tent alone: %v", err)
	}
}

// A revision completes an incomplete checkout. A line that is kept has the prices of its quote.
func TestPrepareRevise_completesCheckout(t *testing.T) {
	t.Parallel()
	s, service := newFixture()
	s.agreed("tent", 0, 1, 90_00, func(q *negotiation.Snapshot) { q.ID = id.New[id.Quote]([16]byte{7}) })
	c, err := openCheckout(service, ports.NewOutbound(t.Context()), s.project, purchase.InitRequest{
		Session:   s.session.ID,
		TokenHash: "tent",
		Partial:   true,
	})
	if err != nil || c.Status() != checkout.Incomplete {
		t.Fatalf("%v, %v", c, err)
	}
	if _, err := s.pay(t, service); !fault.Is(err, "checkout_incomplete") || s.charges > 0 {
		t.Errorf("paid too early: %v, %d charges", err, s.charges)
	}
	r := with(items{{Line: 1, Product: s.products[0].ID, Quantity: 1}})
	r.Option = "express"
	if c, err = s.revise(t, service, r); err != nil || c.Status() != checkout.Ready || c.Snapshot().Selected != "express" {
		t.Errorf("%v", err)
	}
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil {
		t.Errorf("%+v, %v", result, err)
	}
}

// consenting is an agent that consents to payments, and onCheckout of them.
type consentingAgent struct {
	fakeAgent

	totals          []int64
	onFirstFinalize func()
}

func (c *consentingAgent) Finalize(_ ports.Outbound, in agent.FinalizeInput) (agent.Verdict, error) {
	c.totals = append(c.totals, in.Total.Minor())
	if len(c.totals) == 1 {
		c.onFirstFinalize()
	}
	return agent.Verdict{}, nil
}

// If a checkout is revised after the agent has consented, the agent is asked again, and the new total is charged. A request that
// names a revision fails instead, and charges nothing.
func TestFinalize_revisedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, named := range []int{0, 1} {
		s, service := ready(t)
		revise := func() {
			c := s.checkout.Snapshot()
			c.Lines[0].Quantity = 2
			if err := s.checkout.Revise(s.project, checkout.Cart{Lines: c.Lines, Address: c.Address}, s.now); err != nil {
				t.Error(err)
			}
		}
		asked := &consentingAgent{onFirstFinalize: revise}
		service.Agent = asked
		result, err := service.Finalize(ports.NewOutbound(t.Context()), s.project, purchase.FinalizeRequest{
			Checkout: s.checkout.ID(),
			Revision: named,
			Method:   project.SharedPaymentToken,
			Token:    "tok_secret",
		})
		if named != 0 {
			if !fault.Is(err, "checkout_changed") || s.charges != 0 {
				t.Errorf("revision %d: %v, %d charges", named, err, s.charges)
			}
			continue
		}
		if err != nil || orderOf(result) == nil || len(asked.totals) != 2 || s.charges != 1 ||
			s.charged[0].Charge.Amount.Minor() != asked.totals[1] || asked.totals[1] != asked.totals[0]+100_00 {
			t.Errorf("%v, consented to %v, charged %+v", err, asked.totals, s.charged)
		}
	}
}
