package simulation

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// bench is a gateway with a model of its provider. The next requests can be made to fail.
type bench struct {
	ports.Gateway
	t       *testing.T
	server  *server
	books   *bank
	stripe  *stripeModel // nil for another provider
	trouble trouble
	takes   time.Duration // processing time of a request that moves money
	begun   time.Time
}

// benches are all gateways of the simulation.
var benches = map[string]func(*bench, func(string) trouble, func() time.Time){
	"stripe": func(b *bench, work func(string) trouble, now func() time.Time) {
		b.stripe = newStripe(work, now)
		b.books, b.Gateway = &b.stripe.bank, &portStripe{server: b.server, stripe: b.stripe}
	},
	"stripe's adapter": func(b *bench, work func(string) trouble, now func() time.Time) {
		b.stripe = newStripe(work, now)
		b.books, b.Gateway = &b.stripe.bank, b.server.overHTTP(b.stripe)
	},
	"paypal": func(b *bench, work func(string) trouble, now func() time.Time) {
		m := &paypalModel{
			bank:     bank{now: now, given: func(*moneyBack) {}},
			work:     work,
			decided:  func(string, string, string) {},
			requests: map[string]paypalRequest{},
		}
		b.books, b.Gateway = &m.bank, &portPayPal{server: b.server, paypal: m}
	},
}

func newStripe(work func(string) trouble, now func() time.Time) *stripeModel {
	return &stripeModel{
		bank:    bank{now: now, given: func(*moneyBack) {}},
		work:    work,
		decided: func(string, string, string) {},
		keys:    map[string]*keptReply{},
	}
}

// All gateways of the simulation reach the same outcomes, with deviating clocks and at the limits of the providers' guarantees.
// One of them is the real Stripe adapter, so the cheaper models are as strict as the adapter.
func TestGateways(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*bench){
		"a charge is taken once":                   chargedOnce,
		"a decline stays one":                      declinedTwice,
		"what was resolved is never charged":       resolvedFirst,
		"a charge whose answer is lost is found":   answerLost,
		"a charge under way is not decided":        underWay,
		"a forgotten key is not charged again":     keyForgotten,
		"a refund is given once":                   refundedOnce,
		"no more is given back than was taken":     refundTooMuch,
		"a refund whose answer is lost is one":     refundLost,
		"a refund taken back has failed":           refundTakenBack,
		"an error that is kept leaves it unknown":  errorKept,
		"a list of many pages is read in the end":  manyPages,
		"a charge is found although clocks differ": clocksApart,
		"a charge that a list was too early for":   listedTooEarly,
		"a void in a list of many pages is found":  voidedInManyPages,
	}
	for provider, open := range benches {
		for name, test := range cases {
			for _, ahead := range []time.Duration{0, 15 * time.Minute, -15 * time.Minute} {
				t.Run(provider+"/"+name+"/"+ahead.String(), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newScheduler(1, false)
						s.instant = true
						b := &bench{
							t:      t,
							server: &server{scheduler: s, of: &process{}},
							begun:  time.Now(),
						}
						open(b, b.work, clock(ahead).Now)
						test(b)
					})
				})
			}
		}
	}
}

func (b *bench) work(what string) trouble {
	if what == "payment_intents page" && b.stripe.busy > 0 {
		time.Sleep(3 * time.Second)
	}
	if moves := what == "payment_intents" || what == "capture" || what == "refunds" || what == "refund"; !moves {
		return trouble{}
	}
	time.Sleep(b.takes)
	t := b.trouble
	b.trouble = trouble{}
	return t
}

func (b *bench) request(attempt int, token string) ports.ChargeRequest {
	c := id.New[id.Checkout]([16]byte{1})
	return ports.ChargeRequest{
		Project:  id.New[id.Project]([16]byte{2}),
		Checkout: c,
		Token:    token,
		Charge: checkout.Charge{
			Key:    checkout.AttemptKey(c, attempt),
			Amount: money.Of(50_00, money.USD),
			Method: project.SharedPaymentToken,
			Since:  b.begun,
		},
	}
}

// bounded makes a call with the application's timeout of eight seconds.
func bounded[T any](call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Second)
	defer cancel()
	return call(ctx)
}

