package agents_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeThreads has the decisions of one session.
type fakeThreads struct {
	ports.Negotiations
	decisions []negotiation.Link
}

func (f *fakeThreads) Session(context.Context, id.Project, id.Negotiation) (*ports.SessionThreads, error) {
	return &ports.SessionThreads{Decisions: f.decisions, Total: len(f.decisions)}, nil
}

// transcript is a recorded negotiation about one item.
type transcript struct {
	policy  negotiation.Policy
	agent   id.Agent
	quote   *negotiation.Quote
	entries []negotiation.Entry
}

func newTranscript(of id.Agent, p negotiation.Policy, s negotiation.Signals) *transcript {
	item := negotiation.Item{Quantity: s.Quantity}
	return &transcript{
		policy: p,
		agent:  of,
		quote:  negotiation.Start(id.Quote{}, id.Project{}, item, p, s, nil, midday),
	}
}

// offers answers an offer, or a question if it is 0. A positive proposal is a handler's price.
func (k *transcript) offers(s negotiation.Signals, minor, proposal int64) (agreed bool) {
	var made *money.Amount
	if minor > 0 {
		made = new(usd(minor))
	}
	t := k.quote.Table(k.policy.Terms(s), made)
	proposed := negotiation.Decide(t)
	if proposal > 0 {
		proposed = negotiation.Countered{Price: usd(proposal), By: negotiation.AgentAnswer}
	}
	d := negotiation.Guard(t, proposed)
	at := midday.Add(time.Duration(len(k.entries)) * time.Minute)
	k.quote.Record(t, d, at)
	e := negotiation.NewEntry(id.Decision{}, len(k.entries)+1, k.quote, t, s, d, "", at)
	e.Agent, e.Handler = k.agent, agent.HouseHandler
	if proposal > 0 {
		e.Handler, e.Proposal = "remote", negotiation.Proposed(t, proposed)
	}
	k.entries = append(k.entries, e)
	_, agreed = d.(negotiation.Accepted)
	return agreed
}

func (k *transcript) links() []negotiation.Link {
	list := make([]negotiation.Link, len(k.entries))
	for i, e := range k.entries {
		list[i].Entry = e
	}
	return list
}

// randomTranscript returns a negotiation under a random policy of an agent.
func randomTranscript(r *rand.Rand, of id.Agent, p negotiation.Policy) *transcript {
	s := negotiation.Signals{
		List:       usd(1 + r.Int64N(50_000)),
		Negotiable: r.IntN(20) > 0,
		Quantity:   1 + r.IntN(12),
		Stock:      r.IntN(80) - 1,
		CartValue:  usd(0),
		Member:     negotiation.MemberOf(session.Member{Tier: []string{"", "", "gold"}[r.IntN(3)], Purchases: r.IntN(4)}),
		Claims: negotiation.ClaimsOf(session.Claims{
			LoyaltyTier:     []string{"", "", "silver"}[r.IntN(3)],
			PurchaseHistory: r.IntN(3),
			Urgency:         []string{"", "flexible"}[r.IntN(2)],
		}),
		Probed: negotiation.Probed{Session: r.IntN(45), Product: r.IntN(22)},
	}
	if r.IntN(2) == 0 {
		s.Cost = new(usd(r.Int64N(s.List.Minor() + 1)))
	}
	if r.IntN(3) == 0 {
		s.Competitor = new(usd(1 + r.Int64N(s.List.Minor())))
	}
	if r.IntN(3) == 0 {
		s.CartValue, s.CartAtList = usd(r.Int64N(9000)), usd(1+r.Int64N(9000))
	}
	k := newTranscript(of, p, s)
	low := max(s.List.Minor()*(40+r.Int64N(55))/100, 1)
	for range 1 + r.IntN(12) {
		proposal := int64(0)
		if r.IntN(5) == 0 {
			proposal = 1 + s.List.Minor()/2 + r.Int64N(s.List.Minor())
		}
		offer := low
		if r.IntN(6) == 0 {
			offer = 0
		}
		if k.offers(s, offer, proposal) {
			break
		}
		low = max(1, low+r.Int64N(max(s.List.Minor()/20, 2))-s.List.Minor()/60)
	}
	return k
}

