package connecting_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// office is a project with its integrations, a provider, and what the provider was asked.
type office struct {
	ports.Integrations
	ports.IntegrationsInUse

	shop    project.Project
	stored  []*integration.Integration
	busy    bool
	refused error // what Connect answers
	mark    string
	bits    byte

	asked                []string
	account              string
	live                 bool
	inspecting, register error
	log                  bytes.Buffer
}

func (o *office) Now() time.Time      { return noon }
func (o *office) Secret(n int) string { return strings.Repeat("x", n) }
func (o *office) Bits128() [16]byte   { o.bits++; return [16]byte{o.bits} }

func (o *office) IDBits() [16]byte    { return o.Bits128() }
func (o *office) says(text ...string) { o.asked = append(o.asked, strings.Join(text, " ")) }
func (o *office) said() string        { return strings.Join(o.asked, "; ") }
func (o *office) Seal(plain []byte, purpose string) []byte {
	return append([]byte(o.mark+purpose+"|"), plain...)
}

func (o *office) Open(sealed []byte, purpose string) ([]byte, error) {
	_, plain, ok := strings.Cut(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for another purpose, or by another key")
	}
	return []byte(plain), nil
}

func (o *office) Inspect(_ ports.Outbound, a ports.PaymentAccount) (string, bool, error) {
	o.says("inspect", a.Key)
	return o.account, o.live, o.inspecting
}

func (o *office) RegisterWebhook(_ ports.Outbound, _ ports.PaymentAccount, address string) (string, string, error) {
	o.says("register", address)
	return "we_1", "whsec_made", o.register
}

func (o *office) RemoveWebhook(_ ports.Outbound, _ ports.PaymentAccount, remote string) error {
	o.says("remove", remote)
	return nil
}

func (o *office) List(context.Context, id.Project, ports.Page) ([]*integration.Integration, int, error) {
	return o.stored, len(o.stored), nil
}

func (o *office) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	for _, i := range o.stored {
		if i.ID == wanted {
			found := *i
			return &found, nil
		}
	}
	return nil, fault.Missing("integration")
}

func (o *office) Connect(_ context.Context, i *integration.Integration, route func(*project.Project) error) error {
	if o.refused != nil {
		return o.refused
	}
	o.stored = []*integration.Integration{i}
	return route(&o.shop)
}

func (o *office) Update(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
	i, err := o.ByID(ctx, p, wanted)
	if err == nil {
		err = change(i)
	}
	if err == nil {
		o.stored = []*integration.Integration{i}
	}
	return i, err
}

func (o *office) Disconnect(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration, *project.Project)) (*integration.Integration, error) {
	if o.busy {
		return nil, fault.New(fault.Conflict, "payments_unresolved", "Busy.")
	}
	return o.Update(ctx, p, wanted, func(i *integration.Integration) error { change(i, &o.shop); return nil })
}

func (o *office) Undecided(context.Context, id.Project, id.Integration) (bool, error) {
	return o.busy, nil
}

func (o *office) Sealed(context.Context) ([]*integration.Integration, error) { return o.stored, nil }

// LeadsInside knows no private network.
func (o *office) LeadsInside(string) bool { return false }

func openOffice() *office { return &office{account: "acct_1"} }

func (o *office) service() *connecting.Service {
	return &connecting.Service{
		Stores: &ports.Stores{
			Integrations: o,
			InUse:        o,
		},
		Platforms:   map[string]ports.PaymentPlatform{"stripe": o, "paypal": o},
		Hooks:       map[string]ports.WebhookPlatform{"stripe": o},
		HookAddress: func(_ integration.Type, w id.Webhook) string { return "https://shop/hooks/" + w.String()[:4] },
		Addresses:   o,
		Vault:       o,
		Clock:       o,
		Entropy:     o,
		Log:         slog.New(slog.NewTextHandler(&o.log, nil)),
	}
}

func (o *office) connect(t *testing.T, key, secret string) (*integration.Integration, error) {
	t.Helper()
	return connect(t, o.service(), &o.shop, integration.Draft{
		Type: integration.Stripe, Credentials: integration.Stripe.Given(key, secret),
	})
}

