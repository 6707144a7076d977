package haggling_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// The built-in texts cover every decision.
func TestWords(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	asked := s.mustQuote(haggling.Request{})
	expectWords(t, asked, "The list price is 1000.00 USD, and an offer may lower it.", "")
	first := s.mustQuote(haggling.Request{Ask: again(asked), Offer: offer(500_00)})
	expectWords(t, first, "The offer is too low; the price came down to 938.00 USD in answer to your offer.", "") // 31 % of the way to 800.00
	expectWords(t, s.mustQuote(haggling.Request{Ask: again(first)}), "Our price is still 938.00 USD, and an offer may lower it.", "")
	countered := s.mustQuote(haggling.Request{Ask: again(first), Offer: offer(810_00)}) // 833.00 would be taken
	expectWords(t, countered, "The price came down to 866.00 USD because you raised your offer.", "")
	expectWords(t, s.mustQuote(haggling.Request{Ask: again(first), Offer: offer(810_00)}),
		"Our price stays at 866.00 USD because your offer did not rise by at least a hundredth of the list price.", "")
	for range 4 {
		countered = s.mustQuote(haggling.Request{Ask: again(first), Offer: offer(810_00)})
	}
	expectWords(t, countered, "Our final price is 866.00 USD.", "")
	expectWords(t, s.mustQuote(haggling.Request{Ask: again(first), Offer: offer(700_00)}), "The offer is too low; our final price is 866.00 USD.", "")
	expectWords(t, s.mustQuote(haggling.Request{Ask: again(first)}), "Our price is still 866.00 USD, and it is final.", "")
	expectWords(t, s.mustQuote(haggling.Request{Ask: again(first), Offer: offer(866_00)}), "",
		"Agreed: 866.00 USD each for 1 × Tent. We accept because your offer is at least the price that we named.")

	s = newFixture(t)
	met := s.mustQuote(haggling.Request{Offer: offer(820_00)})
	expectWords(t, met, "Our price is 910.20 USD, which is below the list price.", "")
	expectWords(t, s.mustQuote(haggling.Request{Ask: again(met), Offer: offer(880_00)}), "",
		"Agreed: 880.00 USD each for 1 × Tent. We accept because your offer is close enough to the price that we named.")
	for price, why := range map[int64]string{
		1200_00: "You pay no more than the list price.",
		1000_00: "We accept because you offer the list price.",
		950_00:  "We accept because your offer is close enough to our price.",
	} {
		expectWords(t, newFixture(t).mustQuote(haggling.Request{Offer: offer(price)}), "",
			fmt.Sprintf("Agreed: %s each for 1 × Tent. %s", agent.FormatAmount(usd(min(price, 1000_00))), why))
	}

	s = newFixture(t)
	s.tent.Negotiable = false
	expectWords(t, s.mustQuote(haggling.Request{}), "The list price is 1000.00 USD, and it is final.", "")
	expectWords(t, s.mustQuote(haggling.Request{Offer: offer(990_00)}), "We do not negotiate about this item: it is sold at its price of 1000.00 USD.", "")
}

// visible returns what the buyer sees of an answer besides its texts.
func visible(a haggling.Answer) string {
	hint := money.Amount{}
	if rejected, ok := a.Decision.(negotiation.Rejected); ok {
		hint = rejected.Hint
	}
	return fmt.Sprint(a.Decision.Outcome(), *negotiation.PriceIn(a.Decision), hint, a.Final, a.Quote.Bounds.List())
}

// secretive returns a shop with a random cost and policy. All have the same limit of the discount and number of rounds.
func secretive(t *testing.T, r *rand.Rand) *fixture {
	s := newFixture(t)
	s.tent.Cost = new(usd(r.Int64N(1100_00)))
	policies := negotiation.Presets()
	p := policies[r.IntN(len(policies))].Policy
	p.Anchor, p.Depth = 0, money.Percent(600+r.IntN(401))
	s.mandate.policy = p
	return s
}

