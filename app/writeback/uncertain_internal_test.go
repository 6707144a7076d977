package writeback

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

type fixedClock struct{}

func (fixedClock) Now() time.Time { return noon }

// fakeWriter returns found and err from every look-up. Its requests may be repeated at once, as Shopify's.
type fakeWriter struct {
	ports.OrderWriter
	found *ports.WrittenOrder
	err   error
}

func (fakeWriter) RepeatAfter() time.Duration { return 0 }

func (w fakeWriter) FindOrder(ports.Outbound, ports.Connection, ports.OrderDraft) (*ports.WrittenOrder, error) {
	return w.found, w.err
}

type fakeAccounts struct{ ports.IntegrationAccounts }

func (fakeAccounts) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

// fakeOrders stores one platform order.
type fakeOrders struct {
	ports.PlatformOrders
	kept order.PlatformOrder
}

func (f *fakeOrders) ChangePlatformOrder(_ context.Context, _ id.Project, _ id.Order,
	change func(*order.Case, *order.PlatformOrder) error) (*order.PlatformOrder, error) {
	next := f.kept
	if err := change(&order.Case{}, &next); err != nil {
		return nil, err
	}
	f.kept = next
	return &next, nil
}

// asked returns a pending order whose creation was last requested from the platform at a time; zero: never.
func asked(at time.Time, writer ports.OrderWriter) (*claimedOrder, *fakeOrders) {
	orders := &fakeOrders{kept: order.PlatformOrder{
		Status: order.PlatformPending,
		Told:   order.PlatformSync{Asked: at},
		DueAt:  noon,
	}}
	of := orders.kept
	return &claimedOrder{
		Worker: &Worker{
			Platform: orders,
			Accounts: fakeAccounts{},
			Clock:    fixedClock{},
		},
		of:          &of,
		c:           &order.Case{Order: &order.Order{}},
		integration: &integration.Integration{Type: integration.Shopify},
		writer:      writer,
	}, orders
}

// A canceled order is skipped once the platform can no longer be creating it.
func TestClaimedOrder_skip_runningRequest(t *testing.T) {
	for name, c := range map[string]struct {
		asked time.Time
		want  time.Duration // how long to wait; 0: it is skipped
	}{
		"it was never asked":      {},
		"a request may still run": {asked: noon.Add(-5 * time.Second), want: 15 * time.Second},
		"it has ended":            {asked: noon.Add(-20 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			h, orders := asked(c.asked, fakeWriter{})
			err := h.skip(ports.NewOutbound(t.Context()), "The order was canceled.")
			var wait uncertainError
			switch errors.As(err, &wait); {
			case c.want > 0 && wait.wait != c.want:
				t.Errorf("error %v, want a wait of %v", err, c.want)
			case c.want == 0 && (err != nil || orders.kept.Status != order.PlatformSkipped):
				t.Errorf("error %v, status %v, want it skipped", err, orders.kept.Status)
			}
		})
	}
}

// A refused look-up refuses an order that was never sent. For an order that was sent, the outcome stays unknown.
func TestClaimedOrder_refusedLookup(t *testing.T) {
	writer := fakeWriter{err: &ports.PlatformRefusal{Reason: "No permission to read orders."}}
	for name, c := range map[string]struct {
		asked   time.Time
		unknown bool
	}{
		"it was never asked":       {},
		"it was asked an hour ago": {asked: noon.Add(-time.Hour), unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := asked(c.asked, writer)
			_, created := h.create(ports.NewOutbound(t.Context()), h.draft())
			skipped := h.skip(ports.NewOutbound(t.Context()), "The order was canceled.")
			for verb, err := range map[string]error{"create": created, "skip": skipped} {
				var refusal *ports.PlatformRefusal
				if !errors.As(err, &refusal) || strings.HasPrefix(refusal.Reason, "It may already be there") != c.unknown {
					t.Errorf("%s: %v", verb, err)
				}
			}
		})
	}
}

// An order without goods of the platform is skipped, and the platform is not asked.
func TestClaimedOrder_write_noItems(t *testing.T) {
	h, orders := asked(time.Time{}, fakeWriter{err: errors.New("the platform was asked")})
	h.lines = []line{{sku: "MUG"}}
	if err := h.write(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := orders.kept; got.Status != order.PlatformSkipped || got.Problem != "None of its products come from Shopify." {
		t.Errorf("status %v, problem %q", got.Status, got.Problem)
	}
}