func (b *bench) charge(r ports.ChargeRequest) (checkout.Outcome, error) {
	return bounded(func(ctx context.Context) (checkout.Outcome, error) { return b.Charge(ports.NewOutbound(ctx), r) })
}

func (b *bench) resolve(r ports.ChargeRequest) (checkout.Outcome, error) {
	r.Token = ""
	return bounded(func(ctx context.Context) (checkout.Outcome, error) { return b.Resolve(ports.NewOutbound(ctx), r) })
}

func (b *bench) refund(key, of string, amount int64) (order.RefundOutcome, error) {
	return bounded(func(ctx context.Context) (order.RefundOutcome, error) {
		return b.Refund(ports.NewOutbound(ctx), ports.RefundRequest{
			Key:    key,
			Charge: of,
			Amount: money.Of(amount, money.USD),
			Since:  b.begun,
		})
	})
}

// want checks the kind of an outcome. nil means that the outcome is unknown.
func (b *bench) want(what string, got any, err error, want any) {
	b.t.Helper()
	if (want == nil) != (err != nil) || want != nil && reflect.TypeOf(got) != reflect.TypeOf(want) {
		b.t.Errorf("%s: %#v, %v; want %T", what, got, err, want)
	}
}

func (b *bench) taken(n int) {
	b.t.Helper()
	if len(b.books.charges) != n {
		b.t.Errorf("%d charges, want %d", len(b.books.charges), n)
	}
}

func chargedOnce(b *bench) {
	for range 2 {
		got, err := b.charge(b.request(1, "taken"))
		b.want("charged", got, err, checkout.Paid{})
	}
	got, err := b.resolve(b.request(1, ""))
	b.want("resolved", got, err, checkout.Paid{})
	b.taken(1)
}

func declinedTwice(b *bench) {
	for range 2 {
		got, err := b.charge(b.request(1, "declined-1"))
		b.want("charged", got, err, checkout.Declined{})
	}
	got, err := b.resolve(b.request(1, ""))
	b.want("resolved", got, err, checkout.Declined{})
	b.taken(0)
}

func resolvedFirst(b *bench) {
	got, err := b.resolve(b.request(1, ""))
	b.want("resolved", got, err, checkout.NotCharged{})
	got, err = b.charge(b.request(1, "taken"))
	b.want("charged", got, err, checkout.NotCharged{})
	b.taken(0)
}

func answerLost(b *bench) {
	b.trouble.after = true
	if b.stripe == nil {
		got, err := b.charge(b.request(1, "taken"))
		b.want("charged", got, err, nil)
	} else {
		_, _ = b.charge(b.request(1, "taken")) // the adapter repeats the request
	}
	got, err := b.resolve(b.request(1, ""))
	b.want("resolved", got, err, checkout.Paid{})
	b.taken(1)
}

func underWay(b *bench) {
	b.takes = 20 * time.Second
	got, err := b.charge(b.request(1, "taken"))
	b.want("charged", got, err, nil)
	if b.stripe != nil { // a PayPal order is voided instead
		got, err = b.resolve(b.request(1, ""))
		b.want("resolved at once", got, err, nil)
	}
	time.Sleep(30 * time.Second)
	b.takes = 0
	got, err = b.resolve(b.request(1, ""))
	b.want("resolved", got, err, checkout.Paid{})
	b.taken(1)
}

func keyForgotten(b *bench) {
	got, err := b.charge(b.request(1, "taken"))
	b.want("charged", got, err, checkout.Paid{})
	time.Sleep(25 * time.Hour)
	got, err = b.charge(b.request(1, "taken"))
	b.want("charged again", got, err, checkout.Paid{})
	got, err = b.resolve(b.request(1, ""))
	b.want("resolved", got, err, checkout.Paid{})
	b.taken(1)
}

func (b *bench) paid() string {
	b.t.Helper()
	got, err := b.charge(b.request(1, "taken"))
	b.want("charged", got, err, checkout.Paid{})
	return b.books.charges[0].id
}

func refundedOnce(b *bench) {
	of := b.paid()
	for range 2 {
		got, err := b.refund("ref_1", of, 30_00)
		b.want("refunded", got, err, order.Refunded{})
	}
	time.Sleep(25 * time.Hour)
	got, err := b.refund("ref_1", of, 30_00)
	b.want("refunded a day later", got, err, order.Refunded{})
	if given := b.books.refunded(of); given != 30_00 {
		b.t.Errorf("%d was given back", given)
	}
}

