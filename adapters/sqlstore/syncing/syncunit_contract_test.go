package syncing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// SyncUnit is the contract of ports.SyncUnit, with ports.Announcements.
func SyncUnit(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a unit writes to all stores":               unitWrites,
		"a unit that fails leaves no trace":         unitFails,
		"a unit sees its writes, others do not":     unitSees,
		"a unit goes on after a write that failed":  unitGoesOn,
		"units of a project come after one another": unitRace,
		"a unit of an unknown project":              unitUnknown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

// page is what a unit writes: a product, its stock and its copy, a run that has advanced, and the news of it.
type page struct {
	s       *porttest.Shop
	run     *syncrun.Run
	product *catalog.Product
	of      ports.RecordSet
}

func pageOf(s *porttest.Shop) *page {
	s.T.Helper()
	i := s.Connect(integration.Shopify, porttest.Noon)
	p := s.Rich()
	p.Variants = p.Variants[:1]
	return &page{
		s:       s,
		run:     s.Started(i.ID, porttest.Noon),
		product: p,
		of:      recorded(s, i.ID, syncrun.Products),
	}
}

func (p *page) write(to ports.SyncStores) error {
	s, project := p.s, p.s.Project.ID
	storedRecords := copied(p.of, 1)
	storedRecords[0].Local = p.product.ID.String()
	keys := ports.ProductKeys{SKUs: []string{p.product.SKU}}
	_, upserted := to.Products.Upsert(s.Ctx, project, keys, func(ports.KnownProducts) []ports.ProductWrite {
		return []ports.ProductWrite{{Product: p.product}}
	})
	_, shifted := to.StockAdjuster.Shift(s.Ctx, project, []ports.StockShift{porttest.At(p.product, "main", 7)})
	_, advanced := to.Runs.Update(s.Ctx, project, p.run.ID, func(r *syncrun.Run) error {
		return r.Advance(syncrun.Counters{Created: 1}, porttest.Noon, "next", porttest.Noon.Add(time.Minute), porttest.Noon)
	})
	_, changed := to.Integrations.Update(s.Ctx, project, p.of.Integration, func(i *integration.Integration) error {
		i.LastSync = porttest.Noon
		return nil
	})
	return errors.Join(upserted, shifted, to.ExternalRecords.Save(s.Ctx, storedRecords), advanced, changed,
		to.Runs.Note(s.Ctx, project, p.run.ID, problems(0, 2)),
		to.Events.Announce(s.Ctx, &event.Event{
			ID:      porttest.Random[id.Event](),
			Project: project,
			At:      porttest.Noon,
			Data: event.SyncFailed{
				Run:         p.run.ID,
				Integration: p.of.Integration,
				Error:       "Gone.",
			},
		}))
}

// traces are how many of the page's writes are there.
func (p *page) traces() (n int) {
	s := p.s
	s.T.Helper()
	_, noted := problemsOf(s, p.run, ports.Page{Limit: 1})
	_, announced, err := s.Log.Events(s.Ctx, s.Project.ID, event.SyncFailedType, ports.Page{Limit: 1})
	s.Must(err)
	_, err = s.Products.Get(s.Ctx, s.Project.ID, p.product.ID)
	for _, there := range []bool{
		noted == 2, announced == 1, err == nil, s.Stock(p.product)["main"] == 7, len(storedRecords(s, p.of)) == 1,
		runByID(s, p.run).Steps[0].Pages == 1, newIntegration(s, p.of.Integration).LastSync.Equal(porttest.Noon),
	} {
		if there {
			n++
		}
	}
	return n
}

func unitWrites(s *porttest.Shop) {
	p := pageOf(s)
	porttest.Same(s.T, "traces before", p.traces(), 0)
	s.Must(s.Unit(p.write))
	porttest.Same(s.T, "traces", p.traces(), 7)
	porttest.Same(s.T, "stored", s.Get(p.product), p.product)
}

func unitFails(s *porttest.Shop) {
	p := pageOf(s)
	porttest.Same(s.T, "error", s.Unit(func(to ports.SyncStores) error {
		s.Must(p.write(to))
		return porttest.ErrPlain
	}), porttest.ErrPlain)
	porttest.Same(s.T, "traces", p.traces(), 0)
	s.Must(s.Unit(func(ports.SyncStores) error { return nil }))
}

func unitSees(s *porttest.Shop) {
	p := pageOf(s)
	s.Must(s.Unit(func(to ports.SyncStores) error {
		if err := p.write(to); err != nil {
			return err
		}
		inside, err := to.ExternalRecords.Find(s.Ctx, p.of, []string{"remote-0000"})
		porttest.Same(s.T, "copies that it sees", len(inside), 1)
		levels, failed := to.StockAdjuster.Levels(s.Ctx, s.Project.ID, []ports.StockPlace{{SKU: p.product.Variants[0].SKU, Location: "main"}})
		porttest.Same(s.T, "levels that it sees", levels, []catalog.Shelf{porttest.Shelf(p.product, 0, "main", 7)})
		porttest.Same(s.T, "traces that others see", p.traces(), 0)
		return errors.Join(err, failed)
	}))
	porttest.Same(s.T, "traces", p.traces(), 7)
}

func unitGoesOn(s *porttest.Shop) {
	p := pageOf(s)
	s.Must(s.Unit(func(to ports.SyncStores) error {
		list := copied(p.of, 2)
		list[1].Remote = "\x00"
		porttest.WantFault(s.T, to.ExternalRecords.Save(s.Ctx, list), fault.Invalid, "validation_error")
		_, err := to.Runs.Update(s.Ctx, s.Project.ID, porttest.Random[id.Sync](), func(*syncrun.Run) error { return nil })
		porttest.WantFault(s.T, err, fault.NotFound, "sync_not_found")
		porttest.WantFault(s.T, to.Runs.Start(s.Ctx, s.Run(p.of.Integration, porttest.Noon)), fault.Conflict, "sync_in_progress")
		return p.write(to)
	}))
	porttest.Same(s.T, "traces", p.traces(), 7)
}

// Each unit reads a copy, whether it is there or not, and writes what it makes of it.
func unitRace(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Inventory)
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		return s.Unit(func(to ports.SyncStores) error {
			found, err := to.ExternalRecords.Find(s.Ctx, of, []string{"remote-0000"})
			if err != nil {
				return err
			}
			if len(found) == 0 {
				found = copied(of, 1)
			}
			found[0].Quantity++
			return to.ExternalRecords.Save(s.Ctx, found)
		})
	}))
	porttest.Same(s.T, "units that counted", storedRecords(s, of)[0].Quantity, porttest.Racers)
}

func unitUnknown(s *porttest.Shop) {
	err := s.SyncUnit.InTx(s.Ctx, porttest.Random[id.Project](), func(ports.SyncStores) error {
		s.T.Error("work was done")
		return nil
	})
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
}
