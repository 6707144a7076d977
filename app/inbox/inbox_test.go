package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	l := newLab(t, "sync_inventory")
	if want := "https://shop.example/hooks/" + l.webhook.ID.String(); l.platform.registered["r1"] != want || l.webhook.Remote != "r1" {
		t.Errorf("registered %v, webhook %+v", l.platform.registered, l.webhook)
	}
	if strings.HasPrefix(string(l.webhook.Signing), "s3cret") || len(l.webhook.Signing) == 0 {
		t.Errorf("the signing secret is kept as %q", l.webhook.Signing)
	}
	s := l.service()
	register := func(topic string) error {
		_, err := l.register(t, s, topic, nil)
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
		l.platform.refusing = c.err
		wantFault(t, register("orders/create"), c.code)
	}
	l.platform.refusing = nil
	s.Webhooks = full{s.Webhooks}
	wantFault(t, register("orders/create"), "too_many_webhooks")
	if l.platform.unregistered != 1 {
		t.Error("a webhook that is not stored is left at the platform")
	}
	if err := s.Unregister(ports.NewOutbound(t.Context()), l.Project.ID, l.Integration, l.webhook.ID); err != nil || l.platform.unregistered != 2 {
		t.Errorf("removing: %v, %d unregistered", err, l.platform.unregistered)
	}
	if err := s.Webhooks.Remove(t.Context(), l.Project.ID, l.Integration, l.webhook.ID); err != nil {
		t.Fatal(err)
	}
	wantFault(t, s.Unregister(ports.NewOutbound(t.Context()), l.Project.ID, l.Integration, l.webhook.ID), "webhook_not_found")
	l.Change(func(i *integration.Integration) { i.Disconnect(l.Now()) })
	wantFault(t, register("orders/create"), "integration_disconnected")
}

// A webhook that is not removed at the platform now, but may be later, is not to be forgotten here.
func TestUnregister_failed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for name, c := range map[string]struct {
		err  error
		full bool
		code string // "": none
	}{
		"no answer":           {err: &ports.PlatformFailure{Reason: "x"}, code: "provider_unavailable"},
		"too late":            {err: context.DeadlineExceeded, code: "provider_unavailable"},
		"busy":                {err: ports.Throttled{After: time.Second}, code: "provider_unavailable"},
		"overload":            {full: true, code: "overloaded"},
		"refused":             {err: &ports.PlatformRefusal{Reason: "x"}},
		"credentials refused": {err: ports.ErrCredentialsRefused},
	} {
		s := l.service()
		if l.platform.keeping = c.err; c.full {
			s.Waiting = bulkhead.NewRoom(bulkhead.Shares{})
		}
		err := s.Unregister(ports.NewOutbound(t.Context()), l.Project.ID, l.Integration, l.webhook.ID)
		if fault.Is(err, c.code) != (c.code != "") || (err == nil) != (c.code == "") {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
	}
}

// full takes no more webhooks.
type full struct{ ports.IntegrationWebhooks }

func (full) Add(context.Context, *integration.Webhook) error {
	return fault.New(fault.Conflict, "too_many_webhooks", "Too many.")
}

func TestReceive(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.receiver(l.Replica(0), nil)
	receive := func(headers map[string]string) error {
		return r.Receive(t.Context(), l.webhook.ID, call(headers, told{Resource: "products", ID: "p1"}))
	}
	for _, delivery := range []string{"d1", "d1", "", "", strings.Repeat("x", 300) + "1", strings.Repeat("x", 300) + "2", "a\xffb"} {
		if err := receive(signed(delivery)); err != nil {
			t.Error(err)
		}
	}
	count := func(status integration.LogStatus) (n int) {
		for _, d := range l.Deliveries() {
			if d.Status == status {
				n++
			}
		}
		return n
	}
	if count(integration.Received) != 6 || count(integration.Duplicate) != 1 || l.woken.Load() == 0 {
		t.Errorf("%d received, %d duplicates", count(integration.Received), count(integration.Duplicate))
	}
	wantFault(t, receive(map[string]string{"X-Signature": "wrong"}), "invalid_signature")
	wantFault(t, receive(map[string]string{"X-Signature": "s3cret", "X-Topic": "orders/create"}), "invalid_signature")
	if count(integration.Rejected) != 2 {
		t.Errorf("%d rejections are logged", count(integration.Rejected))
	}
	wantFault(t, r.Receive(t.Context(), id.New[id.Webhook]([16]byte{9}), call(signed("d"), 1)), "webhook_not_found")
	l.Change(func(i *integration.Integration) { i.Disconnect(l.Now()) })
	l.Pass(fresh)
	wantFault(t, receive(signed("d2")), "webhook_not_found")
}

