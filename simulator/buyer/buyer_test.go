package buyer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/internal/shoptest"
)

func newBuyer(t *testing.T, tamper func(string, shoptest.Answer)) *buyer.Buyer {
	t.Helper()
	connection := exchange.NewClient(exchange.Config{URL: shoptest.New(t, tamper).URL})
	return buyer.New(context.Background(), acp.New(connection, "demo"))
}

var home = acp.Address{
	Name:       "A",
	Line1:      "B",
	City:       "C",
	PostalCode: "12345",
	Country:    "US",
}

func TestBuyer_shoppingTrip(t *testing.T) {
	t.Parallel()
	b := newBuyer(t, nil)
	b.Discover().Search("hammer").ViewResult(1).Choose("var_prod_1", 2).CheckAvailability(home)
	b.AskPrice().OfferShare(decimal.FromInt(85)).FollowUp(decimal.FromInt(88), "please").AcceptCounter()
	if err := b.Saw(acp.Accept); err != nil {
		t.Fatal(err)
	}
	if b.Rounds != 3 || b.Agreement == nil || b.Agreement.UnitPrice != decimal.MustParse("93.5") || b.Discount() != 0.065 {
		t.Errorf("rounds %d, agreement %+v, discount %v", b.Rounds, b.Agreement, b.Discount())
	}
	b.ReadSession().Extend(20).InitCheckout(home)
	b.PayShipping(acp.PSPToken, "spt_sandbox_decline_expired_card", "express")
	if b.Err() != nil || b.Paid() || b.Finalized.Error.DeclineCode != "expired_card" {
		t.Fatalf("%v, %+v", b.Err(), b.Finalized)
	}
	b.Pay(acp.PSPToken, "spt_sandbox_ok")
	order := b.Finalized.Order.ID
	b.FinalizeAgain().ReadOrder().SendBack(1, "broken")
	if b.Err() != nil || b.Order.Order.ID != order || order == "" || b.Return.ReturnID == "" {
		t.Errorf("%v, order %q, read %+v", b.Err(), order, b.Order)
	}
}

// After a failure a buyer sends no requests until TakeErr returns the error.
func TestBuyer_Err_sticky(t *testing.T) {
	t.Parallel()
	b := newBuyer(t, nil)
	b.Search("hammer").View("nothing").OfferShare(decimal.FromInt(90)).InitCheckout(home)
	if acp.CodeOf(b.Err()) != "product_not_found" || len(b.Client().Transcript().Entries()) != 2 {
		t.Errorf("%v\n%s", b.Err(), b.Client().Transcript())
	}
	if err := b.Saw(acp.Accept); err == nil || !strings.Contains(err.Error(), "/acp/products/nothing") {
		t.Errorf("no transcript in %v", err)
	}
	if b.TakeErr() == nil || b.Err() != nil {
		t.Error("the error is not taken")
	}
	if b.View("prod_1"); b.Err() != nil || b.Product.ProductID != "prod_1" {
		t.Errorf("the buyer does not go on: %v", b.Err())
	}
}

// Methods that need the result of an earlier step fail without it and send no request.
func TestErrNothingToDo_missingStep(t *testing.T) {
	t.Parallel()
	verbs := map[string]func(b *buyer.Buyer){
		"follow up":      func(b *buyer.Buyer) { b.FollowUp(decimal.FromInt(1), "") },
		"accept":         func(b *buyer.Buyer) { b.AcceptCounter() },
		"bundle":         func(b *buyer.Buyer) { b.TakeBundle() },
		"init":           func(b *buyer.Buyer) { b.InitCheckout(home) },
		"pay":            func(b *buyer.Buyer) { b.Pay(acp.PSPToken, "x") },
		"finalize again": func(b *buyer.Buyer) { b.FinalizeAgain() },
		"view result":    func(b *buyer.Buyer) { b.ViewResult(0) },
		"choose":         func(b *buyer.Buyer) { b.Choose("var", 1) },
	}
	b := newBuyer(t, nil)
	for name, verb := range verbs {
		if verb(b); !errors.Is(b.TakeErr(), buyer.ErrNothingToDo) {
			t.Errorf("%s found something to do", name)
		}
	}
	if sent := len(b.Client().Transcript().Entries()); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

func TestHaggle(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		strategy buyer.Strategy
		agreed   bool
		price    int64 // dollars
	}{
		"a generous buyer":             {buyer.Hardliner(limits(95, 95, 2)), true, 95},
		"a patient buyer":              {buyer.Linear(limits(80, 95, 5)), true, 91},
		"a stingy buyer":               {buyer.Conceder(limits(60, 79, 5)), false, 0},
		"a buyer who takes the hint":   {buyer.Hardliner(limits(60, 91, 2)), true, 91},
		"a buyer who is never content": {buyer.Hardliner(limits(81, 90, 2)), false, 0},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBuyer(t, nil)
			got := b.Search("hammer").ViewResult(0).Haggle(c.strategy)
			if b.Err() != nil || got.Agreed != c.agreed {
				t.Fatalf("%+v, %v\n%s", got, b.Err(), b.Client().Transcript())
			}
			if c.agreed && b.Agreement.UnitPrice != decimal.FromInt(c.price) {
				t.Errorf("agreed at %s, want %d", b.Agreement.UnitPrice, c.price)
			}
		})
	}
}

func TestHaggle_expiredQuote(t *testing.T) {
	t.Parallel()
	b := newBuyer(t, func(endpoint string, answer shoptest.Answer) {
		if endpoint == "POST /acp/quote" {
			answer["status"] = "expired"
		}
	})
	if got := b.Search("hammer").ViewResult(0).Haggle(buyer.Linear(limits(80, 95, 5))); got.Agreed || got.Rounds != 1 || b.Err() != nil {
		t.Errorf("%+v, %v", got, b.Err())
	}
}

func TestTakeBundle(t *testing.T) {
	t.Parallel()
	b := newBuyer(t, func(_ string, answer shoptest.Answer) {
		if answer["status"] == "counter_offer" {
			answer["next_actions"] = []string{"accept", "add_bundle"}
			answer["bundle_suggestion"] = shoptest.Answer{"product_id": "prod_2", "name": "Nails", "regular_price": 10, "bundle_price": 8}
		}
	})
	b.Search("hammer").ViewResult(0).Offer(decimal.FromInt(85)).TakeBundle().InitCheckout(home)
	if b.Err() != nil || b.Agreement.Bundle == nil {
		t.Fatalf("%v", b.Err())
	}
	text := b.Client().Transcript().String()
	if !strings.Contains(text, `"add_bundle":true`) || !strings.Contains(text, `{"product_id":"prod_2","quantity":1,"negotiated_price":8}`) {
		t.Error(text)
	}
}
