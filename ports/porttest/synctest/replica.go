package synctest

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Replica is a server that uses the store. It dies at a given call: that call and all later ones do nothing.
type Replica struct {
	*World
	calls  atomic.Int64
	diesAt int64
	// Before is called with each call before it is made. It may be nil.
	Before func(call string)
}

// Replica is one that dies at its nth call; 0: it lives.
func (w *World) Replica(diesAt int) *Replica { return &Replica{World: w, diesAt: int64(diesAt)} }

// Dead reports whether it has died.
func (r *Replica) Dead() bool { return r.diesAt > 0 && r.calls.Load() >= r.diesAt }

func (r *Replica) call(name string) error {
	if r.Before != nil {
		r.Before(name)
	}
	if n := r.calls.Add(1); r.diesAt > 0 && n >= r.diesAt {
		return ErrDead
	}
	return nil
}

// view is the stores, in a transaction or not.
type view struct {
	*Replica
	tx bool
}

// do makes a call on the state.
func (v view) do(name string, work func(*state) error) error {
	if err := v.call(name); err != nil {
		return err
	}
	if !v.tx {
		v.mu.Lock()
		defer v.mu.Unlock()
	}
	return work(&v.state)
}

// Runs, and the other stores below, outside of transactions.
func (r *Replica) RunStore() ports.SyncRuns            { return runs{view{r, false}} }
func (r *Replica) Inbox() ports.Inbox                  { return inbox{view{r, false}} }
func (r *Replica) Integrations() ports.Integrations    { return integrations{view: view{r, false}} }
func (r *Replica) Webhooks() ports.IntegrationWebhooks { return webhooks{view{r, false}} }
func (r *Replica) ByProject(_ context.Context, p id.Project) (*project.Project, error) {
	return r.Project, r.call("project")
}

// InTx runs work on the stores: all or nothing. The replica may die just before the commit, or just after.
func (r *Replica) InTx(_ context.Context, _ id.Project, work func(ports.SyncStores) error) error {
	if err := r.call("begin"); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.state.clone()
	v := view{r, true}
	err := work(ports.SyncStores{
		Runs:            runs{v},
		Changes:         syncChanges{v},
		ExternalRecords: externalRecords{v},
		Products:        products{v},
		StockAdjuster:   stockAdjuster{v},
		Integrations:    integrations{view: v},
		Orders:          orders{view: v},
		Labels:          labels{view: v},
		Platform:        platformOrders{},
		Webhooks:        webhooks{v},
		Inbox:           inbox{v},
		Events:          events{v},
	})
	if err == nil {
		err = r.call("commit")
	}
	if err != nil {
		r.state = before
		return err
	}
	return r.call("committed")
}

type runs struct{ view }

func (v runs) Start(_ context.Context, r *syncrun.Run) error {
	return v.do("runs.start", func(s *state) error {
		for _, other := range s.runs {
			if other.Integration == r.Integration && other.Status == syncrun.Running {
				return fault.New(fault.Conflict, "sync_in_progress", "Another one is running.")
			}
		}
		s.runs[r.ID] = copyRun(*r)
		return nil
	})
}

func (v runs) ByID(_ context.Context, _ id.Project, i id.Integration, run id.Sync) (found *syncrun.Run, err error) {
	err = v.do("runs.by_id", func(s *state) error {
		r, known := s.runs[run]
		if !known || r.Integration != i {
			return fault.Missing("sync")
		}
		r = copyRun(r)
		found = &r
		return nil
	})
	return found, err
}

func (v runs) List(context.Context, id.Project, id.Integration, ports.Page) ([]*syncrun.Run, int, error) {
	panic("not for tests")
}

