package management_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// office is what a project is connected to, and a platform that takes every code and key once.
type office struct {
	ports.IntegrationsInUse

	bits   byte
	rerun  bool // a transaction was run again
	stored []integration.Integration
	state  *integration.Authorization
	codes  []string
	runs   desk
	calls  log
	hooks  hooks
	caller caller
}

func (o *office) Bits128() [16]byte { o.bits++; return [16]byte{o.bits} }

func (o *office) IDBits() [16]byte    { return o.Bits128() }
func (o *office) Secret(n int) string { return strings.Repeat("x", n) }
func (o *office) Now() time.Time      { return system{}.Now() }
func (o *office) Begin(_ context.Context, a *integration.Authorization) error {
	o.state = a
	return nil
}
func (o *office) Forget(context.Context, time.Time) error { return nil }

func (o *office) Seal(plain []byte, purpose string) []byte {
	return append([]byte(purpose+"|"), plain...)
}
func (o *office) Open(sealed []byte, purpose string) ([]byte, error) {
	return []byte(strings.TrimPrefix(string(sealed), purpose+"|")), nil
}

func (o *office) Change(_ context.Context, state string, change func(*integration.Authorization) error) (*integration.Authorization, error) {
	if o.state == nil || o.state.State != state {
		return nil, integration.ErrState
	}
	return o.state, change(o.state)
}

func (o *office) List(context.Context, id.Project, ports.Page) (list []*integration.Integration, total int, err error) {
	for _, i := range o.stored {
		list = append(list, &i)
	}
	return list, len(list), nil
}

func (o *office) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	for _, i := range o.stored {
		if i.ID == wanted {
			return &i, nil
		}
	}
	return nil, fault.Missing("integration")
}

func (o *office) Connect(_ context.Context, i *integration.Integration, _ func(*project.Project) error) error {
	o.stored = append(o.stored, *i)
	return nil
}

func (o *office) Update(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
	i, err := o.ByID(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	if err := change(i); err != nil {
		return nil, err
	}
	for n := range o.stored {
		if o.stored[n].ID == wanted {
			o.stored[n] = *i
		}
	}
	return i, nil
}

func (o *office) Disconnect(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration, *project.Project)) (*integration.Integration, error) {
	return o.Update(ctx, p, wanted, func(i *integration.Integration) error { change(i, &project.Project{}); return nil })
}

func (o *office) Metrics(_ context.Context, _ id.Project, names []id.Integration, since time.Time) (map[id.Integration]ports.IntegrationMetrics, error) {
	if !since.Equal(o.Now().Add(-24 * time.Hour)) {
		return nil, errors.New("of another time")
	}
	figures := map[id.Integration]ports.IntegrationMetrics{}
	for _, name := range names {
		figures[name] = ports.IntegrationMetrics{Products: 3, Orders: 2, Errors: 1}
	}
	return figures, nil
}

func (o *office) Inspect(_ ports.Outbound, c ports.Connection) (integration.Config, error) {
	return integration.Config{Account: "A", Store: c.Store}, nil
}

func (o *office) Read(ports.Outbound, ports.Connection, ports.PageRequest) (ports.RecordPage, error) {
	return ports.RecordPage{}, nil
}

func (*office) NeedsStore() bool                    { return false }
func (*office) CheckCallback(ports.CodeGrant) error { return nil }

func (o *office) Consent(c ports.Consent) (string, error) {
	return "https://platform.test/?state=" + c.State, nil
}

func (o *office) Exchange(_ ports.Outbound, g ports.CodeGrant) (integration.Credentials, error) {
	if slices.Contains(o.codes, g.Code) {
		return integration.Credentials{}, ports.ErrCredentialsRefused
	}
	o.codes = append(o.codes, g.Code)
	return integration.Credentials{Key: "secret-token"}, nil
}

func (o *office) Refresh(ports.Outbound, ports.Connection) (integration.Credentials, error) {
	return integration.Credentials{}, ports.ErrCredentialsRefused
}

// desk keeps runs and copies.
type desk struct {
	ports.SyncRuns
	ports.CopyReader
	list []*syncrun.Run
}

func (d *desk) Start(_ context.Context, r *syncrun.Run) error { d.list = append(d.list, r); return nil }

func (d *desk) find(wanted id.Sync) (*syncrun.Run, error) {
	for _, r := range d.list {
		if r.ID == wanted {
			return r, nil
		}
	}
	return nil, fault.Missing("sync")
}

func (d *desk) ByID(_ context.Context, _ id.Project, _ id.Integration, wanted id.Sync) (*syncrun.Run, error) {
	return d.find(wanted)
}

