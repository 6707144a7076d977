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

// Whatever happens to a handler, the rules answer, and the record says why.
func TestFallbacks(t *testing.T) {
	t.Parallel()
	broken := func(name string, err error) *agent.Program {
		return quoting(name, func(agent.QuoteInput) (agent.QuoteAnswer, error) { return agent.QuoteAnswer{}, err })
	}
	panics := quoting("clumsy", func(agent.QuoteInput) (agent.QuoteAnswer, error) { panic("at the till") })
	for name, test := range map[string]struct {
		handler agent.Handler
		far     error
		change  func(*exchange)
		want    string
	}{
		"late":                 {elsewhere, unavailable("agent_timeout"), nil, "agent_timeout"},
		"not there":            {elsewhere, unavailable("agent_unreachable"), nil, "agent_unreachable"},
		"unwilling":            {elsewhere, unavailable("agent_refused"), nil, "agent_refused"},
		"nonsense":             {elsewhere, unavailable("agent_nonsense"), nil, "agent_nonsense"},
		"suspended":            {elsewhere, unavailable("agent_suspended"), nil, "agent_suspended"},
		"wrapped":              {elsewhere, fmt.Errorf("asking: %w", unavailable("agent_refused")), nil, "agent_refused"},
		"a deadline":           {elsewhere, fmt.Errorf("asking: %w", context.DeadlineExceeded), nil, "agent_timeout"},
		"no known reason":      {elsewhere, errors.New("lost"), nil, "agent_failed"},
		"a secret of no use":   {elsewhere, nil, func(x *exchange) { x.employer.agent.Secret = []byte("spoilt") }, "agent_secret"},
		"a program that fails": {ofProgram("broken"), nil, nil, "agent_failed"},
		"a program too late":   {ofProgram("slow"), nil, nil, "agent_timeout"},
		"a program that panic": {ofProgram("clumsy"), nil, nil, "agent_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(test.handler, panics, broken("broken", errors.New("lost")), broken("slow", context.DeadlineExceeded))
			x.far.quote, x.far.err = agent.QuoteAnswer{Decision: negotiation.Accepted{Price: usd(1)}, Message: "Take it!"}, test.far
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
			if said := x.log.String(); !strings.Contains(said, "why="+test.want) || !strings.Contains(said, x.employer.agent.ID.String()) {
				t.Errorf("logged %q", said)
			}
		})
	}
}

// A search that the handler fails has the candidates for its answer, and a checkout or a payment goes on.
func TestFallbacksOfTheOtherEvents(t *testing.T) {
	t.Parallel()
	clumsy := agent.MustProgram("clumsy",
		agent.OnACPEvent(agent.Search, func(context.Context, agent.SearchInput) (agent.SearchAnswer, error) { panic("search") }),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) { panic("checkout") }),
		agent.OnACPEvent(agent.Finalize, func(context.Context, agent.FinalizeInput) (agent.Verdict, error) { panic("finalize") }))
	for name, h := range map[string]agent.Handler{"remote": elsewhere, "a program": ofProgram("clumsy")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(h, clumsy)
			x.far.search, x.far.verdict, x.far.err = agent.SearchAnswer{}, agent.Refuse("half an answer"), unavailable("agent_timeout")
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

// What a handler says counts, whoever it is, and the record has its name.
func TestHandlersAnswer(t *testing.T) {
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
		"remote": {elsewhere, "remote"}, "a program": {ofProgram("halves"), "builtin:halves"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(test.handler, halves)
			half := agent.QuoteAnswer{Decision: negotiation.Countered{Price: usd(1250_00), By: negotiation.AgentAnswer}, Message: "Half."}
			x.far.quote, x.far.verdict = half, agent.Refuse("Closed.")
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
				Agent:  x.employer.agent.ID,
				URL:    elsewhere.URL,
				Secret: "whsec_1",
			}
			if remote := test.handler.Kind == agent.Remote; remote != (len(x.far.asked) == 4) {
				t.Errorf("asked %d times", len(x.far.asked))
			}
			for _, asked := range x.far.asked {
				if asked != to {
					t.Errorf("asked %+v, want %+v", asked, to)
				}
			}
		})
	}
}

// The house serves a program that this server does not have, and the events that one does not handle. That is no
// failure.
func TestServedByTheHouse(t *testing.T) {
	t.Parallel()
	shy := agent.MustProgram("shy", agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) {
		return agent.Refuse("Shy."), nil
	}))
	for name, refuses := range map[string]bool{"gone": false, "shy": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(ofProgram(name), shy)
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

// settled are offers whose answer leaves an agent no choice.
func settled(x *exchange) map[string]agent.QuoteInput {
	low, committed, fixed, firm := x.input(floor-1), x.input(opening), x.input(offer), x.input(offer)
	fixed.Table.Bounds = negotiation.RehydrateBounds(usd(list), usd(list), usd(list), usd(list))
	firm.Table.Terms.Firm = true
	return map[string]agent.QuoteInput{"under the floor": low, "committed to": committed, "at list price only": fixed, "of a prober": firm}
}

// Nobody waits for a handler whose answer could change nothing.
func TestRemoteHandlersAreNotAskedInVain(t *testing.T) {
	t.Parallel()
	for name, in := range settled(newExchange(elsewhere)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(elsewhere)
			x.far.quote = agent.QuoteAnswer{Decision: negotiation.Accepted{Price: usd(1)}}
			want := agent.QuoteAnswer{Decision: negotiation.Decide(in.Table), Answered: agent.Answered{Handler: agent.HouseHandler}}
			if got, err := x.Quote(ports.NewOutbound(t.Context()), in); err != nil || got != want || len(x.far.asked) != 0 {
				t.Errorf("%+v, %v, asked %d times", got, err, len(x.far.asked))
			}
		})
	}
}

