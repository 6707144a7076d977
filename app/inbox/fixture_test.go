package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

// message is the JSON body that the platform of these tests sends.
type message struct {
	Resource string
	ID       string
	Name     string
	SKU      string
	Item     string
	Quantity int
	At       time.Time
	Poison   bool
	Panic    bool
}

// fakePlatform signs with "X-Signature: " and the secret, and sends messages as JSON.
type fakePlatform struct {
	mu            sync.Mutex
	registered    map[string]string // addresses by the platform's id
	err           error             // of Register and News
	unregisterErr error             // of Unregister
	registering   int
	unregistered  int
	asked         int
}

func (p *fakePlatform) Register(_ ports.Outbound, _ ports.Connection, _, address string) (string, string, error) {
	if p.err != nil {
		return "", "", p.err
	}
	p.registering++
	p.registered = map[string]string{"r1": address}
	return "r1", "s3cret", nil
}

func (p *fakePlatform) Unregister(ports.Outbound, ports.Connection, string) error {
	if p.unregisterErr != nil {
		return p.unregisterErr
	}
	p.unregistered++
	return nil
}

func (*fakePlatform) SignatureHeader() string { return "X-Signature" }

func (p *fakePlatform) Verify(call ports.Call, signing string) (ports.CallStamp, error) {
	if call.Header("X-Signature") != signing {
		return ports.CallStamp{}, errSignature
	}
	return ports.CallStamp{
		Delivery: call.Header("X-Delivery"),
		Topic:    call.Header("X-Topic"),
		At:       call.Now,
	}, nil
}

func (p *fakePlatform) News(_ ports.Outbound, _ ports.Connection, _ string, _ time.Time, payload []byte) ([]syncrun.Record, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.err != nil {
		return nil, p.err
	}
	var t message
	if err := json.Unmarshal(payload, &t); err != nil {
		return nil, &ports.PlatformRefusal{Reason: "The body cannot be read."}
	}
	if t.Panic {
		panic("of all payloads")
	}
	r := syncrun.Record{
		Resource: syncrun.StoredResource(t.Resource),
		Remote:   t.ID,
		At:       t.At,
	}
	switch r.Resource {
	case syncrun.Products:
		r.Product = &syncrun.Product{
			SKU:   t.SKU,
			Name:  t.Name,
			Price: "5",
		}
		if t.Poison {
			r.Product.Description = synctest.Poison
		}
	case syncrun.Inventory:
		r.Level = &syncrun.Level{
			SKU:      t.SKU,
			Location: "main",
			Quantity: t.Quantity,
		}
	}
	return []syncrun.Record{r}, nil
}

type plainVault struct{}

func (plainVault) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain))
}
func (plainVault) Open(sealed []byte, purpose string) ([]byte, error) {
	if len(sealed) < len(purpose) || string(sealed[:len(purpose)]) != purpose {
		return nil, errors.New("sealed for something else")
	}
	return sealed[len(purpose)+1:], nil
}

type fakeAccounts struct{}

func (fakeAccounts) Use(_ ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	if i.Status == integration.Disconnected {
		return integration.ErrDisconnected()
	}
	return work(ports.Connection{})
}

type fixture struct {
	*synctest.World
	platform *fakePlatform
	entropy  *synctest.Entropy
	woken    atomic.Int64
	wanted   atomic.Int64
	webhook  *integration.Webhook
}

func newFixture(t *testing.T, actions ...string) *fixture {
	t.Helper()
	f := &fixture{
		World:    synctest.New(integration.Custom),
		platform: &fakePlatform{},
		entropy:  &synctest.Entropy{},
	}
	w, err := f.register(t, f.service(), "products/update", actions)
	if err != nil {
		t.Fatal(err)
	}
	f.webhook = w
	return f
}

// register registers a webhook and stores it.
func (f *fixture) register(t *testing.T, s *Service, topic string, actions []string) (*integration.Webhook, error) {
	t.Helper()
	w, discard, err := s.Register(ports.NewOutbound(t.Context()), f.Project.ID, f.Integration, topic, actions)
	if err != nil {
		if w != nil || discard != nil {
			t.Errorf("beside %q there is %+v to discard", err, w)
		}
		return nil, err
	}
	if err = s.Webhooks.Add(t.Context(), w); err != nil {
		discard()
	}
	return w, err
}

