package remoteagent

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Any response to any event is either a valid answer or the error agent_nonsense.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"status": "accept", "price": 85, "reasoning": "a\u200bb", "message": "\u0000"}`, `{"status": "counter_offer", "price": 9.1e1}`,
		`{"status": "reject", "price": null}`, `{"status": "quote", "price": 1e400}`, `{"approve": false, "reason": "no"}`,
		`{"results": [{"product_id": "prod_1", "score": 0.5, "reasons": ["x"]}], "semantic_confidence": 1}`, `{"results": [], "results": []}`,
		"\xff", "[", "", "null", `{"status":"counter_offer","price":-0}`,
	} {
		f.Add([]byte(body))
	}
	list, floor, offered := money.Of(10000, money.USD), money.Of(8000, money.USD), money.Of(8500, money.USD)
	in := agent.QuoteInput{Table: negotiation.Table{Bounds: negotiation.RehydrateBounds(list, list, list, floor), Offer: &offered}}
	search := agent.SearchInput{Candidates: catalog.Found{Total: 2, Hits: []catalog.Hit{
		{Product: &catalog.Product{ID: id.Stored[id.Product]("prod_1")}, Score: 800}, {Product: &catalog.Product{ID: id.Stored[id.Product]("prod_2")}, Score: 700},
	}}}
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := readQuote(body, in)
		checkError(t, err)
		checkText(t, answer.Reasoning)
		checkText(t, answer.Message)
		if err == nil {
			checkDecision(t, answer.Decision, offered)
		}
		found, err := readSearch(body, search)
		if checkError(t, err); err == nil {
			checkFound(t, found.Found)
		}
		verdict, err := readVerdict(body)
		checkError(t, err)
		checkText(t, verdict.Reason())
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	if err != nil && !fault.Is(err, "agent_nonsense") {
		t.Error(err)
	}
}

func checkText(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > longestText || strings.ContainsFunc(text, unicode.IsControl) || strings.TrimSpace(text) != text {
		t.Errorf("%q", text)
	}
}

func checkDecision(t *testing.T, d negotiation.Decision, offered money.Amount) {
	t.Helper()
	price := money.Amount{}
	switch d := d.(type) {
	case negotiation.Accepted:
		if price = d.Price; price != offered {
			t.Errorf("accepted at %s", price)
		}
	case negotiation.Countered:
		price = d.Price
	case negotiation.Rejected:
		price = d.Price
	default:
		t.Errorf("an offer is answered by %+v", d)
	}
	if !price.IsPositive() || price.Minor() >= money.Limit || price.Currency() != money.USD || d.Rule() != negotiation.AgentAnswer {
		t.Errorf("%+v", d)
	}
}

func checkFound(t *testing.T, found catalog.Found) {
	t.Helper()
	seen := map[string]bool{}
	for _, hit := range found.Hits {
		if seen[hit.Product.ID.String()] || hit.Score < 1 || hit.Score > 999 || len(hit.Reasons) > mostReasons {
			t.Errorf("%+v", hit)
		}
		seen[hit.Product.ID.String()] = true
	}
	if len(seen) > 2 || found.Total != 2 || found.Confidence < 0 || found.Confidence > 1000 {
		t.Errorf("%+v", found)
	}
}
