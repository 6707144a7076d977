package shipping_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
)

// The lease is renewed while a platform takes longer than a lease.
func TestKeepLease_slowPlatform(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		d.live, d.started, d.proceed = true, make(chan struct{}), make(chan struct{})
		done := make(chan error)
		go func() {
			_, _, err := d.buy(wish())
			done <- err
		}()
		<-d.started
		for range 4 {
			time.Sleep(order.LabelLease / 2)
			_, _, err := d.buy(wish())
			refused(t, err, fault.Conflict, "label_in_progress")
			var f *fault.Error
			if !errors.As(err, &f) || f.RetryAfter > order.LabelLease {
				t.Errorf("asks to wait longer than a lease: %v", err)
			}
		}
		close(d.proceed)
		if err := <-done; err != nil || len(d.asked) != 1 {
			t.Errorf("%v; asked %d times", err, len(d.asked))
		}
		if l := d.labels[false]; !l.Bought() || !l.DueAt.IsZero() {
			t.Errorf("%+v", l)
		}
	})
}

// If the lease cannot be renewed, the purchase is canceled when the lease ends, because another request may buy the label then.
func TestKeepLease_renewFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		d.live, d.hangs = true, true
		for n := range 20 {
			d.records[n+2] = errors.New("the database is gone")
		}
		began := time.Now()
		_, _, err := d.buy(wish())
		refused(t, err, fault.Unavailable, "provider_unavailable")
		if took := time.Since(began); took != order.LabelLease {
			t.Errorf("gave up after %s", took)
		}
	})
}

// A lease that another request has taken over is neither renewed nor ended.
func TestKeepLease_takenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFixture()
		d.live, d.hangs = true, true
		done := make(chan error)
		go func() {
			_, _, err := d.buy(wish())
			done <- err
		}()
		synctest.Wait()
		theirs := time.Now().Add(time.Hour)
		d.mu.Lock()
		l := d.labels[false]
		l.DueAt = theirs
		d.labels[false] = l
		d.mu.Unlock()
		refused(t, <-done, fault.Unavailable, "provider_unavailable")
		if l := d.labels[false]; !l.DueAt.Equal(theirs) {
			t.Errorf("%+v", l)
		}
	})
}
