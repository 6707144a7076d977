package porttest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// GatewayTokens are tokens by what a provider does with them.
type GatewayTokens struct {
	Method  string
	Paid    string
	Decline string // may be tried again
	Final   string // must not be tried again
	Lost    string // charges, and its answer is lost
}

// Gateway holds a payment adapter to its port. open makes one over an empty provider.
func Gateway(t *testing.T, tokens GatewayTokens, open func(t *testing.T) ports.Gateway) {
	ctx := context.Background()
	charge := func(attempt int, token string) ports.ChargeRequest {
		of := id.New[id.Checkout]([16]byte{1})
		return ports.ChargeRequest{
			Project: id.New[id.Project]([16]byte{2}), Checkout: of, Token: token,
			Charge: checkout.Charge{Key: checkout.AttemptKey(of, attempt), Amount: money.Of(4990, money.USD), Method: tokens.Method},
		}
	}
	project := charge(1, "").Project

	t.Run("a charge is paid once, however often it is asked for", func(t *testing.T) {
		g := open(t)
		first := paid(t, g, charge(1, tokens.Paid))
		if again := paid(t, g, charge(1, tokens.Paid)); again != first {
			t.Errorf("the same key gave %v, then %v", first, again)
		}
		if other := paid(t, g, charge(2, tokens.Paid)); other.Provider == first.Provider {
			t.Errorf("two attempts share the charge %s", first.Provider)
		}
	})
	t.Run("sixteen racers with one key are one charge", func(t *testing.T) {
		g := open(t)
		var racers sync.WaitGroup
		charges := make(chan string, 16)
		for range cap(charges) {
			racers.Go(func() {
				outcome, err := g.Charge(ctx, charge(1, tokens.Paid))
				charges <- fmt.Sprint(outcome, err)
			})
		}
		racers.Wait()
		first := <-charges
		for range cap(charges) - 1 {
			if other := <-charges; other != first {
				t.Fatalf("%s and %s under one key", first, other)
			}
		}
	})
	t.Run("a decline says whether to try again", func(t *testing.T) {
		g := open(t)
		for token, final := range map[string]bool{tokens.Decline: false, tokens.Final: true} {
			outcome, err := g.Charge(ctx, charge(1+len(token), token))
			if d, ok := outcome.(checkout.Declined); err != nil || !ok || d.Final != final || d.Code == "" || d.Message == "" {
				t.Errorf("%s: %#v, %v", token, outcome, err)
			}
		}
	})
	t.Run("a lost answer is an error, and resolves to what happened", func(t *testing.T) {
		g := open(t)
		lost := charge(1, tokens.Lost)
		if outcome, err := g.Charge(ctx, lost); err == nil {
			t.Fatalf("the lost answer is %#v", outcome)
		}
		if outcome, err := g.Resolve(ctx, project, lost.Charge.Key); err != nil || !isPaid(outcome) {
			t.Errorf("resolved to %#v, %v", outcome, err)
		}
	})
	t.Run("what was not charged when it was resolved never will be", func(t *testing.T) {
		g := open(t)
		late := charge(1, tokens.Paid)
		for range 2 {
			if outcome, err := g.Resolve(ctx, project, late.Charge.Key); err != nil || outcome != (checkout.NotCharged{}) {
				t.Fatalf("resolved to %#v, %v", outcome, err)
			}
		}
		if outcome, err := g.Charge(ctx, late); err != nil || outcome != (checkout.NotCharged{}) {
			t.Errorf("the late charge got %#v, %v", outcome, err)
		}
	})
	t.Run("a key is not reused for another amount", func(t *testing.T) {
		g := open(t)
		paid(t, g, charge(1, tokens.Paid))
		other := charge(1, tokens.Paid)
		other.Charge.Amount = money.Of(1, money.USD)
		if outcome, err := g.Charge(ctx, other); err == nil {
			t.Errorf("another amount under the same key got %#v", outcome)
		}
	})
}

func paid(t *testing.T, g ports.Gateway, r ports.ChargeRequest) checkout.Paid {
	t.Helper()
	outcome, err := g.Charge(context.Background(), r)
	p, ok := outcome.(checkout.Paid)
	if err != nil || !ok || p.Provider == "" || p.Label == "" {
		t.Fatalf("charge %s: %#v, %v", r.Charge.Key, outcome, err)
	}
	return p
}

func isPaid(o checkout.Outcome) bool {
	_, ok := o.(checkout.Paid)
	return ok
}