// A flood of refused calls is a few rows a minute, and one that tells how many more there were.
// A webhook whose secret has changed, by another server, is read again for a call that is signed with the new one.
func TestReceive_otherSecret(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.receiver(l.Replica(0), nil)
	receive := func(secret string) error {
		return r.Receive(t.Context(), l.webhook.ID, call(map[string]string{"X-Signature": secret, "X-Delivery": secret}, told{}))
	}
	if err := receive("s3cret"); err != nil {
		t.Fatal(err)
	}
	w := *l.webhook
	w.Restore("r2", plainVault{}.Seal([]byte("other"), Purpose(w.ID)), l.Now())
	if err := l.Replica(0).Webhooks().Check(t.Context(), &w, l.webhook.CheckAt, true); err != nil {
		t.Fatal(err)
	}
	wantFault(t, receive("other"), "invalid_signature") // it was read just now
	l.Pass(100 * time.Millisecond)
	if err := receive("other"); err != nil {
		t.Error(err)
	}
	wantFault(t, receive("s3cret"), "invalid_signature")
}

func TestReceive_refusals(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.receiver(l.Replica(0), nil)
	flood := func(calls int) {
		for range calls {
			wantFault(t, r.Receive(t.Context(), l.webhook.ID, call(nil, told{})), "invalid_signature")
		}
	}
	rows := func(want int) (list []integration.Delivery) {
		t.Helper()
		if err := r.LogRefusals(t.Context()); err != nil {
			t.Error(err)
		}
		for _, d := range l.Deliveries() {
			if d.Status != integration.Rejected || d.Payload != nil {
				t.Errorf("kept of a refused call: %+v", d)
			}
		}
		if list = l.Deliveries(); len(list) != want {
			t.Errorf("%d rows, want %d", len(list), want)
		}
		return list
	}
	flood(1_500)
	rows(listedRefusals)
	l.Pass(refusalWindow)
	list := rows(listedRefusals + 1)
	if last := list[len(list)-1]; !strings.Contains(last.Error, " 1495 more calls ") {
		t.Errorf("it says %q", last.Error)
	}
	rows(listedRefusals + 1)
	flood(20)
	l.Pass(refusalWindow)
	flood(1) // ends the window before the loop does
	list = rows(2*listedRefusals + 3)
	if !slices.ContainsFunc(list, func(d integration.Delivery) bool { return strings.Contains(d.Error, " 15 more calls ") }) {
		t.Error("no row tells of the 15 calls")
	}
	l.Pass(refusalWindow)
	rows(2*listedRefusals + 3)
	if n := len(r.refused); n != 0 {
		t.Errorf("%d windows are kept in memory", n)
	}
}

// counting counts the transactions, of which some fail.
type counting struct {
	ports.Inbox
	mu    sync.Mutex
	sizes []int
	fail  func([]*integration.Delivery) error
}

func (c *counting) Keep(ctx context.Context, list []*integration.Delivery) error {
	c.mu.Lock()
	c.sizes = append(c.sizes, len(list))
	c.mu.Unlock()
	if err := c.fail(list); err != nil {
		return err
	}
	time.Sleep(3 * time.Millisecond) // as long as a disk takes
	return c.Inbox.Keep(ctx, list)
}

