package simulating

import (
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// For random offers, prices, discounts and costs: no price is under the floor, under list × (1 − max discount) or above list, no
// counter is above an earlier one or not above the offer, no commitment is broken, and the hint stays the same.
func TestPolicySeller_keepsPromises(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	for range 20_000 {
		settings := project.DefaultSettings()
		settings.MaxDiscount = money.Percent(random.Int64N(901))
		seller := PolicySeller{Policy: negotiation.Builtin().Under(settings), Currency: settings.Currency}
		item := market.Item{List: 1 + random.Int64N(1+random.Int64N(200_000))}
		item.Cost = random.Int64N(item.List + item.List/5 + 1)
		checkHistory(t, random, seller, item)
	}
}

func checkHistory(t *testing.T, random *rand.Rand, seller PolicySeller, item market.Item) {
	t.Helper()
	n, secrets := seller.Open(item), seller.Secrets(item)
	least := (item.List*int64(money.Whole-seller.Policy.MaxDiscount) + int64(money.Whole) - 1) / int64(money.Whole)
	current := item.List
	for range 12 {
		offer := 1 + random.Int64N(item.List+item.List/10+1)
		a := n.Offer(offer)
		low := a.Verdict != market.Rejected && (a.Price < least || a.Price < secrets.Floor || a.Price > item.List)
		switch {
		case low, a.Verdict != market.Accepted && offer >= current,
			a.Verdict == market.Rejected && a.CurrentPrice > 0 && (a.CurrentPrice > current || a.CurrentPrice <= offer || a.CurrentPrice < max(least, secrets.Floor)),
			a.Verdict == market.Accepted && a.Price != min(offer, item.List),
			a.Verdict == market.Countered && (a.Price > current || a.Price <= offer),
			a.Verdict == market.Rejected && (a.Price != secrets.Hint || offer >= secrets.Floor):
			t.Fatalf("%+v, %+v, list %d: %d gets %+v; current price %d", item, secrets, least, offer, a, current)
		case a.Verdict == market.Accepted:
			return
		case a.Verdict == market.Countered:
			current = a.Price
		case a.CurrentPrice > 0:
			current = a.CurrentPrice
		}
	}
}
