package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/shopping"
)

// profiles maps the profiles of the buyers' agents to the UCP transport that they use.
var profiles = map[string]ucp.Transport{
	"https://concierge.example/agent.json": ucp.REST,
	"https://basket.example/ucp/profile":   ucp.REST,
	"https://desk-assistant.example/agent": ucp.MCP,
	"https://dealfinder.example/profile":   haggle,
	"https://shopmate.example/agent.json":  haggle,
}

// haggle stands for Haggle's own protocol among the UCP transports.
const haggle ucp.Transport = ""

// person is a buyer, who may return.
type person struct {
	number  int
	address acp.Address
	from    string // the address of its agent
	agent   string // its profile; "": it does not say
	bought  int
}

func (p *person) email() string { return fmt.Sprintf("buyer+%d@example.com", p.number) }

// places are buyers' addresses, with and without sales tax.
var places = []acp.Address{
	{
		City:       "San Francisco",
		State:      "CA",
		PostalCode: "94105",
		Country:    "US",
	},
	{
		City:       "Los Angeles",
		State:      "CA",
		PostalCode: "90012",
		Country:    "US",
	},
	{
		City:       "New York",
		State:      "NY",
		PostalCode: "10001",
		Country:    "US",
	},
	{
		City:       "Buffalo",
		State:      "NY",
		PostalCode: "14202",
		Country:    "US",
	},
	{
		City:       "Austin",
		State:      "TX",
		PostalCode: "78701",
		Country:    "US",
	},
	{
		City:       "Portland",
		State:      "OR",
		PostalCode: "97201",
		Country:    "US",
	},
	{
		City:       "Denver",
		State:      "CO",
		PostalCode: "80202",
		Country:    "US",
	},
	{
		City:       "Chicago",
		State:      "IL",
		PostalCode: "60601",
		Country:    "US",
	},
	{
		City:       "Toronto",
		State:      "ON",
		PostalCode: "M5V 2T6",
		Country:    "CA",
	},
	{
		City:       "Vancouver",
		State:      "BC",
		PostalCode: "V6B 1A1",
		Country:    "CA",
	},
}

// someone returns a new or a returning buyer.
func (w *world) someone() *person {
	if len(w.known) > 20 && w.oneIn(6) {
		return w.known[w.chance.IntN(len(w.known))]
	}
	w.buyers++
	p := &person{
		number:  w.buyers,
		address: places[w.chance.IntN(len(places))],
		from:    fmt.Sprintf("198.18.%d.%d", w.buyers/250, 1+w.buyers%250),
	}
	p.address.Name, p.address.Line1 = fmt.Sprintf("Buyer %d", p.number), fmt.Sprintf("%d Example Street", p.number)
	if names := slices.Sorted(maps.Keys(profiles)); !w.oneIn(5) {
		p.agent = names[w.chance.IntN(len(names))]
	}
	w.known = append(w.known, p)
	return p
}

// enter returns the shop as a person's agent reaches it.
func (w *world) enter(p *person) (buyer.Shop, error) {
	if profiles[p.agent] == haggle {
		return w.shop(p.from, p.agent), nil
	}
	return shopping.Enter(w.ctx, shopping.Config{
		UCP: ucp.Config{
			Connection: w.connection(p.from, nil),
			Shop:       "demo",
			Transport:  profiles[p.agent],
			Agent:      p.agent,
		},
		Currency: w.manifest.Currency(),
		Email:    p.email(),
	})
}

// visit runs a buyer's visit to the shop.
func (w *world) visit() {
	p := w.someone()
	b, err := w.look(p)
	if err != nil {
		w.check(err)
		return
	}
	switch {
	case b == nil:
		w.count("visits that found nothing")
		return
	case w.oneIn(4):
		w.count("visits without an offer")
		return
	case w.oneIn(13):
		w.count("visits at list price")
		b.InitCheckoutAtList(p.address)
	default:
		if b = w.haggle(p, b); b == nil {
			return
		}
		if w.oneIn(4) {
			w.count("deals that were not bought")
			return
		}
		b.InitCheckout(p.address)
	}
	w.pay(p, b)
}

