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

// paymentFixture is a project with its integrations and a payment provider that records its requests.
type paymentFixture struct {
	ports.Integrations
	ports.IntegrationsInUse

	shop       project.Project
	stored     []*integration.Integration
	unresolved bool
	connectErr error // error of Connect
	keyID      string
	bits       byte

	asked                   []string
	account                 string
	live                    bool
	inspectErr, registerErr error
	log                     bytes.Buffer
}

func (f *paymentFixture) Now() time.Time      { return noon }
func (f *paymentFixture) Secret(n int) string { return strings.Repeat("x", n) }
func (f *paymentFixture) Bits128() [16]byte   { f.bits++; return [16]byte{f.bits} }

func (f *paymentFixture) IDBits() [16]byte      { return f.Bits128() }
func (f *paymentFixture) record(text ...string) { f.asked = append(f.asked, strings.Join(text, " ")) }
func (f *paymentFixture) requests() string      { return strings.Join(f.asked, "; ") }
func (f *paymentFixture) Seal(plain []byte, purpose string) []byte {
	return append([]byte(f.keyID+purpose+"|"), plain...)
}

func (f *paymentFixture) Open(sealed []byte, purpose string) ([]byte, error) {
	_, plain, ok := strings.Cut(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for another purpose, or by another key")
	}
	return []byte(plain), nil
}

func (f *paymentFixture) Inspect(_ ports.Outbound, a ports.PaymentAccount) (string, bool, error) {
	f.record("inspect", a.Key)
	return f.account, f.live, f.inspectErr
}

func (f *paymentFixture) RegisterWebhook(_ ports.Outbound, _ ports.PaymentAccount, address string) (string, string, error) {
	f.record("register", address)
	return "we_1", "whsec_made", f.registerErr
}

func (f *paymentFixture) RemoveWebhook(_ ports.Outbound, _ ports.PaymentAccount, remote string) error {
	f.record("remove", remote)
	return nil
}

func (f *paymentFixture) List(context.Context, id.Project, ports.Page) ([]*integration.Integration, int, error) {
	return f.stored, len(f.stored), nil
}

func (f *paymentFixture) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	for _, i := range f.stored {
		if i.ID == wanted {
			found := *i
			return &found, nil
		}
	}
	return nil, fault.Missing("integration")
}

func (f *paymentFixture) Connect(_ context.Context, i *integration.Integration, route func(*project.Project) error) error {
	if f.connectErr != nil {
		return f.connectErr
	}
	f.stored = []*integration.Integration{i}
	return route(&f.shop)
}

func (f *paymentFixture) Update(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
	i, err := f.ByID(ctx, p, wanted)
	if err == nil {
		err = change(i)
	}
	if err == nil {
		f.stored = []*integration.Integration{i}
	}
	return i, err
}

func (f *paymentFixture) Disconnect(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration, *project.Project)) (*integration.Integration, error) {
	if f.unresolved {
		return nil, fault.New(fault.Conflict, "payments_unresolved", "Busy.")
	}
	return f.Update(ctx, p, wanted, func(i *integration.Integration) error { change(i, &f.shop); return nil })
}

func (f *paymentFixture) Undecided(context.Context, id.Project, id.Integration) (bool, error) {
	return f.unresolved, nil
}

func (f *paymentFixture) Sealed(context.Context) ([]*integration.Integration, error) {
	return f.stored, nil
}

// LeadsInside reports false: there is no private network.
func (f *paymentFixture) LeadsInside(string) bool { return false }

func newPaymentFixture() *paymentFixture { return &paymentFixture{account: "acct_1"} }

func (f *paymentFixture) service() *connecting.Service {
	return &connecting.Service{
		Stores: &ports.Stores{
			Integrations: f,
			InUse:        f,
		},
		Platforms:   map[string]ports.PaymentPlatform{"stripe": f, "paypal": f},
		Hooks:       map[string]ports.WebhookPlatform{"stripe": f},
		HookAddress: func(_ integration.Type, w id.Webhook) string { return "https://shop/hooks/" + w.String()[:4] },
		Addresses:   f,
		Vault:       f,
		Clock:       f,
		Entropy:     f,
		Log:         slog.New(slog.NewTextHandler(&f.log, nil)),
	}
}

func (f *paymentFixture) connect(t *testing.T, key, secret string) (*integration.Integration, error) {
	t.Helper()
	return connect(t, f.service(), &f.shop, integration.Draft{
		Type: integration.Stripe, Credentials: integration.Stripe.Given(key, secret),
	})
}

