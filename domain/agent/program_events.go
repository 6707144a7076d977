package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Event is one of Search, Quote, Checkout and Finalize. Its type parameters are a handler's input and answer, so that a
// handler of another event does not compile.
type Event[In, Out any] struct {
	name   string // in the contract
	fields []field[In]
	place  func(*Program) *service[In, Out]
}

// Search asks for products. Inputs: query, limit, filters.category, filters.price_min,
// filters.price_max, filters.size, sort.
var Search = Event[SearchInput, SearchAnswer]{
	name:  "search",
	place: func(p *Program) *service[SearchInput, SearchAnswer] { return &p.search },
	fields: []field[SearchInput]{
		{"query", Text, func(in *SearchInput) value { return word(in.Query.Text) }},
		{"limit", Integer, func(in *SearchInput) value { return number(in.Query.Limit) }},
		{"filters.category", Text, func(in *SearchInput) value { return word(in.Query.Filter.Category()) }},
		{"filters.price_min", Number, func(in *SearchInput) value { return amount(in.Query.Filter.PriceMin) }},
		{"filters.price_max", Number, func(in *SearchInput) value { return amount(in.Query.Filter.PriceMax) }},
		{"filters.size", Text, func(in *SearchInput) value { return word(in.Query.Filter.Size) }},
		{"sort", Text, func(in *SearchInput) value {
			if in.Query.Sort == catalog.Relevance {
				return word("")
			}
			return word(in.Query.Sort.String())
		}},
	},
}

// Quote asks for an answer to an offer. Inputs: product_id, variant_id, quantity, offer (per unit), message,
// buyer_context.loyalty_tier, buyer_context.purchase_history (a count) and buyer_context.urgency, as the buyer says.
var Quote = Event[QuoteInput, QuoteAnswer]{
	name:  "quote",
	place: func(p *Program) *service[QuoteInput, QuoteAnswer] { return &p.quote },
	fields: []field[QuoteInput]{
		{"product_id", Text, func(in *QuoteInput) value { return word(in.Product.ID.String()) }},
		{"variant_id", Text, func(in *QuoteInput) value { return word(in.Product.Variant.String()) }},
		{"quantity", Integer, func(in *QuoteInput) value { return number(in.Product.Quantity) }},
		{"offer", Number, func(in *QuoteInput) value { return amount(in.Table.Offer) }},
		{"message", Text, func(in *QuoteInput) value { return word(in.Message) }},
		{"buyer_context.loyalty_tier", Text, func(in *QuoteInput) value { return word(in.claims().LoyaltyTier) }},
		{"buyer_context.purchase_history", Integer, func(in *QuoteInput) value { return count(in.claims().PurchaseHistory) }},
		{"buyer_context.urgency", Text, func(in *QuoteInput) value { return word(in.claims().Urgency) }},
	},
}

// Checkout asks whether a cart may be checked out. Inputs: session_id, items (how many lines the cart has).
var Checkout = Event[CheckoutInput, Verdict]{
	name:  "checkout",
	place: func(p *Program) *service[CheckoutInput, Verdict] { return &p.checkout },
	fields: []field[CheckoutInput]{
		{"session_id", Text, func(in *CheckoutInput) value { return word(in.session().ID.String()) }},
		{"items", Integer, func(in *CheckoutInput) value { return count(len(in.Lines)) }},
	},
}

// Finalize asks whether a checkout may be paid now. Inputs: checkout_id, total.
var Finalize = Event[FinalizeInput, Verdict]{
	name:  "finalize",
	place: func(p *Program) *service[FinalizeInput, Verdict] { return &p.finalize },
	fields: []field[FinalizeInput]{
		{"checkout_id", Text, func(in *FinalizeInput) value {
			if in.Checkout == nil {
				return value{}
			}
			return word(in.Checkout.ID().String())
		}},
		{"total", Number, func(in *FinalizeInput) value {
			if in.Total == (money.Amount{}) {
				return value{}
			}
			return amount(&in.Total)
		}},
	},
}

// session returns the scene's session, or an empty one if the scene has none.
func (s *Scene) session() session.Session {
	if s.Session == nil {
		return session.Session{}
	}
	return *s.Session
}

func (s *Scene) claims() session.Claims { return s.session().Claims }

// Binding binds a handler to its event.
type Binding struct {
	bind func(*Program) (mistakes []string)
}

// OnACPEvent binds a handler to an event. The handler is called only if its inputs fulfil their constraints.
func OnACPEvent[In, Out any](e Event[In, Out], handler func(context.Context, In) (Out, error), inputs ...Input) Binding {
	return Binding{func(p *Program) []string { return e.bind(p, handler, inputs) }}
}

func (e Event[In, Out]) bind(p *Program, handler func(context.Context, In) (Out, error), inputs []Input) (mistakes []string) {
	if e.place == nil {
		return []string{"an event is none of Search, Quote, Checkout and Finalize"}
	}
	s := e.place(p)
	if s.bound {
		return []string{e.name + " is bound twice"}
	}
	s.bound, s.event, s.handle = true, e.name, handler
	if handler == nil {
		mistakes = append(mistakes, e.name+" has no handler")
	}
	seen := make(map[string]bool)
	for _, in := range inputs {
		f := slices.IndexFunc(e.fields, func(f field[In]) bool { return f.name == in.field })
		switch {
		case f < 0:
			mistakes = append(mistakes, fmt.Sprintf("%s has no input %q, only %s", e.name, in.field, e.inputs()))
			continue
		case seen[in.field]:
			mistakes = append(mistakes, fmt.Sprintf("%s of %s is validated twice", in.field, e.name))
		}
		seen[in.field] = true
		limits, wrong := in.limits(e.fields[f].of)
		for _, w := range wrong {
			mistakes = append(mistakes, fmt.Sprintf("%s of %s %s", in.field, e.name, w))
		}
		s.checks = append(s.checks, check[In]{e.fields[f], limits})
	}
	return mistakes
}

func (e Event[In, Out]) inputs() string {
	names := make([]string, len(e.fields))
	for i, f := range e.fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}