func randomPolicy(r *rand.Rand) negotiation.Policy {
	presets := negotiation.Presets()
	p := presets[r.IntN(len(presets))].Policy
	p.RoundCap, p.MaxDiscount, p.Depth = 1+r.IntN(6), money.Percent(100+r.IntN(300)), money.Percent(400+r.IntN(601))
	return p
}

// replayOf answers the offers of a negotiation under a policy. After the first deal that is not on the record, it stops.
func replayOf(p negotiation.Policy, entries []negotiation.Entry) negotiation.Decision {
	var q *negotiation.Quote
	var last negotiation.Decision
	for i := range entries {
		e := &entries[i]
		if q == nil || q.Resume(p, e.Signals, e.At) != nil {
			q = negotiation.Start(e.Quote, e.Project, e.Item, p, e.Signals, q, e.At)
		}
		t := q.Table(p.Terms(e.Signals), e.Offer)
		last = negotiation.Decide(t)
		q.Record(t, last, e.At)
		if _, agreed := last.(negotiation.Accepted); agreed && e.Outcome != negotiation.OutcomeAccepted {
			if i < len(entries)-1 {
				return nil
			}
		}
	}
	return last
}

// phrase is a part of a paragraph. Its group is what the record says, or what the next entry shows; "" is anything.
type phrase struct {
	text *regexp.Regexp
	want func(e, next *negotiation.Entry) string
}

func amountOf(minor int64) string { return agent.FormatAmount(usd(minor)) }

