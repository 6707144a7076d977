package agent_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
)

var (
	jpy = mustCurrency("JPY")
	bhd = mustCurrency("BHD")
)

func mustCurrency(code string) money.Currency {
	c, err := money.ParseCurrency(code)
	if err != nil {
		panic(err)
	}
	return c
}

// problem returns the error's message for the only invalid field, or "".
func problem(t *testing.T, err error, field string) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid || e.Code != "validation_error" || len(e.Details) != 1 || e.Details[0].Field != field {
		t.Fatalf("%v, want one validation_error at %s", err, field)
	}
	return e.Details[0].Message
}

// quoteProblem validates one input of a quote. The handler must not run if there is a problem.
func quoteProblem(t *testing.T, in agent.QuoteInput, field string, of agent.Type, constraints ...agent.Constraint) string {
	t.Helper()
	ran := false
	p := agent.MustProgram("strict", agent.OnACPEvent(agent.Quote, func(context.Context, agent.QuoteInput) (agent.QuoteAnswer, error) {
		ran = true
		return agent.QuoteAnswer{}, nil
	}, agent.ValidateInput(field, of, constraints...)))
	_, err := p.Quote(t.Context(), in)
	if ran != (err == nil) {
		t.Errorf("the handler ran: %v, with the error %v", ran, err)
	}
	return problem(t, err, field)
}

func TestConstraint_numbers(t *testing.T) {
	t.Parallel()
	const between = "must be between 2 and 20"
	for _, c := range []struct {
		quantity    int
		constraints []agent.Constraint
		want        string
	}{
		{0, nil, ""}, {0, []agent.Constraint{agent.Required}, "is required"}, {1, []agent.Constraint{agent.Required}, ""},
		{0, []agent.Constraint{agent.Min(2)}, ""}, // missing
		{1, []agent.Constraint{agent.Min(2)}, "must be at least 2"}, {2, []agent.Constraint{agent.Min(2)}, ""},
		{20, []agent.Constraint{agent.Max(20)}, ""}, {21, []agent.Constraint{agent.Max(20)}, "must be at most 20"},
		{1, []agent.Constraint{agent.Min(2), agent.Max(20)}, between}, {2, []agent.Constraint{agent.Min(2), agent.Max(20)}, ""},
		{20, []agent.Constraint{agent.Min(2), agent.Max(20)}, ""}, {21, []agent.Constraint{agent.Max(20), agent.Min(2)}, between},
		{7, []agent.Constraint{agent.Min(7), agent.Max(7)}, ""}, {0, []agent.Constraint{agent.Required, agent.Min(2)}, "is required"},
		{-1, []agent.Constraint{agent.Min(-1)}, ""}, {-2, []agent.Constraint{agent.Min(-1)}, "must be at least -1"},
	} {
		in := agent.QuoteInput{Product: agent.Product{Quantity: c.quantity}}
		for _, of := range []agent.Type{agent.Integer, agent.Number} {
			if got := quoteProblem(t, in, "quantity", of, c.constraints...); got != c.want {
				t.Errorf("%d of type %s: %q, want %q", c.quantity, of, got, c.want)
			}
		}
	}
}

func TestConstraint_moneyInMajorUnits(t *testing.T) {
	t.Parallel()
	low, high := "must be at least 5", "must be at most 20"
	for _, c := range []struct {
		currency money.Currency
		minor    int64
		want     string
	}{
		{money.USD, 4_99, low}, {money.USD, 5_00, ""}, {money.USD, 20_00, ""}, {money.USD, 20_01, high},
		{jpy, 4, low}, {jpy, 5, ""}, {jpy, 20, ""}, {jpy, 21, high},
		{bhd, 4_999, low}, {bhd, 5_000, ""}, {bhd, 20_000, ""}, {bhd, 20_001, high},
	} {
		in := quoteOf(100_000, c.currency)
		price := money.Of(c.minor, c.currency)
		in.Table.Offer = &price
		var got string
		if c.want == high {
			got = quoteProblem(t, in, "offer", agent.Number, agent.Max(20))
		} else {
			got = quoteProblem(t, in, "offer", agent.Number, agent.Min(5))
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", price, c.currency.Code(), got, c.want)
		}
	}
	in := quoteOf(100_000, bhd)
	if got := quoteProblem(t, in, "offer", agent.Number, agent.Min(1)); got != "" {
		t.Errorf("a question of the price: %q", got)
	}
	if got := quoteProblem(t, in, "offer", agent.Number, agent.Required); got != "is required" {
		t.Errorf("%q", got)
	}
}

