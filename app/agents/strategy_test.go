package agents_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// quoteInput is a second offer, to which the rules counter. The shop has named its opening price.
func quoteInput(o int64, message string) agent.QuoteInput {
	at, spent := usd(o), usd(cost)
	s := negotiation.Signals{
		List:       usd(list),
		Cost:       &spent,
		Negotiable: true,
		Quantity:   2,
	}
	return agent.QuoteInput{
		Scene:   scene("en-US"),
		Product: agent.Product{Name: "Nordic Floor Lamp 80", Quantity: 2},
		Signals: s,
		Message: message,
		Table: negotiation.Table{
			Terms: negotiation.Builtin().Terms(s), Bounds: negotiation.RehydrateBounds(usd(list), usd(opening), usd(target), usd(floor)),
			Progress: negotiation.Progress{
				Moves:     1,
				Rounds:    1,
				BestOffer: usd(o / 2),
				Counter:   usd(opening),
			}, Offer: &at,
		},
	}
}

// A model's price counts if it is written exactly and lies between the rules' counteroffer and the current price.
func TestStrategy_Propose_price(t *testing.T) {
	t.Parallel()
	in := quoteInput(offer, "")
	rules, ok := negotiation.Decide(in.Table).(negotiation.Countered)
	if !ok || rules.Price.Minor() >= opening || rules.Price.Minor() <= floor {
		t.Fatalf("the rules say %+v", negotiation.Decide(in.Table))
	}
	from, above, below := rules.Price.String(), usd(rules.Price.Minor()+1).String(), usd(rules.Price.Minor()-1).String()
	for text, want := range map[string]string{
		`{"action": "counter", "price": "1299.90"}`: "1299.90", `{"action": "counter", "price": 1299.9}`: "1299.90", `{"action": "counter", "price": "1.2999e3"}`: "1299.90",
		`{"action": "counter", "price": "` + above + `"}`: above,
		// The rules' own price needs no model.
		`{"action": "counter", "price": "` + from + `"}`: "", `{"action": "accept", "price": "1011.00"}`: "", `{"action": "accept"}`: "",
		`{"action": "counter", "price": "` + below + `"}`: "!", `{"action": "counter", "price": "1299.91"}`: "!", `{"action": "counter", "price": "1011.00"}`: "!",
		`{"action": "counter", "price": "1299.905"}`: "!", `{"action": "counter", "price": "1,299.90"}`: "!", `{"action": "counter", "price": "1299.90 USD"}`: "!",
		`{"action": "counter", "price": -1299.9}`: "!", `{"action": "counter", "price": "1e400"}`: "!", `{"action": "counter", "price": null}`: "!",
		`{"action": "counter"}`: "!", `{"action": "reject", "price": "1299.90"}`: "!", `{"price": "1299.90"}`: "!", `1299.90`: "!", ``: "!", `{"action": "counter", "price": "1299.90", "note": "x"}`: "!",
	} {
		_, s := withModel(&fakeModel{writes: always(text)})
		got, err := s.Propose(ports.NewOutbound(t.Context()), allOn, in)
		price := ""
		if d, ok := got.Decision.(negotiation.Countered); ok {
			price = d.Price.String()
			if kept := negotiation.Guard(in.Table, d); kept != d || got.Answered.Handler != "model" || d.By != negotiation.AgentAnswer {
				t.Errorf("%s: %+v, after the guardrails %+v", text, got, kept)
			}
		}
		switch {
		case (want == "!") != fault.Is(err, "model_nonsense"), want != "!" && (err != nil || price != want):
			t.Errorf("%s: %q %v, want %q", text, price, err, want)
		}
	}
}

// A model is asked for a price only if the rules would lower theirs.
func TestStrategy_Propose_notAsked(t *testing.T) {
	t.Parallel()
	g := &fakeModel{writes: always(`{"action": "counter", "price": "1299.90"}`)}
	_, s := withModel(g)
	table := func(change func(*negotiation.Table)) agent.QuoteInput {
		in := quoteInput(offer, "")
		change(&in.Table)
		return in
	}
	for name, in := range map[string]agent.QuoteInput{
		"a mere question":      table(func(t *negotiation.Table) { t.Offer = nil }),
		"an offer to accept":   quoteInput(list, ""),
		"an offer to reject":   quoteInput(floor-1, ""),
		"a buyer who stands":   table(func(t *negotiation.Table) { t.Progress.BestOffer = usd(offer) }),
		"after the last round": table(func(t *negotiation.Table) { t.Progress.Rounds = 99 }),
		"nothing to negotiate": table(func(t *negotiation.Table) {
			t.Bounds = negotiation.RehydrateBounds(usd(list), usd(list), usd(list), usd(list))
		}),
		"at the end of the way": table(func(t *negotiation.Table) { t.Progress.Counter = usd(offer + 1) }),
	} {
		if got, err := s.Propose(ports.NewOutbound(t.Context()), allOn, in); got.Decision != nil || err != nil {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if n := len(g.requests()); n != 0 {
		t.Errorf("%d questions", n)
	}
}

// The prompt contains no bound except the two ends of the band, and neither the product nor the message.
func TestStrategy_Propose_prompt(t *testing.T) {
	t.Parallel()
	g := &fakeModel{writes: always(``)}
	_, s := withModel(g)
	_, _ = s.Propose(ports.NewOutbound(t.Context()), allOn, quoteInput(offer, "take it or leave it"))
	asked := g.requests()
	if len(asked) != 1 || strings.Contains(asked[0].User, "Nordic") || strings.Contains(asked[0].User, "leave") {
		t.Fatal(asked)
	}
	for _, secret := range notations(usd(floor), usd(target), usd(cost)) {
		if strings.Contains(asked[0].User+asked[0].System, secret) {
			t.Errorf("%s is in %s", secret, asked[0].User)
		}
	}
}

// notations returns amounts in several notations.
func notations(amounts ...money.Amount) (all []string) {
	for _, a := range amounts {
		text := a.String()
		whole, decimals, _ := strings.Cut(text, ".")
		all = append(all, text, strings.TrimRight(text, "0"), whole+decimals, whole+","+decimals)
		if len(whole) > 3 {
			for _, mark := range []string{",", ".", "'", " ", "\u00a0", "\u202f"} {
				all = append(all, whole[:len(whole)-3]+mark+whole[len(whole)-3:])
			}
		} else {
			all = append(all, whole)
		}
	}
	return all
}
