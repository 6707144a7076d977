package porttest

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
)

// SyncUnit is the contract of ports.SyncUnit, with ports.Announcements.
func SyncUnit(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a unit writes to all stores":               unitWrites,
		"a unit that fails leaves no trace":         unitFails,
		"a unit sees its writes, others do not":     unitSees,
		"a unit goes on after a write that failed":  unitGoesOn,
		"units of a project come after one another": unitRace,
		"a unit of an unknown project":              unitUnknown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// page is what a unit writes: a product, its stock and its copy, a run that has advanced, and the news of it.
type page struct {
	s       *shop
	run     *syncrun.Run
	product *catalog.Product
	of      ports.CopiesOf
}

func (s *shop) page() *page {
	s.t.Helper()
	i := s.connect(integration.Shopify, noon)
	p := s.rich()
	p.Variants = p.Variants[:1]
	return &page{s: s, run: s.started(i.ID, noon), product: p, of: s.recorded(i.ID, syncrun.Products)}
}

func (p *page) write(to ports.SyncStores) error {
	s, project := p.s, p.s.project.ID
	copies := copied(p.of, 1)
	copies[0].Local = p.product.ID.String()
	keys := ports.ProductKeys{SKUs: []string{p.product.SKU}}
	_, upserted := to.Products.Upsert(s.ctx, project, keys, func(ports.KnownProducts) []ports.ProductWrite {
		return []ports.ProductWrite{{Product: p.product}}
	})
	_, shifted := to.StockRoom.Shift(s.ctx, project, []ports.StockShift{at(p.product, "main", 7)})
	_, advanced := to.Runs.Update(s.ctx, project, p.run.ID, func(r *syncrun.Run) error {
		return r.Advance(syncrun.Counters{Created: 1}, noon, "next", noon.Add(time.Minute), noon)
	})
	_, changed := to.Integrations.Update(s.ctx, project, p.of.Integration, func(i *integration.Integration) error {
		i.LastSync = noon
		return nil
	})
	return errors.Join(upserted, shifted, to.Copies.Save(s.ctx, copies), advanced, changed,
		to.Runs.Note(s.ctx, project, p.run.ID, problems(0, 2)),
		to.Events.Announce(s.ctx, &event.Event{
			ID: random[id.Event](), Project: project, At: noon, Data: event.SyncFailed{Run: p.run.ID, Integration: p.of.Integration, Error: "Gone."},
		}))
}

// traces are how many of the page's writes are there.
func (p *page) traces() (n int) {
	s := p.s
	s.t.Helper()
	_, noted := s.problems(p.run, ports.Page{Limit: 1})
	_, announced, err := s.Log.Events(s.ctx, s.project.ID, event.SyncFailedType, ports.Page{Limit: 1})
	s.must(err)
	_, err = s.Products.Get(s.ctx, s.project.ID, p.product.ID)
	for _, there := range []bool{
		noted == 2, announced == 1, err == nil, s.stock(p.product)["main"] == 7, len(s.copies(p.of)) == 1,
		s.runByID(p.run).Steps[0].Pages == 1, s.integration(p.of.Integration).LastSync.Equal(noon),
	} {
		if there {
			n++
		}
	}
	return n
}

func (s *shop) unit(work func(ports.SyncStores) error) error {
	return s.SyncUnit.InTx(s.ctx, s.project.ID, work)
}

func unitWrites(s *shop) {
	p := s.page()
	same(s.t, "traces before", p.traces(), 0)
	s.must(s.unit(p.write))
	same(s.t, "traces", p.traces(), 7)
	same(s.t, "stored", s.get(p.product), p.product)
}

func unitFails(s *shop) {
	p := s.page()
	same(s.t, "error", s.unit(func(to ports.SyncStores) error {
		s.must(p.write(to))
		return errPlain
	}), errPlain)
	same(s.t, "traces", p.traces(), 0)
	s.must(s.unit(func(ports.SyncStores) error { return nil }))
}

func unitSees(s *shop) {
	p := s.page()
	s.must(s.unit(func(to ports.SyncStores) error {
		if err := p.write(to); err != nil {
			return err
		}
		inside, err := to.Copies.Find(s.ctx, p.of, []string{"remote-0000"})
		same(s.t, "copies that it sees", len(inside), 1)
		levels, failed := to.StockRoom.Levels(s.ctx, s.project.ID, []ports.StockPlace{{SKU: p.product.Variants[0].SKU, Location: "main"}})
		same(s.t, "levels that it sees", levels, []catalog.Shelf{shelf(p.product, 0, "main", 7)})
		same(s.t, "traces that others see", p.traces(), 0)
		return errors.Join(err, failed)
	}))
	same(s.t, "traces", p.traces(), 7)
}

func unitGoesOn(s *shop) {
	p := s.page()
	s.must(s.unit(func(to ports.SyncStores) error {
		list := copied(p.of, 2)
		list[1].Remote = "\x00"
		wantFault(s.t, to.Copies.Save(s.ctx, list), fault.Invalid, "validation_error")
		_, err := to.Runs.Update(s.ctx, s.project.ID, random[id.Sync](), func(*syncrun.Run) error { return nil })
		wantFault(s.t, err, fault.NotFound, "sync_not_found")
		wantFault(s.t, to.Runs.Start(s.ctx, s.run(p.of.Integration, noon)), fault.Conflict, "sync_in_progress")
		return p.write(to)
	}))
	same(s.t, "traces", p.traces(), 7)
}

// Each unit reads a copy, whether it is there or not, and writes what it makes of it.
func unitRace(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Inventory)
	s.must(atOnce(racers, func(int) error {
		return s.unit(func(to ports.SyncStores) error {
			found, err := to.Copies.Find(s.ctx, of, []string{"remote-0000"})
			if err != nil {
				return err
			}
			if len(found) == 0 {
				found = copied(of, 1)
			}
			found[0].Quantity++
			return to.Copies.Save(s.ctx, found)
		})
	}))
	same(s.t, "units that counted", s.copies(of)[0].Quantity, racers)
}

func unitUnknown(s *shop) {
	err := s.SyncUnit.InTx(s.ctx, random[id.Project](), func(ports.SyncStores) error {
		s.t.Error("work was done")
		return nil
	})
	wantFault(s.t, err, fault.NotFound, "project_not_found")
}
