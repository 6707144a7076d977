package inbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Deliveries are imported in the order in which their changes happened.
func TestWorker_oldestFirst(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 64} {
		f := newFixture(t, "sync_inventory")
		at := f.Now().Add(-time.Hour)
		product := func(name string, after time.Duration) message {
			return message{
				Resource: "products",
				ID:       "p1",
				SKU:      "T-1",
				Name:     name,
				At:       at.Add(after),
			}
		}
		list := []id.WebhookLog{
			f.storeDelivery(t, product("last", 2*time.Minute)), f.storeDelivery(t, product("first", 0)), f.storeDelivery(t, product("second", time.Minute)),
			f.storeDelivery(t, message{
				Resource: "inventory",
				ID:       "l1",
				SKU:      "T-1",
				Quantity: 4,
				At:       at,
			}),
		}
		f.work(t, f.Replica(0), size)
		for range 3 { // a level may arrive before its product
			f.Pass(time.Minute)
			f.work(t, f.Replica(0), size)
		}
		for _, d := range list {
			f.wantStatus(t, d, integration.Processed, "")
			if f.Delivery(d).Payload != nil {
				t.Error("a payload of no more use is kept")
			}
		}
		if p := f.Product("T-1"); p == nil || p.Name != "last" || f.Stock("T-1", "main") != 4 {
			t.Errorf("in groups of %d: %+v, %d left", size, p, f.Stock("T-1", "main"))
		}
		if i := f.Integrated(); !slices.Equal(i.Wanted, []syncrun.Resource{syncrun.Inventory}) || f.wanted.Load() == 0 {
			t.Errorf("wanted %v", i.Wanted)
		}
	}
}

func TestWorker_deliveryStatus(t *testing.T) {
	t.Parallel()
	good := message{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	}
	for name, c := range map[string]struct {
		what    any
		err     error
		status  integration.LogStatus
		why     string
		retries int
		after   time.Duration
	}{
		"taken":              {good, nil, integration.Processed, "", 0, 0},
		"a body of nonsense": {"nonsense", nil, integration.Undone, "The body cannot be read.", 0, 0},
		"not acceptable": {message{
			Resource: "products",
			ID:       "p1",
			SKU:      "T-1",
		}, nil, integration.Undone, "name must not be empty", 0, 0},
		"stock of nobody's": {message{
			Resource: "inventory",
			ID:       "l1",
			SKU:      "X",
		}, nil, integration.Received, "No product here has the sku X.", 1, 2 * time.Second},
		"refused by database": {message{
			Resource: "products",
			ID:       "p1",
			SKU:      "T-1",
			Name:     "x",
			Poison:   true,
		}, nil, integration.Received, "The platform's data could not be processed.", 1, 2 * time.Second},
		"no answer":           {good, &ports.PlatformFailure{Reason: "No answer."}, integration.Received, "No answer.", 1, 2 * time.Second},
		"patience asked for":  {good, ports.Throttled{After: 7 * time.Second}, integration.Received, "", 0, 7 * time.Second},
		"credentials refused": {good, ports.ErrCredentialsRefused, integration.Received, "The platform rejected the account's credentials.", 1, 2 * time.Second},
		"refused for good":    {good, &ports.PlatformRefusal{Reason: "No."}, integration.Undone, "No.", 0, 0},
	} {
		f := newFixture(t)
		f.platform.err = c.err
		d := f.storeDelivery(t, c.what)
		f.work(t, f.Replica(0), 64)
		f.wantStatus(t, d, c.status, c.why)
		got := f.Delivery(d)
		if got.Retries != c.retries || c.status == integration.Received && !got.DueAt.Equal(f.Now().Add(c.after)) || (got.Payload == nil) != (c.status == integration.Processed) {
			t.Errorf("%s: %d retries, due in %s", name, got.Retries, got.DueAt.Sub(f.Now()))
		}
	}
}

func TestWorker_badDelivery(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var good []id.WebhookLog
	for n := range 5 {
		good = append(good, f.storeDelivery(t, message{
			Resource: "products",
			ID:       fmt.Sprint(n),
			SKU:      fmt.Sprint("T-", n),
			Name:     "Tent",
		}))
	}
	bad := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "bad",
		SKU:      "bad",
		Name:     "x",
		Poison:   true,
	})
	f.work(t, f.Replica(0), 64)
	for _, d := range good {
		f.wantStatus(t, d, integration.Processed, "")
	}
	for n := range integration.MaxRetries {
		if got := f.Delivery(bad); got.Status != integration.Received || got.Retries != n+1 {
			t.Fatalf("%s after %d retries", got.Status, got.Retries)
		}
		f.Pass(31 * time.Minute)
		f.work(t, f.Replica(0), 64)
	}
	f.wantStatus(t, bad, integration.Undone, "The platform's data could not be processed.")
	if _, err := f.service().Retry(t.Context(), f.Project.ID, f.Integration, bad); err != nil || f.Delivery(bad).Retries != 0 {
		t.Errorf("trying again: %v", err)
	}
	_, err := f.service().Retry(t.Context(), f.Project.ID, f.Integration, good[0])
	wantFault(t, err, "delivery_not_failed")
}