// look searches for a product and opens it. It returns no buyer if the product is out of stock.
func (w *world) look(p *person) (*buyer.Buyer, error) {
	shop, err := w.enter(p)
	if err != nil {
		return nil, err
	}
	b := buyer.New(w.ctx, shop)
	b.Manifest, b.Email = w.manifest, p.email()
	b.Claims = w.claims(p)
	wanted := w.wanted()
	b.SearchFor(acp.SearchRequest{Query: wanted.query(w.chance), Limit: 5})
	if b.Err() != nil {
		return nil, b.Err()
	}
	b.View(wanted.id)
	if b.Err() != nil {
		return nil, b.Err()
	}
	stocked := slices.DeleteFunc(slices.Clone(b.Product.Variants), func(v acp.Variant) bool { return !v.InStock })
	if len(stocked) == 0 {
		return nil, nil
	}
	quantity := 1
	if w.oneIn(8) && wanted.list < 15_000 {
		quantity = 2
	}
	chosen := stocked[w.chance.IntN(len(stocked))]
	b.Choose(chosen.ID, min(quantity, max(chosen.Quantity, 1)))
	return b, b.Err()
}

// claims returns what half of the agents claim about their buyers.
func (w *world) claims(p *person) *acp.BuyerContext {
	if !w.oneIn(2) {
		return nil
	}
	tiers := []string{"", "bronze", "silver", "gold"}
	return &acp.BuyerContext{
		LoyaltyTier:     tiers[min(p.bought, len(tiers)-1)],
		Location:        p.address.Country,
		PurchaseHistory: p.bought,
		Urgency:         []string{"flexible", "normal", "normal", "urgent"}[w.chance.IntN(4)],
	}
}

// worths are the distributions of buyers' reservation prices, as shares of the list price.
var worths = []market.Worths{market.Normal(.84, .08), market.Normal(.79, .07), market.LogNormal(.84, .14), market.Uniform(.62, 1.02)}

// haggle lets a buyer negotiate with one of the market's tactics. It returns the buyer that agreed.
func (w *world) haggle(p *person, b *buyer.Buyer) *buyer.Buyer {
	tactics := market.Measured()
	if w.oneIn(4) {
		tactics = market.Others()
	}
	tactic := tactics[w.chance.IntN(len(tactics))]
	if b.Variant.Size != "" || w.oneIn(4) { // a size may have its own price
		if b.AskPrice(); w.refused(b) {
			return nil
		}
	}
	list := minor(b.ListPrice())
	kind := market.Population{Worths: worths[w.chance.IntN(len(worths))], Cost: .5}
	seller := &seller{
		w:      w,
		person: p,
		first:  b,
	}
	rules := market.Rules{
		Seller: seller,
		Item:   kind.Item(list),
		Firm:   market.UsualHabits().Firm,
		Heed:   !w.oneIn(3),
	}
	w.count("negotiations")
	outcome := rules.Haggle(0, kind.Draw(w.chance, market.UsualHabits(), list), tactic, w.chance)
	switch {
	case outcome.Lost:
		w.count("negotiations without an answer")
	case outcome.Broken != market.Kept:
		w.check(errors.New(outcome.Broken.String()))
	case outcome.Price == 0:
		w.count("negotiations without a deal: " + tactic.Name)
	default:
		w.count("deals: " + tactic.Name)
		return seller.last
	}
	return nil
}

// pay pays a checkout. Some payments are declined first, and a few are never paid.
func (w *world) pay(p *person, b *buyer.Buyer) {
	if w.refused(b) {
		return
	}
	if w.oneIn(7) {
		w.count("checkouts that were left")
		return
	}
	if w.oneIn(16) {
		b.Pay(acp.PSPToken, "spt_sandbox_decline_insufficient_funds")
		w.count("payments declined")
		if w.oneIn(3) {
			return
		}
	}
	method, token := acp.PSPToken, "spt_sandbox_ok"
	if w.oneIn(6) && profiles[p.agent] == haggle {
		method, token = acp.WalletBA, "ba_sandbox_ok"
	}
	option := ""
	if options := b.Checkout.ShippingOptions; len(options) > 1 && w.oneIn(5) {
		option = options[1+w.chance.IntN(len(options)-1)].ID
	}
	b.PayShipping(method, token, option)
	if w.refused(b) || !b.Paid() {
		return
	}
	p.bought++
	w.count("orders")
	w.placed(p, b)
}

// refused reports whether the shop refused what a buyer did for an expected reason: the last piece was sold meanwhile.
func (w *world) refused(b *buyer.Buyer) bool {
	err := b.Err()
	if err == nil {
		return false
	}
	var problem *acp.Error
	if errors.As(err, &problem) && problem.HTTPStatus == 409 {
		w.count("refused: " + problem.Code)
		return true
	}
	w.check(err)
	return true
}

// later returns a time some days later, in the daytime.
func (w *world) later(least, most int) time.Time {
	day := w.now.Truncate(24*time.Hour).AddDate(0, 0, least+w.chance.IntN(most-least+1))
	return day.Add(time.Duration(8+w.chance.IntN(12))*time.Hour + time.Duration(w.chance.IntN(3600))*time.Second)
}
