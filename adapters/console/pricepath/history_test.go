package pricepath_test

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// round is one decision of the domain and its record.
type round struct {
	table  negotiation.Table
	answer negotiation.Decision
	entry  negotiation.Entry
}

// history is a negotiation about one item, by the real rules.
type history struct {
	policy  negotiation.Policy
	signals negotiation.Signals
	quote   *negotiation.Quote
	now     time.Time
	seq     int
	rounds  []round
}

func newHistory(p negotiation.Policy, s negotiation.Signals) *history {
	h := &history{
		policy:  p,
		signals: s,
		now:     noon,
	}
	h.open()
	return h
}

func (h *history) open() {
	prior := h.quote
	item := negotiation.Item{Quantity: h.signals.Quantity}
	h.quote = negotiation.Start(id.New[id.Quote]([16]byte{7}), id.Project{}, item, h.policy, h.signals, prior, h.now)
}

// say makes the buyer's offer, or asks for the price if offer is 0. If agent is not nil, it proposes the answer.
func (h *history) say(offer int64, agent func(negotiation.Table) negotiation.Decision) round {
	if h.quote.Snapshot().State != negotiation.Open || h.quote.Expired(h.now) || h.quote.Resume(h.policy, h.signals, h.now) != nil {
		h.open()
	}
	t := h.quote.Table(h.policy.Terms(h.signals), nil)
	if offer > 0 {
		amount := money.Of(offer, h.signals.List.Currency())
		t.Offer = &amount
	}
	answer, handler := negotiation.Decide(t), "builtin:haggle"
	var proposal *money.Amount
	if agent != nil {
		said := agent(t)
		answer, proposal, handler = negotiation.Guard(t, said), negotiation.Proposed(t, said), "remote"
	}
	h.seq++
	e := negotiation.NewEntry(id.Decision{}, h.seq, h.quote, t, h.signals, answer, "", h.now)
	e.Handler, e.Proposal = handler, proposal
	h.quote.Record(t, answer, h.now)
	h.now = h.now.Add(time.Second)
	made := round{t, answer, e}
	h.rounds = append(h.rounds, made)
	return made
}

func (h *history) decisions() []pricepath.Decision {
	out := make([]pricepath.Decision, len(h.rounds))
	for i, t := range h.rounds {
		out[i] = record(t.entry)
	}
	return out
}

// record is the entry as the Management API shows it.
func record(e negotiation.Entry) pricepath.Decision {
	words := map[negotiation.Outcome]string{
		negotiation.OutcomeQuoted: "quote", negotiation.OutcomeAccepted: "accept",
		negotiation.OutcomeCountered: "counter_offer", negotiation.OutcomeRejected: "reject",
	}
	d := pricepath.Decision{
		Seq:       e.Seq,
		Product:   "prod_1",
		Variant:   "var_1",
		Quantity:  e.Item.Quantity,
		CreatedAt: e.At,
		Offer:     optional(e.Offer),
		Answer:    pricepath.Answer{Response: words[e.Outcome], Price: optional(e.Price)},
		Rule:      e.Rule.String(),
		Proposal:  optional(e.Proposal),
		Bounds: pricepath.Bounds{
			List:    num(e.Bounds.List()),
			Opening: num(e.Bounds.Opening()),
			Target:  num(e.Bounds.Target()),
			Floor:   num(e.Bounds.Floor()),
		},
		Progress: pricepath.Progress{
			Rounds:    e.Before.Rounds,
			Moves:     e.Before.Moves,
			BestOffer: positive(e.Before.BestOffer),
			Counter:   positive(e.Before.Counter),
		},
		Inputs: pricepath.Inputs{
			Claims: pricepath.Loyalty{Tier: e.Signals.Claims.Tier.String(), Purchases: e.Signals.Claims.Purchases},
			Member: pricepath.Loyalty{Tier: e.Signals.Member.Tier.String(), Purchases: e.Signals.Member.Purchases},
		},
	}
	if e.Handler != "" {
		d.Handler = &e.Handler
	}
	d.Inputs.Probed.Session, d.Inputs.Probed.Client, d.Inputs.Probed.Product = e.Signals.Probed.Session, e.Signals.Probed.Client, e.Signals.Probed.Product
	return d
}

