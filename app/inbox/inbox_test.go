package inbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sync_inventory")
	if want := "https://shop.example/hooks/" + f.webhook.ID.String(); f.platform.registered["r1"] != want || f.webhook.Remote != "r1" {
		t.Errorf("registered %v, webhook %+v", f.platform.registered, f.webhook)
	}
	if strings.HasPrefix(string(f.webhook.Signing), "s3cret") || len(f.webhook.Signing) == 0 {
		t.Errorf("the signing secret is kept as %q", f.webhook.Signing)
	}
	s := f.service()
	register := func(topic string) error {
		_, err := f.register(t, s, topic, nil)
		return err
	}
	wantFault(t, register("products/update"), "webhook_exists")
	wantFault(t, register("nonsense"), "validation_error")
	for _, c := range []struct {
		err  error
		code string
	}{
		{&ports.PlatformFailure{Reason: "x"}, "provider_unavailable"}, {ports.Throttled{After: time.Second}, "provider_unavailable"},
		{&ports.PlatformRefusal{Reason: "x"}, "platform_refused"}, {ports.ErrCredentialsRefused, "credentials_refused"},
	} {
		f.platform.err = c.err
		wantFault(t, register("orders/create"), c.code)
	}
	f.platform.err = nil
	s.Webhooks = fullWebhooks{s.Webhooks}
	wantFault(t, register("orders/create"), "too_many_webhooks")
	if f.platform.unregistered != 1 {
		t.Error("a webhook that is not stored is left at the platform")
	}
	if err := s.Unregister(ports.NewOutbound(t.Context()), f.Project.ID, f.Integration, f.webhook.ID); err != nil || f.platform.unregistered != 2 {
		t.Errorf("removing: %v, %d unregistered", err, f.platform.unregistered)
	}
	if err := s.Webhooks.Remove(t.Context(), f.Project.ID, f.Integration, f.webhook.ID); err != nil {
		t.Fatal(err)
	}
	wantFault(t, s.Unregister(ports.NewOutbound(t.Context()), f.Project.ID, f.Integration, f.webhook.ID), "webhook_not_found")
	f.Change(func(i *integration.Integration) { i.Disconnect(f.Now()) })
	wantFault(t, register("orders/create"), "integration_disconnected")
}

// If the platform may still remove a webhook later, Unregister returns an error so that the webhook stays stored here.
func TestUnregister_failed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		err  error
		full bool
		code string // "": no error
	}{
		"no answer":           {err: &ports.PlatformFailure{Reason: "x"}, code: "provider_unavailable"},
		"too late":            {err: context.DeadlineExceeded, code: "provider_unavailable"},
		"busy":                {err: ports.Throttled{After: time.Second}, code: "provider_unavailable"},
		"overload":            {full: true, code: "overloaded"},
		"refused":             {err: &ports.PlatformRefusal{Reason: "x"}},
		"credentials refused": {err: ports.ErrCredentialsRefused},
	} {
		s := f.service()
		if f.platform.unregisterErr = c.err; c.full {
			s.Waiting = bulkhead.NewRoom(bulkhead.Shares{})
		}
		err := s.Unregister(ports.NewOutbound(t.Context()), f.Project.ID, f.Integration, f.webhook.ID)
		if fault.Is(err, c.code) != (c.code != "") || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

// fullWebhooks accepts no more webhooks.
type fullWebhooks struct{ ports.IntegrationWebhooks }

func (fullWebhooks) Add(context.Context, *integration.Webhook) error {
	return fault.New(fault.Conflict, "too_many_webhooks", "Too many.")
}

var _ ports.SyncUnit = (*synctest.Replica)(nil)

func TestRegister_storesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sync_inventory")
	s, before := f.service(), 0
	stored := func() int {
		list, err := s.Webhooks.List(t.Context(), f.Project.ID, f.Integration)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before = stored()
	w, discard, err := s.Register(ports.NewOutbound(t.Context()), f.Project.ID, f.Integration, "orders/create", nil)
	if err != nil || stored() != before {
		t.Fatalf("%v, %d webhooks, want %d", err, stored(), before)
	}
	discard()
	if f.platform.unregistered != 1 {
		t.Errorf("%d webhooks were unregistered, want 1", f.platform.unregistered)
	}
	if err := s.Webhooks.Add(t.Context(), w); err != nil || stored() != before+1 {
		t.Errorf("%v, %d webhooks, want %d", err, stored(), before+1)
	}
}
