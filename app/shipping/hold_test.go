package shipping_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
)

// A platform that takes longer than a lease keeps the label in hand.
func TestTheLeaseIsRenewedWhileThePlatformIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		d.live, d.met, d.goOn = true, make(chan struct{}), make(chan struct{})
		done := make(chan error)
		go func() {
			_, _, err := d.buy(wish())
			done <- err
		}()
		<-d.met
		for range 4 {
			time.Sleep(order.LabelLease / 2)
			_, _, err := d.buy(wish())
			refused(t, err, fault.Conflict, "label_in_progress")
			var f *fault.Error
			if !errors.As(err, &f) || f.RetryAfter > order.LabelLease {
				t.Errorf("asks to wait longer than a lease: %v", err)
			}
		}
		close(d.goOn)
		if err := <-done; err != nil || len(d.asked) != 1 {
			t.Errorf("%v; asked %d times", err, len(d.asked))
		}
		if l := d.labels[false]; !l.Bought() || !l.DueAt.IsZero() {
			t.Errorf("%+v", l)
		}
	})
}

// Whoever cannot renew the lease gives the purchase up: others take the label up once it has ended.
func TestALeaseThatEndsGivesThePurchaseUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
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

// A lease that another has taken over is not renewed, and theirs is not ended.
func TestALeaseOfAnotherIsLeftAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
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
