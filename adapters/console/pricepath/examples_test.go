package pricepath_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
)

func whole(a money.Amount) string {
	text, _, _ := strings.Cut(a.String(), ".")
	return symbol(a) + grouped(text)
}

var inDollars = pricepath.Format{
	Money: dollars,
	Plain: func(a money.Amount) string { return grouped(a.String()) },
	Axis:  whole,
}

// example is a path with a name. Its golden files are testdata/<name>.*.
type example struct {
	name      string
	decisions []pricepath.Decision
	options   pricepath.Options
	step      int
}

func examples() []example {
	options := func(product string, end pricepath.EndKind) pricepath.Options {
		return pricepath.Options{
			Prefix:   "p1",
			Product:  product,
			Currency: money.USD,
			End:      pricepath.End{Kind: end},
			Limits:   true,
			Format:   inDollars,
		}
	}
	usual := negotiate(plain, shopPolicy(172), 0, 138_58, 140_00, 141_11, 147_13)
	hidden := options("Selvedge Denim Jacket", pricepath.Deal)
	hidden.Limits = false
	fixed := plain
	fixed.Negotiable = false
	bundled := options("Selvedge Denim Jacket", pricepath.Open)
	bundled.Flags = []pricepath.Flag{{Step: 2, Kind: pricepath.Bundle}}
	late := negotiate(plain, shopPolicy(172), 0, 142_00)
	late.now = late.now.Add(20 * time.Minute)
	late.say(140_50, nil)
	return []example{
		{"deal", usual.decisions(), options("Selvedge Denim Jacket", pricepath.Deal), 0},
		{"deal-last-step", usual.decisions(), options("Selvedge Denim Jacket", pricepath.Deal), 5},
		{"hidden", usual.decisions(), hidden, 0},
		{"left", negotiate(plain, shopPolicy(172), 0, 125_00, 140_00, 140_00, 140_00).decisions(), options("Knitted Linen Polo", pricepath.Left), 0},
		{"open-first-offer", negotiate(plain, shopPolicy(172), 142_00).decisions(), options("Selvedge Denim Jacket", pricepath.Open), 0},
		{"asked-only", negotiate(plain, shopPolicy(172), 0).decisions(), options("Selvedge Denim Jacket", pricepath.Open), 0},
		{"at-list", negotiate(fixed, shopPolicy(172), 0, 150_00, 169_00).decisions(), options("Gift Card", pricepath.Deal), 0},
		{"at-once", negotiate(plain, shopPolicy(172), 0, 162_50).decisions(), options("Selvedge Denim Jacket", pricepath.Deal), 0},
		{"far-below", negotiate(plain, shopPolicy(172), 0, 20_00, 70_00, 139_00, 139_50).decisions(), options("Selvedge Denim Jacket", pricepath.Left), 0},
		{"flags", late.decisions(), bundled, 0},
		{"clamped", clamped().decisions(), options("Selvedge Denim Jacket", pricepath.Open), 0},
		{"target-is-floor", floored(), options("Selvedge Denim Jacket", pricepath.Open), 0},
		{"twelve", climbing(12).decisions(), options("Selvedge Denim Jacket", pricepath.Left), 0},
		{"folded", stubborn().decisions(), options("Selvedge Denim Jacket", pricepath.Left), 0},
		{"yen", yen().decisions(), yenOptions(), 0},
	}
}

// clamped has a remote handler whose price comes out lower than it asked, because the buyer was named a lower one before.
func clamped() *history {
	h := negotiate(plain, shopPolicy(172), 0, 142_00)
	h.say(145_00, func(negotiation.Table) negotiation.Decision {
		return negotiation.Countered{Price: money.Of(162_00, money.USD), By: negotiation.AgentAnswer}
	})
	h.say(147_00, func(negotiation.Table) negotiation.Decision {
		return negotiation.Countered{Price: money.Of(149_00, money.USD), By: negotiation.AgentAnswer}
	})
	return h
}

// floored has a competitor's price under the floor.
func floored() []pricepath.Decision {
	s := plain
	other := money.Of(120_00, money.USD)
	s.Competitor = &other
	return negotiate(s, shopPolicy(172), 0, 132_00).decisions()
}

func climbing(steps int) *history {
	h := negotiate(plain, shopPolicy(300), 0)
	for i := range steps - 1 {
		h.say(98_10+int64(i)*2_10, nil)
	}
	return h
}

// stubborn repeats an offer thirty times, moves, and repeats again.
func stubborn() *history {
	p := shopPolicy(172)
	p.RoundCap = 20
	h := negotiate(plain, p, 0, 141_00)
	for range 11 {
		h.say(141_00, nil)
	}
	h.say(143_00, nil)
	for range 12 {
		h.say(143_10, nil)
	}
	return h
}

func yen() *history {
	s := plain
	s.List, s.Cost, s.CartValue = money.Of(1_580_000, jpy), nil, money.Zero(jpy)
	return negotiate(s, shopPolicy(200), 0, 1_200_000, 1_270_000, 1_290_000)
}

func yenOptions() pricepath.Options {
	f := inDollars
	return pricepath.Options{
		Prefix:   "p1",
		Product:  "Tansu Chest <1880>",
		Currency: jpy,
		Limits:   true,
		Format:   f,
	}
}

// nine is the usual length at which all labels are shown.
func nine() []pricepath.Decision { return climbing(9).decisions() }

func describe(rows []pricepath.Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%d | %s | %s | %s | %s\n  %s\n  %s\n", r.Step, r.Buyer, r.Shop, r.Name, r.Why, r.Title, r.Label)
		for _, f := range r.Flags {
			fmt.Fprintf(&b, "  %s\n", f)
		}
	}
	return b.String()
}

// shopPolicy is the built-in one with a limit to the discount.
func shopPolicy(most money.Percent) negotiation.Policy {
	p := negotiationtest.Patient()
	p.MaxDiscount = most
	return p
}

func negotiate(s negotiation.Signals, p negotiation.Policy, offers ...int64) *history {
	h := newHistory(p, s)
	for _, o := range offers {
		h.say(o, nil)
	}
	return h
}
