package simulator

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/brianvoe/gofakeit/v7"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
)

// plan is every decision of one buyer. It depends on the seed and the buyer's number alone: two runs with one seed have
// the same buyers, even if the server's answers differ.
type plan struct {
	number   int
	email    string
	address  acp.Address
	claims   *acp.BuyerContext
	wish     acp.SearchRequest
	pick     int // which of the results in stock, modulo their number
	variant  int // which of the variants in stock, modulo their number
	quantity int
	strategy buyer.Strategy // nil: buys at list price
	payment  []acp.Payment  // tried in this order until one succeeds
	option   int            // which shipping option, modulo their number; negative: the selected one

	asksPrice, checksStock, readsSession, extends, paysTwice, reusesToken, sendsBack bool
}

// atListPrice names buyers without a strategy in the report.
const atListPrice = "pays list price"

func newPlan(seed uint64, number int, m market) plan {
	source := rand.NewPCG(seed, uint64(number))
	random, faker := rand.New(source), gofakeit.NewFaker(source, false)
	oneIn := func(n int) bool { return random.IntN(n) == 0 }
	name := faker.Name()
	p := plan{
		number:   number,
		email:    fmt.Sprintf("buyer+%d@example.com", number),
		address:  newAddress(random, faker, name, m.manifest.ShippingRegions),
		wish:     m.wish(random),
		pick:     min(random.IntN(10), random.IntN(10)), // the first results are viewed most
		variant:  random.IntN(8),
		quantity: 1 + max(0, random.IntN(8)-5),
		strategy: buyer.RandomStrategy(random),
		payment:  newPayments(random, number),
		option:   random.IntN(6) - 4,
	}
	if oneIn(16) {
		p.strategy = nil
	}
	if oneIn(2) {
		p.claims = newClaims(random, p.address.Country)
	}
	p.asksPrice, p.checksStock, p.readsSession = oneIn(3), oneIn(4), oneIn(2)
	p.extends, p.paysTwice, p.reusesToken, p.sendsBack = oneIn(10), oneIn(4), oneIn(5), oneIn(12)
	return p
}

// within removes the steps that UCP does not have: sessions, stock levels and returns.
func (p plan) within(protocol Protocol) plan {
	if protocol != ACP {
		p.checksStock, p.readsSession, p.extends, p.sendsBack = false, false, false, false
	}
	return p
}

func (p plan) strategyName() string {
	if p.strategy == nil {
		return atListPrice
	}
	return p.strategy.Name()
}

func newClaims(random *rand.Rand, country string) *acp.BuyerContext {
	tiers, urgencies := []string{"bronze", "silver", "gold", "platinum"}, []string{"flexible", "normal", "urgent"}
	return &acp.BuyerContext{
		LoyaltyTier: tiers[random.IntN(len(tiers))], Location: country,
		PurchaseHistory: random.IntN(30), Urgency: urgencies[random.IntN(len(urgencies))],
	}
}

// newPayments picks the payments that a buyer tries. About one buyer in six pays by wallet, and three buyers of a run
// first try a card without funds (features/PROTOCOL.md#sandbox-tokens). There are no more of them because a server makes
// a client wait after ten declined payments in ten minutes.
func newPayments(random *rand.Rand, number int) []acp.Payment {
	good := acp.Payment{Method: acp.PSPToken, Token: fmt.Sprintf("spt_sandbox_ok_%d", number)}
	if random.IntN(6) == 0 {
		good = acp.Payment{Method: acp.WalletBA, Token: "ba_sandbox_ok"}
	}
	if number%10 == 3 && number < 30 {
		return []acp.Payment{{Method: acp.PSPToken, Token: "spt_sandbox_decline_insufficient_funds"}, good}
	}
	return []acp.Payment{good}
}

// postalPatterns are the formats of postal codes: # is a digit, ? a letter.
var postalPatterns = map[string]string{
	"GB": "??# #??", "CA": "?#? #?#", "NL": "#### ??", "JP": "###-####", "PL": "##-###", "BR": "#####-###",
	"AT": "####", "AU": "####", "BE": "####", "CH": "####", "DK": "####", "NO": "####", "SE": "### ##", "IN": "######",
}

// newAddress makes up an address in one of the regions that the merchant ships to.
func newAddress(random *rand.Rand, faker *gofakeit.Faker, name string, regions []string) acp.Address {
	country := "US"
	if len(regions) > 0 {
		country = regions[random.IntN(len(regions))]
	}
	pattern, known := postalPatterns[country]
	if !known {
		pattern = "#####"
	}
	address := acp.Address{
		Name:       name,
		Line1:      faker.Street(),
		City:       faker.City(),
		Country:    country,
		PostalCode: strings.ToUpper(faker.Lexify(faker.Numerify(pattern))),
		Phone:      faker.Numerify("+1555#######"),
	}
	if country == "US" {
		address.State, address.PostalCode = faker.StateAbr(), faker.Zip()
	}
	return address
}
