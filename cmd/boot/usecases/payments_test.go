package usecases

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// These tests run the payment adapters against simulated providers, which behave like the real ones.

// The Stripe adapter fulfills the contract of ports.Gateway.
func TestStripe_contract(t *testing.T) {
	adaptertest.Gateway(t, func(t *testing.T) adaptertest.Payments { return stripeAt(t, startProvider(t)) })
}

// The PayPal adapter fulfills the contract of ports.Gateway.
func TestPayPal_contract(t *testing.T) {
	adaptertest.Gateway(t, func(t *testing.T) adaptertest.Payments { return paypalAt(t, startProvider(t)) })
}

// faultyCase is a fault of the provider during a charge.
type faultyCase struct {
	script   string
	patience time.Duration
	charged  string // outcome of Charge: paid, unknown or declined; "" is any
	resolved string // outcome of Resolve after it: paid, not charged or unknown
}

var faultyCases = []faultyCase{
	{"error_before:2", time.Minute, "paid", "paid"},
	{"error_before:3", time.Minute, "unknown", "not charged"},
	{"error_after", time.Minute, "", "paid"},
	{"rate_limited:2", time.Minute, "paid", "paid"},
	{"in_use:2", time.Minute, "paid", "paid"},
	{"malformed", time.Minute, "paid", "paid"},
	{"reset_after", time.Minute, "paid", "paid"},
	{"hang_after", 5 * time.Second, "unknown", "paid"},
	{"slow:300", time.Minute, "paid", "paid"},
}

// Each fault of the provider during a charge leads to one charge or none, and Resolve finds out which.
func TestStripe_Charge_faults(t *testing.T) {
	kept := faultyCase{"error_kept", time.Minute, "unknown", "unknown"} // Stripe repeats the error until it forgets the key
	testFaults(t, append(faultyCases, kept), stripeAt, (*providerServer).StripeToken)
}

func TestPayPal_Charge_faults(t *testing.T) {
	testFaults(t, faultyCases, paypalAt, (*providerServer).Agreement)
}

func testFaults(t *testing.T, cases []faultyCase, open func(*testing.T, *providerServer) adaptertest.Payments,
	token func(*providerServer, testing.TB, string) string) {
	for _, c := range cases {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			l := startProvider(t)
			p := open(t, l)
			r := chargeRequest(p.Method, token(l, t, c.script))
			ctx, cancel := context.WithTimeout(t.Context(), c.patience)
			defer cancel()
			outcome, err := p.Charge(ports.NewOutbound(ctx), p.Account, r)
			if got := outcomeName(outcome, err); c.charged != "" && got != c.charged {
				t.Errorf("charged: %s (%#v, %v), want %s", got, outcome, err, c.charged)
			}
			if err != nil && strings.Contains(err.Error(), r.Token) || err != nil && strings.Contains(err.Error(), p.Account.Key) {
				t.Errorf("a secret is in %v", err)
			}
			r.Token = ""
			for range 2 {
				if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, r); outcomeName(outcome, err) != c.resolved {
					t.Errorf("resolved: %#v, %v, want %s", outcome, err, c.resolved)
				}
			}
			l.expectCharged(t, c.resolved == "paid")
		})
	}
}

func chargeRequest(method project.PaymentMethod, token string) ports.ChargeRequest {
	of := id.New[id.Checkout]([16]byte{7})
	return ports.ChargeRequest{
		Project:  id.New[id.Project]([16]byte{8}),
		Checkout: of,
		Token:    token,
		Charge: checkout.Charge{
			Key:    checkout.AttemptKey(of, 1),
			Amount: money.Of(4990, money.USD),
			Method: method,
			Since:  system.Clock{}.Now(),
		},
	}
}

func outcomeName(outcome checkout.Outcome, err error) string {
	switch outcome.(type) {
	case checkout.Paid:
		return "paid"
	case checkout.Declined:
		return "declined"
	case checkout.NotCharged:
		return "not charged"
	}
	if err == nil {
		return "nothing"
	}
	return "unknown"
}

// After the provider has forgotten the idempotency key, charges and refunds are still found and not repeated.
func TestResolve_keyForgottenByProvider(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *providerServer) adaptertest.Payments{"stripe": stripeAt, "paypal": paypalAt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startProvider(t)
			p := open(t, l)
			paid := chargeRequest(p.Method, p.Token(t, adaptertest.TokenPaid))
			first, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, paid)
			if outcomeName(first, err) != "paid" {
				t.Fatalf("%#v, %v", first, err)
			}
			back := ports.RefundRequest{
				Project:  paid.Project,
				Checkout: paid.Checkout,
				Key:      "ref_1",
				Charge:   first.(checkout.Paid).Provider,
				Amount:   money.Of(1000, money.USD),
				Since:    paid.Charge.Since,
			}
			given, err := p.Refund(ports.NewOutbound(t.Context()), p.Account, back)
			if err != nil {
				t.Fatal(err)
			}
			l.clock.forward.Store(int64(25 * time.Hour))
			if again, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, paid); err != nil || again != first {
				t.Errorf("resolved a day later to %#v, %v, was %#v", again, err, first)
			}
			if again, err := p.Refund(ports.NewOutbound(t.Context()), p.Account, back); err != nil || again != given {
				t.Errorf("refunded a day later as %#v, %v, was %#v", again, err, given)
			}
			never := chargeRequest(p.Method, "")
			never.Charge.Key = checkout.AttemptKey(never.Checkout, 2)
			for range 2 {
				if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, never); err != nil || outcome != (checkout.NotCharged{}) {
					t.Errorf("what was never charged resolved a day later to %#v, %v", outcome, err)
				}
			}
			never.Token = p.Token(t, adaptertest.TokenPaid)
			for r, want := range map[ports.ChargeRequest]checkout.Outcome{paid: first, never: checkout.NotCharged{}} {
				if outcome, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, r); err != nil || outcome != want {
					t.Errorf("charged a day later as %#v, %v, want %#v", outcome, err, want)
				}
			}
			l.expectCharged(t, true)
		})
	}
}