func TestConstraint_beyondAllAmounts(t *testing.T) {
	t.Parallel()
	in := quoteOf(100_000, bhd)
	most := money.Of(money.Limit-1, bhd)
	in.Table.Offer = &most
	for _, far := range []int64{math.MaxInt64, math.MaxInt64 / 10, math.MaxInt64/1000 + 1} {
		if got := quoteProblem(t, in, "offer", agent.Number, agent.Max(far), agent.Min(-far)); got != "" {
			t.Errorf("%d: %q", far, got)
		}
		if got := quoteProblem(t, in, "offer", agent.Number, agent.Min(far)); got == "" {
			t.Errorf("%d is no minimum", far)
		}
		if got := quoteProblem(t, in, "offer", agent.Number, agent.Max(-far)); got == "" {
			t.Errorf("%d is no maximum", -far)
		}
	}
}

func TestConstraint_texts(t *testing.T) {
	t.Parallel()
	tiers := agent.OneOf("gold", "silver")
	for _, c := range []struct {
		tier        string
		constraints []agent.Constraint
		want        string
	}{
		{"", nil, ""}, {"", []agent.Constraint{agent.Required}, "is required"}, {"x", []agent.Constraint{agent.Required}, ""},
		{"", []agent.Constraint{agent.MinLength(3)}, ""}, {"ÄÖ", []agent.Constraint{agent.MinLength(3)}, "must have at least 3 characters"},
		{"ÄÖÜ", []agent.Constraint{agent.MinLength(3), agent.MaxLength(3)}, ""},
		{"ÄÖÜß", []agent.Constraint{agent.MaxLength(3)}, "must have at most 3 characters"},
		{"ÄÖÜß", []agent.Constraint{agent.MaxLength(3), agent.MinLength(2)}, "must have 2 to 3 characters"},
		{"Ä", []agent.Constraint{agent.MaxLength(3), agent.MinLength(2)}, "must have 2 to 3 characters"},
		{"gold", []agent.Constraint{tiers}, ""}, {"silver", []agent.Constraint{tiers}, ""}, {"", []agent.Constraint{tiers}, ""},
		{"Gold", []agent.Constraint{tiers}, "must be one of gold, silver"}, {"gol", []agent.Constraint{tiers, agent.Required}, "must be one of gold, silver"},
	} {
		in := agent.QuoteInput{Scene: agent.Scene{Session: &session.Session{Claims: session.Claims{LoyaltyTier: c.tier}}}}
		if got := quoteProblem(t, in, "buyer_context.loyalty_tier", agent.Text, c.constraints...); got != c.want {
			t.Errorf("%q: %q, want %q", c.tier, got, c.want)
		}
	}
}

func TestOneOf_listUnchanged(t *testing.T) {
	t.Parallel()
	words := []string{"gold"}
	constraint := agent.OneOf(words...)
	words[0] = "silver"
	in := agent.QuoteInput{Message: "gold"}
	if got := quoteProblem(t, in, "message", agent.Text, constraint); got != "" {
		t.Error(got)
	}
}

// A count of zero is a value: Min applies to it.
func TestConstraint_counts(t *testing.T) {
	t.Parallel()
	for purchases, want := range map[int]string{0: "must be at least 3", 2: "must be at least 3", 3: ""} {
		in := agent.QuoteInput{Scene: agent.Scene{Session: &session.Session{Claims: session.Claims{PurchaseHistory: purchases}}}}
		if got := quoteProblem(t, in, "buyer_context.purchase_history", agent.Integer, agent.Min(3)); got != want {
			t.Errorf("%d: %q, want %q", purchases, got, want)
		}
	}
	if got := quoteProblem(t, agent.QuoteInput{}, "buyer_context.purchase_history", agent.Integer, agent.Required, agent.Min(3)); got != "is required" {
		t.Errorf("%q", got)
	}
}

