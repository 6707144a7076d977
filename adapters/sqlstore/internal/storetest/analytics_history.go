package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Past is a random history: buyers who haggle, some of whom agree, check out and pay. It writes rows without the tested
// code, and keeps the data that a naive count needs.
type Past struct {
	random  *rand.Rand
	project string
	from    time.Time
	length  time.Duration
	serial  int

	sessions, quotes, Decisions, checkouts, orders, refunds [][]any

	Talks     []pastNegotiation
	began     []pastSession
	Placed    []pastOrder
	given     []pastRefund
	firstSale map[string]time.Time // sessions that ordered, with when they began
}

type pastSession struct {
	at time.Time
	by pastAgent
}

// pastAgent opened a session or a checkout.
type pastAgent struct {
	protocol, profile string
	verified          bool
}

type pastNegotiation struct {
	by                         pastAgent // that opened the session
	session, product           string
	quantity                   int64
	began, last                time.Time
	offers, countered, refused int
	rules                      map[string]int64
	dealAt                     int64 // price; 0: no deal
	opened, paid               bool
	list, floor, best, stands  int64
	cost                       int64 // 0: unknown
	quote                      string
}

type pastOrder struct {
	at                               time.Time
	by                               pastAgent
	gross, list, goods, units, known int64
	cost                             int64
	products                         map[string]int64 // units
}

type pastRefund struct {
	at     time.Time
	amount int64
}

// NewPast begins a history of a project over a time. It begins in the winter of most of the north.
func NewPast(seed uint64, project id.Project, from time.Time, length time.Duration) *Past {
	return &Past{
		random:    rand.New(rand.NewPCG(seed, 1)),
		project:   project.String(),
		from:      from,
		length:    length,
		firstSale: map[string]time.Time{},
	}
}

func (p *Past) next(prefix string) string {
	p.serial++
	return fmt.Sprintf("%s_%08x%016d", prefix, p.random.Uint32(), p.serial)
}

func (p *Past) chance(of float64) bool { return p.random.Float64() < of }

// Visit adds a session.
func (p *Past) Visit() {
	at := p.from.Add(time.Duration(p.random.Int64N(p.length.Milliseconds())) * time.Millisecond)
	session := p.next("sess")
	by := p.agent()
	p.began = append(p.began, pastSession{at, by})
	ends := at.Add(time.Hour)
	p.sessions = append(p.sessions, []any{
		p.project, session, "", "", 0, "", at.UnixMilli(), at.UnixMilli(), ends.UnixMilli(), "", 0, by.protocol, by.profile, by.verified,
	})
	first, seq := len(p.Talks), 0
	for product := range p.random.Perm(3)[:1+p.random.IntN(2)] {
		p.haggle(session, fmt.Sprintf("prod_%d", product+p.random.IntN(100)*3), &seq, &at)
	}
	for i := range p.Talks[first:] {
		p.Talks[first+i].by = by
	}
	p.checkout(session, p.began[len(p.began)-1].at, p.Talks[first:], at.Add(time.Minute))
}

// agent returns one of few agents, some of them verified.
func (p *Past) agent() pastAgent {
	by := pastAgent{protocol: []string{"haggle", "ucp", "mcp"}[p.random.IntN(3)]}
	if n := p.random.IntN(5); n > 0 {
		by.profile, by.verified = fmt.Sprintf("https://agent-%d.example/profile.json", n), p.chance(.5)
	}
	return by
}

// Ask adds a session with a number of requests for a price.
func (p *Past) Ask(session string, questions int) {
	at := p.from.UnixMilli()
	p.sessions = append(p.sessions, []any{p.project, session, "", "", 0, "", at, at, at + 1, "", 0, "haggle", "", false})
	t := pastNegotiation{
		session:  session,
		product:  "prod_1",
		quantity: 1,
		list:     100_00,
		floor:    80_00,
		rules:    map[string]int64{},
		quote:    p.next("quote"),
	}
	for n := range questions {
		p.decide(&t, n+1, p.from, true)
	}
}