func (f *fixture) log() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func (f *fixture) platforms() map[string]ports.CalledConnector {
	return map[string]ports.CalledConnector{"custom": f.platform}
}

func (f *fixture) service() *Service {
	r := f.Replica(0)
	return &Service{
		Stores: &ports.Stores{
			Integrations: r.Integrations(),
			Webhooks:     r.Webhooks(),
			Inbox:        r.Inbox(),
		},
		Platforms: f.platforms(),
		Accounts:  fakeAccounts{},
		Address:   func(_ integration.Type, w id.Webhook) string { return "https://shop.example/hooks/" + w.String() },
		Vault:     plainVault{},
		Clock:     f,
		Entropy:   f.entropy,
		Log:       f.log(),
		Wake:      func() { f.woken.Add(1) },
	}
}

func (f *fixture) receiver(r *synctest.Replica, keep func(ports.Inbox) ports.Inbox) *Receiver {
	box := r.Inbox()
	if keep != nil {
		box = keep(box)
	}
	return NewReceiver(ReceiverConfig{
		Webhooks:  r.Webhooks(),
		Inbox:     box,
		Platforms: f.platforms(),
		Vault:     plainVault{},
		Clock:     f,
		Entropy:   f.entropy,
		Log:       f.log(),
		Wake:      func() { f.woken.Add(1) },
	})
}

func (f *fixture) worker(r *synctest.Replica) *Worker {
	return &Worker{
		Queue:        r.InboxQueue(),
		Inbox:        r.Inbox(),
		Webhooks:     r.Webhooks(),
		Integrations: r.Integrations(),
		Projects:     r,
		Unit:         r,
		Platforms:    f.platforms(),
		Accounts:     fakeAccounts{},
		Importer:     fakeImporter{f},
		Clock:        f,
		Log:          f.log(),
		Changed:      func(context.Context, id.Project, []id.Product) {},
		Wanted:       func() { f.wanted.Add(1) },
	}
}

// work lets a replica work on what is due, in batches of size.
func (f *fixture) work(t *testing.T, r *synctest.Replica, size int) {
	t.Helper()
	f.workAs(t, f.worker(r), size)
}

func (f *fixture) workAs(t *testing.T, w *Worker, size int) {
	t.Helper()
	job := w.Job()
	job.Limits.Batch = size
	_, _ = jobs.NewWorker(job).Once(t.Context())
}

func call(headers map[string]string, payload any) ports.Call {
	text, _ := json.Marshal(payload)
	return ports.Call{Header: func(name string) string { return headers[name] }, Payload: text}
}

func signed(delivery string) map[string]string {
	return map[string]string{"X-Signature": "s3cret", "X-Delivery": delivery}
}

// storeDelivery stores a delivery as if it had been received.
func (f *fixture) storeDelivery(t *testing.T, what any) id.WebhookLog {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	var at time.Time
	if t, ok := what.(message); ok {
		at = t.At
	}
	d := f.webhook.Receive(id.New[id.WebhookLog](f.entropy.Bits128()), "", at, text, f.Now())
	f.Deliver(d)
	return d.ID
}

func (f *fixture) wantStatus(t *testing.T, d id.WebhookLog, status integration.LogStatus, why string) {
	t.Helper()
	if got := f.Delivery(d); got.Status != status || got.Error != why {
		t.Errorf("%s %q, want %s %q", got.Status, got.Error, status, why)
	}
}

func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%v, want %s", err, code)
	}
}

// inConflict is the name of a product that was edited here too.
const inConflict = "edited there"

// fakeImporter imports products and levels in the simplest way.
type fakeImporter struct{ *fixture }