func (v runs) Update(_ context.Context, _ id.Project, run id.Sync, change func(*syncrun.Run) error) (after *syncrun.Run, err error) {
	err = v.do("runs.update", func(s *state) error {
		stored, known := s.runs[run]
		if !known {
			return fault.Missing("sync")
		}
		r := copyRun(stored)
		if err := change(&r); err != nil {
			return err
		}
		s.runs[run] = copyRun(r)
		after = &r
		return nil
	})
	return after, err
}

func (v runs) Note(_ context.Context, _ id.Project, run id.Sync, problems []syncrun.Problem) error {
	return v.do("runs.note", func(s *state) error {
		s.problems[run] = append(slices.Clone(s.problems[run]), problems...)
		return nil
	})
}

func (v runs) Problems(context.Context, id.Project, id.Sync, ports.Page) ([]syncrun.Problem, int, error) {
	panic("not for tests")
}

type syncChanges struct{ view }

func (v syncChanges) Add(_ context.Context, _ id.Project, _ id.Integration, changes []syncrun.Change) error {
	return v.do("changes.add", func(s *state) error {
		for _, c := range changes {
			s.changes[c.Run] = append(slices.Clone(s.changes[c.Run]), c)
		}
		return nil
	})
}

func (v syncChanges) Clear(_ context.Context, _ id.Project, _ id.Integration, run id.Sync, resource syncrun.Resource) error {
	return v.do("changes.clear", func(s *state) error {
		s.changes[run] = slices.DeleteFunc(slices.Clone(s.changes[run]), func(c syncrun.Change) bool { return c.Resource == resource })
		return nil
	})
}

func (v syncChanges) List(context.Context, id.Project, id.Integration, id.Sync, ports.ChangeFilter, ports.Page) ([]syncrun.Change, int, error) {
	panic("not for tests")
}

func (v syncChanges) Conflicts(context.Context, id.Project, id.Integration, ports.Page) ([]syncrun.Change, int, error) {
	panic("not for tests")
}

func (v syncQueue) Wanting(_ context.Context, n int) (list []*integration.Integration, err error) {
	err = v.do("runs.wanting", func(s *state) error {
		for _, i := range s.integrations {
			running := false
			for _, r := range s.runs {
				running = running || r.Integration == i.ID && r.Status == syncrun.Running
			}
			if len(i.Wanted) > 0 && !running {
				list = append(list, &i)
			}
		}
		return nil
	})
	return list, err
}

func (v syncQueue) Scheduled(_ context.Context, now time.Time, _ int) (list []*integration.Integration, err error) {
	err = v.do("runs.scheduled", func(s *state) error {
		for _, i := range s.integrations {
			if i.SyncDue(now) {
				list = append(list, &i)
			}
		}
		return nil
	})
	return list, err
}

func (v syncQueue) Expiring(context.Context, time.Time, time.Time, int) ([]*integration.Integration, error) {
	panic("not for tests")
}

type externalRecords struct{ view }

func (v externalRecords) Find(_ context.Context, of ports.RecordSet, remotes []string) (list []*syncrun.ExternalRecord, err error) {
	err = v.do("copies.find", func(s *state) error {
		for _, remote := range remotes {
			if c, known := s.externalRecords[CopyKey{of.Resource, remote}]; known {
				list = append(list, &c)
			}
		}
		return nil
	})
	return list, err
}

func (v externalRecords) Of(_ context.Context, of ports.RecordSet, locals []string) (list []*syncrun.ExternalRecord, err error) {
	err = v.do("copies.of", func(s *state) error {
		for _, c := range s.externalRecords {
			if c.Resource == of.Resource && !c.Removed && slices.Contains(locals, c.Local) {
				list = append(list, &c)
			}
		}
		return nil
	})
	return list, err
}

func (v externalRecords) Save(_ context.Context, list []*syncrun.ExternalRecord) error {
	return v.do("copies.save", func(s *state) error {
		for _, c := range list {
			s.externalRecords[CopyKey{c.Resource, c.Remote}] = *c
		}
		return nil
	})
}

