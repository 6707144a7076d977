package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Accounts stores no accounts, because nothing here depends on one.
type Accounts struct{ ports.Accounts }

func (Accounts) Open(context.Context, *account.Account) error { return nil }

// Projects is the store's view of projects.
type Projects struct {
	ports.Projects        // what no simulation asks for
	ports.ProjectClosings // likewise
	*Store
}

var _ ports.Storefronts = Projects{}

func (v Projects) Create(ctx context.Context, p *project.Project) error {
	return v.inTx(ctx, func(s *state) error {
		stored := *p
		stored.Routes = maps.Clone(p.Routes)
		s.projects.put(s, p.ID, stored)
		return nil
	})
}

func (v Projects) ByProject(ctx context.Context, of id.Project) (*project.Project, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	p, known := s.projects.rows[of]
	if !known {
		return nil, fault.Missing("project")
	}
	p.Routes = maps.Clone(p.Routes)
	return &p, nil
}

func (v Projects) BySlug(ctx context.Context, slug string) (*project.Project, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	for of, p := range s.projects.rows {
		if p.Slug == slug {
			return v.ByProject(ctx, of)
		}
	}
	return nil, fault.Missing("project")
}

func (s *state) unchanged(of id.Project, version int64) error {
	if s.projects.rows[of].Version != version {
		return fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
	}
	return nil
}

// Products is the store's view of products and their stock.
type Products struct {
	ports.Products      // what no simulation asks for
	ports.CatalogReader // likewise
	*Store
}

func copied(p catalog.Product) *catalog.Product {
	p.Images, p.Tags, p.Variants = slices.Clone(p.Images), slices.Clone(p.Tags), slices.Clone(p.Variants)
	p.Attributes, p.Related = maps.Clone(p.Attributes), slices.Clone(p.Related)
	return &p
}

func (v Products) Create(ctx context.Context, w ports.ProductWrite) error {
	return v.inTx(ctx, func(s *state) error {
		s.keep(w)
		return nil
	})
}

// keep stores a product and the stock that is set with it. The stock of its dropped variants is removed.
func (s *state) keep(w ports.ProductWrite) {
	p := w.Product
	k := key[id.Product]{p.Project, p.ID}
	for _, before := range s.products.rows[k].Variants {
		if !slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return v.ID == before.ID }) {
			s.empty(p.Project, before.ID)
		}
	}
	s.products.put(s, k, *copied(*p))
	for _, v := range p.Variants {
		at := place{p.Project, v.ID, project.DefaultLocation}
		if _, there := s.stock.rows[at]; !there && v.InventoryPolicy != catalog.Tracked {
			s.stock.put(s, at, catalog.Shelf{})
		}
	}
	for _, level := range w.Stock {
		at := place{p.Project, level.Variant, project.DefaultLocation}
		s.stock.put(s, at, uncounted(s.shelf(at).Recount(level.Quantity)))
	}
}

func (s *state) empty(p id.Project, v id.Variant) {
	for at := range s.stock.rows {
		if at.project == p && at.variant == v {
			s.stock.drop(s, at)
		}
	}
}

func (v Products) Get(ctx context.Context, p id.Project, of id.Product) (*catalog.Product, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	found, known := s.products.rows[key[id.Product]{p, of}]
	if !known {
		return nil, fault.Missing("product")
	}
	return copied(found), nil
}

func (v Products) Update(ctx context.Context, p id.Project, of id.Product,
	change func(*catalog.Product) (ports.ProductWrite, error)) (after *catalog.Product, err error) {
	err = v.inTx(ctx, func(s *state) error {
		before, known := s.products.rows[key[id.Product]{p, of}]
		if !known {
			return fault.Missing("product")
		}
		w, err := change(copied(before))
		if err != nil {
			return err
		}
		s.keep(w)
		after = copied(*w.Product)
		return nil
	})
	return after, err
}

// Active finds active products by id.
func (v Products) Active(ctx context.Context, p id.Project, wanted []id.Product) (found []*catalog.Product, err error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, of := range wanted {
		if one, known := s.products.rows[key[id.Product]{p, of}]; known && one.Status == catalog.Active {
			found = append(found, copied(one))
		}
	}
	return found, nil
}

