package agents_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// If a handler fails, the rules answer, and the answer records why.
func TestRouter_Quote_fallback(t *testing.T) {
	t.Parallel()
	broken := func(name string, err error) *agent.Program {
		return quoteProgram(name, func(agent.QuoteInput) (agent.QuoteAnswer, error) { return agent.QuoteAnswer{}, err })
	}
	panics := quoteProgram("clumsy", func(agent.QuoteInput) (agent.QuoteAnswer, error) { panic("at the till") })
	for name, test := range map[string]struct {
		handler agent.Handler
		far     error
		change  func(*routerFixture)
		want    string
	}{
		"late":                 {remoteHandler, unavailable("agent_timeout"), nil, "agent_timeout"},
		"not there":            {remoteHandler, unavailable("agent_unreachable"), nil, "agent_unreachable"},
		"unwilling":            {remoteHandler, unavailable("agent_refused"), nil, "agent_refused"},
		"nonsense":             {remoteHandler, unavailable("agent_nonsense"), nil, "agent_nonsense"},
		"suspended":            {remoteHandler, unavailable("agent_suspended"), nil, "agent_suspended"},
		"wrapped":              {remoteHandler, fmt.Errorf("asking: %w", unavailable("agent_refused")), nil, "agent_refused"},
		"a deadline":           {remoteHandler, fmt.Errorf("asking: %w", context.DeadlineExceeded), nil, "agent_timeout"},
		"no known reason":      {remoteHandler, errors.New("lost"), nil, "agent_failed"},
		"a secret of no use":   {remoteHandler, nil, func(x *routerFixture) { x.active.agent.Secret = []byte("spoilt") }, "agent_secret"},
		"a program that fails": {programHandler("broken"), nil, nil, "agent_failed"},
		"a program too late":   {programHandler("slow"), nil, nil, "agent_timeout"},
		"a program that panic": {programHandler("clumsy"), nil, nil, "agent_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRouterFixture(test.handler, panics, broken("broken", errors.New("lost")), broken("slow", context.DeadlineExceeded))
			x.remote.quote, x.remote.err = agent.QuoteAnswer{Decision: negotiation.Accepted{Price: usd(1)}, Message: "Take it!"}, test.far
			if test.change != nil {
				test.change(x)
			}
			in := x.input(offer)
			got, err := x.Quote(ports.NewOutbound(t.Context()), in)
			want := agent.QuoteAnswer{
				Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler, Fallback: test.want},
			}
			if err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
			if said := x.log.String(); !strings.Contains(said, "why="+test.want) || !strings.Contains(said, x.active.agent.ID.String()) {
				t.Errorf("logged %q", said)
			}
		})
	}
}

// If the handler fails, a search returns the candidates, and checkout and payment go on.
func TestRouter_fallbackOfOtherEvents(t *testing.T) {
	t.Parallel()
	clumsy := agent.MustProgram("clumsy",
		agent.OnACPEvent(agent.Search, func(context.Context, agent.SearchInput) (agent.SearchAnswer, error) { panic("search") }),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) { panic("checkout") }),
		agent.OnACPEvent(agent.Finalize, func(context.Context, agent.FinalizeInput) (agent.Verdict, error) { panic("finalize") }))
	for name, h := range map[string]agent.Handler{"remote": remoteHandler, "a program": programHandler("clumsy")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRouterFixture(h, clumsy)
			x.remote.search, x.remote.verdict, x.remote.err = agent.SearchAnswer{}, agent.Refuse("half an answer"), unavailable("agent_timeout")
			candidates := catalog.Found{Hits: []catalog.Hit{{Score: 1}}, Total: 7}
			found, err := x.Search(ports.NewOutbound(t.Context()), agent.SearchInput{Scene: x.scene(), Candidates: candidates})
			if err != nil || !reflect.DeepEqual(found.Found, candidates) {
				t.Errorf("%+v, %v", found, err)
			}
			opened, err := x.Checkout(ports.NewOutbound(t.Context()), agent.CheckoutInput{Scene: x.scene()})
			paid, later := x.Finalize(ports.NewOutbound(t.Context()), agent.FinalizeInput{Scene: x.scene()})
			if err := errors.Join(err, later); err != nil || opened != agent.Consent() || paid != agent.Consent() {
				t.Errorf("%+v, %+v, %v", opened, paid, err)
			}
			for _, event := range []string{"search", "checkout", "finalize"} {
				if !strings.Contains(x.log.String(), "event="+event) {
					t.Errorf("nothing is logged of %s: %s", event, x.log)
				}
			}
		})
	}
}

