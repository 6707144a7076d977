package payments_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	shop = id.New[id.Project]([16]byte{1})
)

// fixture implements the ports of Gateway and Ear for one integration, and records their calls.
type fixture struct {
	ports.IntegrationsInUse

	i         *integration.Integration
	used      []string // keys of accounts
	noted     []string
	outcome   checkout.Outcome
	refund    order.RefundOutcome
	err       error
	news      ports.PaymentEvent
	recorded  []string
	recordErr error // result of recording
}

func (d *fixture) Seal(plain []byte, purpose string) []byte {
	return append([]byte(purpose+"|"), plain...)
}

func (d *fixture) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for another purpose")
	}
	return []byte(plain), nil
}

func (d *fixture) Use(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	if wanted != d.i.ID {
		return nil, fault.Missing("integration")
	}
	found := *d.i
	return &found, nil
}

func (d *fixture) ByWebhook(_ context.Context, webhook id.Webhook) (*integration.Integration, error) {
	if webhook != d.i.Hook.ID {
		return nil, fault.Missing("webhook")
	}
	return d.Use(context.Background(), d.i.Project, d.i.ID)
}

func (d *fixture) Note(_ context.Context, i *integration.Integration, answer error) {
	d.noted = append(d.noted, fmt.Sprint(i.ID == d.i.ID, " ", answer))
}

func (d *fixture) Charge(_ ports.Outbound, a ports.PaymentAccount, _ ports.ChargeRequest) (checkout.Outcome, error) {
	d.used = append(d.used, a.Key)
	return d.outcome, d.err
}

func (d *fixture) Resolve(ctx ports.Outbound, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	return d.Charge(ctx, a, r)
}

func (d *fixture) Refund(_ ports.Outbound, a ports.PaymentAccount, _ ports.RefundRequest) (order.RefundOutcome, error) {
	d.used = append(d.used, a.Key)
	return d.refund, d.err
}

func (d *fixture) Statement(_ ports.Outbound, a ports.PaymentAccount, _ ports.StatementRequest, _ func(ports.Movement) error) error {
	d.used = append(d.used, a.Key)
	return d.err
}

func (d *fixture) ReadWebhook(_ ports.Outbound, a ports.PaymentAccount, c ports.Call, secret string) (ports.PaymentEvent, error) {
	if c.Header("Stripe-Signature") != secret || a.Key == "" {
		return ports.PaymentEvent{}, payments.ErrSignature
	}
	return d.news, nil
}

func (d *fixture) RecordOutcome(_ context.Context, p id.Project, key string, _ checkout.Outcome) error {
	d.recorded = append(d.recorded, p.String()+" "+key)
	return d.recordErr
}

func (d *fixture) RecordOrphanRefund(_ context.Context, p id.Project, orphan string, _ order.RefundOutcome) error {
	d.recorded = append(d.recorded, p.String()+" orphan "+orphan)
	return d.recordErr
}

func (d *fixture) RecordRefund(_ context.Context, p id.Project, key string, _ order.RefundOutcome) error {
	d.recorded = append(d.recorded, p.String()+" "+key)
	return d.recordErr
}

func (d *fixture) RecordExternalRefund(_ context.Context, p id.Project, r order.ExternalRefund) error {
	d.recorded = append(d.recorded, p.String()+" "+r.Provider)
	return d.recordErr
}

func (d *fixture) RecordDispute(_ context.Context, p id.Project, r order.DisputeReport) error {
	d.recorded = append(d.recorded, p.String()+" "+r.Provider)
	return d.recordErr
}

func (d *fixture) CanCharge(_ project.PaymentRoute, a money.Amount) bool { return a.Minor() != 1 }

func (d *fixture) BalanceChanges(_ ports.Outbound, a ports.PaymentAccount, _ ports.StatementRequest, each func(ports.BalanceChange) error) error {
	d.used = append(d.used, a.Key)
	return each(ports.BalanceChange{Kind: ports.BalanceFee, Provider: "txn_1"})
}