// haggle adds a negotiation on a product.
func (p *Past) haggle(session, product string, seq *int, at *time.Time) {
	list := 50_00 + p.random.Int64N(100_00)
	t := pastNegotiation{
		session:  session,
		product:  product,
		quantity: 1 + p.random.Int64N(3),
		list:     list,
		floor:    list * 8 / 10,
		stands:   list,
		rules:    map[string]int64{},
		quote:    p.next("quote"),
	}
	if p.chance(.7) {
		t.cost = list / 2
	}
	silent := p.chance(.5)
	for step := 0; step == 0 || t.dealAt == 0 && p.chance(.8); step++ {
		*at = at.Add(time.Duration(1+p.random.IntN(60_000)) * time.Millisecond)
		if step == 0 {
			t.began = *at
		}
		*seq++
		p.decide(&t, *seq, *at, step == 0 && silent)
	}
	state, final := "open", any(nil)
	if t.dealAt != 0 {
		state, final = "accepted", t.dealAt
	}
	p.quotes = append(p.quotes, []any{
		p.project, t.quote, session, product, product, t.quantity, state, "USD", list, list, list * 9 / 10, t.floor, t.offers, 0, nil, nil, 1,
		final, false, "", t.began.UnixMilli(), t.began.UnixMilli(), *seq,
	})
	p.Talks = append(p.Talks, t)
}

func (p *Past) decide(t *pastNegotiation, seq int, at time.Time, silent bool) {
	var offer any
	response, rule, price := "quote", "no_offer", t.list
	if !silent {
		o := t.list * (60 + p.random.Int64N(45)) / 100
		offer, t.best = o, max(t.best, o)
		t.offers++
		switch {
		case o < t.floor:
			response, rule, price = "reject", "below_floor", t.list*97/100
			t.refused++
		case o < t.list*9/10:
			response, rule, price = "counter_offer", "concession", t.list*95/100
			t.countered++
		default:
			response, rule, price = "accept", "at_ask", min(o, t.list)
			t.dealAt = price
		}
	}
	t.rules[rule]++
	t.last, t.stands = at, price
	signals := `{"list":1,"cart_value":0}`
	if t.cost != 0 {
		signals = fmt.Sprintf(`{"list":1,"cost":%d}`, t.cost)
	}
	p.Decisions = append(p.Decisions, []any{
		p.project, t.session, seq, p.next("dec"), t.quote, t.product, t.product, t.quantity, at.UnixMilli(), "USD", offer, response, price, rule,
		1, t.list, t.list, t.list * 9 / 10, t.floor, `{"rounds":0,"moves":0}`, signals, "", "agent_one", "builtin",
	})
}

// checkout buys the deals of a session, and sometimes a piece at its list price.
func (p *Past) checkout(session string, began time.Time, talks []pastNegotiation, at time.Time) {
	var lines []LineJSON
	o := pastOrder{
		at:       at.Truncate(time.Millisecond),
		by:       p.agent(),
		products: map[string]int64{},
	}
	add := func(l LineJSON, cost int64) {
		n := int64(l.Quantity)
		lines = append(lines, l)
		o.list, o.goods, o.units = o.list+n*l.Original, o.goods+n*l.Unit, o.units+n
		o.products[l.Product] += n
		if cost != 0 {
			o.known, o.cost = o.known+n*l.Unit, o.cost+n*cost
		}
	}
	for _, t := range talks {
		if t.dealAt != 0 {
			add(LineJSON{
				Product:  t.product,
				Variant:  t.product,
				Quantity: int(t.quantity),
				Unit:     t.dealAt,
				Original: t.list,
				Quote:    t.quote,
			}, t.cost)
		}
	}
	if p.chance(.1) {
		add(LineJSON{
			Product:  "prod_plain",
			Variant:  "prod_plain",
			Quantity: 2,
			Unit:     10_00,
			Original: 10_00,
		}, 0)
	}
	if len(lines) == 0 || p.chance(.3) {
		return
	}
	text, _ := db.ToJSON(lines)
	checkout := p.next("chk")
	p.checkouts = append(p.checkouts, []any{
		p.project, checkout, session, "ready", text, "{}", "[]", "standard", "USD", o.goods, 0, o.list - o.goods, 0, 0, nil, nil, "{}", "[]", at.UnixMilli(), at.UnixMilli(), nil, "",
	})
	pays := p.chance(.7)
	for i, t := range talks {
		talks[i].opened = t.dealAt != 0
		talks[i].paid = t.dealAt != 0 && pays
	}
	if pays {
		p.order(session, began, checkout, text, o)
	}
}