// A program may refuse a request by its own rules, but not break what is promised.
func TestAProgramsRulesComeAfterPromises(t *testing.T) {
	t.Parallel()
	strict := quoting("strict", func(in agent.QuoteInput) (agent.QuoteAnswer, error) { return in.House(), nil },
		agent.ValidateInput("quantity", agent.Integer, agent.Max(1)))
	x := newExchange(ofProgram("strict"), strict)
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

func TestAProgramsRulesOfTheOtherEvents(t *testing.T) {
	t.Parallel()
	strict := agent.MustProgram("strict",
		agent.OnACPEvent(agent.Search, func(_ context.Context, in agent.SearchInput) (agent.SearchAnswer, error) { return in.All(), nil },
			agent.ValidateInput("query", agent.Text, agent.Required)),
		agent.OnACPEvent(agent.Checkout, func(context.Context, agent.CheckoutInput) (agent.Verdict, error) { return agent.Consent(), nil },
			agent.ValidateInput("items", agent.Integer, agent.Required)),
		agent.OnACPEvent(agent.Finalize, func(context.Context, agent.FinalizeInput) (agent.Verdict, error) { return agent.Consent(), nil },
			agent.ValidateInput("total", agent.Number, agent.Min(10))))
	x := newExchange(ofProgram("strict"), strict)
	_, searched := x.Search(ports.NewOutbound(t.Context()), agent.SearchInput{Scene: x.scene()})
	_, opened := x.Checkout(ports.NewOutbound(t.Context()), agent.CheckoutInput{Scene: x.scene()})
	_, paid := x.Finalize(ports.NewOutbound(t.Context()), agent.FinalizeInput{Scene: x.scene(), Total: usd(1_00)})
	for event, err := range map[string]error{"search": searched, "checkout": opened, "finalize": paid} {
		if !fault.Is(err, "validation_error") {
			t.Errorf("%s: %v", event, err)
		}
	}
}

// An agent that means no harm tells no number that the buyer is not to see. If one of its texts does, both go.
func TestTextsWithSecretNumbers(t *testing.T) {
	t.Parallel()
	for text, kept := range map[string]bool{
		"": true, "How about 1250.00 for 2 of them?": true, "You offered 1,011, we ask for 1250.": true, "It is 1319.00 on the tag.": true,
		"The Nordic Floor Lamp 80 is worth it.": true, "Our floor is 987.65.": false, "It cost us $654.32!": false, "I aim for 1177.20.": false,
		"That is 10 % off.": false, "About twelve hundred.": false, "Something with 80 in it.": false,
	} {
		for _, answer := range []agent.QuoteAnswer{{Reasoning: text, Message: "Well?"}, {Reasoning: "Well?", Message: text}} {
			x := newExchange(elsewhere)
			answer.Decision = negotiation.Countered{Price: usd(1250_00), By: negotiation.AgentAnswer}
			x.far.quote = answer
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

// A model advises the house and nobody else, and where it fails the rules' price stays.
func TestAdviceOfAModel(t *testing.T) {
	t.Parallel()
	failing := func(ports.ModelRequest) (string, error) { return "", unavailable("model_unreachable") }
	proposing := always(`{"action": "counter", "price": "1280.00"}`)
	other := quoting("other", func(in agent.QuoteInput) (agent.QuoteAnswer, error) { return in.House(), nil })
	for name, test := range map[string]struct {
		handler  agent.Handler
		model    agent.Model
		writes   func(ports.ModelRequest) (string, error)
		want     agent.Answered
		proposed bool
	}{
		"turned on":      {inHouse, on, proposing, agent.Answered{Handler: "model"}, true},
		"turned off":     {inHouse, agent.Model{Provider: "openai", Name: "m"}, proposing, agent.Answered{Handler: agent.HouseHandler}, false},
		"of a program":   {ofProgram("other"), on, proposing, agent.Answered{Handler: "builtin:other"}, false},
		"without answer": {inHouse, on, failing, agent.Answered{Handler: agent.HouseHandler, Fallback: "model_unreachable"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(test.handler, other)
			_, x.Strategy = with(&ghost{writes: test.writes})
			x.employer.agent.Model = test.model
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

func TestWordsOfAModel(t *testing.T) {
	t.Parallel()
	x := newExchange(inHouse)
	in := wordInput("en-US", countered)
	in.Scene = x.scene()
	if got := x.Word(ports.NewOutbound(t.Context()), in); got != (agent.Texts{}) {
		t.Errorf("%+v without a model", got)
	}
	x.employer.agent.Model = on
	x.employer.agent.Model.Templates = []agent.Template{
		{ID: "warm", On: agent.OnCounter, Reasoning: "We can come down a little.", Message: "What do you think?"},
		{ID: "cool", On: agent.OnCounter, Message: "No."},
	}
	x.Wording, _ = with(&ghost{writes: always(choice("warm"))})
	if got := x.Word(ports.NewOutbound(t.Context()), in); got != (agent.Texts{Reasoning: "We can come down a little.", Message: "What do you think?"}) {
		t.Errorf("%+v", got)
	}
}