// Each field is read from its own place: if all are given none is missing, and if none is given all are.
func TestValidateInput_everyField(t *testing.T) {
	t.Parallel()
	need := func(fields string) (inputs []agent.Input) {
		for entry := range strings.FieldsSeq(fields) {
			name, of, _ := strings.Cut(entry, ":")
			inputs = append(inputs, agent.ValidateInput(name, map[string]agent.Type{"T": agent.Text, "I": agent.Integer, "N": agent.Number}[of], agent.Required))
		}
		return inputs
	}
	const (
		searched = "query:T limit:I filters.category:T filters.price_min:N filters.price_max:N filters.size:T sort:T"
		quoted   = "product_id:T variant_id:T quantity:I offer:N message:T " +
			"buyer_context.loyalty_tier:T buyer_context.purchase_history:I buyer_context.urgency:T"
	)
	consent := func() (agent.Verdict, error) { return agent.Consent(), nil }
	p := agent.MustProgram("strict", onSearch(need(searched)...), onQuote(need(quoted)...),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) { return consent() }, need("session_id:T items:I")...),
		agent.OnACPEvent(agent.Finalize, func(context.Context, agent.FinalizeInput) (agent.Verdict, error) { return consent() }, need("checkout_id:T total:N")...))

	price := money.Of(1, money.USD)
	scene := agent.Scene{Session: &session.Session{
		ID: id.New[id.Session]([16]byte{}), Claims: session.Claims{
			LoyaltyTier:     "gold",
			PurchaseHistory: 1,
			Urgency:         "high",
		},
	}}
	quote := quoteOf(100_00, money.USD)
	quote.Scene, quote.Message, quote.Table.Offer = scene, "hello", &price
	quote.Product = agent.Product{
		ID:       id.New[id.Product]([16]byte{}),
		Variant:  id.New[id.Variant]([16]byte{}),
		Quantity: 1,
	}
	search := agent.SearchInput{Query: catalog.Query{
		Text:  "tent",
		Limit: 1,
		Sort:  catalog.Newest,
		Filter: catalog.Filter{
			Categories: []string{"tents"},
			PriceMin:   &price,
			PriceMax:   &price,
			Size:       "L",
		},
	}}
	full := []error{
		second(p.Search(t.Context(), search)), second(p.Quote(t.Context(), quote)),
		second(p.Checkout(t.Context(), agent.CheckoutInput{Scene: scene, Lines: make([]checkout.Line, 1)})),
		second(p.Finalize(t.Context(), agent.FinalizeInput{
			Checkout: checkout.Rehydrate(checkout.Snapshot{ID: id.New[id.Checkout]([16]byte{})}), Total: money.Zero(money.USD),
		})),
	}
	for i, err := range full {
		if err != nil {
			t.Errorf("event %d: %v", i, err)
		}
	}
	empty := []error{
		second(p.Search(t.Context(), agent.SearchInput{})), second(p.Quote(t.Context(), agent.QuoteInput{})),
		second(p.Checkout(t.Context(), agent.CheckoutInput{})), second(p.Finalize(t.Context(), agent.FinalizeInput{})),
	}
	for i, fields := range []string{searched, quoted, "session_id:T items:I", "checkout_id:T total:N"} {
		want := fault.NewCheck()
		for entry := range strings.FieldsSeq(fields) {
			name, _, _ := strings.Cut(entry, ":")
			want.That(false, name, "is required")
		}
		if !reflect.DeepEqual(empty[i], want.Err()) {
			t.Errorf("event %d: %v, want %v", i, empty[i], want.Err())
		}
	}
}

func second[T any](_ T, err error) error { return err }