func refundTooMuch(b *bench) {
	of := b.paid()
	got, err := b.refund("ref_1", of, 50_01)
	b.want("refunded", got, err, order.RefundFailed{})
	got, err = b.refund("ref_2", of, 50_00)
	b.want("refunded", got, err, order.Refunded{})
	got, err = b.refund("ref_3", of, 1)
	b.want("refunded", got, err, order.RefundFailed{})
}

func refundLost(b *bench) {
	of := b.paid()
	b.trouble.after = true
	_, _ = b.refund("ref_1", of, 30_00)
	got, err := b.refund("ref_1", of, 30_00)
	b.want("refunded", got, err, order.Refunded{})
	if given := b.books.refunded(of); given != 30_00 {
		b.t.Errorf("%d was given back", given)
	}
}

func refundTakenBack(b *bench) {
	of := b.paid()
	got, err := b.refund("ref_1", of, 30_00)
	b.want("refunded", got, err, order.Refunded{})
	b.books.refunds[0].failed = true
	time.Sleep(25 * time.Hour)
	got, err = b.refund("ref_2", of, 50_00)
	b.want("refunded again", got, err, order.Refunded{})
}

// errorKept: Stripe returns an error for a day, and charged nothing. The outcome is unknown until the list of the whole time in
// which a charge was possible has been read.
func errorKept(b *bench) {
	if b.stripe == nil {
		return
	}
	b.trouble.before = true
	got, err := b.charge(b.request(1, "taken"))
	b.want("charged", got, err, nil)
	for range 19 {
		time.Sleep(time.Hour)
		got, err = b.resolve(b.request(1, ""))
		b.want("resolved", got, err, nil)
	}
	time.Sleep(5 * time.Hour)
	got, err = b.resolve(b.request(1, ""))
	b.want("resolved a day later", got, err, checkout.NotCharged{})
	b.taken(0)
}

func manyPages(b *bench) {
	if b.stripe == nil {
		return
	}
	b.trouble.after = true
	_, _ = b.charge(b.request(1, "taken"))
	b.stripe.busy = 9
	r := b.request(1, "")
	for range 9 {
		got, err := b.resolve(r)
		var looking ports.StillLooking
		if !errors.As(err, &looking) {
			b.want("resolved", got, err, checkout.Paid{})
			return
		}
		r.Charge.Progress = looking.Progress
	}
	b.t.Errorf("the list is never at its end: %s", r.Charge.Progress)
}

// clocksApart starts the attempt by a clock that is an hour ahead.
func clocksApart(b *bench) {
	r := b.request(1, "taken")
	r.Charge.Since = r.Charge.Since.Add(time.Hour)
	b.server.off = clock(time.Hour)
	b.trouble.after = true
	_, _ = b.charge(r)
	got, err := b.resolve(r)
	b.want("resolved", got, err, checkout.Paid{})
	b.taken(1)
}

// listedTooEarly lets the provider process a charge while its list is read page by page. The next list contains it.
func listedTooEarly(b *bench) {
	if b.stripe == nil {
		return
	}
	b.takes, b.stripe.busy, b.stripe.unsearchable = 90*time.Second, 4, true
	_, _ = b.charge(b.request(1, "taken"))
	b.resolvesTo(30, checkout.Paid{})
}

// voidedInManyPages: the provider voids the key, but keeps an error as its response. Only the list shows it, which is too long
// to be read in one call.
func voidedInManyPages(b *bench) {
	if b.stripe == nil {
		return
	}
	b.trouble.after, b.stripe.busy, b.stripe.unsearchable = true, 9, true
	b.resolvesTo(9, checkout.NotCharged{})
}

// resolvesTo checks the outcome of an attempt that takes up to most calls of Resolve, ten seconds apart.
func (b *bench) resolvesTo(most int, want checkout.Outcome) {
	b.t.Helper()
	r := b.request(1, "")
	for range most {
		got, err := b.resolve(r)
		var looking ports.StillLooking
		switch {
		case errors.As(err, &looking):
			r.Charge.Progress = looking.Progress
		case err == nil:
			b.want("resolved", got, err, want)
			return
		}
		time.Sleep(10 * time.Second)
	}
	b.t.Errorf("not resolved after %d calls: %q", most, r.Charge.Progress)
}