// levels are those of variants that will do, by variant and location.
func (s *state) levels(p id.Project, will func(catalog.Product, catalog.Variant) bool) (list []catalog.Level) {
	for at, shelf := range s.stock.rows {
		for k, product := range s.products.rows {
			if at.project != p || k.project != p {
				continue
			}
			for _, v := range product.Variants {
				if v.ID == at.variant && will(product, v) {
					list = append(list, catalog.Level{
						Product:  k.id,
						Variant:  v.ID,
						SKU:      v.SKU,
						Location: at.location,
						Quantity: shelf.Quantity,
						Policy:   v.InventoryPolicy,
						Digital:  v.Digital,
					})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b catalog.Level) int {
		return cmp.Or(strings.Compare(a.Variant.String(), b.Variant.String()), strings.Compare(a.Location, b.Location))
	})
	return list
}

// stockOf are the pieces at all locations, by variant of products.
func (s *state) stockOf(p id.Project, products []*catalog.Product) map[id.Variant]int {
	stock := map[id.Variant]int{}
	for _, product := range products {
		for _, v := range product.Variants {
			if v.InventoryPolicy == catalog.Tracked {
				stock[v.ID] = 0
			}
		}
	}
	for at, shelf := range s.stock.rows {
		if _, asked := stock[at.variant]; asked && at.project == p {
			stock[at.variant] += shelf.Quantity
		}
	}
	return stock
}

// Inventory is the store's view of stock.
type Inventory struct {
	ports.Inventory // what no simulation asks for
	*Store
}

func (v Inventory) LevelsOf(ctx context.Context, p id.Project, products []id.Product) ([]catalog.Level, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.levels(p, func(one catalog.Product, _ catalog.Variant) bool { return slices.Contains(products, one.ID) }), nil
}

func (v Inventory) TotalsOf(ctx context.Context, p id.Project, variants []id.Variant) (map[id.Variant]int, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return catalog.Totals(s.levels(p, func(_ catalog.Product, v catalog.Variant) bool { return slices.Contains(variants, v.ID) })), nil
}

func (v Inventory) ShelvesOf(ctx context.Context, p id.Project, products []id.Product) (shelves []catalog.Shelf, err error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range s.levels(p, func(one catalog.Product, _ catalog.Variant) bool { return slices.Contains(products, one.ID) }) {
		shelf := s.shelf(place{p, l.Variant, l.Location})
		shelf.Level = l
		shelves = append(shelves, shelf)
	}
	return shelves, nil
}

// shelf returns a level with the stock that attempts hold.
func (s *state) shelf(at place) catalog.Shelf {
	shelf := s.stock.rows[at]
	for k, c := range s.checkouts.rows {
		for _, t := range c.Taken {
			if k.project == at.project && c.Status == checkout.Processing && t.Variant == at.variant && t.Location == at.location {
				shelf.Held += t.Quantity
			}
		}
	}
	return shelf
}

// uncounted is a shelf as the table has it.
func uncounted(s catalog.Shelf) catalog.Shelf {
	s.Held = 0
	return s
}

func (v Inventory) Set(ctx context.Context, p id.Project, levels []ports.StockSet) (list []catalog.Shelf, err error) {
	err = v.inTx(ctx, func(s *state) error {
		for _, set := range levels {
			for k, product := range s.products.rows {
				for _, variant := range product.Variants {
					if k.project == p && variant.SKU == set.SKU {
						at := place{p, variant.ID, set.Location}
						shelf := s.shelf(at).Recount(set.Quantity)
						s.stock.put(s, at, uncounted(shelf))
						shelf.Product, shelf.Variant, shelf.SKU, shelf.Location = k.id, variant.ID, set.SKU, set.Location
						list = append(list, shelf)
					}
				}
			}
		}
		return nil
	})
	return list, err
}

func (v Products) Delete(ctx context.Context, p id.Project, of id.Product, _ time.Time) error {
	return v.inTx(ctx, func(s *state) error {
		k := key[id.Product]{p, of}
		product, known := s.products.rows[k]
		if !known {
			return fault.Missing("product")
		}
		for _, variant := range product.Variants {
			s.empty(p, variant.ID)
		}
		s.products.drop(s, k)
		return nil
	})
}

// Delete leaves a project readable until Step, because no simulation reads it.
func (v Projects) Delete(ctx context.Context, _ id.Account, p id.Project, _ time.Time) error {
	return v.inTx(ctx, func(s *state) error {
		for k, c := range s.checkouts.rows {
			if k.project == p && c.Status == checkout.Processing {
				return fault.New(fault.Conflict, "payment_unresolved", "A payment is undecided.")
			}
		}
		return nil
	})
}

// Settle knows no real money.
func (v Projects) Settle(ctx context.Context, p id.Project) (settled ports.Settled, err error) {
	err = v.inTx(ctx, func(s *state) error {
		settled.Ready = true
		for k, row := range s.orders.rows {
			pending := slices.ContainsFunc(row.refunds, func(r order.Refund) bool { return r.Status == order.RefundIsPending })
			settled.Ready = settled.Ready && !(k.project == p && pending)
		}
		return nil
	})
	return settled, err
}

// Step removes a project with its orders and events.
func (v Projects) Step(ctx context.Context, p id.Project) (last bool, err error) {
	return true, v.inTx(ctx, func(s *state) error {
		s.projects.drop(s, p)
		s.orders.clear(s, func(k key[id.Order]) bool { return k.project == p })
		s.checkouts.clear(s, func(k key[id.Checkout]) bool { return k.project == p })
		s.ledger.clear(s, func(k key[id.Transaction]) bool { return k.project == p })
		s.events.clear(s, func(k key[id.Event]) bool { return k.project == p })
		s.subscriptions.clear(s, func(k key[id.Subscription]) bool { return k.project == p })
		s.deliveries.clear(s, func(k key[id.Delivery]) bool { return k.project == p })
		return nil
	})
}