func newFixture() *fixture {
	d := &fixture{outcome: checkout.Paid{Provider: "pi_1"}, refund: order.Refunded{Provider: "re_1"}}
	hook := integration.Hook{ID: id.New[id.Webhook]([16]byte{2}), Status: integration.HookActive}
	d.i = integration.Connect(id.New[id.Integration]([16]byte{3}), shop, integration.Draft{Type: integration.Stripe}, integration.Config{}, hook, noon)
	d.setKey("first")
	return d
}

func (d *fixture) setKey(key string) {
	d.i.Sealed = integration.Seal(d.i.ID, integration.Credentials{Key: key, Signing: "whsec"}, d.Seal)
}

func (d *fixture) gateway() payments.Gateway {
	return payments.Gateway{
		Providers: map[string]ports.PaymentProvider{"stripe": d},
		InUse:     d,
		Health:    d,
		Vault:     d,
	}
}

func (d *fixture) charge(t *testing.T) (checkout.Outcome, error) {
	t.Helper()
	route := project.PaymentRoute{Provider: "stripe", Integration: d.i.ID}
	return d.gateway().Charge(ports.NewOutbound(t.Context()), ports.ChargeRequest{
		Project: shop,
		Charge:  checkout.Charge{Key: "k", Route: route},
		Token:   "spt_secret",
	})
}

func TestGateway_Charge_newCredentials(t *testing.T) {
	t.Parallel()
	d := newFixture()
	for _, key := range []string{"first", "second"} {
		d.setKey(key)
		if got, err := d.charge(t); err != nil || got != d.outcome {
			t.Fatal(got, err)
		}
	}
	if strings.Join(d.used, " ") != "first second" {
		t.Errorf("used %v", d.used)
	}
}

func TestGateway_Charge_notesResult(t *testing.T) {
	t.Parallel()
	d := newFixture()
	_, _ = d.charge(t)
	d.err = ports.ErrCredentialsRefused
	if _, err := d.charge(t); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Fatal(err)
	}
	if got, want := strings.Join(d.noted, "; "), "true <nil>; true "+d.err.Error(); got != want {
		t.Errorf("noted %s, not %s", got, want)
	}
}

// Nothing is sent through a disconnected account.
func TestGateway_disconnected(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.i.Disconnect(noon)
	route := project.PaymentRoute{Provider: "stripe", Integration: d.i.ID}
	if got, err := d.charge(t); err != nil || got != (checkout.NotCharged{}) {
		t.Errorf("charge: %v, %v", got, err)
	}
	refund, err := d.gateway().Refund(ports.NewOutbound(t.Context()), ports.RefundRequest{Project: shop, Route: route})
	if refund != nil || !fault.Is(err, "provider_not_connected") {
		t.Errorf("refund: %v, %v", refund, err)
	}
	err = d.gateway().Statement(ports.NewOutbound(t.Context()), ports.StatementRequest{Project: shop, Route: route}, nil)
	if !fault.Is(err, "provider_not_connected") || d.used != nil {
		t.Errorf("statement: %v; used %v", err, d.used)
	}
}

func TestGateway_Charge_unknownProvider(t *testing.T) {
	t.Parallel()
	d := newFixture()
	for _, route := range []project.PaymentRoute{{}, {Provider: "sandbox"}, {Provider: "paypal", Integration: d.i.ID}} {
		if _, err := d.gateway().Charge(ports.NewOutbound(t.Context()), ports.ChargeRequest{Charge: checkout.Charge{Route: route}}); err == nil || d.used != nil {
			t.Errorf("%+v: %v", route, err)
		}
	}
	with := d.gateway()
	with.Sandbox = d
	if _, err := with.Charge(ports.NewOutbound(t.Context()), ports.ChargeRequest{Charge: checkout.Charge{Route: project.PaymentRoute{Provider: "sandbox"}}}); err != nil || len(d.used) != 1 {
		t.Errorf("the sandbox: %v", err)
	}
}