func (d *desk) Update(_ context.Context, _ id.Project, wanted id.Sync, change func(*syncrun.Run) error) (*syncrun.Run, error) {
	r, err := d.find(wanted)
	if err != nil {
		return nil, err
	}
	return r, change(r)
}

func (d *desk) List(context.Context, id.Project, id.Integration, ports.Page) ([]*syncrun.Run, int, error) {
	return d.list, len(d.list), nil
}

func (d *desk) Problems(context.Context, id.Project, id.Sync, ports.Page) ([]syncrun.Problem, int, error) {
	return []syncrun.Problem{{Resource: syncrun.Products, Remote: "7", Reason: "has no price", At: system{}.Now()}}, 1, nil
}

// copies are of one order.
type copies struct{ ports.CopyReader }

func (copies) List(_ context.Context, of ports.CopiesOf, _ ports.Page) ([]*syncrun.Copy, int, error) {
	return []*syncrun.Copy{{
		Resource: of.Resource, Remote: "1001", At: system{}.Now(),
		Order: &syncrun.Order{Number: "#1", Email: "a@b.test", Status: "paid", Total: "12.50", Currency: "USD", Items: 1, PlacedAt: system{}.Now()},
	}}, 1, nil
}

// log is of one failed call, and keeps what it was asked for.
type log struct {
	ports.Inbox
	asked []ports.LogFilter
	call  integration.Delivery
}

func (l *log) Log(_ context.Context, _ id.Project, _ id.Integration, f ports.LogFilter, _ ports.Page) ([]*integration.Delivery, int, error) {
	l.asked = append(l.asked, f)
	return []*integration.Delivery{&l.call}, 1, nil
}

func (l *log) Update(_ context.Context, _ id.Project, _ id.Integration, _ id.WebhookLog, change func(*integration.Delivery) error) (*integration.Delivery, error) {
	return &l.call, change(&l.call)
}

type hooks struct {
	ports.IntegrationWebhooks
	list []*integration.Webhook
	down error // of Add
}

func (h *hooks) List(context.Context, id.Project, id.Integration) ([]*integration.Webhook, error) {
	return h.list, nil
}
func (h *hooks) Add(_ context.Context, w *integration.Webhook) error {
	if h.down != nil {
		return h.down
	}
	h.list = append(h.list, w)
	return nil
}
func (h *hooks) Remove(context.Context, id.Project, id.Integration, id.Webhook) error {
	h.list = nil
	return nil
}

// caller is a platform that calls us.
type caller struct {
	ports.CalledConnector
	registered, unregistered int
}

func (*caller) SignatureHeader() string { return "" }

func (c *caller) Register(ports.Outbound, ports.Connection, string, string) (string, string, error) {
	c.registered++
	return "1", "whsec_secret", nil
}

func (c *caller) Unregister(ports.Outbound, ports.Connection, string) error {
	c.unregistered++
	return nil
}

func (*caller) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

func openOffice(t *testing.T) (*world, *office) {
	o := &office{}
	o.calls.call = integration.Delivery{
		ID: id.New[id.WebhookLog]([16]byte{1}), Topic: "products/update", Status: integration.Undone, Error: "down", Retries: 5, Size: 9, ReceivedAt: o.Now(),
	}
	w := newWorld(t, func(s *management.Services) {
		address := func(w id.Webhook) string { return "https://haggle.test/hooks/" + w.String() }
		s.Stores.Integrations, s.Stores.InUse, s.Stores.Figures, s.Stores.Authorizations = o, o, o, o
		s.Stores.Webhooks, s.Stores.Inbox, s.Stores.SyncRuns, s.Stores.Copies = &o.hooks, &o.calls, &o.runs, copies{}
		s.Connecting = &connecting.Service{
			Stores:      s.Stores,
			Connectors:  map[string]ports.Connector{"shopify": o, "custom": o},
			MissingApp:  func(integration.Type) string { return "" },
			CallbackURL: func() string { return "https://haggle.test/oauth/callback" },
			StorePage:   func() string { return "https://haggle.test/oauth/shop" },
			HookAddress: func(integration.Type, id.Webhook) string { return "" },
			Addresses:   system{},
			Vault:       o,
			Clock:       o,
			Entropy:     o,
			Log:         slog.New(slog.DiscardHandler),
		}
		s.Syncing = &syncing.Service{
			Stores:  s.Stores,
			Clock:   o,
			Entropy: o,
			Wake:    func() {},
		}
		s.Inbox = &inbox.Service{
			Stores:    s.Stores,
			Platforms: map[string]ports.CalledConnector{"shopify": &o.caller},
			Accounts:  &o.caller,
			Address:   func(_ integration.Type, w id.Webhook) string { return address(w) },
			Vault:     o,
			Clock:     o,
			Entropy:   o,
			Wake:      func() {},
		}
		s.HookAddress = address
		begin := s.Begin // as a store may that has to begin again
		s.Begin = func(ctx context.Context, use *ports.KeyUse, work func(*ports.Stores, ports.Records) error) (bool, error) {
			before := slices.Clone(o.stored)
			if committed, err := begin(ctx, use, work); err != nil || o.rerun || o.codes == nil {
				return committed, err
			}
			o.stored, o.rerun = before, true
			return begin(ctx, use, work)
		}
	})
	return w, o
}