// PayPal may have forgotten the key of a charge that it does not report yet. Resolve returns an error until the reporting lag is
// over, and not NotCharged.
func TestPayPal_Resolve_reportingLag(t *testing.T) {
	t.Parallel()
	l := startLaggingProvider(t, 3*time.Hour)
	p := paypalAt(t, l)
	paid, never := chargeRequest(p.Method, p.Token(t, adaptertest.TokenPaid)), chargeRequest(p.Method, "")
	never.Charge.Key = checkout.AttemptKey(never.Checkout, 2)
	at := func(age time.Duration) { l.clock.forward.Store(int64(age)) }
	at(5*time.Hour - 5*time.Minute)
	first, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, paid)
	if outcomeName(first, err) != "paid" {
		t.Fatalf("%#v, %v", first, err)
	}
	for _, test := range []struct {
		age         time.Duration
		paid, never string
	}{{6 * time.Hour, "unknown", "unknown"}, {8 * time.Hour, "paid", "unknown"}, {9*time.Hour + time.Minute, "paid", "not charged"}} {
		at(test.age)
		for r, want := range map[ports.ChargeRequest]string{paid: test.paid, never: test.never} {
			if outcome, err := p.Resolve(ports.NewOutbound(t.Context()), p.Account, r); outcomeName(outcome, err) != want {
				t.Errorf("after %s: %#v, %v, want %s", test.age, outcome, err, want)
			}
		}
	}
	l.expectCharged(t, true)
}

// Refused credentials lead to ErrCredentialsRefused, and no money is moved.
func TestCharge_refusedCredentials(t *testing.T) {
	accounts := map[string]string{"stripe": standin.StripeAccount("sk_test_merchant"), "paypal": "client"}
	refused := map[string]ports.PaymentAccount{"stripe": {Key: "sk_test_refused"}, "paypal": {Key: "refused_client", Secret: "secret"}}
	for name, open := range map[string]func(*testing.T, *providerServer) adaptertest.Payments{"stripe": stripeAt, "paypal": paypalAt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startProvider(t)
			p := open(t, l)
			r := chargeRequest(p.Method, p.Token(t, adaptertest.TokenPaid))
			_, charged := p.Charge(ports.NewOutbound(t.Context()), refused[name], r)
			_, resolved := p.Resolve(ports.NewOutbound(t.Context()), refused[name], r)
			_, back := p.Refund(ports.NewOutbound(t.Context()), refused[name], ports.RefundRequest{
				Key:    "ref_1",
				Charge: "x",
				Amount: r.Charge.Amount,
				Since:  r.Charge.Since,
			})
			platform := p.PaymentProvider.(ports.PaymentPlatform)
			_, _, inspected := platform.Inspect(ports.NewOutbound(t.Context()), refused[name])
			for what, err := range map[string]error{"charge": charged, "resolve": resolved, "refund": back, "inspect": inspected} {
				if !errors.Is(err, ports.ErrCredentialsRefused) || strings.Contains(err.Error(), refused[name].Key) {
					t.Errorf("%s: %v", what, err)
				}
			}
			l.expectCharged(t, false)
			account, live, err := platform.Inspect(ports.NewOutbound(t.Context()), p.Account)
			if err != nil || account != accounts[name] || live {
				t.Errorf("the account is %q, live %t, %v", account, live, err)
			}
		})
	}
}

// A refund whose request or response is lost is executed once.
func TestRefund_faults(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *providerServer) adaptertest.Payments{"stripe": stripeAt, "paypal": paypalAt} {
		for _, script := range []string{"error_before:4", "error_after", "malformed", "reset_after", "rate_limited:2", "in_use:4"} {
			t.Run(name+" "+script, func(t *testing.T) {
				t.Parallel()
				l := startProvider(t)
				p := open(t, l)
				token := l.StripeToken
				if name == "paypal" {
					token = l.Agreement
				}
				r := chargeRequest(p.Method, token(t, "refund."+script))
				paid, err := p.Charge(ports.NewOutbound(t.Context()), p.Account, r)
				if outcomeName(paid, err) != "paid" {
					t.Fatalf("%#v, %v", paid, err)
				}
				back := ports.RefundRequest{
					Project:  r.Project,
					Checkout: r.Checkout,
					Key:      "ref_1",
					Charge:   paid.(checkout.Paid).Provider,
					Amount:   money.Of(1000, money.USD),
					Since:    r.Charge.Since,
				}
				outcome, err := p.Refund(ports.NewOutbound(t.Context()), p.Account, back)
				if err != nil {
					outcome, err = p.Refund(ports.NewOutbound(t.Context()), p.Account, back)
				}
				if _, ok := outcome.(order.Refunded); !ok || err != nil {
					t.Errorf("refund: %#v, %v", outcome, err)
				}
				given := 0
				statement := ports.StatementRequest{From: r.Charge.Since.Add(-time.Hour), To: r.Charge.Since.Add(time.Hour)}
				if err := p.Statement(ports.NewOutbound(t.Context()), p.Account, statement, func(m ports.Movement) error {
					if m.Refund {
						given++
					}
					return nil
				}); err != nil || given != 1 {
					t.Errorf("given %d times, %v", given, err)
				}
			})
		}
	}
}