// phrases are all phrases with numbers, except those about policies.
func phrases() []phrase {
	const usd = `([0-9.]+ USD)`
	one := func(pattern string, want func(e *negotiation.Entry) string) phrase {
		return phrase{regexp.MustCompile(pattern), func(e, _ *negotiation.Entry) string { return want(e) }}
	}
	optional := func(a *money.Amount) string {
		if a == nil {
			return "none"
		}
		return agent.FormatAmount(*a)
	}
	current := func(e *negotiation.Entry) int64 {
		if e.Before.Counter.IsPositive() {
			return e.Before.Counter.Minor()
		}
		return e.Bounds.Opening().Minor()
	}
	return []phrase{
		one(`The list price was `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Signals.List) }),
		one(`each of ([0-9]+) pieces`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Item.Quantity) }),
		one(`the cost `+usd, func(e *negotiation.Entry) string { return optional(e.Signals.Cost) }),
		one(`a competitor’s price `+usd, func(e *negotiation.Entry) string { return optional(e.Signals.Competitor) }),
		one(`the stock ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Signals.Stock) }),
		one(`the rest of the cart `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Signals.CartValue) }),
		one(`other items in the cart `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Signals.CartAtList) }),
		one(`know the buyer: tier ([a-z]+)`, func(e *negotiation.Entry) string { return e.Signals.Member.Tier.String() }),
		one(`know the buyer(?:: tier [a-z]+,|:) purchases ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Signals.Member.Purchases) }),
		one(`claims: tier ([a-z]+)`, func(e *negotiation.Entry) string { return e.Signals.Claims.Tier.String() }),
		one(`claims(?:: tier [a-z]+,|:) purchases ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Signals.Claims.Purchases) }),
		one(`urgency ([a-z]+)`, func(e *negotiation.Entry) string { return e.Signals.Claims.Urgency.String() }),
		one(`The floor was `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Bounds.Floor()) }),
		one(`([0-9.]+%) off list`, func(e *negotiation.Entry) string { return money.Off(e.Bounds.List(), e.Bounds.Floor()).String() }),
		one(`the target `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Bounds.Target()) }),
		one(`the opening price `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Bounds.Opening()) }),
		one(`The buyer offered `+usd, func(e *negotiation.Entry) string { return optional(e.Offer) }),
		one(usd+` above its last offer`, func(e *negotiation.Entry) string { return amountOf(e.Offer.Minor() - e.Before.BestOffer.Minor()) }),
		one(usd+` below its last offer`, func(e *negotiation.Entry) string { return amountOf(e.Before.BestOffer.Minor() - e.Offer.Minor()) }),
		one(`does not count as a move: the least would be `+usd, func(e *negotiation.Entry) string {
			list, floor := e.Bounds.List().Minor(), e.Bounds.Floor().Minor()
			return amountOf(max(e.Before.BestOffer.Minor()+max(list/100, 1), floor-floor/4))
		}),
		one(`the offer reaches `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Before.Counter) }),
		one(`close enough to the shop’s price of `+usd, func(e *negotiation.Entry) string { return amountOf(current(e)) }),
		one(`no moves are left after ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Before.Rounds) }),
		one(`below the floor in the session: ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Signals.Probed.Session) }),
		one(`of the client in a day: ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Signals.Probed.Client) }),
		one(`sessions about the product: ([0-9]+)`, func(e *negotiation.Entry) string { return strconv.Itoa(e.Signals.Probed.Product) }),
		one(`the offer is `+usd+` below the floor`, func(e *negotiation.Entry) string { return amountOf(e.Bounds.Floor().Minor() - e.Offer.Minor()) }),
		one(`the offer was accepted at `+usd, func(e *negotiation.Entry) string { return optional(e.Price) }),
		one(`the price came down `+usd, func(e *negotiation.Entry) string { return amountOf(current(e) - e.Price.Minor()) }),
		one(`and the price stayed at `+usd, func(e *negotiation.Entry) string { return agent.FormatAmount(e.Before.Counter) }),
		one(`(?:and the price was| to) `+usd+`\.`, func(e *negotiation.Entry) string { return optional(e.Price) }),
		one(`The handler remote had proposed `+usd, func(e *negotiation.Entry) string { return optional(e.Proposal) }),
		one(`Rule ([a-z_]+)`, func(e *negotiation.Entry) string { return e.Rule.String() }),
		{regexp.MustCompile(`(It counts|offer that counts|does not count|too low to count)(?: as a move\.| as a move:)`), func(e, next *negotiation.Entry) string {
			switch {
			case next == nil:
				return ""
			case next.Before.Moves == e.Before.Moves && e.Offer.Minor() < e.Before.BestOffer.Minor()+max(e.Bounds.List().Minor()/100, 1) && e.Before.Moves > 0:
				return "does not count"
			case next.Before.Moves == e.Before.Moves:
				return "" // below three quarters of the floor, or absurd
			case e.Before.Moves == 0:
				return "offer that counts"
			}
			return "It counts"
		}},
	}
}

