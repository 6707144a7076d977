package remoteagent_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func TestAgents_Quote_offer(t *testing.T) {
	t.Parallel()
	by := negotiation.AgentAnswer
	accepted := negotiation.Accepted{Price: usd("85"), By: by}
	for body, want := range map[string]negotiation.Decision{
		`{"status": "accept"}`:                                         accepted,
		`{"status": "accept", "price": 85}`:                            accepted,
		`{"status": "accept", "price": 8.5e1}`:                         accepted,
		`{"status": "accept", "price": null, "else": {"a": [1, "b"]}}`: accepted,
		`{"status": "counter_offer", "price": 91.5}`:                   negotiation.Countered{Price: usd("91.50"), By: by},
		`{"price": 91.500000, "status": "counter_offer"}`:              negotiation.Countered{Price: usd("91.50"), By: by},
		`{"status": "counter_offer", "price": 0.01}`:                   negotiation.Countered{Price: usd("0.01"), By: by},
		`{"status": "counter_offer", "price": 9999999999.99}`:          negotiation.Countered{Price: usd("9999999999.99"), By: by},
		`{"status": "reject"}`: negotiation.Rejected{
			Price: usd("95"),
			Hint:  usd("80"),
			By:    by,
		},
		`{"status": "reject", "price": 93}`: negotiation.Rejected{
			Price: usd("93"),
			Hint:  usd("80"),
			By:    by,
		},
	} {
		a, to := asking(t, saying(t, body))
		answer, err := a.Quote(ports.NewOutbound(t.Context()), to, question(offer("85")))
		if err != nil || answer.Decision != want || answer.Reasoning != "" || answer.Message != "" {
			t.Errorf("%s: %+v, %v", body, answer, err)
		}
	}
}

// The guardrails do not change a good answer, so that its text is kept.
func TestAgents_Quote_unchangedByGuard(t *testing.T) {
	t.Parallel()
	a, to := asking(t, saying(t, `{"status": "counter_offer", "price": 91.50}`))
	for rounds := range 8 {
		in := question(offer("85"))
		in.Table.Progress.Rounds = rounds
		answer, err := a.Quote(ports.NewOutbound(t.Context()), to, in)
		if d := answer.Decision.(negotiation.Countered); err != nil || d.Final != (rounds >= 5) {
			t.Errorf("after %d rounds: %+v, %v", rounds, d, err)
		}
		if rounds < 6 && negotiation.Guard(in.Table, answer.Decision) != answer.Decision {
			t.Errorf("after %d rounds: %+v becomes %+v", rounds, answer.Decision, negotiation.Guard(in.Table, answer.Decision))
		}
	}
}