func TestCallsAtTheSameTimeAreStoredTogether(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var reads int
	replica := l.Replica(0)
	var mu sync.Mutex
	replica.Before = func(call string) {
		mu.Lock()
		defer mu.Unlock()
		if call == "webhooks.called" {
			reads++
		}
	}
	box := &counting{fail: func(list []*integration.Delivery) error {
		if slices.ContainsFunc(list, func(d *integration.Delivery) bool { return d.Remote == "bad" }) {
			return errors.New("the database does not take it")
		}
		return nil
	}}
	r := l.receiver(replica, func(i ports.Inbox) ports.Inbox { box.Inbox = i; return box })
	const callers, each = 64, 20
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for n := range each {
				name := fmt.Sprintf("d%d-%d", c, n)
				if c == 7 && n == 3 {
					name = "bad"
				}
				err := r.Receive(t.Context(), l.webhook.ID, call(signed(name), told{ID: name}))
				if (err != nil) != (name == "bad") {
					t.Errorf("%s: %v", name, err)
				}
				if _, stored := l.stored(name); stored != (err == nil) {
					t.Errorf("%s: answered %v, stored: %v", name, err, stored)
				}
			}
		})
	}
	all.Wait()
	if got := len(l.Deliveries()); got != callers*each-1 {
		t.Errorf("%d are stored", got)
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	if len(box.sizes) > callers*each/4 || slices.Max(box.sizes) > most {
		t.Errorf("%d transactions of at most %d", len(box.sizes), slices.Max(box.sizes))
	}
	if reads > callers {
		t.Errorf("the webhook is read %d times", reads)
	}
}

func (l *lab) stored(remote string) (integration.Delivery, bool) {
	list := l.Deliveries()
	at := slices.IndexFunc(list, func(d integration.Delivery) bool { return d.Remote == remote })
	if at < 0 {
		return integration.Delivery{}, false
	}
	return list[at], true
}

func TestWhatDeliveriesTellIsTakenOldestFirst(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 64} {
		l := newLab(t, "sync_inventory")
		at := l.Now().Add(-time.Hour)
		product := func(name string, after time.Duration) told {
			return told{Resource: "products", ID: "p1", SKU: "T-1", Name: name, At: at.Add(after)}
		}
		list := []id.WebhookLog{
			l.came(t, product("last", 2*time.Minute)), l.came(t, product("first", 0)), l.came(t, product("second", time.Minute)),
			l.came(t, told{Resource: "inventory", ID: "l1", SKU: "T-1", Quantity: 4, At: at}),
		}
		l.work(t, l.Replica(0), size)
		for range 3 { // a level may have come before its product
			l.Pass(time.Minute)
			l.work(t, l.Replica(0), size)
		}
		for _, d := range list {
			l.wantStatus(t, d, integration.Processed, "")
			if l.Delivery(d).Payload != nil {
				t.Error("a payload of no more use is kept")
			}
		}
		if p := l.Product("T-1"); p == nil || p.Name != "last" || l.Stock("T-1", "main") != 4 {
			t.Errorf("in groups of %d: %+v, %d left", size, p, l.Stock("T-1", "main"))
		}
		if i := l.Integrated(); !slices.Equal(i.Wanted, []syncrun.Resource{syncrun.Inventory}) || l.wanted.Load() == 0 {
			t.Errorf("wanted %v", i.Wanted)
		}
	}
}

