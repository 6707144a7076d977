package management_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
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

// fakeIntegrations has the integrations of a project, and is a platform that accepts each code and key once.
type fakeIntegrations struct {
	ports.IntegrationsInUse

	bits   byte
	rerun  bool // a transaction was run again
	stored []integration.Integration
	state  *integration.Authorization
	codes  []string
	runs   fakeSyncRuns
	calls  fakeInbox
	hooks  fakeWebhooks
	caller fakeCaller
}

func (o *fakeIntegrations) Bits128() [16]byte { o.bits++; return [16]byte{o.bits} }

func (o *fakeIntegrations) IDBits() [16]byte    { return o.Bits128() }
func (o *fakeIntegrations) Secret(n int) string { return strings.Repeat("x", n) }
func (o *fakeIntegrations) Now() time.Time      { return system{}.Now() }
func (o *fakeIntegrations) Begin(_ context.Context, a *integration.Authorization) error {
	o.state = a
	return nil
}
func (o *fakeIntegrations) Forget(context.Context, time.Time) error { return nil }

func (o *fakeIntegrations) Seal(plain []byte, purpose string) []byte {
	return append([]byte(purpose+"|"), plain...)
}
func (o *fakeIntegrations) Open(sealed []byte, purpose string) ([]byte, error) {
	return []byte(strings.TrimPrefix(string(sealed), purpose+"|")), nil
}

func (o *fakeIntegrations) Change(_ context.Context, state string, change func(*integration.Authorization) error) (*integration.Authorization, error) {
	if o.state == nil || o.state.State != state {
		return nil, integration.ErrState
	}
	return o.state, change(o.state)
}

func (o *fakeIntegrations) List(context.Context, id.Project, ports.Page) (list []*integration.Integration, total int, err error) {
	for _, i := range o.stored {
		list = append(list, &i)
	}
	return list, len(list), nil
}

func (o *fakeIntegrations) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	for _, i := range o.stored {
		if i.ID == wanted {
			return &i, nil
		}
	}
	return nil, fault.Missing("integration")
}

func (o *fakeIntegrations) Connect(_ context.Context, i *integration.Integration, _ func(*project.Project) error) error {
	o.stored = append(o.stored, *i)
	return nil
}

func (o *fakeIntegrations) Update(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
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

func (o *fakeIntegrations) Disconnect(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration, *project.Project)) (*integration.Integration, error) {
	return o.Update(ctx, p, wanted, func(i *integration.Integration) error { change(i, &project.Project{}); return nil })
}

func (o *fakeIntegrations) Metrics(_ context.Context, _ id.Project, names []id.Integration, since time.Time) (map[id.Integration]ports.IntegrationMetrics, error) {
	if !since.Equal(o.Now().Add(-24 * time.Hour)) {
		return nil, errors.New("of another time")
	}
	figures := map[id.Integration]ports.IntegrationMetrics{}
	for _, name := range names {
		figures[name] = ports.IntegrationMetrics{
			Products: 3,
			Orders:   2,
			Errors:   1,
		}
	}
	return figures, nil
}

func (o *fakeIntegrations) Inspect(_ ports.Outbound, c ports.Connection) (integration.Config, error) {
	return integration.Config{Account: "A", Store: c.Store}, nil
}

func (o *fakeIntegrations) Read(ports.Outbound, ports.Connection, ports.PageRequest) (ports.RecordPage, error) {
	return ports.RecordPage{}, nil
}

func (*fakeIntegrations) NeedsStore() bool                    { return false }
func (*fakeIntegrations) CheckCallback(ports.CodeGrant) error { return nil }

func (o *fakeIntegrations) Consent(c ports.Consent) (string, error) {
	return "https://platform.test/?state=" + c.State, nil
}

func (o *fakeIntegrations) Exchange(_ ports.Outbound, g ports.CodeGrant) (integration.Credentials, error) {
	if slices.Contains(o.codes, g.Code) {
		return integration.Credentials{}, ports.ErrCredentialsRefused
	}
	o.codes = append(o.codes, g.Code)
	return integration.Credentials{Key: "secret-token"}, nil
}

func (o *fakeIntegrations) Refresh(ports.Outbound, ports.Connection) (integration.Credentials, error) {
	return integration.Credentials{}, ports.ErrCredentialsRefused
}

// fakeSyncRuns keeps sync runs.
type fakeSyncRuns struct {
	ports.SyncRuns
	ports.ExternalRecordReader
	list []*syncrun.Run
}

func (d *fakeSyncRuns) Start(_ context.Context, r *syncrun.Run) error {
	d.list = append(d.list, r)
	return nil
}

func (d *fakeSyncRuns) find(wanted id.Sync) (*syncrun.Run, error) {
	for _, r := range d.list {
		if r.ID == wanted {
			return r, nil
		}
	}
	return nil, fault.Missing("sync")
}