// Each number and each rule in a paragraph is the record's or, about a policy, the policy's. The answers of
// other policies equal a replay.
func TestService_Explain_followsRecord(t *testing.T) {
	t.Parallel()
	r, all, decisions, rules := rand.New(rand.NewPCG(24, 5)), phrases(), 0, map[negotiation.Rule]int{}
	used := make([]int, len(all))
	for range 3000 {
		f := newFixture(t)
		threads := &fakeThreads{}
		f.Stores.Threads = threads
		policy := randomPolicy(r)
		_, v, err := f.WritePolicy(f.ctx, f.project, f.first, policy, "")
		if err != nil {
			t.Fatal(err)
		}
		force := f.agents[f.first].Policy.Under(f.project.Settings)
		k := randomTranscript(r, f.first, v.Policy.Under(f.project.Settings))
		f.agents[f.first].Status = agent.Active
		threads.decisions = k.links()
		found, err := f.Explain(f.ctx, f.project, id.Negotiation{})
		if err != nil || len(found) != len(k.entries) {
			t.Fatalf("%d explanations, %v", len(found), err)
		}
		for i, x := range found {
			e := &k.entries[i]
			var next *negotiation.Entry
			if i+1 < len(k.entries) {
				next = &k.entries[i+1]
			}
			rest := []byte(followsPolicies(t, x, e.Account(&k.policy), k, i, force))
			said := string(rest)
			for n, p := range all {
				for _, at := range p.text.FindAllStringSubmatchIndex(said, -1) {
					used[n]++
					got, want := said[at[2]:at[3]], p.want(e, next)
					if want != "" && got != want {
						t.Fatalf("%q is not %q in %q", said[at[0]:at[1]], want, x.Text)
					}
					copy(rest[at[0]:at[1]], bytes.Repeat([]byte{' '}, at[1]-at[0]))
				}
			}
			if bytes.ContainsAny(rest, "0123456789_") {
				t.Fatalf("%q has facts that are not checked: %q", x.Text, rest)
			}
			if !strings.Contains(x.Text, "Rule "+e.Rule.String()+":") {
				t.Fatalf("%q does not name the rule %s", x.Text, e.Rule)
			}
			decisions++
			rules[e.Rule]++
		}
	}
	for n, times := range used {
		if times < 20 {
			t.Errorf("only %d paragraphs have %s", times, all[n].text)
		}
	}
	for _, rule := range negotiation.Rules() {
		if rules[rule] < 20 {
			t.Errorf("only %d of %d decisions are by %s", rules[rule], decisions, rule)
		}
	}
}

// followsPolicies checks what an explanation says about policies, and returns the rest of its text.
func followsPolicies(t *testing.T, x agents.Explanation, a negotiation.Account, k *transcript, i int, force negotiation.Policy) string {
	t.Helper()
	text, e := x.Text, &k.entries[i]
	cut := func(part string) {
		t.Helper()
		if !strings.Contains(text, part) {
			t.Fatalf("%q does not say %q", x.Text, part)
		}
		text = strings.Replace(text, part, "", 1)
	}
	if s := a.Stated; s != nil && e.Offer != nil && !e.Bounds.Fixed() {
		cut("Policy version " + strconv.Itoa(e.PolicyVersion))
		cut("; at this point it accepted offers from " + agent.FormatAmount(s.LeastAccepted) + " on.")
		switch {
		case s.Last:
		case s.Met:
			cut("meets such a first offer with " + s.Markup.String() + " of it")
		case s.Moved:
			if higher := ", which is not below the price that stood"; s.Step.Minor() >= a.Current.Minor() {
				cut(higher)
			} else if strings.Contains(text, higher) {
				t.Fatalf("%q: %v stood", x.Text, a.Current)
			}
			if s.Lean != 0 {
				cut(" (the signals shift its steps by " + s.Lean.String() + ")")
			}
			cut("goes " + s.Give.String() + " of the way from list to floor at this move, to " + agent.FormatAmount(s.Step))
		}
	} else if strings.Contains(text, "Policy version") {
		t.Fatalf("%q", text)
	}
	policies := negotiation.Presets()
	if len(x.Others) != len(policies)+1 {
		t.Fatalf("%+v", x.Others)
	}
	for n, other := range x.Others {
		p := force
		if n < len(policies) {
			p = policies[n].Policy.Under(project.DefaultSettings())
			if other.Preset != policies[n].Name || other.Version != 0 {
				t.Fatalf("%+v", other)
			}
		} else if other.Preset != "" || other.Version != force.Version {
			t.Fatalf("%+v", other)
		}
		want := replayOf(p, k.entries[:i+1])
		if other.Answer != want {
			t.Fatalf("%s: %+v, want %+v", other.Preset, other.Answer, want)
		}
		verb := "agreed earlier"
		switch d := want.(type) {
		case negotiation.Accepted:
			verb = "accepted at " + agent.FormatAmount(d.Price)
		case negotiation.Rejected:
			verb = "rejected the offer and asked " + agent.FormatAmount(d.Price)
		case negotiation.Countered:
			verb = "asked " + agent.FormatAmount(d.Price)
		case negotiation.Quoted:
			verb = "asked " + agent.FormatAmount(d.Price)
		}
		name := "“" + other.Title + "”"
		if other.Preset == "" {
			name = "version " + strconv.Itoa(force.Version) + ", which is in force,"
		}
		_, after, ok := strings.Cut(x.Text[strings.Index(x.Text, "After the same offers, "):], name)
		if _, said, _ := strings.Cut(after, "would have "); !ok || !strings.HasPrefix(said, verb+";") && !strings.HasPrefix(said, verb+".") {
			t.Fatalf("%q does not say that %s would have %s", x.Text, name, verb)
		}
	}
	text, _, _ = strings.Cut(text, "After the same offers, ")
	return text
}

