package agent_test

import (
	"context"
	"errors"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func house(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) { return in.House(), nil }

func all(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) { return in.All(), nil }

// onQuote binds house to quotes, with inputs.
func onQuote(inputs ...agent.Input) agent.Binding {
	return agent.OnACPEvent(agent.Quote, house, inputs...)
}

func onSearch(inputs ...agent.Input) agent.Binding {
	return agent.OnACPEvent(agent.Search, all, inputs...)
}

var valid = agent.ValidateInput

func TestNewProgram_invalidBindings(t *testing.T) {
	t.Parallel()
	for want, bindings := range map[string][]agent.Binding{
		"it handles no event":    nil,
		"quote is bound twice":   {onQuote(), onSearch(), onQuote()},
		"search has no handler":  {agent.OnACPEvent(agent.Search, nil)},
		"search is bound twice":  {agent.OnACPEvent(agent.Search, nil), onSearch()},
		"not made by OnACPEvent": {onQuote(), {}},
		"an event is none of Search, Quote, Checkout and Finalize": {agent.OnACPEvent(agent.Event[agent.QuoteInput, agent.QuoteAnswer]{}, house)},

		`quote has no input "price", only product_id, variant_id, quantity, offer, message, buyer_context.`:                          {onQuote(valid("price", agent.Number))},
		`search has no input "offer", only query, limit, filters.category, filters.price_min, filters.price_max, filters.size, sort`: {onSearch(valid("offer", agent.Number))},
		"quantity of quote is validated twice": {onQuote(valid("quantity", agent.Integer), valid("quantity", agent.Integer))},

		"offer of quote is of type Number, not Integer":             {onQuote(valid("offer", agent.Integer))},
		"message of quote is of type Text, not Number":              {onQuote(valid("message", agent.Number))},
		"quantity of quote is of type Integer, not Text":            {onQuote(valid("quantity", agent.Text))},
		"quantity of quote is of type Integer, not ;":               {onQuote(valid("quantity", agent.Type{}), valid("price", agent.Text))},
		"message of quote is of type Text, which has no Min":        {onQuote(valid("message", agent.Text, agent.Min(1)))},
		"query of search is of type Text, which has no Max":         {onSearch(valid("query", agent.Text, agent.Max(1)))},
		"offer of quote is of type Number, which has no MinLength":  {onQuote(valid("offer", agent.Number, agent.MinLength(1)))},
		"limit of search is of type Integer, which has no MaxLeng":  {onSearch(valid("limit", agent.Integer, agent.MaxLength(1)))},
		"quantity of quote is of type Integer, which has no OneOf":  {onQuote(valid("quantity", agent.Number, agent.OneOf("1")))},
		"offer of quote has Min 2 above Max 1":                      {onQuote(valid("offer", agent.Number, agent.Max(1), agent.Min(2)))},
		"message of quote has MinLength 3 above MaxLength 2":        {onQuote(valid("message", agent.Text, agent.MinLength(3), agent.MaxLength(2)))},
		"message of quote has a negative MinLength":                 {onQuote(valid("message", agent.Text, agent.MinLength(-1)))},
		"message of quote has a negative MaxLength":                 {onQuote(valid("message", agent.Text, agent.MaxLength(-1)))},
		"offer of quote has two of Min":                             {onQuote(valid("offer", agent.Number, agent.Min(1), agent.Min(1)))},
		"buyer_context.urgency of quote has an empty OneOf":         {onQuote(valid("buyer_context.urgency", agent.Text, agent.OneOf()))},
		"filters.size of search has a constraint that is none":      {onSearch(valid("filters.size", agent.Text, agent.Constraint{}))},
		"filters.size of search has two of Required":                {onSearch(valid("filters.size", agent.Text, agent.Required, agent.Required))},
		"filters.price_max of search is of type Number, not Text":   {onSearch(valid("filters.price_max", agent.Text))},
		"filters.category of search is of type Text, not Integer":   {onSearch(valid("filters.category", agent.Integer))},
		"buyer_context.loyalty_tier of quote is of type Text, not ": {onQuote(valid("buyer_context.loyalty_tier", agent.Number))},
	} {
		p, err := agent.NewProgram("clearance", bindings...)
		if p != nil || err == nil || !strings.Contains(err.Error()+";", want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestNewProgram_names(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "it has no name", "Clearance": "its name must be", "a b": "its name must be", strings.Repeat("a", 65): "its name must be",
		"a\n": "its name must be", "clearance-2_b": "", strings.Repeat("a", 64): "",
	} {
		p, err := agent.NewProgram(name, onQuote())
		switch {
		case want == "" && (err != nil || p.Name() != name):
			t.Errorf("%q: %v", name, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

func TestNewProgram_listsAllMistakes(t *testing.T) {
	t.Parallel()
	_, err := agent.NewProgram("", onQuote(
		valid("offer", agent.Number, agent.Min(2), agent.Max(1), agent.OneOf("a")),
		valid("price", agent.Number),
	), onQuote(), onSearch(valid("limit", agent.Text)))
	for _, want := range []string{
		"no name", "offer of quote is of type Number, which has no OneOf", "offer of quote has Min 2 above Max 1",
		`quote has no input "price"`, "quote is bound twice", "limit of search is of type Integer, not Text",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestMustProgram_panics(t *testing.T) {
	t.Parallel()
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "quote is bound twice") {
			t.Errorf("%v", err)
		}
	}()
	agent.MustProgram("clearance", onQuote(), onQuote())
	t.Error("it did not")
}

// A handler of another event does not compile.
func TestOnACPEvent_otherHandlerType(t *testing.T) {
	t.Parallel()
	said, err := exec.CommandContext(t.Context(), "go", "build", "./testdata/misfit").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "misfit.go:14") || !strings.Contains(string(said), "does not match") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestProgram_unboundEvents(t *testing.T) {
	t.Parallel()
	p := agent.MustProgram("clearance", onQuote())
	_, searched := p.Search(t.Context(), agent.SearchInput{})
	_, opened := p.Checkout(t.Context(), agent.CheckoutInput{})
	_, paid := p.Finalize(t.Context(), agent.FinalizeInput{})
	for _, err := range []error{searched, opened, paid} {
		if !errors.Is(err, agent.ErrUnbound) {
			t.Errorf("%v", err)
		}
	}
	if _, err := p.Quote(t.Context(), agent.QuoteInput{}); err != nil {
		t.Error(err)
	}
}

func TestProgram_callsHandlerOfEvent(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "the caller's")
	bad := errors.New("refused")
	consents := func(ctx context.Context, reason string) (agent.Verdict, error) {
		if ctx.Value(key{}) == nil {
			return agent.Verdict{}, errors.New("not the caller's context")
		}
		return agent.Refuse(reason), nil
	}
	p := agent.MustProgram("all",
		onSearch(), agent.OnACPEvent(agent.Quote, func(context.Context, agent.QuoteInput) (agent.QuoteAnswer, error) {
			return agent.QuoteAnswer{Message: "half an answer"}, bad
		}),
		agent.OnACPEvent(agent.Checkout, func(ctx context.Context, _ agent.CheckoutInput) (agent.Verdict, error) {
			return consents(ctx, "checkout")
		}),
		agent.OnACPEvent(agent.Finalize, func(ctx context.Context, _ agent.FinalizeInput) (agent.Verdict, error) {
			return consents(ctx, "finalize")
		}),
	)
	in := agent.SearchInput{}
	in.Candidates.Total = 3
	if a, err := p.Search(ctx, in); err != nil || a.Found.Total != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := p.Quote(ctx, agent.QuoteInput{}); err != bad || a != (agent.QuoteAnswer{}) {
		t.Errorf("%+v, %v", a, err)
	}
	if v, err := p.Checkout(ctx, agent.CheckoutInput{}); err != nil || v != agent.Refuse("checkout") {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := p.Finalize(ctx, agent.FinalizeInput{}); err != nil || v != agent.Refuse("finalize") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestProgram_handlerPanics(t *testing.T) {
	t.Parallel()
	p := agent.MustProgram("clumsy",
		agent.OnACPEvent(agent.Quote, func(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
			return agent.QuoteAnswer{Message: in.Signals.Cost.String()}, nil
		}),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) {
			panic(fault.New(fault.Invalid, "validation_error", "of a panic"))
		}))
	answer, err := p.Quote(t.Context(), agent.QuoteInput{})
	if !errors.Is(err, fault.ErrPanic) || fault.KindOf(err) != fault.Internal || !reflect.DeepEqual(answer, agent.QuoteAnswer{}) {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, want := range []string{`agent program "clumsy" at quote`, "nil pointer", "program_test.go"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the log has no %q: %v", want, err)
		}
	}
	if _, err := p.Checkout(t.Context(), agent.CheckoutInput{}); fault.KindOf(err) != fault.Internal {
		t.Errorf("a panic passes for a refusal: %v", err)
	}
}

func TestProgram_Quote_concurrent(t *testing.T) {
	t.Parallel()
	p := agent.MustProgram("shared", agent.OnACPEvent(agent.Quote, func(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
		if in.Product.Quantity == 3 {
			panic("three")
		}
		return in.Accept(), nil
	}, valid("quantity", agent.Integer, agent.Max(6)), valid("buyer_context.urgency", agent.Text, agent.OneOf("flexible", "normal"))))
	var buyers sync.WaitGroup
	for buyer := range 64 {
		buyers.Go(func() {
			quantity, price := buyer%8+1, money.Of(int64(buyer+1), money.USD)
			in := quoteOf(100_00, money.USD)
			in.Product.Quantity, in.Table.Offer = quantity, &price
			answer, err := p.Quote(t.Context(), in)
			switch {
			case quantity > 6:
				if !fault.Is(err, "validation_error") {
					t.Errorf("%d: %v", buyer, err)
				}
			case quantity == 3:
				if !errors.Is(err, fault.ErrPanic) {
					t.Errorf("%d: %v", buyer, err)
				}
			case err != nil || answer.Decision != negotiation.Accepted{Price: price, By: negotiation.AgentAnswer}:
				t.Errorf("%d: %+v, %v", buyer, answer, err)
			}
		})
	}
	buyers.Wait()
}
