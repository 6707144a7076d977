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

// town is a store and a platform that many may use at once. Its clock is the test's.
type town struct {
	ports.IntegrationsInUse
	ports.SyncQueue

	mu       sync.Mutex
	count    byte
	stored   []integration.Integration
	updates  int
	states   map[string]integration.Authorization
	events   []*event.Event
	platform *platform
	runs     runs
	webhooks webhooks
}

func newTown() *town {
	t := &town{states: map[string]integration.Authorization{}, platform: &platform{}}
	t.platform.inspect = func(ports.Connection) (integration.Config, error) { return integration.Config{Account: "A"}, nil }
	t.platform.exchange = func(g ports.CodeGrant) (integration.Credentials, error) { return tokens(g.Code), nil }
	t.platform.refresh = func(c ports.Connection) (integration.Credentials, error) {
		return tokens(c.Credentials.Key + "'"), nil
	}
	return t
}

// tokens are an access token that lasts half an hour, and its refresh token.
func tokens(key string) integration.Credentials {
	return integration.Credentials{
		Key:     key,
		Refresh: "refresh " + key,
		Expires: now().Add(30 * time.Minute),
	}
}

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func (t *town) Now() time.Time { return now() }

func (t *town) Bits128() [16]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	return [16]byte{t.count}
}

func (t *town) IDBits() [16]byte { return t.Bits128() }

func (t *town) Secret(n int) string { return fmt.Sprintf("%0*d", n*8/5, t.Bits128()[0]) }

func (t *town) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain))
}

func (t *town) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), purpose+"|")
	if !ok {
		return nil, errors.New("sealed for another purpose, or by another key")
	}
	return []byte(plain), nil
}

func (t *town) Undecided(context.Context, id.Project, id.Integration) (bool, error) {
	return false, nil
}

func (t *town) at(wanted id.Integration) int {
	return slices.IndexFunc(t.stored, func(i integration.Integration) bool { return i.ID == wanted })
}

func (t *town) List(context.Context, id.Project, ports.Page) (list []*integration.Integration, total int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, i := range t.stored {
		list = append(list, &i)
	}
	return list, len(list), nil
}

func (t *town) ByID(_ context.Context, _ id.Project, wanted id.Integration) (*integration.Integration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.at(wanted); at >= 0 {
		found := t.stored[at]
		return &found, nil
	}
	return nil, fault.Missing("integration")
}

func (t *town) Connect(_ context.Context, i *integration.Integration, _ func(*project.Project) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, other := range t.stored {
		if other.Type == i.Type && other.Status != integration.Disconnected {
			return integration.ErrExists()
		}
	}
	t.stored = append(slices.DeleteFunc(t.stored, func(o integration.Integration) bool { return o.ID == i.ID }), *i)
	return nil
}

func (t *town) Update(_ context.Context, _ id.Project, wanted id.Integration, change func(*integration.Integration) error) (*integration.Integration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.at(wanted)
	if at < 0 {
		return nil, fault.Missing("integration")
	}
	changed := t.stored[at]
	if err := change(&changed); err != nil {
		return nil, err
	}
	t.updates++
	t.stored[at] = changed
	return &changed, nil
}

func (t *town) Disconnect(ctx context.Context, p id.Project, wanted id.Integration, change func(*integration.Integration, *project.Project)) (*integration.Integration, error) {
	return t.Update(ctx, p, wanted, func(i *integration.Integration) error { change(i, &project.Project{}); return nil })
}

func (t *town) Expiring(_ context.Context, before, now time.Time, _ int) (list []*integration.Integration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, i := range t.stored {
		if !i.Expires.IsZero() && i.Expires.Before(before) && !now.Before(i.Refreshing) {
			list = append(list, &i)
		}
	}
	return list, nil
}

func (t *town) Begin(_ context.Context, a *integration.Authorization) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states[a.State] = *a
	return nil
}

func (t *town) Change(_ context.Context, state string, change func(*integration.Authorization) error) (*integration.Authorization, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, known := t.states[state]
	if !known {
		return nil, integration.ErrState
	}
	if err := change(&a); err != nil {
		return nil, err
	}
	t.states[state] = a
	return &a, nil
}

func (t *town) Forget(context.Context, time.Time) error { return nil }

func (t *town) InTx(_ context.Context, _ id.Project, work func(ports.SyncStores) error) error {
	return work(ports.SyncStores{Integrations: t, Events: t})
}

func (t *town) Announce(_ context.Context, e *event.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
	return nil
}

// errors are what integration.error events say.
func (t *town) errors() (list []string) {
	for _, e := range t.events {
		list = append(list, e.Data.(event.IntegrationError).Platform+": "+e.Data.(event.IntegrationError).Error)
	}
	return list
}

// accounts are a replica's.
func (t *town) accounts() *connecting.Accounts {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &connecting.Accounts{
		Integrations: t,
		Queue:        t,
		Connectors:   t.connectors(),
		Vault:        t,
		Clock:        t,
		Log:          log,
		Standing: connecting.Standing{
			Unit:    t,
			Clock:   t,
			Entropy: t,
			Log:     log,
		},
	}
}

func (t *town) connectors() map[string]ports.Connector {
	return map[string]ports.Connector{
		"shopify": t.platform, "hubspot": t.platform, "shipstation": keyed{t.platform}, "custom": keyed{t.platform},
	}
}