func TestService_Explain_text(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.agents[f.first].Status = agent.Active
	p := f.agents[f.first].Policy.Under(f.project.Settings)
	s := negotiation.Signals{
		List:       usd(100_00),
		Cost:       new(usd(50_00)),
		Negotiable: true,
		Quantity:   1,
		Stock:      12,
		CartValue:  usd(0),
	}
	k := newTranscript(f.first, p, s)
	k.offers(s, 75_00, 0)
	k.offers(s, 79_00, 0)
	k.offers(s, 82_00, 0)
	f.Stores.Threads = &fakeThreads{decisions: k.links()}
	found, err := f.Explain(f.ctx, f.project, id.Negotiation{})
	if err != nil {
		t.Fatal(err)
	}
	const begin = "The list price was 100.00 USD for one piece, the cost 50.00 USD and the stock 12. " +
		"The floor was 80.00 USD (20% off list), the target 92.50 USD, and the opening price 100.00 USD. "
	for i, want := range []string{
		"The buyer offered 75.00 USD. It is the first offer that counts as a move. Rule below_floor: the offer is 5.00 USD below the floor, " +
			"so the offer was rejected, and the price came down 16.75 USD to 83.25 USD. Policy version 1 meets such a first offer with 111% of it; " +
			"at this point it accepted offers from 92.50 USD on. After the same offers, “Keep margin” would have rejected the offer and asked 97.60 USD; " +
			"“Balanced”, “Clear stock” and version 1, which is in force, would have rejected the offer and asked 83.25 USD.",
		"The buyer offered 79.00 USD, 4.00 USD above its last offer that counted as a move. It counts as a move. " +
			"Rule below_floor: the offer is 1.00 USD below the floor, so the offer was rejected, and the price stayed at 83.25 USD. " +
			"Policy version 1 goes 67% of the way from list to floor at this move, to 86.60 USD, which is not below the price that stood; " +
			"at this point it accepted offers from 81.63 USD on. After the same offers, “Keep margin” would have rejected the offer and asked 94.60 USD; " +
			"“Balanced” and version 1, which is in force, would have rejected the offer and asked 83.25 USD; " +
			"“Clear stock” would have rejected the offer and asked 80.00 USD.",
		"The buyer offered 82.00 USD, 3.00 USD above its last offer that counted as a move. It counts as a move. " +
			"Rule at_ask: the offer is close enough to the shop’s price of 83.25 USD, so the offer was accepted at 82.00 USD. " +
			"Policy version 1 goes 79% of the way from list to floor at this move, to 84.20 USD, which is not below the price that stood; " +
			"at this point it accepted offers from 81.22 USD on. After the same offers, “Keep margin” would have rejected the offer and asked 92.80 USD; " +
			"“Balanced”, “Clear stock” and version 1, which is in force, would have accepted at 82.00 USD.",
	} {
		if got := found[i].Text; got != begin+want {
			t.Errorf("%s", got)
		}
	}
	if got := found[0].Inputs; len(got) != 4 || got[1] != (agents.Input{Name: "cost", Value: "50.00 USD"}) || got[3] != (agents.Input{Name: "stock", Value: "12"}) {
		t.Errorf("%+v", got)
	}
}