func (d *fakeSyncRuns) ByID(_ context.Context, _ id.Project, _ id.Integration, wanted id.Sync) (*syncrun.Run, error) {
	return d.find(wanted)
}

func (d *fakeSyncRuns) Update(_ context.Context, _ id.Project, wanted id.Sync, change func(*syncrun.Run) error) (*syncrun.Run, error) {
	r, err := d.find(wanted)
	if err != nil {
		return nil, err
	}
	return r, change(r)
}

func (d *fakeSyncRuns) List(context.Context, id.Project, id.Integration, ports.Page) ([]*syncrun.Run, int, error) {
	return d.list, len(d.list), nil
}

func (d *fakeSyncRuns) Problems(context.Context, id.Project, id.Sync, ports.Page) ([]syncrun.Problem, int, error) {
	return []syncrun.Problem{{Resource: syncrun.Products, Remote: "7", Reason: "has no price", At: system{}.Now()}}, 1, nil
}

// fakeRecords has the external record of one order.
type fakeRecords struct{ ports.ExternalRecordReader }

func (fakeRecords) List(_ context.Context, of ports.RecordSet, _ ports.Page) ([]*syncrun.ExternalRecord, int, error) {
	return []*syncrun.ExternalRecord{{
		Resource: of.Resource, Remote: "1001", At: system{}.Now(),
		Order: &syncrun.Order{
			Number:   "#1",
			Email:    "a@b.test",
			Status:   "paid",
			Total:    "12.50",
			Currency: "USD",
			Items:    1,
			PlacedAt: system{}.Now(),
		},
	}}, 1, nil
}

// fakeInbox has one failed call, and remembers the filters that it was asked for.
type fakeInbox struct {
	ports.Inbox
	asked []ports.LogFilter
	call  integration.Delivery
}

func (l *fakeInbox) Log(_ context.Context, _ id.Project, _ id.Integration, f ports.LogFilter, _ ports.Page) ([]*integration.Delivery, int, error) {
	l.asked = append(l.asked, f)
	return []*integration.Delivery{&l.call}, 1, nil
}

func (l *fakeInbox) Update(_ context.Context, _ id.Project, _ id.Integration, _ id.WebhookLog, change func(*integration.Delivery) error) (*integration.Delivery, error) {
	return &l.call, change(&l.call)
}

type fakeWebhooks struct {
	ports.IntegrationWebhooks
	list []*integration.Webhook
	down error // of Add
}

func (h *fakeWebhooks) List(context.Context, id.Project, id.Integration) ([]*integration.Webhook, error) {
	return h.list, nil
}
func (h *fakeWebhooks) Add(_ context.Context, w *integration.Webhook) error {
	if h.down != nil {
		return h.down
	}
	h.list = append(h.list, w)
	return nil
}
func (h *fakeWebhooks) Remove(context.Context, id.Project, id.Integration, id.Webhook) error {
	h.list = nil
	return nil
}

// fakeCaller is a platform that registers webhooks, and counts registrations.
type fakeCaller struct {
	ports.CalledConnector
	registered, unregistered int
}

func (*fakeCaller) SignatureHeader() string { return "" }

func (c *fakeCaller) Register(ports.Outbound, ports.Connection, string, string) (string, string, error) {
	c.registered++
	return "1", "whsec_secret", nil
}

func (c *fakeCaller) Unregister(ports.Outbound, ports.Connection, string) error {
	c.unregistered++
	return nil
}

func (*fakeCaller) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

func newIntegrationsFixture(t *testing.T) (*fixture, *fakeIntegrations) {
	o := &fakeIntegrations{}
	o.calls.call = integration.Delivery{
		ID:         id.New[id.WebhookLog]([16]byte{1}),
		Topic:      "products/update",
		Status:     integration.Undone,
		Error:      "down",
		Retries:    5,
		Size:       9,
		ReceivedAt: o.Now(),
	}
	w := newFixture(t, func(s *management.Services) {
		address := func(w id.Webhook) string { return "https://haggle.test/hooks/" + w.String() }
		s.Stores.Integrations, s.Stores.InUse, s.Stores.Figures, s.Stores.Authorizations = o, o, o, o
		s.Stores.Webhooks, s.Stores.Inbox, s.Stores.SyncRuns, s.Stores.ExternalRecords = &o.hooks, &o.calls, &o.runs, fakeRecords{}
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
		begin := s.Begin // a store may run a transaction again
		s.Begin = func(ctx context.Context, use *ports.KeyUsage, work func(*ports.Stores, ports.Records) error) (bool, error) {
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

// connected connects a Shopify shop by consent, and returns the path of the integration.
func (w *fixture) connected(t *testing.T) (path string) {
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