// connected is a Shopify shop that was connected by consent; path is of it.
func (w *world) connected(t *testing.T) (path string) {
	t.Helper()
	begun := w.call("admin", "POST", "/v1/integrations/connect", `{"type": "shopify", "redirect_uri": "https://m.test/back", "store_domain": "a.myshopify.com"}`, w.in(w.one))
	state := strings.Repeat("x", 32)
	wants(t, begun, "OK", `"authorization_url":"https://platform.test/?state=`+state, `"state":"`+state, `"expires_in":600`)
	done := w.call("admin", "POST", "/v1/integrations/connect/complete", `{"type": "shopify", "code": "c", "state": "`+state+`", "callback_query": "shop=a.myshopify.com"}`, w.in(w.one))
	wants(t, done, "Created", `"type":"shopify"`, `"status":"connected"`, `"store_domain":"a.myshopify.com"`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(done, "Created ")), &made); err != nil {
		t.Fatal(err)
	}
	return "/v1/integrations/" + made.ID
}

// The transaction of the completion is run twice, and the platform takes its code once.
func TestConnectingByConsent(t *testing.T) {
	t.Parallel()
	w, o := openOffice(t)
	path := w.connected(t)
	if !o.rerun || len(o.stored) != 1 || len(o.codes) != 1 {
		t.Errorf("stored %d for %d codes", len(o.stored), len(o.codes))
	}
	wants(t, w.call("admin", "GET", path, "", w.in(w.one)), "OK",
		`"config":{"store_domain":"a.myshopify.com","sync_products":true,"sync_orders":true,"sync_customers":true,"write_orders":false,"refused_orders":"keep",`+
			`"offer_unpublished":false,"offer_gift_cards":false,"offer_subscription_only":false}`, `"last_sync":null`,
		`"metrics":{"products_synced":3,"orders_synced":2,"errors_24h":1}`)
	again := w.call("admin", "POST", "/v1/integrations/connect/complete", `{"type": "shopify", "code": "c", "state": "`+strings.Repeat("x", 32)+`", "callback_query": "shop=a.myshopify.com"}`, w.in(w.one))
	wants(t, again, "Bad Request", "invalid_state")
	wants(t, w.call("admin", "POST", "/v1/integrations/connect", `{"type": "stripe"}`, w.in(w.one)), "Unprocessable", `"field":"type"`, `"field":"redirect_uri"`)
	for _, e := range w.logged {
		if text := fmt.Sprintf("%s %s %s", e.Target, e.Before, e.After); strings.Contains(text, "secret-token") || strings.Contains(text, strings.Repeat("x", 32)) {
			t.Errorf("the audit log has %s", text)
		}
	}
}

func TestChangingAnIntegration(t *testing.T) {
	t.Parallel()
	w, _ := openOffice(t)
	path := w.connected(t)
	change := func(body string) string { return w.call("admin", "PATCH", path, body, w.in(w.one)) }
	wants(t, change(`{"name": "Our shop", "config": {"sync_orders": false}}`), "OK", `"name":"Our shop"`, `"sync_products":true,"sync_orders":false`)
	wants(t, change(`{"config": {"sync_customers": false}}`), `"name":"Our shop"`, `"sync_orders":false,"sync_customers":false`)
	wants(t, change(`{"name": null, "config": {"sync_orders": null}}`), `"name":"Shopify"`, `"sync_orders":true,"sync_customers":false`)
	wants(t, change(`{"config": null}`), `"sync_orders":true,"sync_customers":true`)
	wants(t, change(`{"name": ""}`), "Unprocessable", `"field":"name"`)
	own := w.call("admin", "POST", "/v1/integrations/connect/api-key", `{"type": "custom", "credentials": {"api_key": "k"},
		"config": {"base_url": "https://erp.test", "sync_customers": false}}`, w.in(w.one))
	wants(t, own, "Created", `"config":{"base_url":"https://erp.test","sync_products":true,"sync_orders":true,"sync_customers":false,"write_orders":false,"refused_orders":"keep"}`)
}

