package adaptertest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Payments are a provider without charges, and a merchant's account with it.
type Payments struct {
	ports.PaymentProvider
	Account ports.PaymentAccount
	Method  project.PaymentMethod
	// Token returns a new token that covers any charge of the suite and has the given fate.
	Token func(t *testing.T, fate TokenFate) string
	// Lose makes the provider carry out requests that move money but lose its answers, while lost is true.
	Lose func(lost bool)
}

// TokenFate is what a provider does with a token.
type TokenFate int

const (
	TokenPaid    TokenFate = iota
	TokenDecline           // may be tried again
	TokenFinal             // must not be tried again
	TokenUnknown           // is no token of the provider's
)

// Gateway is the contract of ports.Gateway. open returns an adapter over an empty provider.
func Gateway(t *testing.T, open func(t *testing.T) Payments) {
	for name, test := range map[string]func(*gatewayFixture){
		"a charge is paid once, however often it is asked for":  chargeOnce,
		"sixteen racers with one key are one charge":            chargeRace,
		"a decline says whether to try again":                   chargeDeclined,
		"after a decline the next attempt may be paid":          chargeAfterDecline,
		"a lost answer resolves to what happened":               chargeLost,
		"a repeat after a lost answer gets it":                  chargeAgain,
		"what was not charged when it was resolved never will":  chargeVoid,
		"a decline takes nothing, also when it is resolved":     chargeDeclinedResolved,
		"charging and resolving at once agree":                  chargeAgainstResolve,
		"a key is not reused for another amount":                chargeOtherAmount,
		"a charge is given back in parts":                       refundParts,
		"a refund is given once, however often it is asked for": refundOnce,
		"no more is given back than was charged":                refundBound,
		"racing refunds stay within the charge":                 refundRace,
		"a lost refund is not given twice":                      refundLost,
		"a statement tells every movement once":                 statement,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&gatewayFixture{
				t:        t,
				ctx:      context.Background(),
				Payments: open(t),
				since:    time.Now().UTC().Truncate(time.Millisecond),
			})
		})
	}
}

// gatewayFixture is one merchant's side of a provider.
type gatewayFixture struct {
	Payments
	t     *testing.T
	ctx   context.Context
	since time.Time
}

var (
	fixtureProject  = id.New[id.Project]([16]byte{2})
	fixtureCheckout = id.New[id.Checkout]([16]byte{1})
)

const charged = 49_90

func (s *gatewayFixture) request(attempt int, fate TokenFate) ports.ChargeRequest {
	return ports.ChargeRequest{
		Project:  fixtureProject,
		Checkout: fixtureCheckout,
		Token:    s.Token(s.t, fate),
		Charge: checkout.Charge{
			Key:    checkout.AttemptKey(fixtureCheckout, attempt),
			Amount: money.Of(charged, money.USD),
			Method: s.Method,
			Since:  s.since,
		},
	}
}

func (s *gatewayFixture) charge(r ports.ChargeRequest) (checkout.Outcome, error) {
	return s.Charge(ports.NewOutbound(s.ctx), s.Account, r)
}

// resolve asks for the outcome without the token.
func (s *gatewayFixture) resolve(r ports.ChargeRequest) (checkout.Outcome, error) {
	r.Token = ""
	return s.Resolve(ports.NewOutbound(s.ctx), s.Account, r)
}

func (s *gatewayFixture) pay(r ports.ChargeRequest) checkout.Paid {
	s.t.Helper()
	return s.paid(s.charge(r))
}

func (s *gatewayFixture) paid(outcome checkout.Outcome, err error) checkout.Paid {
	s.t.Helper()
	p, ok := outcome.(checkout.Paid)
	if err != nil || !ok || p.Provider == "" || p.Label == "" {
		s.t.Fatalf("not paid: %#v, %v", outcome, err)
	}
	return p
}

// outcome waits for a decided outcome: a provider may report an unknown outcome at first.
func (s *gatewayFixture) outcome(ask func() (checkout.Outcome, error)) checkout.Outcome {
	s.t.Helper()
	var last error
	for range 20 {
		outcome, err := ask()
		if err == nil {
			return outcome
		}
		last = err
	}
	s.t.Fatalf("nobody ever knows: %v", last)
	return nil
}