// Private is what a resolver says of the town's hosts.
func (t *town) LeadsInside(url string) bool { return strings.Contains(url, "//10.0.0.1") }

func (t *town) service() *connecting.Service {
	return &connecting.Service{
		Stores: &ports.Stores{
			Integrations:   t,
			InUse:          t,
			Authorizations: t,
			Webhooks:       &t.webhooks,
			SyncRuns:       &t.runs,
		},
		Connectors:  t.connectors(),
		Accounts:    t.accounts(),
		MissingApp:  func(integration.Type) string { return "" },
		CallbackURL: func() string { return "https://haggle.test/oauth/callback" },
		StorePage:   func() string { return "https://haggle.test/oauth/shop" },
		HookAddress: func(integration.Type, id.Webhook) string { return "" },
		Addresses:   t,
		Vault:       t,
		Clock:       t,
		Entropy:     t,
		Log:         slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// connected is an integration with credentials.
func (t *town) connected(kind integration.Type, c integration.Credentials) *integration.Integration {
	i := integration.Connect(id.New[id.Integration](t.Bits128()), shop.ID, integration.Draft{Type: kind}, integration.Config{Account: "A"}, integration.Hook{}, now())
	i.Sealed, i.Expires = integration.Seal(i.ID, c, t.Seal), c.Expires
	t.stored = append(t.stored, *i)
	return i
}

// now is an integration as it is stored, with its credentials.
func (t *town) now(tb testing.TB, wanted id.Integration) (*integration.Integration, integration.Credentials) {
	tb.Helper()
	i, err := t.ByID(context.Background(), shop.ID, wanted)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := i.Open(t.Open)
	if err != nil && i.Status != integration.Disconnected {
		tb.Fatal(err)
	}
	return i, c
}

// platform says what a test has it say, and remembers what it was asked.
type platform struct {
	mu    sync.Mutex
	asked []string

	inspect  func(ports.Connection) (integration.Config, error)
	exchange func(ports.CodeGrant) (integration.Credentials, error)
	refresh  func(ports.Connection) (integration.Credentials, error)
	leave    error // what Unregister answers

	needsStore bool
}

func (p *platform) ask(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
}

// said is what it was asked, and forgets it.
func (p *platform) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.asked = nil }()
	return strings.Join(p.asked, "; ")
}

func (p *platform) Inspect(_ ports.Outbound, c ports.Connection) (integration.Config, error) {
	p.ask("inspect %s%s%s", c.Credentials.Key, c.Store, c.BaseURL)
	return p.inspect(c)
}

func (p *platform) Read(ports.Outbound, ports.Connection, ports.PageRequest) (ports.RecordPage, error) {
	return ports.RecordPage{}, nil
}

func (p *platform) NeedsStore() bool { return p.needsStore }

func (p *platform) CheckCallback(g ports.CodeGrant) error {
	if strings.Contains(g.Callback, "hmac=wrong") {
		return ports.ErrCredentialsRefused
	}
	return nil
}

func (p *platform) Consent(c ports.Consent) (string, error) {
	return "https://platform.test/authorize?state=" + c.State + "&shop=" + c.Store, nil
}

func (p *platform) Exchange(_ ports.Outbound, g ports.CodeGrant) (integration.Credentials, error) {
	p.ask("exchange %s", g.Code)
	return p.exchange(g)
}

func (p *platform) Refresh(ctx ports.Outbound, c ports.Connection) (integration.Credentials, error) {
	p.ask("refresh %s", c.Credentials.Key)
	refreshed, err := p.refresh(c)
	if ctx.Err() != nil {
		return integration.Credentials{}, ctx.Err()
	}
	return refreshed, err
}

func (p *platform) Register(ports.Outbound, ports.Connection, string, string) (string, string, error) {
	return "", "", nil
}

func (p *platform) Unregister(_ ports.Outbound, c ports.Connection, remote string) error {
	p.ask("unregister %s with %s", remote, c.Credentials.Key)
	return p.leave
}

func (*platform) SignatureHeader() string { return "" }

func (p *platform) Verify(ports.Call, string) (ports.CallStamp, error) { return ports.CallStamp{}, nil }

func (p *platform) News(ports.Outbound, ports.Connection, string, time.Time, []byte) ([]syncrun.Record, error) {
	return nil, nil
}

// keyed is a platform that knows no consent.
type keyed struct{ ports.Connector }

type runs struct {
	ports.SyncRuns
	list []*syncrun.Run
}

func (r *runs) List(context.Context, id.Project, id.Integration, ports.Page) ([]*syncrun.Run, int, error) {
	return r.list, len(r.list), nil
}

func (r *runs) Update(_ context.Context, _ id.Project, _ id.Sync, change func(*syncrun.Run) error) (*syncrun.Run, error) {
	return r.list[0], change(r.list[0])
}

type webhooks struct {
	ports.IntegrationWebhooks
	list []*integration.Webhook
}

func (w *webhooks) List(context.Context, id.Project, id.Integration) ([]*integration.Webhook, error) {
	return slices.Clone(w.list), nil
}

func (w *webhooks) Remove(_ context.Context, _ id.Project, _ id.Integration, wanted id.Webhook) error {
	w.list = slices.DeleteFunc(w.list, func(one *integration.Webhook) bool { return one.ID == wanted })
	return nil
}
