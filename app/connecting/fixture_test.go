package connecting_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	owner = id.New[id.Account]([16]byte{1})
	shop  = &project.Project{ID: id.New[id.Project]([16]byte{2}), Account: owner}
)

// fixture is a store and a platform for concurrent use. Its clock is that of package time.
type fixture struct {
	ports.IntegrationsInUse
	ports.SyncQueue

	mu       sync.Mutex
	count    byte
	stored   []integration.Integration
	updates  int
	states   map[string]integration.Authorization
	events   []*event.Event
	platform *fakePlatform
	runs     fakeRuns
	webhooks fakeWebhooks
}

func newFixture() *fixture {
	f := &fixture{states: map[string]integration.Authorization{}, platform: &fakePlatform{}}
	f.platform.inspect = func(ports.Connection) (integration.Config, error) { return integration.Config{Account: "A"}, nil }
	f.platform.exchange = func(g ports.CodeGrant) (integration.Credentials, error) { return tokens(g.Code), nil }
	f.platform.refresh = func(c ports.Connection) (integration.Credentials, error) {
		return tokens(c.Credentials.Key + "'"), nil
	}
	return f
}

// tokens returns an access token that is valid for half an hour, and its refresh token.
func tokens(key string) integration.Credentials {
	return integration.Credentials{
		Key:     key,
		Refresh: "refresh " + key,
		Expires: now().Add(30 * time.Minute),
	}
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func (f *fixture) Now() time.Time { return now() }

func (f *fixture) Bits128() [16]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	return [16]byte{f.count}
}

func (f *fixture) IDBits() [16]byte { return f.Bits128() }

func (f *fixture) Secret(n int) string { return fmt.Sprintf("%0*d", n*8/5, f.Bits128()[0]) }

func (f *fixture) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain))
}

func (f *fixture) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for another purpose, or by another key")
	}
	return []byte(plain), nil
}

func (f *fixture) Undecided(context.Context, id.Project, id.Integration) (bool, error) {
	return false, nil
}

func (f *fixture) at(wanted id.Integration) int {
	return slices.IndexFunc(f.stored, func(i integration.Integration) bool { return i.ID == wanted })
}

func (f *fixture) List(context.Context, id.Project, ports.Page) (list []*integration.Integration, total int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.stored {
		list = append(list, &i)
	}
	return list, len(list), nil
}

func (f *fixture) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at := f.at(wanted); at >= 0 {
		found := f.stored[at]
		return &found, nil
	}
	return nil, fault.Missing("integration")
}

func (f *fixture) Connect(_ context.Context, i *integration.Integration, _ func(*project.Project) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.stored {
		if other.Type == i.Type && other.Status != integration.Disconnected {
			return integration.ErrExists()
		}
	}
	f.stored = append(slices.DeleteFunc(f.stored, func(o integration.Integration) bool { return o.ID == i.ID }), *i)
	return nil
}

func (f *fixture) Update(_ context.Context, _ id.Project, wanted id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.at(wanted)
	if at < 0 {
		return nil, fault.Missing("integration")
	}
	changed := f.stored[at]
	if err := change(&changed); err != nil {
		return nil, err
	}
	f.updates++
	f.stored[at] = changed
	return &changed, nil
}

func (f *fixture) Disconnect(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration, *project.Project)) (*integration.Integration, error) {
	return f.Update(ctx, p, wanted, func(i *integration.Integration) error { change(i, &project.Project{}); return nil })
}

func (f *fixture) Expiring(_ context.Context, before, now time.Time, _ int) (list []*integration.Integration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.stored {
		if !i.Expires.IsZero() && i.Expires.Before(before) && !now.Before(i.Refreshing) {
			list = append(list, &i)
		}
	}
	return list, nil
}

func (f *fixture) Begin(_ context.Context, a *integration.Authorization) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.states[a.State] = *a
	return nil
}

func (f *fixture) Change(_ context.Context, state string, change func(*integration.Authorization) error) (*integration.Authorization, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, known := f.states[state]
	if !known {
		return nil, integration.ErrState
	}
	if err := change(&a); err != nil {
		return nil, err
	}
	f.states[state] = a
	return &a, nil
}

func (f *fixture) Forget(context.Context, time.Time) error { return nil }

func (f *fixture) InTx(_ context.Context, _ id.Project, work func(ports.SyncStores) error) error {
	return work(ports.SyncStores{Integrations: f, Events: f})
}

func (f *fixture) Announce(_ context.Context, e *event.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	return nil
}

// errors returns the texts of the integration.error events.
func (f *fixture) errors() (list []string) {
	for _, e := range f.events {
		list = append(list, e.Data.(event.IntegrationError).Platform+": "+e.Data.(event.IntegrationError).Error)
	}
	return list
}

// accounts returns the Accounts of one replica.
func (f *fixture) accounts() *connecting.Accounts {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &connecting.Accounts{
		Integrations: f,
		Queue:        f,
		Connectors:   f.connectors(),
		Vault:        f,
		Clock:        f,
		Log:          log,
		Health: connecting.HealthRecorder{
			Unit:    f,
			Clock:   f,
			Entropy: f,
			Log:     log,
		},
	}
}

func (f *fixture) connectors() map[string]ports.Connector {
	return map[string]ports.Connector{
		"shopify": f.platform, "hubspot": f.platform, "shipstation": keyOnlyPlatform{f.platform}, "custom": keyOnlyPlatform{f.platform},
	}
}

// LeadsInside reports whether a URL's host is 10.0.0.1.
func (f *fixture) LeadsInside(url string) bool { return strings.Contains(url, "//10.0.0.1") }

