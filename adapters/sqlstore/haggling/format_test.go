package haggling_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Rows that exist have their inputs in this form.
func TestEntryRow_inputs(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	cost, other, free := usd(5), usd(6), usd(0)
	for name, c := range map[string]struct {
		entry           negotiation.Entry
		before, signals string
	}{
		"full": {
			entry: negotiation.Entry{
				Before: negotiation.Progress{
					Rounds:    1,
					Moves:     2,
					BestOffer: usd(3),
					Counter:   usd(4),
				},
				Signals: negotiation.Signals{
					List:       usd(9),
					Cost:       &cost,
					Competitor: &other,
					Negotiable: true,
					Quantity:   7,
					CartValue:  usd(8),
					Stock:      10,
					Claims: negotiation.ClaimsOf(session.Claims{
						LoyaltyTier:     "gold",
						PurchaseHistory: 11,
						Urgency:         "urgent",
					}),
					Member:   negotiation.MemberOf(session.Member{Tier: "silver", Purchases: 12}),
					Category: "tools",
					Probed: negotiation.Probed{
						Session: 13,
						Client:  14,
						Product: 15,
					},
				},
			},
			before: `{"rounds":1,"moves":2,"best_offer":3,"counter":4}`,
			signals: `{"list":9,"cost":5,"competitor":6,"negotiable":true,"quantity":7,"cart_value":8,"stock":10,"tier":"gold","purchases":11,` +
				`"urgency":"urgent","member_tier":"silver","member_purchases":12,"category":"tools","probed_session":13,"probed_client":14,"probed_product":15}`,
		},
		"empty": {
			before:  `{"rounds":0,"moves":0}`,
			signals: `{"list":0,"negotiable":false,"quantity":0,"cart_value":0,"stock":0,"purchases":0}`,
		},
		"for nothing": {
			entry: negotiation.Entry{
				Before: negotiation.Progress{BestOffer: free, Counter: free},
				Signals: negotiation.Signals{
					List:      free,
					Cost:      &free,
					CartValue: free,
				},
			},
			before:  `{"rounds":0,"moves":0,"best_offer":0,"counter":0}`,
			signals: `{"list":0,"cost":0,"negotiable":false,"quantity":0,"cart_value":0,"stock":0,"purchases":0}`,
		},
	} {
		args := haggling.EntryArgs(c.entry)
		for _, want := range []string{c.before, c.signals} {
			if !slices.Contains(args, any(want)) {
				t.Errorf("%s: %v\n has no %s", name, args, want)
			}
		}
	}
}