// taken returns the charges and refunds of the provider's statement.
func (s *gatewayFixture) taken() (charges, refunds []ports.Movement) {
	s.t.Helper()
	r := ports.StatementRequest{
		Project: fixtureProject,
		From:    s.since.Add(-time.Hour),
		To:      s.since.Add(time.Hour),
	}
	err := s.Statement(ports.NewOutbound(s.ctx), s.Account, r, func(m ports.Movement) error {
		if m.At.Before(r.From) || !m.At.Before(r.To) || m.Provider == "" {
			s.t.Errorf("the statement tells %+v", m)
		}
		if m.Refund {
			refunds = append(refunds, m)
		} else {
			charges = append(charges, m)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return charges, refunds
}

func (s *gatewayFixture) wantTaken(charges, refunds int) {
	s.t.Helper()
	c, r := s.taken()
	if len(c) != charges || len(r) != refunds {
		s.t.Errorf("the provider has %d charges and %d refunds, want %d and %d", len(c), len(r), charges, refunds)
	}
}

func chargeOnce(s *gatewayFixture) {
	r := s.request(1, TokenPaid)
	first := s.pay(r)
	if again := s.pay(r); again != first {
		s.t.Errorf("the same key gave %v, then %v", first, again)
	}
	if resolved := s.paid(s.resolve(r)); resolved != first {
		s.t.Errorf("charged %v, resolved %v", first, resolved)
	}
	if other := s.pay(s.request(2, TokenPaid)); other.Provider == first.Provider {
		s.t.Errorf("two attempts share the charge %s", first.Provider)
	}
	s.wantTaken(2, 0)
}

func chargeAgain(s *gatewayFixture) {
	r := s.request(1, TokenPaid)
	s.Lose(true)
	if outcome, err := s.charge(r); err == nil {
		s.t.Errorf("%#v although the answer was lost", outcome)
	}
	s.Lose(false)
	r.Again = true
	first := s.pay(r)
	if resolved := s.paid(s.resolve(r)); resolved != first {
		s.t.Errorf("charged again %v, resolved %v", first, resolved)
	}
	s.wantTaken(1, 0)
}

func chargeRace(s *gatewayFixture) {
	r := s.request(1, TokenPaid)
	var racers sync.WaitGroup
	outcomes := make(chan string, 16)
	for range cap(outcomes) {
		racers.Go(func() {
			outcome := s.outcome(func() (checkout.Outcome, error) { return s.charge(r) })
			outcomes <- fmt.Sprintf("%#v", outcome)
		})
	}
	racers.Wait()
	first := <-outcomes
	for range cap(outcomes) - 1 {
		if other := <-outcomes; other != first {
			s.t.Fatalf("%s and %s under one key", first, other)
		}
	}
	s.wantTaken(1, 0)
}

func chargeDeclined(s *gatewayFixture) {
	attempt := 0
	for fate, final := range map[TokenFate]bool{
		TokenDecline: false,
		TokenFinal:   true,
		TokenUnknown: false,
	} {
		attempt++
		outcome, err := s.charge(s.request(attempt, fate))
		if d, ok := outcome.(checkout.Declined); err != nil || !ok || d.Final != final || d.Code == "" || d.Message == "" {
			s.t.Errorf("token of fate %d: %#v, %v", fate, outcome, err)
		}
		if d, ok := outcome.(checkout.Declined); ok && fate == TokenUnknown && d.Code != "invalid_token" {
			s.t.Errorf("an unknown token is declined as %s", d.Code)
		}
	}
	s.wantTaken(0, 0)
}

func chargeAfterDecline(s *gatewayFixture) {
	if outcome, err := s.charge(s.request(1, TokenDecline)); err != nil || reflect.TypeOf(outcome) != reflect.TypeFor[checkout.Declined]() {
		s.t.Fatalf("first attempt: %#v, %v", outcome, err)
	}
	s.pay(s.request(2, TokenPaid))
	s.wantTaken(1, 0)
}

func chargeLost(s *gatewayFixture) {
	r := s.request(1, TokenPaid)
	s.Lose(true)
	if outcome, err := s.charge(r); err == nil {
		s.t.Fatalf("the lost answer is %#v", outcome)
	}
	s.Lose(false)
	s.wantTaken(1, 0)
	resolved := s.paid(s.resolve(r))
	if again := s.pay(r); again != resolved {
		s.t.Errorf("resolved to %#v, charged late %#v", resolved, again)
	}
	s.wantTaken(1, 0)
}

func chargeVoid(s *gatewayFixture) {
	late := s.request(1, TokenPaid)
	for range 2 {
		if outcome, err := s.resolve(late); err != nil || outcome != (checkout.NotCharged{}) {
			s.t.Fatalf("resolved to %#v, %v", outcome, err)
		}
	}
	if outcome, err := s.charge(late); err != nil || outcome != (checkout.NotCharged{}) {
		s.t.Errorf("the late charge got %#v, %v", outcome, err)
	}
	if outcome, err := s.resolve(late); err != nil || outcome != (checkout.NotCharged{}) {
		s.t.Errorf("resolved after the late charge to %#v, %v", outcome, err)
	}
	s.wantTaken(0, 0)
	s.pay(s.request(2, TokenPaid))
}

func chargeDeclinedResolved(s *gatewayFixture) {
	r := s.request(1, TokenDecline)
	if outcome, err := s.charge(r); err != nil {
		s.t.Fatalf("%#v, %v", outcome, err)
	}
	outcome, err := s.resolve(r)
	if _, paid := outcome.(checkout.Paid); err != nil || paid {
		s.t.Errorf("resolved to %#v, %v", outcome, err)
	}
	s.wantTaken(0, 0)
}

// Whichever call comes first, both return the same outcome in the end, and it is the provider's.
func chargeAgainstResolve(s *gatewayFixture) {
	var requests [8]ports.ChargeRequest
	for i := range requests {
		requests[i] = s.request(i+1, TokenPaid)
	}
	var racers sync.WaitGroup
	var charged, resolved [len(requests)]checkout.Outcome
	for i, r := range requests {
		racers.Go(func() {
			charged[i] = s.outcome(func() (checkout.Outcome, error) { return s.charge(r) })
		})
		racers.Go(func() {
			resolved[i] = s.outcome(func() (checkout.Outcome, error) { return s.resolve(r) })
		})
	}
	racers.Wait()
	paid := 0
	for i := range requests {
		if charged[i] != resolved[i] {
			s.t.Errorf("attempt %d: charged %#v, resolved %#v", i+1, charged[i], resolved[i])
		}
		if _, ok := charged[i].(checkout.Paid); ok {
			paid++
		}
	}
	s.wantTaken(paid, 0)
}

func chargeOtherAmount(s *gatewayFixture) {
	r := s.request(1, TokenPaid)
	s.pay(r)
	r.Charge.Amount = money.Of(51, money.USD)
	if outcome, err := s.charge(r); err == nil {
		s.t.Errorf("another amount under the same key got %#v", outcome)
	}
	s.wantTaken(1, 0)
}

func statement(s *gatewayFixture) {
	first := s.pay(s.request(1, TokenPaid))
	second := s.pay(s.request(2, TokenPaid))
	if _, err := s.charge(s.request(3, TokenDecline)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.resolve(s.request(4, TokenPaid)); err != nil {
		s.t.Fatal(err)
	}
	back := s.refunded(s.back("ref_1", second, 5_00))
	key := func(attempt int) string { return checkout.AttemptKey(fixtureCheckout, attempt) }
	charges, refunds := s.taken()
	got := append(charges, refunds...)
	for i := range got { // not every provider keeps the project and, of a refund, the charge
		got[i].At, got[i].Project, got[i].Charge = time.Time{}, "", ""
	}
	slices.SortFunc(got, func(a, b ports.Movement) int { return slices.Compare([]byte(a.Key), []byte(b.Key)) })
	porttest.Same(s.t, "the statement", got, []ports.Movement{
		{
			Provider: first.Provider,
			Key:      key(1),
			Amount:   money.Of(charged, money.USD),
		},
		{
			Provider: second.Provider,
			Key:      key(2),
			Amount:   money.Of(charged, money.USD),
		},
		{
			Refund:   true,
			Provider: back,
			Key:      "ref_1",
			Amount:   money.Of(5_00, money.USD),
		},
	})
	none := ports.StatementRequest{
		Project: fixtureProject,
		From:    s.since.Add(time.Hour),
		To:      s.since.Add(2 * time.Hour),
	}
	err := s.Statement(ports.NewOutbound(s.ctx), s.Account, none, func(m ports.Movement) error { return fmt.Errorf("%+v", m) })
	if err != nil {
		s.t.Errorf("a statement of a time without movements: %v", err)
	}
}