func (f *paymentFixture) credentials(t *testing.T) integration.Credentials {
	t.Helper()
	c, err := f.stored[0].Open(f.Open)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestService_PrepareConnect_webhook(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		secret string
		change func(*paymentFixture, *connecting.Service)
		said   string
		hook   integration.HookStatus
		signs  string
	}{
		"registers a webhook":           {"", nil, "inspect sk_test_1; register https://shop/hooks/wh_0", integration.HookActive, "whsec_made"},
		"has one of the merchant's own": {"whsec_own", nil, "inspect sk_test_1", integration.HookActive, "whsec_own"},
		"goes on without one": {"", func(f *paymentFixture, _ *connecting.Service) { f.registerErr = errors.New("no answer") },
			"inspect sk_test_1; register https://shop/hooks/wh_0", integration.HookFailed, ""},
		"cannot be reached": {"", func(_ *paymentFixture, s *connecting.Service) {
			s.HookAddress = func(integration.Type, id.Webhook) string { return "" }
		}, "inspect sk_test_1", integration.HookNone, ""},
	} {
		f := newPaymentFixture()
		s := f.service()
		if c.change != nil {
			c.change(f, s)
		}
		i, err := connect(t, s, &f.shop, integration.Draft{Type: integration.Stripe, Credentials: integration.Stripe.Given("sk_test_1", c.secret)})
		if err != nil || i.Hook.Status != c.hook || f.requests() != c.said || f.credentials(t).Signing != c.signs || f.shop.Routes[project.SharedPaymentToken].Integration != i.ID {
			t.Errorf("%s: %v, said %s, %+v", name, err, f.requests(), f.stored)
		}
		if strings.Contains(f.log.String(), "sk_test_1") {
			t.Errorf("%s: the log says %s", name, f.log.String())
		}
	}
}

func TestService_PrepareConnect_refused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*paymentFixture)
		key    string
		code   string
		said   string
	}{
		"a live key is sent nowhere":   {func(*paymentFixture) {}, "sk_live_1", "validation_error", ""},
		"an account of the other mode": {func(f *paymentFixture) { f.live = true }, "rk_1", "validation_error", "inspect rk_1"},
		"refused":                      {func(f *paymentFixture) { f.inspectErr = ports.ErrCredentialsRefused }, "sk_test_1", "authorization_failed", "inspect sk_test_1"},
		"no answer":                    {func(f *paymentFixture) { f.inspectErr = context.DeadlineExceeded }, "sk_test_1", "provider_unavailable", "inspect sk_test_1"},
		"the method is served": {func(f *paymentFixture) {
			f.shop.Routes = map[project.PaymentMethod]project.PaymentRoute{project.SharedPaymentToken: {Provider: "stripe"}}
		}, "sk_test_1", "integration_exists", ""},
		"another one was faster": {func(f *paymentFixture) { f.connectErr = integration.ErrExists() }, "sk_test_1", "integration_exists",
			"inspect sk_test_1; register https://shop/hooks/wh_0; remove we_1"},
	} {
		f := newPaymentFixture()
		c.change(f)
		_, err := f.connect(t, c.key, "")
		if !fault.Is(err, c.code) || f.requests() != c.said || f.stored != nil {
			t.Errorf("%s: %v, said %s", name, err, f.requests())
		}
	}
}

func TestService_PrepareRotation_credentials(t *testing.T) {
	t.Parallel()
	f := newPaymentFixture()
	i, err := f.connect(t, "sk_test_1", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rotate(t, f.service(), i, "sk_test_2", ""); err != nil || f.credentials(t) != (integration.Credentials{Key: "sk_test_2", Signing: "whsec_made"}) {
		t.Errorf("%v, or other credentials", err)
	}
	if _, err := rotate(t, f.service(), i, "sk_test_3", "whsec_new"); err != nil || f.credentials(t).Signing != "whsec_new" {
		t.Errorf("with a signing secret: %v", err)
	}
	f.stored[0].Sealed = []byte("lost")
	if _, err := rotate(t, f.service(), i, "sk_test_4", ""); err != nil || f.credentials(t) != (integration.Credentials{Key: "sk_test_4", Signing: "whsec_made"}) {
		t.Errorf("what cannot be opened: %v", err)
	}
	f.account = "acct_2"
	if _, err := rotate(t, f.service(), i, "sk_test_5", ""); !fault.Is(err, "validation_error") || f.credentials(t).Key != "sk_test_4" {
		t.Errorf("another account: %v", err)
	}
}

func TestService_Disconnect(t *testing.T) {
	t.Parallel()
	f := newPaymentFixture()
	i, err := f.connect(t, "sk_test_1", "")
	if err != nil {
		t.Fatal(err)
	}
	f.unresolved, f.asked = true, nil
	if err := disconnect(t, f.service(), i); !fault.Is(err, "payments_unresolved") || f.requests() != "" {
		t.Errorf("with open payments: %v, said %s", err, f.requests())
	}
	f.unresolved = false
	for range 2 {
		if err := disconnect(t, f.service(), i); err != nil || f.requests() != "remove we_1" || f.shop.Routes != nil {
			t.Errorf("%v, said %s, routes %v", err, f.requests(), f.shop.Routes)
		}
	}
	again, err := f.connect(t, "sk_test_9", "")
	if err != nil || again.ID != i.ID {
		t.Errorf("the same account again: %v, %v", again, err)
	}
}

func TestService_Reseal(t *testing.T) {
	t.Parallel()
	f := newPaymentFixture()
	if _, err := f.connect(t, "sk_test_1", ""); err != nil {
		t.Fatal(err)
	}
	f.keyID = "new "
	if n, err := f.service().Reseal(t.Context()); n != 1 || err != nil || !strings.HasPrefix(string(f.stored[0].Sealed), "new ") || f.credentials(t).Key != "sk_test_1" {
		t.Errorf("%d, %v, %q", n, err, f.stored[0].Sealed)
	}
	f.stored[0].Sealed = []byte("lost")
	if _, err := f.service().Reseal(t.Context()); err == nil {
		t.Error("what cannot be opened is passed over")
	}
}