func TestWhatBecomesOfADelivery(t *testing.T) {
	t.Parallel()
	good := told{Resource: "products", ID: "p1", SKU: "T-1", Name: "Tent"}
	for name, c := range map[string]struct {
		what    any
		err     error
		status  integration.LogStatus
		why     string
		retries int
		after   time.Duration
	}{
		"taken":               {good, nil, integration.Processed, "", 0, 0},
		"a body of nonsense":  {"nonsense", nil, integration.Undone, "The body cannot be read.", 0, 0},
		"not acceptable":      {told{Resource: "products", ID: "p1", SKU: "T-1"}, nil, integration.Undone, "name must not be empty", 0, 0},
		"stock of nobody's":   {told{Resource: "inventory", ID: "l1", SKU: "X"}, nil, integration.Received, "No product here has the sku X.", 1, 2 * time.Second},
		"refused by database": {told{Resource: "products", ID: "p1", SKU: "T-1", Name: "x", Poison: true}, nil, integration.Received, "What the platform sent could not be worked on.", 1, 2 * time.Second},
		"no answer":           {good, &ports.PlatformFailure{Reason: "No answer."}, integration.Received, "No answer.", 1, 2 * time.Second},
		"patience asked for":  {good, ports.Throttled{After: 7 * time.Second}, integration.Received, "", 0, 7 * time.Second},
		"credentials refused": {good, ports.ErrCredentialsRefused, integration.Received, "The platform refused the account's credentials.", 1, 2 * time.Second},
		"refused for good":    {good, &ports.PlatformRefusal{Reason: "No."}, integration.Undone, "No.", 0, 0},
	} {
		l := newLab(t)
		l.platform.refusing = c.err
		d := l.came(t, c.what)
		l.work(t, l.Replica(0), 64)
		l.wantStatus(t, d, c.status, c.why)
		got := l.Delivery(d)
		if got.Retries != c.retries || c.status == integration.Received && !got.DueAt.Equal(l.Now().Add(c.after)) || (got.Payload == nil) != (c.status == integration.Processed) {
			t.Errorf("%s: %d retries, due in %s", name, got.Retries, got.DueAt.Sub(l.Now()))
		}
	}
}

func TestOneBadDeliverySpoilsNoOther(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var good []id.WebhookLog
	for n := range 5 {
		good = append(good, l.came(t, told{Resource: "products", ID: fmt.Sprint(n), SKU: fmt.Sprint("T-", n), Name: "Tent"}))
	}
	bad := l.came(t, told{Resource: "products", ID: "bad", SKU: "bad", Name: "x", Poison: true})
	l.work(t, l.Replica(0), 64)
	for _, d := range good {
		l.wantStatus(t, d, integration.Processed, "")
	}
	for n := range integration.MaxRetries {
		if got := l.Delivery(bad); got.Status != integration.Received || got.Retries != n+1 {
			t.Fatalf("%s after %d retries", got.Status, got.Retries)
		}
		l.Pass(31 * time.Minute)
		l.work(t, l.Replica(0), 64)
	}
	l.wantStatus(t, bad, integration.Undone, "What the platform sent could not be worked on.")
	if _, err := l.service().Retry(t.Context(), l.Project.ID, l.Integration, bad); err != nil || l.Delivery(bad).Retries != 0 {
		t.Errorf("trying again: %v", err)
	}
	_, err := l.service().Retry(t.Context(), l.Project.ID, l.Integration, good[0])
	wantFault(t, err, "delivery_not_failed")
}

func TestOncePlatformIsBusyItIsAskedNoMore(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.platform.refusing = &ports.PlatformFailure{Reason: "No answer."}
	first, second := l.came(t, told{ID: "1"}), l.came(t, told{ID: "2"})
	l.work(t, l.Replica(0), 64)
	if l.platform.asked != 1 || l.Delivery(first).Retries+l.Delivery(second).Retries != 1 {
		t.Errorf("asked %d times, retries %d and %d", l.platform.asked, l.Delivery(first).Retries, l.Delivery(second).Retries)
	}
}

func TestDeliveriesOfADisconnectedIntegrationWait(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	d := l.came(t, told{Resource: "products", ID: "p1", SKU: "T-1", Name: "Tent"})
	l.Change(func(i *integration.Integration) { i.Disconnect(l.Now()) })
	l.work(t, l.Replica(0), 64)
	l.wantStatus(t, d, integration.Undone, "The integration was disconnected.")
	if l.Products() != 0 || l.Delivery(d).Payload == nil {
		t.Error("it was taken, or forgotten")
	}
}