// Two shops that differ in cost, floor, target and curve explain equal answers in equal words: the words follow from what the
// buyer knows.
func TestWords_revealNoLimits(t *testing.T) {
	t.Parallel()
	r, alike, floors := rand.New(rand.NewPCG(24, 6)), map[negotiation.Outcome]int{}, 0
	for range 8000 {
		one, two := secretive(t, r), secretive(t, r)
		var first, second haggling.Answer
		price := 600_00 + r.Int64N(400_00)
		for i := range 8 {
			ask, other := ports.HaggleAsk{Product: one.tent.ID, Quantity: 1}, ports.HaggleAsk{Product: two.tent.ID, Quantity: 1}
			if i > 0 {
				ask, other = again(first), again(second)
			}
			made := new(usd(price))
			if r.IntN(6) == 0 {
				made = nil
			}
			first, second = one.mustQuote(haggling.Request{Ask: ask, Offer: made}), two.mustQuote(haggling.Request{Ask: other, Offer: made})
			if visible(first) != visible(second) {
				break
			}
			if first.Why != second.Why || first.Reasoning != second.Reasoning || first.Message != second.Message || first.Why == "" {
				t.Fatalf("%+v with %+v: %q; %+v with %+v: %q", first.Decision, first.Quote.Bounds, first.Why, second.Decision, second.Quote.Bounds, second.Why)
			}
			if first.Quote.Bounds.Floor() != second.Quote.Bounds.Floor() {
				floors++
				alike[first.Decision.Outcome()]++
			}
			if _, agreed := first.Decision.(negotiation.Accepted); agreed {
				break
			}
			price += r.Int64N(30_00)
		}
	}
	// A rejection has the floor as its hint, so that shops with other floors do not give the same one.
	for _, outcome := range []negotiation.Outcome{negotiation.OutcomeQuoted, negotiation.OutcomeAccepted, negotiation.OutcomeCountered} {
		if alike[outcome] < 200 {
			t.Errorf("only %d of %d pairs of answers with different floors are %s", alike[outcome], floors, outcome)
		}
	}
}

var (
	amounts = regexp.MustCompile(`[0-9]+\.[0-9]+ USD`)
	cameTo  = regexp.MustCompile(`came down to ([0-9.]+ USD)`)
)

// The only number in the words is the answer's price, and each claim about the buyer's own offers
// and the prices named before is true.
func TestWords_followFromKnownPrices(t *testing.T) {
	t.Parallel()
	r, raised, unmoved, closed := rand.New(rand.NewPCG(24, 7)), 0, 0, 0
	for range 4000 {
		s := secretive(t, r)
		var a haggling.Answer
		var offers []int64
		named, price := int64(0), 600_00+r.Int64N(400_00)
		for i := range 10 {
			ask := ports.HaggleAsk{Product: s.tent.ID, Quantity: 1}
			if i > 0 {
				ask = again(a)
			}
			made := new(usd(price))
			if r.IntN(6) == 0 {
				made = nil
			}
			a = s.mustQuote(haggling.Request{Ask: ask, Offer: made})
			now := negotiation.PriceIn(a.Decision).Minor()
			for _, number := range amounts.FindAllString(a.Why, -1) {
				if number != agent.FormatAmount(usd(now)) {
					t.Fatalf("%q: the price is %d", a.Why, now)
				}
			}
			if m := cameTo.FindStringSubmatch(a.Why); m != nil {
				if strings.Contains(a.Why, "raised") == (len(offers) == 0) || now >= named || made.Minor() <= slices.Max(append(offers, 0)) {
					t.Fatalf("%q: %d was named, and %v offered before", a.Why, named, offers)
				}
				raised++
			}
			if strings.Contains(a.Why, "did not rise") {
				if now != named || made.Minor()-slices.Max(offers) >= 10_00 {
					t.Fatalf("%q: %d was named, and %v offered before", a.Why, named, offers)
				}
				unmoved++
			}
			_, agreed := a.Decision.(negotiation.Accepted)
			if ends := strings.Contains(a.Why, "final") || strings.HasPrefix(a.Why, "We do not negotiate"); ends != a.Final && !agreed {
				t.Fatalf("%q of %+v", a.Why, a)
			}
			if made != nil {
				offers = append(offers, made.Minor())
			}
			if agreed {
				closed++
				break
			}
			named = now
			price += r.Int64N(30_00)
		}
	}
	if raised < 1000 || unmoved < 1000 || closed < 1000 {
		t.Errorf("only %d times a raised offer, %d times another one, %d deals", raised, unmoved, closed)
	}
}
