package integration_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var (
	noon   = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	later  = noon.Add(time.Hour)
	name   = id.New[id.Integration]([16]byte{1})
	shop   = id.New[id.Project]([16]byte{2})
	config = integration.Config{Account: "acct_1"}
	hook   = integration.Hook{
		ID:     id.New[id.Webhook]([16]byte{3}),
		Remote: "we_1",
		Status: integration.HookActive,
	}
)

func connected() *integration.Integration {
	i := integration.Connect(name, shop, integration.Draft{Type: integration.Stripe}, config, hook, noon)
	i.Sealed = []byte("sealed")
	return i
}

// Every state and every verb. An empty cell means that the verb is refused or has no effect, and changes nothing.
func TestIntegration_everyStateAndVerb(t *testing.T) {
	t.Parallel()
	verbs := []struct {
		name string
		do   func(*integration.Integration) bool
	}{
		{"rotate", func(i *integration.Integration) bool { return i.Rotate([]byte("new"), config, hook, later) == nil }},
		{"fail", func(i *integration.Integration) bool { return i.Failed(noon, "Refused.", later) }},
		{"recover", func(i *integration.Integration) bool { return i.Recovered(later) }},
		{"disconnect", func(i *integration.Integration) bool { i.Disconnect(later); return i.UpdatedAt.Equal(later) }},
		{"reconnect", func(i *integration.Integration) bool {
			return i.Reconnect(integration.Draft{Type: integration.Stripe}, config, hook, later) == nil
		}},
	}
	states := map[string]struct {
		make func() *integration.Integration
		then []string
	}{
		"connected": {connected, []string{"connected", "error", "", "disconnected", ""}},
		"error": {func() *integration.Integration {
			i := connected()
			i.Failed(noon, "Refused.", noon)
			return i
		}, []string{"connected", "", "connected", "disconnected", ""}},
		"disconnected": {func() *integration.Integration {
			i := connected()
			i.Disconnect(noon)
			return i
		}, []string{"", "", "", "", "connected"}},
	}
	for state, c := range states {
		for n, verb := range verbs {
			i, before := c.make(), c.make()
			done := verb.do(i)
			switch {
			case done != (c.then[n] != ""):
				t.Errorf("%s, %s: done is %v", state, verb.name, done)
			case done && i.Status.String() != c.then[n]:
				t.Errorf("%s, %s: %s, want %s", state, verb.name, i.Status, c.then[n])
			case !done && !reflect.DeepEqual(i, before):
				t.Errorf("%s, %s: it changed to %+v", state, verb.name, i)
			}
			if i.Status != integration.Failing && i.LastError != "" {
				t.Errorf("%s, %s: it is %s with an error", state, verb.name, i.Status)
			}
		}
	}
}

func TestIntegration_Failed_replacedCredentials(t *testing.T) {
	t.Parallel()
	i := connected()
	if err := i.Rotate([]byte("new"), config, hook, later); err != nil {
		t.Fatal(err)
	}
	if i.Failed(noon, "Refused.", later) || i.Status != integration.Connected {
		t.Errorf("the new credentials are %s", i.Status)
	}
}

func TestIntegration_Rotate_otherAccount(t *testing.T) {
	t.Parallel()
	i := connected()
	err := i.Rotate([]byte("new"), integration.Config{Account: "acct_2"}, hook, later)
	if fault.KindOf(err) != fault.Invalid || string(i.Sealed) != "sealed" {
		t.Errorf("%v, sealed %s", err, i.Sealed)
	}
}

