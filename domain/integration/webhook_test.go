package integration_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var (
	call = id.New[id.WebhookLog]([16]byte{4})
	at   = id.New[id.Webhook]([16]byte{5})
)

func platform(of integration.Type) *integration.Integration {
	i := integration.Connect(id.New[id.Integration]([16]byte{3}), shop, integration.Draft{Type: of}, config, hook, noon)
	i.Sealed = []byte("sealed")
	return i
}

func TestIntegration_Webhook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of      integration.Type
		topic   string
		actions []string
		wrong   string
	}{
		{integration.Shopify, "products/update", []string{"sync_inventory"}, ""},
		{integration.Shopify, "inventory_levels/update", nil, ""},
		{integration.Custom, "orders/create", []string{"sync_orders", "sync_customers"}, ""},
		{integration.ShipStation, "SHIP_NOTIFY", []string{"sync_orders"}, ""},
		{integration.Shopify, "", nil, "topic"},
		{integration.Shopify, "app/uninstalled", nil, "topic"},
		{integration.Shopify, "products/update", []string{"sync_inventory", "rm"}, "actions.1"},
		{integration.Shopify, "products/update", []string{"sync_inventory", "sync_inventory"}, "actions.1"},
		{integration.ShipStation, "SHIP_NOTIFY", []string{"sync_products"}, "actions.0"},
		{integration.HubSpot, "products/update", nil, "topic"},
		{integration.Stripe, "charge.succeeded", nil, "topic"},
	} {
		w, err := platform(c.of).Webhook(at, c.topic, c.actions, noon)
		var known *fault.Error
		if errors.As(err, &known); (err == nil) != (c.wrong == "") || err != nil && known.Details[0].Field != c.wrong {
			t.Errorf("%s %s %v: %v", c.of, c.topic, c.actions, err)
		}
		if err == nil && (len(w.Actions) != len(c.actions) || w.Type != c.of || w.Status != integration.WebhookActive) {
			t.Errorf("%+v", w)
		}
	}
	for _, a := range integration.Actions {
		if _, known := syncrun.ParseResource(a.Resource().String()); !known || integration.StoredAction(a.String()) != a {
			t.Errorf("%s reads %s", a, a.Resource())
		}
	}
}

func received() *integration.Delivery {
	w, _ := platform(integration.Shopify).Webhook(at, "products/update", nil, noon)
	return w.Receive(call, "remote", noon, []byte("{}"), noon)
}

func TestDelivery_outcomes(t *testing.T) {
	t.Parallel()
	d := received()
	if d.Status != integration.Received || !d.DueAt.Equal(noon) || d.Size != 2 || d.Topic != "products/update" {
		t.Errorf("%+v", d)
	}
	d.Done()
	if d.Status != integration.Processed || d.Payload != nil || !d.DueAt.IsZero() {
		t.Errorf("done: %+v", d)
	}
	d = received()
	d.Repeated()
	if d.Status != integration.Duplicate || d.Payload != nil || !d.DueAt.IsZero() {
		t.Errorf("repeated: %+v", d)
	}
	w, _ := platform(integration.Shopify).Webhook(at, "products/update", nil, noon)
	if d := w.Reject(call, "signed by nobody", 9, noon); d.Status != integration.Rejected || d.Size != 9 || d.Payload != nil || !d.DueAt.IsZero() {
		t.Errorf("rejected: %+v", d)
	}
}

// A delivery is tried six times with growing pauses, and then kept as failed until someone retries it.
func TestDelivery_Failed_retries(t *testing.T) {
	t.Parallel()
	d, now, pause := received(), noon, time.Duration(0)
	for n := range integration.MaxRetries {
		d.Failed("no answer", now)
		if d.Status != integration.Received || d.Retries != n+1 || d.DueAt.Sub(now) <= pause {
			t.Fatalf("after failure %d: %+v", n+1, d)
		}
		pause, now = d.DueAt.Sub(now), d.DueAt
		d.Postpone(now.Add(time.Minute))
		if d.Retries != n+1 {
			t.Fatal("being asked for patience is no failure")
		}
	}
	d.Failed("no answer", now)
	if d.Status != integration.Undone || d.Retries != integration.MaxRetries || !d.DueAt.IsZero() || d.Payload == nil || d.Error != "no answer" {
		t.Fatalf("at last: %+v", d)
	}
	if err := d.Retry(later); err != nil || d.Status != integration.Received || d.Retries != 0 || !d.DueAt.Equal(later) {
		t.Errorf("%v, %+v", err, d)
	}
	before := *d
	if err := d.Retry(later); !errors.Is(err, integration.ErrNotFailed) || !reflect.DeepEqual(*d, before) {
		t.Errorf("what did not fail: %v", err)
	}
}

