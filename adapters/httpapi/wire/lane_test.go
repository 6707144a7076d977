package wire_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// enter takes a place that is free.
func enter(t *testing.T, l *wire.Lane, tenant string) (context.Context, func()) {
	t.Helper()
	ctx, leave, err := l.Enter(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, leave
}

func TestLane_Enter_otherTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shed := 0
		l := wire.NewLane(4, 3, func() { shed++ })
		for range 3 {
			enter(t, l, "a")
		}
		if _, _, err := l.Enter(t.Context(), "a"); !fault.Is(err, "overloaded") || shed != 1 {
			t.Errorf("a fourth place for a tenant: %v, %d shed", err, shed)
		}
		_, leave := enter(t, l, "b")
		if _, _, err := l.Enter(t.Context(), "c"); !fault.Is(err, "overloaded") {
			t.Errorf("a fifth place: %v", err)
		}
		leave()
		enter(t, l, "c")
	})
}

// A free place goes to the tenant that holds the fewest, in whatever order the tenants arrived.
func TestLane_Enter_fairShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wire.NewLane(3, 3, nil)
		enter(t, l, "a")
		_, leaveFirst := enter(t, l, "a")
		_, leaveSecond := enter(t, l, "a")
		order := make(chan string, 8)
		for i, tenant := range []string{"a", "a", "b", "b", "c"} {
			go func() {
				if _, _, err := l.Enter(t.Context(), tenant); err == nil {
					order <- tenant + strconv.Itoa(i)
				}
			}()
			synctest.Wait()
		}
		leaveFirst() // a still holds two places, b and c hold none
		synctest.Wait()
		leaveSecond()
		synctest.Wait()
		if first, second := <-order, <-order; first != "b2" || second != "c4" {
			t.Errorf("%s and %s", first, second)
		}
		time.Sleep(2 * time.Second) // the others gave up
	})
}

// An operation gives its place up while it waits for a third party, and returns without waiting, because the operation that has
// the place by then may wait for a transaction that the first one holds. New operations wait until both have ended.
func TestPlace_Leave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wire.NewLane(1, 1, nil)
		ctx, leave := enter(t, l, "a")
		var leaveOther func()
		bulkhead.Outside(ctx, func() { _, leaveOther = enter(t, l, "b") })
		leaveOther()
		if _, _, err := l.Enter(t.Context(), "c"); err == nil {
			t.Error("it came back without a place")
		}
		leave()
		enter(t, l, "c")
	})
}

// Nested or concurrent calls of third parties give up one place and take one back.
func TestPlace_Leave_nested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wire.NewLane(2, 2, nil)
		ctx, leave := enter(t, l, "a")
		enter(t, l, "b")
		bulkhead.Outside(ctx, func() {
			bulkhead.Outside(ctx, func() {})
			_, leave := enter(t, l, "b")
			leave()
		})
		if _, _, err := l.Enter(t.Context(), "c"); err == nil {
			t.Error("it came back without a place")
		}
		leave()
		leave()
		enter(t, l, "c")
		if _, _, err := l.Enter(t.Context(), "c"); err == nil {
			t.Error("a place was given back twice")
		}
	})
}

// If the request is canceled while its operation waits for a third party, the operation still takes its place back and releases it
// at its end, so that no place is lost. A canceled request does not wait for a place.
func TestPlace_Return_canceledRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wire.NewLane(1, 1, nil)
		request, giveUp := context.WithCancel(t.Context())
		ctx, leave, err := l.Enter(request, "a")
		if err != nil {
			t.Fatal(err)
		}
		var leaveOther func()
		bulkhead.Outside(ctx, func() {
			_, leaveOther = enter(t, l, "b")
			giveUp()
		})
		leave()
		leaveOther()
		_, leave = enter(t, l, "c")
		if _, _, err := l.Enter(request, "a"); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		leave()
		enter(t, l, "d")
	})
}

func BenchmarkLane(b *testing.B) {
	l := wire.NewLane(16, 12, nil)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, leave, err := l.Enter(b.Context(), "shop")
			if err != nil {
				b.Fatal(err)
			}
			leave()
		}
	})
}