func TestIntegration_Disconnect_clearsCredentials(t *testing.T) {
	t.Parallel()
	i := connected()
	i.Disconnect(later)
	_, err := i.Open(func([]byte, string) ([]byte, error) { return []byte("a\nb\nc"), nil })
	if i.Sealed != nil || i.Hook.Remote != "" || !fault.Is(err, "integration_disconnected") {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestIntegration_Route(t *testing.T) {
	t.Parallel()
	i, p := connected(), &project.Project{}
	other := integration.Connect(id.New[id.Integration]([16]byte{9}), shop, integration.Draft{Type: integration.Stripe}, config, hook, noon)
	if err := errors.Join(i.Route(p), i.Route(p)); err != nil {
		t.Fatal(err)
	}
	if got := p.PaymentRoute(project.SharedPaymentToken, false); got.Integration != i.ID || got.Provider != "stripe" {
		t.Errorf("routed to %+v", got)
	}
	if err := other.Route(p); !fault.Is(err, "integration_exists") || p.Routes[project.SharedPaymentToken].Integration != i.ID {
		t.Errorf("a second one: %v, %v", err, p.Routes)
	}
	if got := p.ServedMethods(false); len(got) != 1 || got[0] != project.SharedPaymentToken {
		t.Errorf("production serves %v", got)
	}
	other.Unroute(p)
	i.Unroute(p)
	if p.Routes != nil {
		t.Errorf("left: %v", p.Routes)
	}
}

func TestDraft_Check(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind        integration.Type
		key, secret string
		live        bool
		wrong       string
	}{
		{integration.Stripe, "sk_test_1", "", false, ""},
		{integration.Stripe, "rk_test_1", "whsec_1", false, ""},
		{integration.Stripe, "sk_live_1", "", true, ""},
		{integration.Stripe, "sk_live_1", "", false, "credentials.api_key"},
		{integration.Stripe, "rk_live_1", "", false, "credentials.api_key"},
		{integration.Stripe, "sk_test_1", "", true, "credentials.api_key"},
		{integration.Stripe, "rk_test_1", "", true, "credentials.api_key"},
		{integration.Stripe, "", "", false, "credentials.api_key"},
		{integration.Stripe, "s", "", false, "credentials.api_key"},
		{integration.Stripe, "pk_test_1", "", false, "credentials.api_key"},
		{integration.Stripe, "sk_test_\n1", "", false, "credentials.api_key"},
		{integration.Stripe, "sk_test_" + strings.Repeat("1", 500), "", false, "credentials.api_key"},
		{integration.Stripe, "sk_test_1", "secret", false, "credentials.api_secret"},
		{integration.PayPal, "client", "secret", true, ""},
		{integration.PayPal, "client", "", true, "credentials.api_secret"},
		{integration.PayPal, "", "secret", true, "credentials.api_key"},
	} {
		check := fault.NewCheck()
		integration.Draft{Type: c.kind, Credentials: c.kind.Given(c.key, c.secret)}.Check(check, integration.Rules{Live: c.live})
		err := check.Err()
		var known *fault.Error
		if errors.As(err, &known); (err == nil) != (c.wrong == "") || err != nil && (len(known.Details) != 1 || known.Details[0].Field != c.wrong) {
			t.Errorf("%s %q %q, live %v: %v, want %q", c.kind, c.key, c.secret, c.live, err, c.wrong)
		}
	}
}

func TestType_CheckMode(t *testing.T) {
	t.Parallel()
	for _, account := range []bool{true, false} {
		for _, environment := range []bool{true, false} {
			if err := integration.Stripe.CheckMode(integration.Config{Live: account}, environment); (err == nil) != (account == environment) {
				t.Errorf("account %v in %v: %v", account, environment, err)
			}
		}
	}
}

func TestSeal_Open(t *testing.T) {
	t.Parallel()
	i, want := connected(), integration.Credentials{Key: "k", Signing: "whsec_1"}
	mark := func(plain []byte, purpose string) []byte { return append([]byte(purpose+"|"), plain...) }
	unmark := func(sealed []byte, purpose string) ([]byte, error) {
		plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
		if !ok {
			return nil, errors.New("for another purpose")
		}
		return []byte(plain), nil
	}
	i.Sealed = integration.Seal(i.ID, want, mark)
	if got, err := i.Open(unmark); err != nil || got != want {
		t.Errorf("%#v, %v", got.Key, err)
	}
	tokens := integration.Credentials{
		Key:     "a",
		Refresh: "r",
		Expires: noon,
	}
	i.Sealed = integration.Seal(i.ID, tokens, mark)
	if got, err := i.Open(unmark); err != nil || got != tokens {
		t.Errorf("tokens: %v", err)
	}
	for text, ok := range map[string]bool{"k\n\nwhsec_1": true, "k": false, "k\n\n\n\nsoon": false} { // the first is of an earlier version
		i.Sealed = mark([]byte(text), "credentials of "+i.ID.String())
		if got, err := i.Open(unmark); (err == nil) != ok || ok && got != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	i.Sealed = integration.Seal(i.ID, want, mark)
	other := connected()
	other.ID, other.Sealed = id.New[id.Integration]([16]byte{9}), i.Sealed
	if _, err := other.Open(unmark); err == nil {
		t.Error("another integration opens it")
	}
	if text := fmt.Sprintf("%v %+v %#v %s", want, want, want, want); strings.Contains(text, "whsec") {
		t.Errorf("printed: %s", text)
	}
}

func TestConfig_Syncs(t *testing.T) {
	t.Parallel()
	for skipped, skip := range map[string]integration.Skips{
		"":                   {},
		"products inventory": {Products: true},
		"orders":             {Orders: true},
		"customers":          {Customers: true},
	} {
		c := integration.Config{Skip: skip}
		for _, r := range []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Orders, syncrun.Customers} {
			if want := !strings.Contains(skipped, r.String()); c.Syncs(r) != want {
				t.Errorf("%+v: syncs %s %t, want %t", skip, r, c.Syncs(r), want)
			}
		}
		if c.Syncs(syncrun.Items) {
			t.Errorf("%+v: syncs items", skip)
		}
	}
}