func TestAgents_Quote_withoutOffer(t *testing.T) {
	t.Parallel()
	a, to := asking(t, saying(t, `{"status": "quote", "price": 97}`))
	answer, err := a.Quote(ports.NewOutbound(t.Context()), to, question(nil))
	if want := (negotiation.Quoted{Price: usd("97"), By: negotiation.AgentAnswer}); err != nil || answer.Decision != want {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, body := range []string{`{"status": "quote"}`, `{"status": "accept", "price": 97}`, `{"status": "counter_offer", "price": 97}`, `{"status": "reject"}`} {
		a, to := asking(t, saying(t, body))
		_, err := a.Quote(ports.NewOutbound(t.Context()), to, question(nil))
		mustFail(t, err, "agent_nonsense")
	}
}

func TestAgents_Quote_offerAboveList(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"status": "accept"}`, `{"status": "accept", "price": 120}`, `{"status": "accept", "price": 100}`} {
		a, to := asking(t, saying(t, body))
		answer, err := a.Quote(ports.NewOutbound(t.Context()), to, question(offer("120")))
		if want := (negotiation.Accepted{Price: usd("100"), By: negotiation.AgentAnswer}); err != nil || answer.Decision != want {
			t.Errorf("%s: %+v, %v", body, answer, err)
		}
	}
}

// broken are invalid answers to an offer. Errors must not reveal the secrets in them.
var broken = []string{
	"", " ", "null", "true", "7", `"accept"`, "[]", `[{"status": "accept"}]`, "{}", `{"price": 90}`, `{"status": null}`, `{"status": 1}`,
	`{"status": ""}`, `{"status": "Accept"}`, `{"status": "sold_at_81.37"}`, `{"Status": "accept"}`, `{"status": "quote", "price": 90}`,
	`{"status": "expired"}`, `{"status": "accept"`, `{"status": "accept"}{}`, `{"status": "accept"} x`, `{status: "accept"}`,
	`{"status": "accept", "status": "accept"}`, `{"status": "accept", "price": 85, "price": 85}`, `{"status": "accept", "x": {"a": 1, "a": 1}}`,
	`{"status": "accept", "price": 84.99}`, `{"status": "accept", "price": 100}`, `{"status": "accept", "message": 81.37}`,
	`{"status": "accept", "reasoning": ["81.37"]}`, "{\"status\": \"accept\", \"message\": \"\xff\"}", `{"status": "accept", "message": "\ud800"}`,
	`{"status": "counter_offer"}`, `{"status": "counter_offer", "price": null}`, `{"status": "counter_offer", "price": "90"}`,
	`{"status": "counter_offer", "price": NaN}`, `{"status": "counter_offer", "price": Infinity}`, `{"status": "counter_offer", "price": -90}`,
	`{"status": "counter_offer", "price": 0}`, `{"status": "counter_offer", "price": -0.0}`, `{"status": "counter_offer", "price": 1e400}`,
	`{"status": "counter_offer", "price": 1e-400}`, `{"status": "counter_offer", "price": 90.001}`, `{"status": "counter_offer", "price": 090}`,
	`{"status": "counter_offer", "price": .9}`, `{"status": "counter_offer", "price": 90.}`, `{"status": "counter_offer", "price": 0x5a}`,
	`{"status": "counter_offer", "price": 10000000000}`, `{"status": "counter_offer", "price": true}`, `{"status": "counter_offer", "price": {"amount": 90}}`,
	`{"status": "reject", "price": "none"}`, "<!doctype html><title>81.37</title>",
	`{"status": "counter_offer", "price": 1` + strings.Repeat("0", 60_000) + `}`, strings.Repeat("[", 60_000), strings.Repeat(`{"a":`, 10_000),
}

func TestAgents_Quote_nonsense(t *testing.T) {
	t.Parallel()
	for _, body := range broken {
		a, to := asking(t, saying(t, body))
		answer, err := a.Quote(ports.NewOutbound(t.Context()), to, question(offer("85")))
		mustFail(t, err, "agent_nonsense")
		if answer != (agent.QuoteAnswer{}) || strings.Contains(err.Error(), "81.37") {
			t.Errorf("%.80s: %+v, %v", body, answer, err)
		}
	}
}

func TestAgents_Quote_decimals(t *testing.T) {
	t.Parallel()
	in := question(nil)
	for code, prices := range map[string]map[string]bool{
		"JPY": {"500": true, "500.0": true, "500.5": false}, "BHD": {"1.125": true, "1.1255": false},
	} {
		c, err := money.ParseCurrency(code)
		if err != nil {
			t.Fatal(err)
		}
		list := money.Of(1000, c)
		in.Table = negotiation.Table{Bounds: negotiation.RehydrateBounds(list, list, list, list)}
		for price, want := range prices {
			a, to := asking(t, saying(t, `{"status": "quote", "price": `+price+`}`))
			answer, err := a.Quote(ports.NewOutbound(t.Context()), to, in)
			if want != (err == nil) || want && answer.Decision.(negotiation.Quoted).Price.Currency() != c {
				t.Errorf("%s %s: %+v, %v", price, code, answer, err)
			}
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`  ok  `: "ok", `a\nb\tc`: "a b c", `a\u0000b\u001bc\u007fd\u0085`: "abcd", `8\u200b0\u202e`: "80", `\ufeffgut, schön`: "gut, schön", `\u2028`: "",
		strings.Repeat("ä", 2000): strings.Repeat("ä", 2000), strings.Repeat("ä", 2001): strings.Repeat("ä", 2000), strings.Repeat("a ", 1500): strings.TrimSpace(strings.Repeat("a ", 1000)),
	} {
		a, to := asking(t, saying(t, `{"status": "accept", "reasoning": "`+said+`", "message": "`+said+`", "approve": false, "reason": "`+said+`"}`))
		answer, err := a.Quote(ports.NewOutbound(t.Context()), to, question(offer("85")))
		if err != nil || answer.Reasoning != want || answer.Message != want {
			t.Errorf("%.40q: %.40q, %.40q, %v", said, answer.Reasoning, answer.Message, err)
		}
		if verdict, err := a.Checkout(ports.NewOutbound(t.Context()), to, lines()); err != nil || verdict != (agent.Refuse(want)) {
			t.Errorf("%.40q: %+v, %v", said, verdict, err)
		}
	}
}

func hit(n byte) string { return id.New[id.Product](bits(10 + n)).String() }

func TestAgents_Search_order(t *testing.T) {
	t.Parallel()
	in := searching()
	a, to := asking(t, saying(t, `{"results": [{"product_id": "`+hit(2)+`", "score": 0.98765, "reasons": [" light\n", "", "new"]}, {"product_id": "`+
		hit(0)+`"}, {"product_id": "`+hit(1)+`", "score": 1, "reasons": []}], "semantic_confidence": 0.5}`))
	answer, err := a.Search(ports.NewOutbound(t.Context()), to, in)
	if err != nil {
		t.Fatal(err)
	}
	found := answer.Found
	if found.Total != 9 || found.Confidence != 500 || len(found.Facets.Brands) != 1 || len(found.Hits) != 2 {
		t.Fatalf("%+v", found)
	}
	first, second := found.Hits[0], found.Hits[1]
	if first.Product != in.Candidates.Hits[2].Product || first.Score != 988 || strings.Join(first.Reasons, "|") != "light|new" || !first.InStock {
		t.Errorf("%+v", first)
	}
	if second.Product != in.Candidates.Hits[0].Product || second.Score != 900 || second.Reasons[0] != "it is a tent" {
		t.Errorf("%+v", second)
	}
	if in.Candidates.Hits[2].Score != 898 || in.Candidates.Hits[2].Reasons[0] != "it is a tent" {
		t.Error("the candidates changed")
	}
}

func TestAgents_Search_edges(t *testing.T) {
	t.Parallel()
	one := func(rest string) string { return `{"results": [{"product_id": "` + hit(0) + `"` + rest + `}]}` }
	for body, score := range map[string]int{
		`{"results": []}`: 0, one(""): 900, one(`, "score": 0`): 1, one(`, "score": 1`): 999, one(`, "score": null, "reasons": null`): 900,
		one(`, "score": 1e-3`): 1, one(`, "score": 0.12344999999999999999999999`): 123,
		`null`: -1, `[]`: -1, `{}`: -1, `{"results": null}`: -1, `{"results": {}}`: -1, `{"results": [null]}`: -1, `{"results": [{}]}`: -1, `{"results": ["` + hit(0) + `"]}`: -1,
		`{"results": [{"product_id": "` + hit(9) + `"}]}`: -1, `{"results": [{"product_id": "` + hit(0) + `"}, {"product_id": "` + hit(0) + `"}]}`: -1,
		one(`, "score": 1.01`): -1, one(`, "score": -0.1`): -1, one(`, "score": "0.5"`): -1, one(`, "score": 1e400`): -1, one(`, "score": NaN`): -1,
		one(`, "score": true`): -1, one(`, "reasons": "good"`): -1, one(`, "reasons": [1]`): -1, one(`, "product_id": "x"`): -1,
		`{"results": [], "semantic_confidence": 2}`: -1, `{"results": [], "semantic_confidence": "1"}`: -1,
	} {
		a, to := asking(t, saying(t, body))
		answer, err := a.Search(ports.NewOutbound(t.Context()), to, searching())
		switch {
		case score < 0:
			mustFail(t, err, "agent_nonsense")
		case err != nil, score == 0 && len(answer.Found.Hits) != 0, score > 0 && answer.Found.Hits[0].Score != score:
			t.Errorf("%s: %+v, %v", body, answer, err)
		}
	}
}

func TestReadVerdict(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]agent.Verdict{
		`{"approve": true}`: {}, `{"approve": true, "reason": "why not"}`: {}, `{"approve": false}`: agent.Refuse(""),
		`{"approve": false, "reason": "Too many."}`: agent.Refuse("Too many."), `{"approve": false, "review": false}`: agent.Refuse(""),
		`{"approve": false, "review": true, "reason": "A gift?"}`: agent.AskReview("A gift?"),
	} {
		a, to := asking(t, saying(t, body))
		checkout, err := a.Checkout(ports.NewOutbound(t.Context()), to, lines())
		if err != nil || checkout != want {
			t.Errorf("%s: %+v, %v", body, checkout, err)
		}
		finalize, err := a.Finalize(ports.NewOutbound(t.Context()), to, paying())
		if err != nil || finalize != want {
			t.Errorf("%s: %+v, %v", body, finalize, err)
		}
	}
	for _, body := range []string{`{}`, `null`, `true`, `{"approve": null}`, `{"approve": "true"}`, `{"approve": 1}`, `{"Approve": true}`, `{"approve": true, "approve": true}`, `{"approve": false, "reason": 1}`, `{"approve": true, "review": true}`, `{"approve": false, "review": 1}`, `{"review": true}`} {
		a, to := asking(t, saying(t, body))
		_, err := a.Checkout(ports.NewOutbound(t.Context()), to, lines())
		mustFail(t, err, "agent_nonsense")
		_, err = a.Finalize(ports.NewOutbound(t.Context()), to, paying())
		mustFail(t, err, "agent_nonsense")
	}
}