// A provider without amount rules can charge any amount.
func TestGateway_CanCharge(t *testing.T) {
	t.Parallel()
	d := newFixture()
	route := project.PaymentRoute{Provider: "stripe", Integration: d.i.ID}
	for minor, want := range map[int64]bool{1: false, 2: true} {
		if got := d.gateway().CanCharge(route, money.Of(minor, money.USD)); got != want {
			t.Errorf("CanCharge(%d) is %t", minor, got)
		}
	}
	if !d.gateway().CanCharge(project.PaymentRoute{Provider: "sandbox"}, money.Of(1, money.USD)) {
		t.Error("an amount is refused without rules")
	}
}

func TestGateway_BalanceChanges(t *testing.T) {
	t.Parallel()
	d := newFixture()
	route := project.PaymentRoute{Provider: "stripe", Integration: d.i.ID}
	changes := 0
	err := d.gateway().BalanceChanges(ports.NewOutbound(t.Context()), ports.StatementRequest{Project: shop, Route: route}, func(ports.BalanceChange) error {
		changes++
		return nil
	})
	if err != nil || changes != 1 {
		t.Errorf("%d changes, %v", changes, err)
	}
}

// attempts are undecided attempts.
type attempts []*checkout.Checkout

func (a attempts) UndecidedAttempts(context.Context, id.Project) ([]*checkout.Checkout, error) {
	return a, nil
}

// decided is a store whose last undecided attempt is decided when the attempts are listed.
type decided struct{ *fixture }

func (d decided) UndecidedAttempts(context.Context, id.Project) ([]*checkout.Checkout, error) {
	d.recordErr = nil
	return nil, nil
}

// unreadable is a store that cannot list attempts.
type unreadable struct{}

func (unreadable) UndecidedAttempts(context.Context, id.Project) ([]*checkout.Checkout, error) {
	return nil, errors.New("a checkout is unreadable")
}