// The answers of remote handlers and of programs count, and each answer names its handler.
func TestRouter_handlersAnswer(t *testing.T) {
	t.Parallel()
	halves := agent.MustProgram("halves",
		agent.OnACPEvent(agent.Search, func(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) {
			return in.Only(func(catalog.Hit) bool { return false }), nil
		}),
		agent.OnACPEvent(agent.Quote, func(_ context.Context, in agent.QuoteInput) (agent.QuoteAnswer, error) {
			return in.Counter(usd(1250_00)).Say("Half."), nil
		}),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) { return agent.Refuse("Closed."), nil }),
		agent.OnACPEvent(agent.Finalize, func(context.Context, agent.FinalizeInput) (agent.Verdict, error) { return agent.Refuse("Closed."), nil }))
	for name, test := range map[string]struct {
		handler agent.Handler
		want    string
	}{
		"remote": {remoteHandler, "remote"}, "a program": {programHandler("halves"), "builtin:halves"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRouterFixture(test.handler, halves)
			half := agent.QuoteAnswer{Decision: negotiation.Countered{Price: usd(1250_00), By: negotiation.AgentAnswer}, Message: "Half."}
			x.remote.quote, x.remote.verdict = half, agent.Refuse("Closed.")
			half.Answered.Handler = test.want
			if got, err := x.Quote(ports.NewOutbound(t.Context()), x.input(offer)); err != nil || got != half {
				t.Errorf("%+v, %v", got, err)
			}
			found, err := x.Search(ports.NewOutbound(t.Context()), agent.SearchInput{Scene: x.scene(), Candidates: catalog.Found{Hits: []catalog.Hit{{Score: 1}}}})
			if err != nil || len(found.Found.Hits) != 0 {
				t.Errorf("%+v, %v", found, err)
			}
			opened, err := x.Checkout(ports.NewOutbound(t.Context()), agent.CheckoutInput{Scene: x.scene()})
			paid, later := x.Finalize(ports.NewOutbound(t.Context()), agent.FinalizeInput{Scene: x.scene()})
			if err := errors.Join(err, later); err != nil || opened != agent.Refuse("Closed.") || paid != opened {
				t.Errorf("%+v, %+v, %v", opened, paid, err)
			}
			to := ports.RemoteHandler{
				Agent:  x.active.agent.ID,
				URL:    remoteHandler.URL,
				Secret: "whsec_1",
			}
			if remote := test.handler.Kind == agent.Remote; remote != (len(x.remote.asked) == 4) {
				t.Errorf("asked %d times", len(x.remote.asked))
			}
			for _, asked := range x.remote.asked {
				if asked != to {
					t.Errorf("asked %+v, want %+v", asked, to)
				}
			}
		})
	}
}

// The built-in agent serves in place of a program that this server does not have, and events that a program does not handle.
// That is not logged as a failure.
func TestRouter_Program_unknownOrUnbound(t *testing.T) {
	t.Parallel()
	shy := agent.MustProgram("shy", agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) {
		return agent.Refuse("Shy."), nil
	}))
	for name, refuses := range map[string]bool{"gone": false, "shy": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRouterFixture(programHandler(name), shy)
			in := x.input(offer)
			want := agent.QuoteAnswer{Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler}}
			if got, err := x.Quote(ports.NewOutbound(t.Context()), in); err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
			candidates := catalog.Found{Total: 3}
			if found, err := x.Search(ports.NewOutbound(t.Context()), agent.SearchInput{Scene: x.scene(), Candidates: candidates}); err != nil || found.Found.Total != 3 {
				t.Errorf("%+v, %v", found, err)
			}
			if v, err := x.Checkout(ports.NewOutbound(t.Context()), agent.CheckoutInput{Scene: x.scene()}); err != nil || (v.Kind() == agent.Refused) != refuses {
				t.Errorf("%+v, %v", v, err)
			}
			if v, err := x.Finalize(ports.NewOutbound(t.Context()), agent.FinalizeInput{Scene: x.scene()}); err != nil || v != agent.Consent() {
				t.Errorf("%+v, %v", v, err)
			}
			if x.log.Len() > 0 {
				t.Errorf("logged %s", x.log)
			}
		})
	}
}