func (f *fixture) service() *connecting.Service {
	return &connecting.Service{
		Stores: &ports.Stores{
			Integrations:   f,
			InUse:          f,
			Authorizations: f,
			Webhooks:       &f.webhooks,
			SyncRuns:       &f.runs,
		},
		Connectors:  f.connectors(),
		Accounts:    f.accounts(),
		MissingApp:  func(integration.Type) string { return "" },
		CallbackURL: func() string { return "https://haggle.test/oauth/callback" },
		StorePage:   func() string { return "https://haggle.test/oauth/shop" },
		HookAddress: func(integration.Type, id.Webhook) string { return "" },
		Addresses:   f,
		Vault:       f,
		Clock:       f,
		Entropy:     f,
		Log:         slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// addConnected stores an integration with credentials.
func (f *fixture) addConnected(kind integration.Type, c integration.Credentials) *integration.Integration {
	i := integration.Connect(id.New[id.Integration](f.Bits128()), shop.ID, integration.Draft{Type: kind}, integration.Config{Account: "A"}, integration.Hook{}, now())
	i.Sealed, i.Expires = integration.Seal(i.ID, c, f.Seal), c.Expires
	f.stored = append(f.stored, *i)
	return i
}

// load returns an integration as stored, with its credentials.
func (f *fixture) load(tb testing.TB, wanted id.Integration) (*integration.Integration, integration.Credentials) {
	tb.Helper()
	i, err := f.ByID(context.Background(), shop.ID, wanted)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := i.Open(f.Open)
	if err != nil && i.Status != integration.Disconnected {
		tb.Fatal(err)
	}
	return i, c
}

// fakePlatform answers as a test sets it, and records the requests.
type fakePlatform struct {
	mu    sync.Mutex
	asked []string

	inspect       func(ports.Connection) (integration.Config, error)
	exchange      func(ports.CodeGrant) (integration.Credentials, error)
	refresh       func(ports.Connection) (integration.Credentials, error)
	unregisterErr error // error of Unregister

	needsStore bool
}

func (p *fakePlatform) record(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
}

// takeRequests returns the recorded requests and clears them.
func (p *fakePlatform) takeRequests() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.asked = nil }()
	return strings.Join(p.asked, "; ")
}

func (p *fakePlatform) Inspect(_ ports.Outbound, c ports.Connection) (integration.Config, error) {
	p.record("inspect %s%s%s", c.Credentials.Key, c.Store, c.BaseURL)
	return p.inspect(c)
}

func (p *fakePlatform) Read(ports.Outbound, ports.Connection, ports.PageRequest) (ports.RecordPage, error) {
	return ports.RecordPage{}, nil
}

func (p *fakePlatform) NeedsStore() bool { return p.needsStore }

func (p *fakePlatform) CheckCallback(g ports.CodeGrant) error {
	if strings.Contains(g.Callback, "hmac=wrong") {
		return ports.ErrCredentialsRefused
	}
	return nil
}

func (p *fakePlatform) Consent(c ports.Consent) (string, error) {
	return "https://platform.test/authorize?state=" + c.State + "&shop=" + c.Store, nil
}

func (p *fakePlatform) Exchange(_ ports.Outbound, g ports.CodeGrant) (integration.Credentials, error) {
	p.record("exchange %s", g.Code)
	return p.exchange(g)
}

func (p *fakePlatform) Refresh(ctx ports.Outbound, c ports.Connection) (integration.Credentials, error) {
	p.record("refresh %s", c.Credentials.Key)
	refreshed, err := p.refresh(c)
	if ctx.Err() != nil {
		return integration.Credentials{}, ctx.Err()
	}
	return refreshed, err
}

func (p *fakePlatform) Register(ports.Outbound, ports.Connection, string, string) (string, string, error) {
	return "", "", nil
}

func (p *fakePlatform) Unregister(_ ports.Outbound, c ports.Connection, remote string) error {
	p.record("unregister %s with %s", remote, c.Credentials.Key)
	return p.unregisterErr
}

func (*fakePlatform) SignatureHeader() string { return "" }

func (p *fakePlatform) Verify(ports.Call, string) (ports.CallStamp, error) {
	return ports.CallStamp{}, nil
}

func (p *fakePlatform) News(ports.Outbound, ports.Connection, string, time.Time, []byte) ([]syncrun.Record, error) {
	return nil, nil
}

// keyOnlyPlatform is a platform without OAuth.
type keyOnlyPlatform struct{ ports.Connector }

type fakeRuns struct {
	ports.SyncRuns
	list []*syncrun.Run
}

func (r *fakeRuns) List(context.Context, id.Project, id.Integration, ports.Page) ([]*syncrun.Run, int, error) {
	return r.list, len(r.list), nil
}

func (r *fakeRuns) Update(_ context.Context, _ id.Project, _ id.Sync, change func(*syncrun.Run) error) (*syncrun.Run, error) {
	return r.list[0], change(r.list[0])
}

type fakeWebhooks struct {
	ports.IntegrationWebhooks
	list []*integration.Webhook
}

func (w *fakeWebhooks) List(context.Context, id.Project, id.Integration) ([]*integration.Webhook, error) {
	return slices.Clone(w.list), nil
}

func (w *fakeWebhooks) Remove(_ context.Context, _ id.Project, _ id.Integration, wanted id.Webhook) error {
	w.list = slices.DeleteFunc(w.list, func(one *integration.Webhook) bool { return one.ID == wanted })
	return nil
}