func TestDelivery_Failed_clipsError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("é", 900), "broken \xff", "short"} {
		d := received()
		d.Failed(text, noon)
		if !utf8.ValidString(d.Error) || len(d.Error) > 510 {
			t.Errorf("%d bytes: %q", len(d.Error), d.Error)
		}
	}
}

func TestResourcesOfASync(t *testing.T) {
	t.Parallel()
	names := func(list []syncrun.Resource) string { return syncrun.Names(list) }
	for _, c := range []struct {
		of          integration.Type
		skip        integration.Skips
		asked       []string
		want, wrong string
	}{
		{integration.Shopify, integration.Skips{}, nil, "products,inventory,customers,orders", ""},
		{integration.Shopify, integration.Skips{Products: true}, nil, "customers,orders", ""},
		{integration.Shopify, integration.Skips{}, []string{"inventory", "products"}, "products,inventory", ""},
		{integration.HubSpot, integration.Skips{}, nil, "customers,orders", ""},
		{integration.ShipStation, integration.Skips{}, nil, "orders", ""},
		{integration.Shopify, integration.Skips{}, []string{"products", "products"}, "", "resources.1"},
		{integration.Shopify, integration.Skips{}, []string{"products", "agents"}, "", "resources.1"},
		{integration.Shopify, integration.Skips{}, []string{"items"}, "", "resources.0"},
		{integration.HubSpot, integration.Skips{}, []string{"products"}, "", "resources.0"},
		{integration.Shopify, integration.Skips{Orders: true}, []string{"orders"}, "", "resources.0"},
		{integration.Shopify, integration.Skips{Products: true}, []string{"inventory"}, "", "resources.0"},
		{integration.Stripe, integration.Skips{}, nil, "", "resources"},
		{integration.ShipStation, integration.Skips{Orders: true}, nil, "", "resources"},
	} {
		i := platform(c.of)
		i.Config.Skip = c.skip
		got, err := i.CheckResources(c.asked)
		var known *fault.Error
		if errors.As(err, &known); (err == nil) != (c.wrong == "") || err != nil && known.Details[0].Field != c.wrong || err == nil && names(got) != c.want {
			t.Errorf("%s %+v %v: %s, %v", c.of, c.skip, c.asked, names(got), err)
		}
	}
}

func TestIntegration_Change(t *testing.T) {
	t.Parallel()
	i := platform(integration.Shopify)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(i.Change(integration.Change{Name: patch.To("Main shop"), SyncOrders: patch.To(false)}, later))
	if i.Name != "Main shop" || !i.Config.Skip.Orders || i.Config.Skip.Products || i.Config.Account != config.Account || !i.UpdatedAt.Equal(later) {
		t.Errorf("%+v", i)
	}
	must(i.Change(integration.Change{Name: patch.Null[string](), SyncOrders: patch.Null[bool]()}, later))
	if i.Name != "Shopify" || i.Config.Skip.Orders {
		t.Errorf("%+v", i)
	}
	before := *i
	for _, name := range []string{"", " ", strings.Repeat("a", 201), "a\nb"} {
		if err := i.Change(integration.Change{Name: patch.To(name), SyncOrders: patch.To(false)}, later); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	if !reflect.DeepEqual(*i, before) {
		t.Error("a refused change changes something")
	}
}

// Requested resources are remembered until a run starts, each once and without those that are switched off.
func TestIntegration_Want(t *testing.T) {
	t.Parallel()
	i := platform(integration.Shopify)
	i.Config.Skip.Orders = true
	i.Want(syncrun.Inventory, syncrun.Orders, syncrun.Inventory)
	i.Want(syncrun.Inventory, syncrun.Products)
	if got := syncrun.Names(i.Wanted); got != "products,inventory" || len(i.Wanted) != 2 {
		t.Error(got)
	}
	i.Disconnect(later)
	i.Want(syncrun.Products)
	if i.Wanted != nil {
		t.Error("of what is disconnected nothing is wanted")
	}
}

func TestCredentials_Stale(t *testing.T) {
	t.Parallel()
	token := integration.Credentials{
		Key:     "a",
		Refresh: "r",
		Expires: noon.Add(5 * time.Minute),
	}
	forever := integration.Credentials{Key: "a", Expires: noon}
	if token.Stale(5*time.Minute, noon) || !token.Stale(5*time.Minute, noon.Add(time.Millisecond)) || forever.Stale(time.Hour, later) {
		t.Error("a token is refreshed too early, too late, or without the means")
	}
}
