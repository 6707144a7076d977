package clearance_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agent/clearance"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestProgram_Search_inStock(t *testing.T) {
	t.Parallel()
	in := agent.SearchInput{Candidates: catalog.Found{Hits: []catalog.Hit{{Score: 2}, {Score: 1, InStock: true}}}}
	answer, err := clearance.Program.Search(t.Context(), in)
	if err != nil || len(answer.Found.Hits) != 1 || answer.Found.Hits[0].Score != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
}

// The built-in agent answers for products that are nearly sold out.
func TestProgram_Quote_lowStock(t *testing.T) {
	t.Parallel()
	usd := func(units int64) money.Amount { return money.Of(units*100, money.USD) }
	in := agent.QuoteInput{Product: agent.Product{Quantity: 1}, Table: negotiation.Table{
		Terms: negotiation.Terms{RoundCap: 6}, Bounds: negotiation.RehydrateBounds(usd(100), usd(100), usd(95), usd(60)),
	}}
	for stock, want := range map[int]negotiation.Decision{
		5: negotiation.Decide(in.Table), 6: negotiation.Quoted{Price: usd(90), By: negotiation.AgentAnswer},
	} {
		in.Signals.Stock = stock
		if answer, err := clearance.Program.Quote(t.Context(), in); err != nil || answer.Decision != want {
			t.Errorf("with %d left: %#v, %v, want %#v", stock, answer.Decision, err, want)
		}
	}
}

func TestProgram_Checkout_resellers(t *testing.T) {
	t.Parallel()
	for pieces, refused := range map[int]bool{50: false, 51: true} {
		in := agent.CheckoutInput{Lines: []checkout.Line{{Quantity: 20}, {Quantity: pieces - 20}}}
		if verdict, err := clearance.Program.Checkout(t.Context(), in); err != nil || (verdict.Kind() == agent.Refused) != refused || refused == (verdict.Reason() == "") {
			t.Errorf("%d pieces: %+v, %v", pieces, verdict, err)
		}
	}
}