// A replica is killed at each of its calls in turn, and another one goes on.
func TestAnotherReplicaTakesWhatOneDiedWith(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		l := newLab(t)
		at := l.Now().Add(-time.Hour)
		l.Set("T-1", "main", 50)
		list := []id.WebhookLog{
			l.came(t, told{Resource: "products", ID: "p1", SKU: "T-1", Name: "Tent", At: at}),
			l.came(t, told{Resource: "inventory", ID: "l1", SKU: "T-1", Quantity: 9, At: at}),
			l.came(t, told{Resource: "inventory", ID: "l1", SKU: "T-1", Quantity: 7, At: at.Add(time.Minute)}),
		}
		dying := l.Replica(diesAt)
		l.work(t, dying, 2)
		for range 3 { // a level may come before its product
			l.Pass(time.Minute)
			l.work(t, l.Replica(0), 2)
		}
		for _, d := range list {
			l.wantStatus(t, d, integration.Processed, "")
		}
		if l.Stock("T-1", "main") != 7 || l.Products() != 1 || t.Failed() {
			t.Fatalf("died at %d: %d left, %d products", diesAt, l.Stock("T-1", "main"), l.Products())
		}
		if !dying.Dead() {
			return
		}
	}
}

func TestManyWorkersShareTheWork(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	at := l.Now().Add(-24 * time.Hour)
	for n := range 500 {
		l.came(t, told{Resource: "products", ID: fmt.Sprint(n % 10), SKU: fmt.Sprint("T-", n%10), Name: fmt.Sprint("Tent ", n), At: at.Add(time.Duration(n) * time.Second)})
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { jobs.NewWorker(l.worker(l.Replica(0)).Job()).Run(ctx) })
	}
	left := func() (n int) {
		for _, d := range l.Deliveries() {
			if d.Status != integration.Processed {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(20 * time.Second); left() > 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	all.Wait()
	if left() > 0 {
		t.Fatalf("%d are left", left())
	}
	for n := range 10 {
		if p := l.Product(fmt.Sprint("T-", n)); p.Name != fmt.Sprint("Tent ", 490+n) {
			t.Errorf("T-%d is %s", n, p.Name)
		}
	}
}

var _ ports.SyncUnit = (*synctest.Replica)(nil)

// busy is a database that has no time for transactions.
type busy struct{ ports.SyncUnit }

func (busy) InTx(context.Context, id.Project, func(ports.SyncStores) error) error {
	return fault.New(fault.Unavailable, "storage_unavailable", "The database is busy.")
}

func TestWhatABusyDatabaseDoesNotTakeIsPutOff(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	d := l.came(t, told{Resource: "products", ID: "p1", SKU: "T-1", Name: "Tent"})
	w := l.worker(l.Replica(0))
	w.Unit = busy{}
	l.workAs(t, w, 64)
	if got := l.Delivery(d); got.Status != integration.Received || got.Retries != 0 || !got.DueAt.Equal(l.Now().Add(again)) {
		t.Errorf("%s, %d retries, due in %s", got.Status, got.Retries, got.DueAt.Sub(l.Now()))
	}
}

func TestRegister_storesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, "sync_inventory")
	s, before := l.service(), 0
	stored := func() int {
		list, err := s.Webhooks.List(t.Context(), l.Project.ID, l.Integration)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before = stored()
	w, discard, err := s.Register(ports.NewOutbound(t.Context()), l.Project.ID, l.Integration, "orders/create", nil)
	if err != nil || stored() != before {
		t.Fatalf("%v, %d webhooks, want %d", err, stored(), before)
	}
	discard()
	if l.platform.unregistered != 1 {
		t.Errorf("%d webhooks were unregistered, want 1", l.platform.unregistered)
	}
	if err := s.Webhooks.Add(t.Context(), w); err != nil || stored() != before+1 {
		t.Errorf("%v, %d webhooks, want %d", err, stored(), before+1)
	}
}