func (fi fakeImporter) Import(ctx context.Context, s ports.SyncStores, on ports.ImportScope, records []syncrun.Record) (taken ports.ImportResult, err error) {
	_, err = s.Integrations.Update(ctx, on.Project.ID, on.Integration, func(i *integration.Integration) error {
		if i.Status == integration.Disconnected {
			return integration.ErrDisconnected()
		}
		i.Want(on.Want...)
		return nil
	})
	for _, r := range records {
		if err != nil {
			break
		}
		if r.Product != nil && r.Product.Name == inConflict {
			taken.Changes = append(taken.Changes, syncrun.Change{
				Resource: r.Resource,
				Remote:   r.Remote,
				Kind:     syncrun.Conflict,
			})
		}
		var o syncrun.Outcome
		o, err = fi.one(ctx, s, ports.RecordSet{
			Project:     on.Project.ID,
			Integration: on.Integration,
			Resource:    r.Resource,
		}, r)
		taken.Outcomes = append(taken.Outcomes, o)
	}
	return taken, err
}

func (fi fakeImporter) one(ctx context.Context, s ports.SyncStores, of ports.RecordSet, r syncrun.Record) (o syncrun.Outcome, err error) {
	known, err := s.ExternalRecords.Find(ctx, of, []string{r.Remote})
	if err != nil {
		return o, err
	}
	c, first := &syncrun.ExternalRecord{
		Project:     of.Project,
		Integration: of.Integration,
		Resource:    of.Resource,
		Remote:      r.Remote,
	}, len(known) == 0
	if !first {
		c = known[0]
	}
	if !c.News(r) {
		return syncrun.Outcome{Verdict: syncrun.Unchanged}, nil
	}
	if r.Product != nil {
		o, err = fi.product(ctx, s, r.Product)
	} else {
		o, err = fi.level(ctx, s, r.Level, c, first)
	}
	if err != nil || o.Verdict != syncrun.Updated {
		return o, err
	}
	c.Take(r, nil, syncrun.Fingerprints{}, fi.Now())
	return o, s.ExternalRecords.Save(ctx, []*syncrun.ExternalRecord{c})
}

func (fi fakeImporter) product(ctx context.Context, s ports.SyncStores, p *syncrun.Product) (syncrun.Outcome, error) {
	if p.Name == "" {
		return syncrun.Outcome{Verdict: syncrun.Refused, Reason: "name must not be empty"}, nil
	}
	_, err := s.Products.Upsert(ctx, fi.Project.ID, ports.ProductKeys{SKUs: []string{p.SKU}}, func(known ports.KnownProducts) []ports.ProductWrite {
		next := &catalog.Product{
			ID:    id.New[id.Product](fi.entropy.Bits128()),
			SKU:   p.SKU,
			Price: money.Zero(fi.Project.Settings.Currency),
		}
		if ours := known.BySKU[p.SKU]; ours != nil {
			next.ID = ours.ID
		}
		next.Name, next.Description, next.Variants = p.Name, p.Description, []catalog.Variant{{SKU: p.SKU}}
		return []ports.ProductWrite{{Product: next}}
	})
	return syncrun.Outcome{Verdict: syncrun.Updated}, err
}

func (fi fakeImporter) level(ctx context.Context, s ports.SyncStores, l *syncrun.Level, c *syncrun.ExternalRecord, first bool) (syncrun.Outcome, error) {
	levels, err := s.StockAdjuster.Levels(ctx, fi.Project.ID, []ports.StockPlace{{SKU: l.SKU, Location: l.Location}})
	switch {
	case err != nil:
		return syncrun.Outcome{}, err
	case len(levels) == 0:
		return syncrun.Outcome{Verdict: syncrun.Unknown, Reason: "No product here has the sku " + l.SKU + "."}, nil
	}
	delta := l.Quantity - levels[0].Quantity
	if !first {
		delta = c.Shift(l.Quantity)
	}
	c.Quantity = l.Quantity
	_, err = s.StockAdjuster.Shift(ctx, fi.Project.ID, []ports.StockShift{{SKU: l.SKU, Location: l.Location, Delta: delta}})
	return syncrun.Outcome{Verdict: syncrun.Updated}, err
}
