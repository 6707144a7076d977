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

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.receiver(f.Replica(0), nil)
	receive := func(headers map[string]string) error {
		return r.Receive(t.Context(), f.webhook.ID, call(headers, message{Resource: "products", ID: "p1"}))
	}
	for _, delivery := range []string{"d1", "d1", "", "", strings.Repeat("x", 300) + "1", strings.Repeat("x", 300) + "2", "a\xffb"} {
		if err := receive(signed(delivery)); err != nil {
			t.Error(err)
		}
	}
	count := func(status integration.LogStatus) (n int) {
		for _, d := range f.Deliveries() {
			if d.Status == status {
				n++
			}
		}
		return n
	}
	if count(integration.Received) != 6 || count(integration.Duplicate) != 1 || f.woken.Load() == 0 {
		t.Errorf("%d received, %d duplicates", count(integration.Received), count(integration.Duplicate))
	}
	wantFault(t, receive(map[string]string{"X-Signature": "wrong"}), "invalid_signature")
	wantFault(t, receive(map[string]string{"X-Signature": "s3cret", "X-Topic": "orders/create"}), "invalid_signature")
	if count(integration.Rejected) != 2 {
		t.Errorf("%d rejections are logged", count(integration.Rejected))
	}
	wantFault(t, r.Receive(t.Context(), id.New[id.Webhook]([16]byte{9}), call(signed("d"), 1)), "webhook_not_found")
	f.Change(func(i *integration.Integration) { i.Disconnect(f.Now()) })
	f.Pass(cacheLife)
	wantFault(t, receive(signed("d2")), "webhook_not_found")
}

// If another server has changed the secret of a webhook, a call that is signed with the new secret makes the receiver read the
// webhook again.
func TestReceive_otherSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.receiver(f.Replica(0), nil)
	receive := func(secret string) error {
		return r.Receive(t.Context(), f.webhook.ID, call(map[string]string{"X-Signature": secret, "X-Delivery": secret}, message{}))
	}
	if err := receive("s3cret"); err != nil {
		t.Fatal(err)
	}
	w := *f.webhook
	w.Restore("r2", plainVault{}.Seal([]byte("other"), Purpose(w.ID)), f.Now())
	if err := f.Replica(0).Webhooks().Check(t.Context(), &w, f.webhook.CheckAt, true); err != nil {
		t.Fatal(err)
	}
	wantFault(t, receive("other"), "invalid_signature") // the webhook was read just now
	f.Pass(100 * time.Millisecond)
	if err := receive("other"); err != nil {
		t.Error(err)
	}
	wantFault(t, receive("s3cret"), "invalid_signature")
}

// Of many refused calls a few are logged each minute, and one more row has the number of the others.
func TestReceive_refusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.receiver(f.Replica(0), nil)
	flood := func(calls int) {
		for range calls {
			wantFault(t, r.Receive(t.Context(), f.webhook.ID, call(nil, message{})), "invalid_signature")
		}
	}
	rows := func(want int) (list []integration.Delivery) {
		t.Helper()
		if err := r.LogRefusals(t.Context()); err != nil {
			t.Error(err)
		}
		for _, d := range f.Deliveries() {
			if d.Status != integration.Rejected || d.Payload != nil {
				t.Errorf("kept of a refused call: %+v", d)
			}
		}
		if list = f.Deliveries(); len(list) != want {
			t.Errorf("%d rows, want %d", len(list), want)
		}
		return list
	}
	flood(1_500)
	rows(listedRefusals)
	f.Pass(refusalWindow)
	list := rows(listedRefusals + 1)
	if last := list[len(list)-1]; !strings.Contains(last.Error, " 1495 more calls ") {
		t.Errorf("it says %q", last.Error)
	}
	rows(listedRefusals + 1)
	flood(20)
	f.Pass(refusalWindow)
	flood(1) // ends the window before the loop does
	list = rows(2*listedRefusals + 3)
	if !slices.ContainsFunc(list, func(d integration.Delivery) bool { return strings.Contains(d.Error, " 15 more calls ") }) {
		t.Error("no row tells of the 15 calls")
	}
	f.Pass(refusalWindow)
	rows(2*listedRefusals + 3)
	if n := len(r.refused); n != 0 {
		t.Errorf("%d windows are kept in memory", n)
	}
}

// countingInbox counts the transactions. fail makes some of them fail.
type countingInbox struct {
	ports.Inbox
	mu    sync.Mutex
	sizes []int
	fail  func([]*integration.Delivery) error
}

func (c *countingInbox) Keep(ctx context.Context, list []*integration.Delivery) error {
	c.mu.Lock()
	c.sizes = append(c.sizes, len(list))
	c.mu.Unlock()
	if err := c.fail(list); err != nil {
		return err
	}
	time.Sleep(3 * time.Millisecond) // as long as a disk write takes
	return c.Inbox.Keep(ctx, list)
}

func TestBatcher_concurrentCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var reads int
	replica := f.Replica(0)
	var mu sync.Mutex
	replica.Before = func(call string) {
		mu.Lock()
		defer mu.Unlock()
		if call == "webhooks.called" {
			reads++
		}
	}
	box := &countingInbox{fail: func(list []*integration.Delivery) error {
		if slices.ContainsFunc(list, func(d *integration.Delivery) bool { return d.Remote == "bad" }) {
			return errors.New("the database does not take it")
		}
		return nil
	}}
	r := f.receiver(replica, func(i ports.Inbox) ports.Inbox { box.Inbox = i; return box })
	const callers, each = 64, 20
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for n := range each {
				name := fmt.Sprintf("d%d-%d", c, n)
				if c == 7 && n == 3 {
					name = "bad"
				}
				err := r.Receive(t.Context(), f.webhook.ID, call(signed(name), message{ID: name}))
				if (err != nil) != (name == "bad") {
					t.Errorf("%s: %v", name, err)
				}
				if _, stored := f.stored(name); stored != (err == nil) {
					t.Errorf("%s: answered %v, stored: %v", name, err, stored)
				}
			}
		})
	}
	all.Wait()
	if got := len(f.Deliveries()); got != callers*each-1 {
		t.Errorf("%d are stored", got)
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	if len(box.sizes) > callers*each/4 || slices.Max(box.sizes) > maxGroup {
		t.Errorf("%d transactions of at most %d", len(box.sizes), slices.Max(box.sizes))
	}
	if reads > callers {
		t.Errorf("the webhook is read %d times", reads)
	}
}

func (f *fixture) stored(remote string) (integration.Delivery, bool) {
	list := f.Deliveries()
	at := slices.IndexFunc(list, func(d integration.Delivery) bool { return d.Remote == remote })
	if at < 0 {
		return integration.Delivery{}, false
	}
	return list[at], true
}
