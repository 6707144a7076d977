package simulating

import (
	"math/rand/v2"
	"testing"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Whatever is offered, in whatever order, at whatever price, discount and cost: no price under the floor, under
// list × (1 − max discount) or above list, no counter above an earlier one or not above the offer, no broken
// commitment, and one hint.
func TestThePolicyKeepsItsPromisesToAnybody(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	for range 20_000 {
		settings := project.DefaultSettings()
		settings.MaxDiscount = money.Percent(random.Int64N(901))
		seller := PolicySeller{negotiation.Builtin().Under(settings), settings.Currency}
		item := market.Item{List: 1 + random.Int64N(1+random.Int64N(200_000))}
		item.Cost = random.Int64N(item.List + item.List/5 + 1)
		checkHistory(t, random, seller, item)
	}
}

func checkHistory(t *testing.T, random *rand.Rand, seller PolicySeller, item market.Item) {
	t.Helper()
	talk, secrets := seller.Open(item), seller.Secrets(item)
	least := (item.List*int64(money.Whole-seller.Policy.MaxDiscount) + int64(money.Whole) - 1) / int64(money.Whole)
	standing := item.List
	for range 12 {
		offer := 1 + random.Int64N(item.List+item.List/10+1)
		a := talk.Offer(offer)
		low := a.Verdict != market.Rejected && (a.Price < least || a.Price < secrets.Floor || a.Price > item.List)
		switch {
		case low, a.Verdict != market.Accepted && offer >= standing,
			a.Verdict == market.Rejected && a.Standing > 0 && (a.Standing > standing || a.Standing <= offer || a.Standing < max(least, secrets.Floor)),
			a.Verdict == market.Accepted && a.Price != min(offer, item.List),
			a.Verdict == market.Countered && (a.Price > standing || a.Price <= offer),
			a.Verdict == market.Rejected && (a.Price != secrets.Hint || offer >= secrets.Floor):
			t.Fatalf("%+v, %+v, list %d: %d gets %+v; standing %d", item, secrets, least, offer, a, standing)
		case a.Verdict == market.Accepted:
			return
		case a.Verdict == market.Countered:
			standing = a.Price
		case a.Standing > 0:
			standing = a.Standing
		}
	}
}