func (o *office) credentials(t *testing.T) integration.Credentials {
	t.Helper()
	c, err := o.stored[0].Open(o.Open)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConnecting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		secret string
		change func(*office, *connecting.Service)
		said   string
		hook   integration.HookStatus
		signs  string
	}{
		"registers a webhook":           {"", nil, "inspect sk_test_1; register https://shop/hooks/wh_0", integration.HookActive, "whsec_made"},
		"has one of the merchant's own": {"whsec_own", nil, "inspect sk_test_1", integration.HookActive, "whsec_own"},
		"goes on without one": {"", func(o *office, _ *connecting.Service) { o.register = errors.New("no answer") },
			"inspect sk_test_1; register https://shop/hooks/wh_0", integration.HookFailed, ""},
		"cannot be reached": {"", func(_ *office, s *connecting.Service) {
			s.HookAddress = func(integration.Type, id.Webhook) string { return "" }
		}, "inspect sk_test_1", integration.HookNone, ""},
	} {
		o := openOffice()
		s := o.service()
		if c.change != nil {
			c.change(o, s)
		}
		i, err := connect(t, s, &o.shop, integration.Draft{Type: integration.Stripe, Credentials: integration.Stripe.Given("sk_test_1", c.secret)})
		if err != nil || i.Hook.Status != c.hook || o.said() != c.said || o.credentials(t).Signing != c.signs || o.shop.Routes[project.SharedPaymentToken].Integration != i.ID {
			t.Errorf("%s: %v, said %s, %+v", name, err, o.said(), o.stored)
		}
		if strings.Contains(o.log.String(), "sk_test_1") {
			t.Errorf("%s: the log says %s", name, o.log.String())
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*office)
		key    string
		code   string
		said   string
	}{
		"a live key is sent nowhere":   {func(*office) {}, "sk_live_1", "validation_error", ""},
		"an account of the other mode": {func(o *office) { o.live = true }, "rk_1", "validation_error", "inspect rk_1"},
		"refused":                      {func(o *office) { o.inspecting = ports.ErrCredentialsRefused }, "sk_test_1", "authorization_failed", "inspect sk_test_1"},
		"no answer":                    {func(o *office) { o.inspecting = context.DeadlineExceeded }, "sk_test_1", "provider_unavailable", "inspect sk_test_1"},
		"the method is served": {func(o *office) {
			o.shop.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: {Provider: "stripe"}}
		}, "sk_test_1", "integration_exists", ""},
		"another one was faster": {func(o *office) { o.refused = integration.ErrExists() }, "sk_test_1", "integration_exists",
			"inspect sk_test_1; register https://shop/hooks/wh_0; remove we_1"},
	} {
		o := openOffice()
		c.change(o)
		_, err := o.connect(t, c.key, "")
		if !fault.Is(err, c.code) || o.said() != c.said || o.stored != nil {
			t.Errorf("%s: %v, said %s", name, err, o.said())
		}
	}
}

func TestRotating(t *testing.T) {
	t.Parallel()
	o := openOffice()
	i, err := o.connect(t, "sk_test_1", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rotate(t, o.service(), i, "sk_test_2", ""); err != nil || o.credentials(t) != (integration.Credentials{Key: "sk_test_2", Signing: "whsec_made"}) {
		t.Errorf("%v, or other credentials", err)
	}
	if _, err := rotate(t, o.service(), i, "sk_test_3", "whsec_new"); err != nil || o.credentials(t).Signing != "whsec_new" {
		t.Errorf("with a signing secret: %v", err)
	}
	o.stored[0].Sealed = []byte("lost")
	if _, err := rotate(t, o.service(), i, "sk_test_4", ""); err != nil || o.credentials(t) != (integration.Credentials{Key: "sk_test_4", Signing: "whsec_made"}) {
		t.Errorf("what cannot be opened: %v", err)
	}
	o.account = "acct_2"
	if _, err := rotate(t, o.service(), i, "sk_test_5", ""); !fault.Is(err, "validation_error") || o.credentials(t).Key != "sk_test_4" {
		t.Errorf("another account: %v", err)
	}
}

func TestDisconnecting(t *testing.T) {
	t.Parallel()
	o := openOffice()
	i, err := o.connect(t, "sk_test_1", "")
	if err != nil {
		t.Fatal(err)
	}
	o.busy, o.asked = true, nil
	if err := disconnect(t, o.service(), i); !fault.Is(err, "payments_unresolved") || o.said() != "" {
		t.Errorf("with open payments: %v, said %s", err, o.said())
	}
	o.busy = false
	for range 2 {
		if err := disconnect(t, o.service(), i); err != nil || o.said() != "remove we_1" || o.shop.Routes != nil {
			t.Errorf("%v, said %s, routes %v", err, o.said(), o.shop.Routes)
		}
	}
	again, err := o.connect(t, "sk_test_9", "")
	if err != nil || again.ID != i.ID {
		t.Errorf("the same account again: %v, %v", again, err)
	}
}

func TestResealing(t *testing.T) {
	t.Parallel()
	o := openOffice()
	if _, err := o.connect(t, "sk_test_1", ""); err != nil {
		t.Fatal(err)
	}
	o.mark = "new "
	if n, err := o.service().Reseal(t.Context()); n != 1 || err != nil || !strings.HasPrefix(string(o.stored[0].Sealed), "new ") || o.credentials(t).Key != "sk_test_1" {
		t.Errorf("%d, %v, %q", n, err, o.stored[0].Sealed)
	}
	o.stored[0].Sealed = []byte("lost")
	if _, err := o.service().Reseal(t.Context()); err == nil {
		t.Error("what cannot be opened is passed over")
	}
}