func (v externalRecords) MarkSeen(_ context.Context, of ports.RecordSet, run id.Sync, remotes []string) error {
	return v.do("copies.see", func(s *state) error {
		for _, remote := range remotes {
			if c, known := s.externalRecords[CopyKey{of.Resource, remote}]; known {
				c.Seen = run
				s.externalRecords[CopyKey{of.Resource, remote}] = c
			}
		}
		return nil
	})
}

func (v externalRecords) NotSeenIn(_ context.Context, of ports.RecordSet, run id.Sync, n int) (list []*syncrun.ExternalRecord, notSeen, all int, err error) {
	err = v.do("copies.unseen", func(s *state) error {
		for _, c := range s.externalRecords {
			if c.Resource != of.Resource || c.Removed {
				continue
			}
			all++
			if c.Seen != run {
				if notSeen++; len(list) < n {
					list = append(list, &c)
				}
			}
		}
		return nil
	})
	return list, notSeen, all, err
}

type products struct{ view }

func (v products) Upsert(_ context.Context, _ id.Project, keys ports.ProductKeys,
	change func(ports.KnownProducts) []ports.ProductWrite) (failed map[int]error, err error) {
	failed = map[int]error{}
	err = v.do("products.upsert", func(s *state) error {
		v.Upserts++
		known := ports.KnownProducts{BySKU: map[string]*catalog.Product{}, ByID: map[id.Product]*catalog.Product{}}
		for _, p := range s.products {
			if slices.Contains(keys.SKUs, p.SKU) || slices.Contains(keys.IDs, p.ID) {
				known.BySKU[p.SKU], known.ByID[p.ID] = p, p
			}
		}
		change(known) // which may run more than once
		for n, w := range change(known) {
			if w.Product.Description == Poison {
				return ErrRefused
			}
			if s.taken(w.Product) {
				failed[n] = fault.New(fault.Conflict, "sku_taken", "Another product has the sku.").With("sku", "is taken")
				continue
			}
			s.products[w.Product.ID] = w.Product
		}
		return nil
	})
	return failed, err
}

// taken reports whether another product has one of the product's skus.
func (s *state) taken(p *catalog.Product) bool {
	for _, other := range s.products {
		if other.ID == p.ID {
			continue
		}
		for _, a := range append([]catalog.Variant{{SKU: p.SKU}}, p.Variants...) {
			for _, b := range append([]catalog.Variant{{SKU: other.SKU}}, other.Variants...) {
				if a.SKU == b.SKU {
					return true
				}
			}
		}
	}
	return false
}

type stockAdjuster struct{ view }

func (s *state) variant(sku string) (*catalog.Product, catalog.Variant, bool) {
	for _, p := range s.products {
		for _, v := range p.Variants {
			if v.SKU == sku {
				return p, v, true
			}
		}
	}
	return nil, catalog.Variant{}, false
}

func (v stockAdjuster) Levels(_ context.Context, _ id.Project, places []ports.StockPlace) (list []catalog.Shelf, err error) {
	err = v.do("stock.levels", func(s *state) error {
		for _, place := range places {
			if p, v, known := s.variant(place.SKU); known {
				shelf := s.stock[place]
				shelf.Product, shelf.Variant, shelf.SKU, shelf.Location = p.ID, v.ID, v.SKU, place.Location
				list = append(list, shelf)
			}
		}
		return nil
	})
	return list, err
}

func (v stockAdjuster) Shift(_ context.Context, _ id.Project, shifts []ports.StockShift) (unknown []int, err error) {
	err = v.do("stock.shift", func(s *state) error {
		for n, shift := range shifts {
			if _, _, known := s.variant(shift.SKU); !known {
				unknown = append(unknown, n)
				continue
			}
			place := ports.StockPlace{SKU: shift.SKU, Location: shift.Location}
			s.stock[place] = s.stock[place].Shift(shift.Delta)
		}
		return nil
	})
	return unknown, err
}
