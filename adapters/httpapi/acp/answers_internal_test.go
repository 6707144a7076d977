package acp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// decided returns an answer to an offer of 80.00 for each of three pieces at a list price of 100.00, with a bundle.
func decided(d negotiation.Decision) haggling.Answer {
	offer := usd(8000)
	return haggling.Answer{
		Session:  id.New[id.Session]([16]byte{1}),
		Offer:    &offer,
		Decision: d,
		Product:  &catalog.Product{ID: id.New[id.Product]([16]byte{1}), Name: "Jacket"},
		Quote: negotiation.Snapshot{
			ID: id.New[id.Quote]([16]byte{1}), Item: negotiation.Item{Quantity: 3},
			Bounds: negotiation.RehydrateBounds(usd(10000), usd(9700), usd(9000), usd(7311)),
			Bundle: &negotiation.Bundle{
				Product: id.New[id.Product]([16]byte{2}),
				Name:    "Mug",
				Regular: usd(1295),
				Price:   usd(1100),
			},
			ValidUntil: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC),
		},
		Reasoning: "because",
		Message:   "fine",
		Token:     "ct_1",
	}
}

// The answer to each decision has that decision's fields, and never the floor.
func TestToAPIQuote_fields(t *testing.T) {
	t.Parallel()
	expired := decided(nil)
	expired.Expired = true
	for name, c := range map[string]struct {
		answer haggling.Answer
		fields string
	}{
		"accept":        {decided(negotiation.Accepted{Price: usd(9000)}), "checkout_token currency final_price message next_actions product_id quantity quote_id session_id status valid_until variant_id"},
		"counter_offer": {decided(negotiation.Countered{Price: usd(9000)}), "bundle_suggestion counter_price currency discount_applied next_actions original_price product product_id quantity quote_id reasoning session_id status valid_until variant_id your_offer"},
		"reject":        {decided(negotiation.Rejected{Price: usd(9700), Hint: usd(7500)}), "currency floor_hint next_actions offered_price product_id quantity quote_id reason session_id status valid_until variant_id"},
		"quote":         {decided(negotiation.Quoted{Price: usd(9700)}), "currency list_price next_actions offered_price product_id quantity quote_id reasoning session_id status valid_until variant_id"},
		"expired":       {expired, "currency message next_actions product_id quantity quote_id session_id status variant_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(toAPIQuote(c.answer, nil))
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]any
			if err := json.Unmarshal(text, &fields); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(fields)), " "); got != c.fields || fields["status"] != name {
				t.Errorf("%s\n%s, want\n%s", text, got, c.fields)
			}
			if strings.Contains(string(text), "73.11") {
				t.Errorf("the floor shows in %s", text)
			}
		})
	}
}

// A decision of an unknown type panics.
func TestToAPIQuote_unknownDecision(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]negotiation.Decision{
		"none": nil, "new": struct{ negotiation.Decision }{negotiation.Quoted{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("it was answered")
				}
			}()
			toAPIQuote(decided(d), nil)
		})
	}
}

func TestToAPICounter(t *testing.T) {
	t.Parallel()
	counter := toAPIQuote(decided(negotiation.Countered{Price: usd(8750)}), nil).(counterAnswer)
	if counter.DiscountApplied != "12.5%" {
		t.Errorf("discount %s", counter.DiscountApplied)
	}
	if b := counter.Bundle; b.BundleTotal.String() != "273.50" || b.TotalSavings.String() != "39.45" {
		t.Errorf("bundle total %s, savings %s", b.BundleTotal, b.TotalSavings)
	}
	final := decided(negotiation.Countered{Price: usd(8750), Final: true})
	final.Quote.Bundle, final.Final = nil, true
	if got := strings.Join(toAPIQuote(final, nil).(counterAnswer).NextActions, " "); got != "accept decline" {
		t.Errorf("after the last counter: %s", got)
	}
}

// A hint is a plain number, without trailing zeros.
func TestToAPIHint(t *testing.T) {
	t.Parallel()
	yen, err := money.ParseCurrency("JPY")
	if err != nil {
		t.Fatal(err)
	}
	for want, hint := range map[string]money.Amount{
		"75": usd(7500), "12.95": usd(1295), "0.5": usd(50), "1500": money.Of(1500, yen), "100": usd(10000),
	} {
		if got := toAPIHint(hint); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