func num(a money.Amount) pricepath.Number { return pricepath.Number(a.String()) }

func optional(a *money.Amount) *pricepath.Number {
	if a == nil {
		return nil
	}
	n := num(*a)
	return &n
}

func positive(a money.Amount) *pricepath.Number {
	if !a.IsPositive() {
		return nil
	}
	return optional(&a)
}

// tagged formats amounts so that tests can find them: ⟦14957⟧.
func tagged(a money.Amount) string { return "⟦" + strconv.FormatInt(a.Minor(), 10) + "⟧" }

var jpy, bhd = mustCurrency("JPY"), mustCurrency("BHD")

func mustCurrency(code string) money.Currency {
	c, err := money.ParseCurrency(code)
	if err != nil {
		panic(err)
	}
	return c
}

func percents(low, high int) *rapid.Generator[money.Percent] {
	return rapid.Map(rapid.IntRange(low, high), func(n int) money.Percent { return money.Percent(n) })
}

// policies are the built-in one, and others with shares of any size.
func policies() *rapid.Generator[negotiation.Policy] {
	return rapid.Custom(func(t *rapid.T) negotiation.Policy {
		p := negotiation.Builtin()
		p.MaxDiscount = percents(0, 900).Draw(t, "max discount")
		p.Enabled = rapid.IntRange(0, 9).Draw(t, "enabled") > 0
		p.RoundCap = rapid.IntRange(1, 8).Draw(t, "round cap")
		if rapid.Bool().Draw(t, "as built in") {
			return p
		}
		p.Depth, p.Anchor, p.MinMargin = percents(0, 1000).Draw(t, "depth"), percents(0, 500).Draw(t, "anchor"), percents(0, 1000).Draw(t, "margin")
		c := &p.Curve
		c.Reach, c.Markup = percents(1000, 2000).Draw(t, "reach"), percents(1000, 2000).Draw(t, "markup")
		for i := range c.Give {
			c.Give[i], c.Take[i] = percents(0, 1000).Draw(t, "give"), percents(0, 1000).Draw(t, "take")
		}
		p.Probing.Session, p.Probing.Product = rapid.IntRange(0, 3).Draw(t, "probing"), rapid.IntRange(0, 3).Draw(t, "of a product")
		return p
	})
}

func signals() *rapid.Generator[negotiation.Signals] {
	return rapid.Custom(func(t *rapid.T) negotiation.Signals {
		fewer := rapid.SampledFrom([]int{0, 0, 0, 1, 3})
		c := rapid.SampledFrom([]money.Currency{money.USD, jpy, bhd}).Draw(t, "currency")
		list := rapid.OneOf(rapid.Int64Range(1, 120), rapid.Int64Range(100, 1_000_000), rapid.Int64Range(1, money.Limit-1)).Draw(t, "list")
		s := negotiation.Signals{
			List:       money.Of(list, c),
			CartValue:  money.Zero(c),
			Quantity:   rapid.SampledFrom([]int{1, 1, 1, 3, 12}).Draw(t, "quantity"),
			Stock:      rapid.IntRange(0, 100).Draw(t, "stock"),
			Negotiable: rapid.IntRange(0, 9).Draw(t, "negotiable") > 0,
			Probed:     negotiation.Probed{Session: fewer.Draw(t, "probed"), Product: fewer.Draw(t, "probed of the product")},
		}
		tiers := rapid.SampledFrom([]string{"", "", "", "", "gold", "bronze"})
		s.Claims = negotiation.ClaimsOf(session.Claims{LoyaltyTier: tiers.Draw(t, "tier"), PurchaseHistory: fewer.Draw(t, "purchases")})
		s.Member = negotiation.MemberOf(session.Member{Tier: tiers.Draw(t, "known tier"), Purchases: fewer.Draw(t, "known purchases")})
		if rapid.Bool().Draw(t, "cost known") {
			cost := money.Of(rapid.Int64Range(0, list).Draw(t, "cost"), c)
			s.Cost = &cost
		}
		if rapid.Bool().Draw(t, "competitor known") {
			other := money.Of(rapid.Int64Range(list/2, list+list/4).Draw(t, "competitor"), c)
			s.Competitor = &other
		}
		return s
	})
}