// settled returns offers whose answer leaves an agent no choice.
func settled(x *routerFixture) map[string]agent.QuoteInput {
	low, committed, fixed, firm := x.input(floor-1), x.input(opening), x.input(offer), x.input(offer)
	fixed.Table.Bounds = negotiation.RehydrateBounds(usd(list), usd(list), usd(list), usd(list))
	firm.Table.Terms.Firm = true
	return map[string]agent.QuoteInput{"under the floor": low, "committed to": committed, "at list price only": fixed, "of a prober": firm}
}

// A remote handler is not called if its answer could change nothing.
func TestRouter_Quote_settledWithoutRemoteCall(t *testing.T) {
	t.Parallel()
	for name, in := range settled(newRouterFixture(remoteHandler)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRouterFixture(remoteHandler)
			x.remote.quote = agent.QuoteAnswer{Decision: negotiation.Accepted{Price: usd(1)}}
			want := agent.QuoteAnswer{Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler}}
			if got, err := x.Quote(ports.NewOutbound(t.Context()), in); err != nil || got != want || len(x.remote.asked) != 0 {
				t.Errorf("%+v, %v, asked %d times", got, err, len(x.remote.asked))
			}
		})
	}
}

// A program may refuse a request by its input rules, but not a price that was already offered.
func TestRouter_Quote_inputRules(t *testing.T) {
	t.Parallel()
	strict := quoteProgram("strict", func(in agent.QuoteInput) (agent.QuoteAnswer, error) { return in.House(), nil },
		agent.ValidateInput("quantity", agent.Integer, agent.Max(1)))
	x := newRouterFixture(programHandler("strict"), strict)
	if got, err := x.Quote(ports.NewOutbound(t.Context()), x.input(offer)); !fault.Is(err, "validation_error") || got != (agent.QuoteAnswer{}) {
		t.Errorf("%+v, %v", got, err)
	}
	tables := settled(x)
	atList := tables["at list price only"]
	atList.Table.Offer = new(usd(list))
	for name, in := range map[string]agent.QuoteInput{"a counter taken": tables["committed to"], "the list price": atList} {
		want := agent.QuoteAnswer{
			Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler, Fallback: "validation_error"},
		}
		if got, err := x.Quote(ports.NewOutbound(t.Context()), in); err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"under the floor", "at list price only", "of a prober"} { // nothing was promised for these
		if _, err := x.Quote(ports.NewOutbound(t.Context()), tables[name]); !fault.Is(err, "validation_error") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRouter_inputRulesOfOtherEvents(t *testing.T) {
	t.Parallel()
	strict := agent.MustProgram("strict",
		agent.OnACPEvent(agent.Search, func(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) { return in.All(), nil },
			agent.ValidateInput("query", agent.Text, agent.Required)),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) { return agent.Consent(), nil },
			agent.ValidateInput("items", agent.Integer, agent.Required)),
		agent.OnACPEvent(agent.Finalize, func(context.Context, agent.FinalizeInput) (agent.Verdict, error) { return agent.Consent(), nil },
			agent.ValidateInput("total", agent.Number, agent.Min(10))))
	x := newRouterFixture(programHandler("strict"), strict)
	_, searched := x.Search(ports.NewOutbound(t.Context()), agent.SearchInput{Scene: x.scene()})
	_, opened := x.Checkout(ports.NewOutbound(t.Context()), agent.CheckoutInput{Scene: x.scene()})
	_, paid := x.Finalize(ports.NewOutbound(t.Context()), agent.FinalizeInput{Scene: x.scene(), Total: usd(1_00)})
	for event, err := range map[string]error{"search": searched, "checkout": opened, "finalize": paid} {
		if !fault.Is(err, "validation_error") {
			t.Errorf("%s: %v", event, err)
		}
	}
}

