package crm

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

type fixedClock struct{}

func (fixedClock) Now() time.Time { return noon }

// fakeStores stores one order and its deal.
type fakeStores struct {
	ports.Orders
	c    order.Case
	kept order.CRMDeal
}

// fakeIntegrations has one integration that may write deals.
type fakeIntegrations struct{ ports.Integrations }

func (f *fakeStores) Case(context.Context, id.Project, id.Order) (*order.Case, error) {
	return &f.c, nil
}

func (f *fakeStores) CRMDeal(context.Context, id.Project, id.Order) (*order.CRMDeal, error) {
	return &f.kept, nil
}

func (f *fakeStores) ChangeCRMDeal(_ context.Context, _ id.Project, _ id.Order,
	change func(*order.Case, *order.CRMDeal) error) (*order.CRMDeal, error) {
	next := f.kept
	if err := change(&f.c, &next); err != nil {
		return nil, err
	}
	f.kept = next
	return &next, nil
}

func (fakeIntegrations) ByID(context.Context, id.Project, id.Integration) (*integration.Integration, error) {
	return &integration.Integration{
		Type:   integration.HubSpot,
		Status: integration.Connected,
		Config: integration.Config{MayWriteDeals: true},
	}, nil
}

func (f *fakeStores) ByProject(context.Context, id.Project) (*project.Project, error) {
	return &project.Project{}, nil
}

func (f *fakeStores) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

// fakeWriter is a CRM that calls meanwhile during a write.
type fakeWriter struct {
	meanwhile func()
	err       error
}

func (w fakeWriter) WriteDeal(ports.Outbound, ports.Connection, ports.DealDraft) (ports.WrittenDeal, error) {
	w.meanwhile()
	return ports.WrittenDeal{Remote: "7"}, w.err
}

func (w fakeWriter) NameBuyer(ports.Outbound, ports.Connection, string, *order.Order) error {
	return w.err
}

// If the lease of an attempt ends during the call of the CRM, the attempt does not record the result. It schedules another write,
// because the CRM may process the older request last.
func TestAttempt_write_leaseEnded(t *testing.T) {
	for name, answer := range map[string]error{
		"answered":     nil,
		"not answered": &ports.PlatformFailure{Reason: "It does not answer."},
	} {
		t.Run(name, func(t *testing.T) {
			paid := money.Of(10599, money.USD)
			f := &fakeStores{
				c:    order.Case{Order: &order.Order{Status: order.Confirmed, Payment: order.Payment{Amount: paid, Refunded: money.Of(0, money.USD)}}},
				kept: order.CRMDeal{Status: order.DealPending, DueAt: noon.Add(lease)},
			}
			leased := f.kept
			w := fakeWriter{err: answer, meanwhile: func() { // another attempt writes a newer state
				f.c.Order.Payment.Refunded = money.Of(2500, money.USD)
				f.kept.Wrote(f.c.Deal(), "7", "", &f.c, noon)
				f.kept.NamedBuyer(&f.c, noon)
			}}
			a := &attempt{
				Worker: &Worker{
					Orders:       f,
					Deals:        f,
					Integrations: fakeIntegrations{},
					Projects:     f,
					Accounts:     f,
					Writers:      map[string]ports.DealWriter{"hubspot": w},
					Clock:        fixedClock{},
					Log:          slog.New(slog.NewTextHandler(io.Discard, nil)),
				},
				deal: &leased,
			}
			err := a.write(ports.NewOutbound(t.Context()))
			if answer != nil {
				err = a.handleError(t.Context(), err)
			}
			if err != nil && !errors.Is(err, errLost) {
				t.Fatal(err)
			}
			if !f.kept.Shows(f.c.Deal()) || f.kept.DueAt != noon.Add(30*time.Second) {
				t.Errorf("%+v, want the newer state, written once more in 30 seconds", f.kept)
			}
		})
	}
}