func TestSyncs(t *testing.T) {
	t.Parallel()
	w, o := openOffice(t)
	path := w.connected(t) + "/sync"
	get := func(path string) string { return w.call("admin", "GET", path, "", w.in(w.one)) }
	wants(t, w.call("admin", "POST", path, "", w.in(w.one)), "Accepted", `"status":"running","resources":["products","inventory","customers","orders"],"started_at"`)
	wants(t, w.call("admin", "POST", path, `{"resources": ["inventory", "products"], "full_sync": true}`, w.in(w.one)), "Accepted", `"resources":["products","inventory"]`)
	wants(t, w.call("admin", "POST", path, `{"resources": ["moods"]}`, w.in(w.one)), "Unprocessable", `"field":"resources.0"`)
	run := o.runs.list[1]
	_ = run.Advance(syncrun.Counters{Created: 2, Updated: 1, Unchanged: 4, Errors: 1}, time.Time{}, "", o.Now(), o.Now())
	one := path + "/" + run.ID.String()
	wants(t, get(one), "OK", `"full_sync":true`, `"products":{"total":8,"created":2,"updated":1,"unchanged":4,"errors":1,"conflicts":0}`, `"completed_at":null,"duration_ms":null,"error":null`)
	wants(t, get(one+"/errors"), "OK", `"resource":"products","record_id":"7","reason":"has no price","at":`, `"total":1`)
	wants(t, w.call("admin", "POST", one+"/cancel", "", w.in(w.one)), "OK", `"status":"canceled"`, `"duration_ms":0`)
	wants(t, get(path+"/history"), "OK", `"data":[{"sync_id":"`, `"total":2`)
	wants(t, get(path+"/sync_1"), "Not Found", "sync_not_found")
	wants(t, get(strings.TrimSuffix(path, "/sync")+"/records?resource=orders"), "OK",
		`"record_id":"1001","resource":"orders","local_id":null,"sku":null`, `"removed":false,"order":{"number":"#1","email":"a@b.test"`, `"reference":null,"canceled":false}`)
	wants(t, get(strings.TrimSuffix(path, "/sync")+"/records"), "Bad Request", `"field":"resource"`)
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	w, o := openOffice(t)
	path := w.connected(t) + "/webhooks"
	get := func(path string) string { return w.call("admin", "GET", path, "", w.in(w.one)) }
	wants(t, w.call("admin", "POST", path, `{"topic": "products/update", "actions": ["sync_inventory"]}`, w.in(w.one)), "Created",
		`"topic":"products/update","endpoint":"https://haggle.test/hooks/wh_`, `"status":"active","actions":["sync_inventory"],"created_at"`)
	wants(t, get(path), "OK", `"data":[{"id":"wh_`, `"total":1`)
	wants(t, get(path+"/logs?since=1h&status=failed"), "OK", `"status":"failed","error":"down","retry_count":5,"payload_size":9,"received_at"`)
	if want := (ports.LogFilter{Since: o.Now().Add(-time.Hour), Status: integration.Undone}); o.calls.asked[0] != want {
		t.Errorf("asked for %+v", o.calls.asked[0])
	}
	wants(t, get(path+"/logs?since=1w"), "Bad Request", "invalid_request", `"field":"since"`)
	wants(t, get(path+"/logs?status=lost"), "Bad Request", `"field":"status"`)
	wants(t, w.call("admin", "POST", path+"/logs/"+o.calls.call.ID.String()+"/retry", "", w.in(w.one)), "Accepted", `"status":"received"`)
	wants(t, w.call("admin", "DELETE", path+"/"+o.hooks.list[0].ID.String(), "", w.in(w.one)), http.StatusText(http.StatusNoContent))
	wants(t, w.call("admin", "DELETE", path+"/wh_1", "", w.in(w.one)), "Not Found", "webhook_not_found")
}

// A webhook is unregistered with its platform if it could not be stored, after the transaction.
func TestWebhookThatIsNotStored(t *testing.T) {
	t.Parallel()
	w, o := openOffice(t)
	path := w.connected(t) + "/webhooks"
	register := func() string {
		return w.call("admin", "POST", path, `{"topic": "products/update"}`, w.in(w.one))
	}
	o.hooks.down = fault.New(fault.Conflict, "webhook_exists", "Another request was first.")
	wants(t, register(), "Conflict", "webhook_exists")
	if o.caller.registered != 1 || o.caller.unregistered != 1 {
		t.Errorf("%d webhooks were registered, %d unregistered", o.caller.registered, o.caller.unregistered)
	}
	o.hooks.down = nil
	wants(t, register(), "Created")
	if o.caller.registered != 2 || o.caller.unregistered != 1 {
		t.Errorf("a webhook that is stored: %d were registered, %d unregistered", o.caller.registered, o.caller.unregistered)
	}
}
