package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// ErrUnbound means that a program does not handle an event. The built-in agent serves it then.
var ErrUnbound = errors.New("the agent does not handle this event")

// Program is an agent written in Go: handlers bound to events by OnACPEvent. It is immutable, and safe for concurrent
// use if its handlers are.
//
// Inputs are validated before a handler is called. A handler that panics returns an error.
type Program struct {
	name     string
	search   service[SearchInput, SearchAnswer]
	quote    service[QuoteInput, QuoteAnswer]
	checkout service[CheckoutInput, Verdict]
	finalize service[FinalizeInput, Verdict]
}

var programName = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// NewProgram makes a program. Handlers of agents refer to it by name (Handler.Program). The error lists everything that
// is wrong.
func NewProgram(name string, bindings ...Binding) (*Program, error) {
	p := &Program{name: name}
	var mistakes []string
	switch {
	case name == "":
		mistakes = append(mistakes, "it has no name")
	case !programName.MatchString(name):
		mistakes = append(mistakes, "its name must be 1 to 64 lower-case letters, digits, hyphens and underscores")
	}
	if len(bindings) == 0 {
		mistakes = append(mistakes, "it handles no event")
	}
	for _, b := range bindings {
		if b.bind == nil {
			mistakes = append(mistakes, "a binding was not made by OnACPEvent")
			continue
		}
		mistakes = append(mistakes, b.bind(p)...)
	}
	if len(mistakes) > 0 {
		return nil, fmt.Errorf("agent program %q: %s", name, strings.Join(mistakes, "; "))
	}
	return p, nil
}

// MustProgram is NewProgram for package variables. It panics instead of returning an error.
func MustProgram(name string, bindings ...Binding) *Program {
	p, err := NewProgram(name, bindings...)
	if err != nil {
		panic(err)
	}
	return p
}

func (p *Program) Name() string { return p.name }

// Search serves the event, like the three methods below. It returns ErrUnbound without a handler, fault.Invalid
// validation_error for invalid inputs, or else the handler's answer.
func (p *Program) Search(ctx context.Context, in SearchInput) (SearchAnswer, error) {
	return p.search.serve(ctx, p.name, in)
}

func (p *Program) Quote(ctx context.Context, in QuoteInput) (QuoteAnswer, error) {
	return p.quote.serve(ctx, p.name, in)
}

func (p *Program) Checkout(ctx context.Context, in CheckoutInput) (Verdict, error) {
	return p.checkout.serve(ctx, p.name, in)
}

func (p *Program) Finalize(ctx context.Context, in FinalizeInput) (Verdict, error) {
	return p.finalize.serve(ctx, p.name, in)
}

// service serves one event of a program.
type service[In, Out any] struct {
	bound  bool
	event  string
	handle func(context.Context, In) (Out, error)
	checks []check[In]
}

func (s *service[In, Out]) serve(ctx context.Context, program string, in In) (Out, error) {
	var answer, none Out
	if !s.bound {
		return none, ErrUnbound
	}
	err := fault.Survive(func() (err error) {
		if err = s.validate(&in); err == nil {
			answer, err = s.handle(ctx, in)
		}
		return err
	})
	switch {
	case errors.Is(err, fault.ErrPanic):
		return none, fmt.Errorf("agent program %q at %s: %w", program, s.event, err)
	case err != nil:
		return none, err
	}
	return answer, nil
}

func (s *service[In, Out]) validate(in *In) error {
	if len(s.checks) == 0 {
		return nil
	}
	c := fault.NewCheck()
	for i := range s.checks {
		s.checks[i].run(in, c)
	}
	return c.Err()
}