// Both texts of an answer are removed if one contains a number that the buyer must not see.
func TestRouter_Quote_secretNumbers(t *testing.T) {
	t.Parallel()
	for text, kept := range map[string]bool{
		"": true, "How about 1250.00 for 2 of them?": true, "You offered 1,011, we ask for 1250.": true, "It is 1319.00 on the tag.": true,
		"The Nordic Floor Lamp 80 is worth it.": true, "Our floor is 987.65.": false, "It cost us $654.32!": false, "I aim for 1177.20.": false,
		"That is 10 % off.": false, "About twelve hundred.": false, "Something with 80 in it.": false,
	} {
		for _, answer := range []agent.QuoteAnswer{{Reasoning: text, Message: "Well?"}, {Reasoning: "Well?", Message: text}} {
			x := newRouterFixture(remoteHandler)
			answer.Decision = negotiation.Countered{Price: usd(1250_00), By: negotiation.AgentAnswer}
			x.remote.quote = answer
			got, err := x.Quote(ports.NewOutbound(t.Context()), x.input(offer))
			if same := got.Reasoning == answer.Reasoning && got.Message == answer.Message; err != nil || same != kept {
				t.Errorf("%q: %+v, %v", text, got, err)
			}
			if !kept && got.Reasoning+got.Message != "" || got.Decision != answer.Decision {
				t.Errorf("%q: %+v", text, got)
			}
		}
	}
}

// A model advises only the built-in agent. If it fails, the rules' price stays.
func TestRouter_Quote_strategy(t *testing.T) {
	t.Parallel()
	failing := func(ports.ModelRequest) (string, error) { return "", unavailable("model_unreachable") }
	proposing := always(`{"action": "counter", "price": "1280.00"}`)
	other := quoteProgram("other", func(in agent.QuoteInput) (agent.QuoteAnswer, error) { return in.House(), nil })
	for name, test := range map[string]struct {
		handler  agent.Handler
		model    agent.Model
		writes   func(ports.ModelRequest) (string, error)
		want     agent.Answered
		proposed bool
	}{
		"turned on":      {builtinHandler, allOn, proposing, agent.Answered{Handler: "model"}, true},
		"turned off":     {builtinHandler, agent.Model{Provider: "openai", Name: "m"}, proposing, agent.Answered{Handler: agent.HouseHandler}, false},
		"of a program":   {programHandler("other"), allOn, proposing, agent.Answered{Handler: "builtin:other"}, false},
		"without answer": {builtinHandler, allOn, failing, agent.Answered{Handler: agent.HouseHandler, Fallback: "model_unreachable"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newRouterFixture(test.handler, other)
			_, x.Strategy = withModel(&fakeModel{writes: test.writes})
			x.active.agent.Model = test.model
			in := x.input(offer)
			want := negotiation.Decide(in.Table)
			if test.proposed {
				want = negotiation.Countered{Price: usd(1280_00), By: negotiation.AgentAnswer}
			}
			if got, err := x.Quote(ports.NewOutbound(t.Context()), in); err != nil || got.Answered != test.want || got.Decision != want {
				t.Errorf("%+v, %v; want %+v by %+v", got, err, want, test.want)
			}
		})
	}
}

func TestRouter_Word(t *testing.T) {
	t.Parallel()
	x := newRouterFixture(builtinHandler)
	in := wordInput("en-US", countered)
	in.Scene = x.scene()
	if got := x.Word(ports.NewOutbound(t.Context()), in); got != (agent.Texts{}) {
		t.Errorf("%+v without a model", got)
	}
	x.active.agent.Model = allOn
	x.active.agent.Model.Templates = []agent.Template{
		{ID: "warm", On: agent.OnCounter, Reasoning: "We can come down a little.", Message: "What do you think?"},
		{ID: "cool", On: agent.OnCounter, Message: "No."},
	}
	x.Wording, _ = withModel(&fakeModel{writes: always(choice("warm"))})
	if got := x.Word(ports.NewOutbound(t.Context()), in); got != (agent.Texts{Reasoning: "We can come down a little.", Message: "What do you think?"}) {
		t.Errorf("%+v", got)
	}
}