func TestRecord_webhooks(t *testing.T) {
	t.Parallel()
	paid, refunded := ports.PaymentEvent{Key: "k", Charge: checkout.Paid{}}, ports.PaymentEvent{Key: "r", Refund: order.Refunded{}}
	external := ports.PaymentEvent{External: &order.ExternalRefund{Provider: "re_2"}}
	dispute := ports.PaymentEvent{Dispute: &order.DisputeReport{Provider: "dp_1"}}
	given := func(minor int64) ports.PaymentEvent {
		return ports.PaymentEvent{External: &order.ExternalRefund{
			Provider: "re_3",
			Amount:   money.Of(minor, money.USD),
			At:       noon,
		}}
	}
	earlier := given(50)
	earlier.External.At = noon.Add(-time.Hour)
	disputed := ports.PaymentEvent{Dispute: &order.DisputeReport{
		Provider: "dp_2",
		Amount:   money.Of(50, money.USD),
		At:       noon,
	}}
	inFlight := func(_ *fixture, e *payments.WebhookHandler) {
		e.Undecided = attempts{checkout.Rehydrate(checkout.Snapshot{
			Status:    checkout.Processing,
			Subtotal:  money.Of(50, money.USD),
			Tax:       money.Of(0, money.USD),
			ClaimedAt: noon.Add(time.Second),
		})}
	}
	down := errors.New("the database is down")
	for name, c := range map[string]struct {
		news      ports.PaymentEvent
		recordErr error
		signature string
		change    func(*fixture, *payments.WebhookHandler)
		recorded  string
		wrong     string
	}{
		"a payment":              {news: paid, recorded: "k"},
		"a refund":               {news: refunded, recorded: "r"},
		"a refund, nobody cares": {news: refunded, change: func(_ *fixture, e *payments.WebhookHandler) { e.Refunds = nil }},
		"an orphan's refund": {
			news: ports.PaymentEvent{Key: "orphan-1", Refund: order.RefundFailed{}}, recorded: "orphan orphan-1",
			change: func(_ *fixture, e *payments.WebhookHandler) { e.Refunds = nil },
		},
		"a refund made elsewhere": {news: external, recorded: "re_2"},
		"of an unknown charge":    {news: external, recordErr: fault.Missing("payment"), recorded: "re_2 re_2"},
		"of a charge that a payment under way may be": {
			news: given(50), recordErr: fault.Missing("payment"), recorded: "re_3", wrong: "payment_undecided", change: inFlight,
		},
		"of another amount":  {news: given(51), recordErr: fault.Missing("payment"), recorded: "re_3 re_3", change: inFlight},
		"of an earlier time": {news: earlier, recordErr: fault.Missing("payment"), recorded: "re_3 re_3", change: inFlight},
		"of a known charge":  {news: given(50), recorded: "re_3", change: inFlight},
		"of a payment that is decided meanwhile": {
			news: given(50), recordErr: fault.Missing("payment"), recorded: "re_3 re_3", change: func(d *fixture, e *payments.WebhookHandler) { e.Undecided = decided{d} },
		},
		"of a known charge, beside an unreadable attempt": {
			news: given(50), recorded: "re_3", change: func(_ *fixture, e *payments.WebhookHandler) { e.Undecided = unreadable{} },
		},
		"of an unknown charge, beside an unreadable attempt": {
			news: given(50), recordErr: fault.Missing("payment"), recorded: "re_3", wrong: "a checkout is unreadable",
			change: func(_ *fixture, e *payments.WebhookHandler) { e.Undecided = unreadable{} },
		},
		"a dispute of it":         {news: disputed, recordErr: fault.Missing("payment"), recorded: "dp_2", wrong: "payment_undecided", change: inFlight},
		"a dispute":               {news: dispute, recorded: "dp_1"},
		"a dispute, not recorded": {news: dispute, recordErr: down, recorded: "dp_1", wrong: down.Error()},
		"a dispute, nobody cares": {news: dispute, change: func(_ *fixture, e *payments.WebhookHandler) { e.Refunds = nil }},
		"nothing of ours":         {},
		"an unknown payment":      {news: paid, recordErr: fault.Missing("checkout"), recorded: "k k"},
		"not recorded":            {news: paid, recordErr: down, recorded: "k", wrong: down.Error()},
		"a bad signature":         {news: paid, signature: "other", wrong: "invalid_signature"},
		"no signature":            {news: paid, signature: "none", wrong: "invalid_signature"},
		"no secret": {news: paid, signature: "none", wrong: "invalid_signature", change: func(d *fixture, _ *payments.WebhookHandler) {
			d.i.Sealed = integration.Seal(d.i.ID, integration.Credentials{Key: "k"}, d.Seal)
		}},
		"disconnected":   {news: paid, wrong: "webhook_not_found", change: func(d *fixture, _ *payments.WebhookHandler) { d.i.Disconnect(noon) }},
		"never calls us": {news: paid, wrong: "webhook_not_found", change: func(_ *fixture, e *payments.WebhookHandler) { e.Readers = nil }},
	} {
		d := newFixture()
		d.news, d.recordErr = c.news, c.recordErr
		handler := payments.WebhookHandler{
			InUse:     d,
			Readers:   map[string]ports.WebhookReader{"stripe": d},
			Vault:     d,
			Purchases: d,
			Refunds:   d,
		}
		if c.change != nil {
			c.change(d, &handler)
		}
		signature := map[string]string{"": "whsec", "none": ""}[c.signature]
		if c.signature == "other" {
			signature = "other"
		}
		err := handler.Handle(ports.NewOutbound(t.Context()), d.i.Hook.ID, ports.Call{Payload: []byte("{}"), Header: func(string) string { return signature }})
		recorded := strings.ReplaceAll(strings.Join(d.recorded, " "), shop.String()+" ", "")
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) || recorded != c.recorded {
			t.Errorf("%s: %v, recorded %q", name, err, recorded)
		}
	}
}