// LineJSON is a line of a checkout or an order as stored.
type LineJSON struct {
	Product  string `json:"product"`
	Variant  string `json:"variant"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Label    string `json:"label"`
	Quantity int    `json:"quantity"`
	Unit     int64  `json:"unit"`
	Original int64  `json:"original"`
	Quote    string `json:"quote,omitempty"`
}

// InsertOrders begins a statement that stores orders.
const InsertOrders = "INSERT INTO orders (" + orderColumns + ") VALUES "

const orderColumns = "project_id, id, checkout_id, session_id, confirmation, status, lines, address, email, notes, currency, " +
	"subtotal, shipping, tax, savings, total, fulfillment, fulfillment_status, created_at, sequence, token_salt, token_hash"

func (p *Past) order(session string, began time.Time, checkout, lines string, o pastOrder) {
	order := p.next("ord")
	o.gross = o.goods + 5_99
	p.orders = append(p.orders, []any{
		p.project, order, checkout, session, order, "confirmed", lines, "{}", "", "", "USD", o.goods, 5_99, 0, o.list - o.goods, o.gross, "{}", "processing", o.at.UnixMilli(), 1, "", "",
		o.by.protocol, o.by.profile, o.by.verified,
	})
	p.Placed = append(p.Placed, o)
	if _, known := p.firstSale[session]; !known {
		p.firstSale[session] = began
	}
	if !p.chance(.15) {
		return
	}
	status, due := "succeeded", any(nil)
	if p.chance(.3) {
		status, due = "pending", int64(1)
	}
	r := pastRefund{o.at.Add(time.Hour), 1 + p.random.Int64N(o.gross)}
	p.refunds = append(p.refunds, []any{
		p.project, p.next("ref"), order, "pay_" + order, "", status, "USD", r.amount, "", "", "", r.at.UnixMilli(), r.at.UnixMilli(), 1, due,
		"requested", nil, "",
	})
	if status == "succeeded" {
		p.given = append(p.given, r)
	}
}

// Store stores the rows that were added since the last call.
func (p *Past) Store(tb testing.TB, s *Store) {
	tb.Helper()
	WithoutReferences(tb, s) // there are no payments
	p.StoreWhile(tb, s, func(*db.Tx) {})
}

// StoreWhile is Store in a transaction that commits when held returns.
func (p *Past) StoreWhile(tb testing.TB, s *Store, held func(*db.Tx)) {
	tb.Helper()
	insertions := []struct {
		statement string
		rows      *[][]any
	}{
		{"INSERT INTO sessions (project_id, id, loyalty_tier, location, purchase_history, urgency, created_at, last_activity, expires_at, member_tier, " +
			"member_purchases, protocol, agent_profile, agent_verified) VALUES ", &p.sessions},
		{"INSERT INTO quotes (project_id, id, session_id, product_id, variant_id, quantity, state, currency, list_price, opening, target, floor, " +
			"rounds, moves, best_offer, counter, policy_version, final_price, with_bundle, token_hash, created_at, valid_until, seq) VALUES ", &p.quotes},
		{"INSERT INTO decisions (project_id, session_id, seq, id, quote_id, product_id, variant_id, quantity, at, currency, offer, response, price, rule, " +
			"policy_version, list_price, opening, target, floor, before, signals, message, agent_id, handler) VALUES ", &p.Decisions},
		{"INSERT INTO checkouts (project_id, id, session_id, status, lines, address, options, selected, currency, subtotal, tax, savings, " +
			"attempt, declines, lease_until, retry_at, payment, taken, created_at, valid_until, claimed_at, queue) VALUES ", &p.checkouts},
		{"INSERT INTO orders (" + orderColumns + ", protocol, agent_profile, agent_verified) VALUES ", &p.orders},
		{"INSERT INTO refunds (project_id, id, order_id, payment_id, return_id, status, currency, amount, reason, failure, provider, created_at, " +
			"updated_at, attempts, due_at, origin, reversed_at, problem) VALUES ", &p.refunds},
	}
	err := s.DB.InTx(tb.Context(), id.Stored[id.Project](p.project), func(t *db.Tx) error {
		for _, i := range insertions {
			if err := t.Insert(tb.Context(), i.statement, *i.rows, ""); err != nil {
				return err
			}
		}
		held(t)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, i := range insertions {
		*i.rows = nil
	}
}