// offersOn crowd where the answer changes.
func offersOn(b negotiation.Bounds, pr negotiation.Progress) *rapid.Generator[int64] {
	mark := rapid.Custom(func(t *rapid.T) int64 {
		least := money.Of(pr.BestOffer.Minor()+b.List().Minor()/100, b.List().Currency())
		at := rapid.SampledFrom([]money.Amount{b.Floor(), b.Target(), b.Opening(), b.List(), pr.Counter, pr.BestOffer, least}).Draw(t, "mark").Minor()
		return at + rapid.Int64Range(-2, 2).Draw(t, "distance")
	})
	list := b.List().Minor()
	return rapid.Map(rapid.OneOf(mark, rapid.Int64Range(b.Floor().Minor(), list), rapid.Int64Range(1, 2*list), rapid.Int64Range(b.Floor().Minor()*3/4, list)),
		func(n int64) int64 { return min(max(n, 1), money.Limit-1) })
}

func histories() *rapid.Generator[*history] {
	return rapid.Custom(func(t *rapid.T) *history {
		h := newHistory(policies().Draw(t, "policy"), signals().Draw(t, "signals"))
		for range rapid.IntRange(1, 14).Draw(t, "turns") {
			h.live(t)
		}
		for range rapid.SampledFrom([]int{0, 0, 0, 0, 30}).Draw(t, "the same again") {
			h.say(h.rounds[len(h.rounds)-1].table.Bounds.Floor().Minor(), nil)
		}
		return h
	})
}

// live plays one round, after which time may pass and the shop may change.
func (h *history) live(t *rapid.T) {
	snapshot := h.quote.Snapshot()
	offer := int64(0)
	if rapid.IntRange(0, 4).Draw(t, "asks only") > 0 {
		offer = offersOn(snapshot.Bounds, snapshot.Progress).Draw(t, "offer")
	}
	var agent func(negotiation.Table) negotiation.Decision
	if rapid.IntRange(0, 5).Draw(t, "agent") == 0 {
		price := money.Of(offersOn(snapshot.Bounds, snapshot.Progress).Draw(t, "proposal"), h.signals.List.Currency())
		by := negotiation.AgentAnswer
		kind := rapid.IntRange(0, 3).Draw(t, "kind of proposal")
		agent = func(negotiation.Table) negotiation.Decision {
			return [...]negotiation.Decision{
				negotiation.Quoted{Price: price, By: by}, negotiation.Accepted{Price: price, By: by},
				negotiation.Countered{Price: price, By: by}, negotiation.Rejected{By: by},
			}[kind]
		}
	}
	h.say(offer, agent)
	h.now = h.now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 5, 20}).Draw(t, "minutes pass")) * time.Minute)
	if rapid.IntRange(0, 15).Draw(t, "the shop changes") == 0 {
		list := h.signals.List.Minor() * rapid.Int64Range(9, 11).Draw(t, "tenths") / 10
		h.signals.List = money.Of(min(max(list, 1), money.Limit-1), h.signals.List.Currency())
	}
}

func mustPath(t testing.TB, decisions []pricepath.Decision, o pricepath.Options) *pricepath.Path {
	t.Helper()
	if o.Format.Money == nil {
		o.Format.Money = dollars
	}
	if o.Currency == (money.Currency{}) {
		o.Currency = money.USD
	}
	p, err := pricepath.New(decisions, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