// If the platform does not answer for one delivery, it gets no requests for the others of the batch.
func TestWorker_platformDown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.platform.err = &ports.PlatformFailure{Reason: "No answer."}
	first, second := f.storeDelivery(t, message{ID: "1"}), f.storeDelivery(t, message{ID: "2"})
	f.work(t, f.Replica(0), 64)
	if f.platform.asked != 1 || f.Delivery(first).Retries+f.Delivery(second).Retries != 1 {
		t.Errorf("asked %d times, retries %d and %d", f.platform.asked, f.Delivery(first).Retries, f.Delivery(second).Retries)
	}
}

func TestWorker_disconnectedIntegration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	f.Change(func(i *integration.Integration) { i.Disconnect(f.Now()) })
	f.work(t, f.Replica(0), 64)
	f.wantStatus(t, d, integration.Undone, "The integration was disconnected.")
	if f.Products() != 0 || f.Delivery(d).Payload == nil {
		t.Error("it was taken, or forgotten")
	}
}

// A replica dies at each of its calls in turn, and another one continues.
func TestWorker_replicaDies(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		f := newFixture(t)
		at := f.Now().Add(-time.Hour)
		f.Set("T-1", "main", 50)
		list := []id.WebhookLog{
			f.storeDelivery(t, message{
				Resource: "products",
				ID:       "p1",
				SKU:      "T-1",
				Name:     "Tent",
				At:       at,
			}),
			f.storeDelivery(t, message{
				Resource: "inventory",
				ID:       "l1",
				SKU:      "T-1",
				Quantity: 9,
				At:       at,
			}),
			f.storeDelivery(t, message{
				Resource: "inventory",
				ID:       "l1",
				SKU:      "T-1",
				Quantity: 7,
				At:       at.Add(time.Minute),
			}),
		}
		dying := f.Replica(diesAt)
		f.work(t, dying, 2)
		for range 3 { // a level may arrive before its product
			f.Pass(time.Minute)
			f.work(t, f.Replica(0), 2)
		}
		for _, d := range list {
			f.wantStatus(t, d, integration.Processed, "")
		}
		if f.Stock("T-1", "main") != 7 || f.Products() != 1 || t.Failed() {
			t.Fatalf("died at %d: %d left, %d products", diesAt, f.Stock("T-1", "main"), f.Products())
		}
		if !dying.Dead() {
			return
		}
	}
}

func TestWorker_manyWorkers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	at := f.Now().Add(-24 * time.Hour)
	for n := range 500 {
		f.storeDelivery(t, message{
			Resource: "products",
			ID:       fmt.Sprint(n % 10),
			SKU:      fmt.Sprint("T-", n%10),
			Name:     fmt.Sprint("Tent ", n),
			At:       at.Add(time.Duration(n) * time.Second),
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { jobs.NewWorker(f.worker(f.Replica(0)).Job()).Run(ctx) })
	}
	left := func() (n int) {
		for _, d := range f.Deliveries() {
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
		if p := f.Product(fmt.Sprint("T-", n)); p.Name != fmt.Sprint("Tent ", 490+n) {
			t.Errorf("T-%d is %s", n, p.Name)
		}
	}
}

// busyUnit is a database that is too busy for transactions.
type busyUnit struct{ ports.SyncUnit }

func (busyUnit) InTx(context.Context, id.Project, func(ports.SyncStores) error) error {
	return fault.New(fault.Unavailable, "storage_unavailable", "The database is busy.")
}

func TestWorker_Postpone_databaseBusy(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := f.storeDelivery(t, message{
		Resource: "products",
		ID:       "p1",
		SKU:      "T-1",
		Name:     "Tent",
	})
	w := f.worker(f.Replica(0))
	w.Unit = busyUnit{}
	f.workAs(t, w, 64)
	if got := f.Delivery(d); got.Status != integration.Received || got.Retries != 0 || !got.DueAt.Equal(f.Now().Add(retryPause)) {
		t.Errorf("%s, %d retries, due in %s", got.Status, got.Retries, got.DueAt.Sub(f.Now()))
	}
}
