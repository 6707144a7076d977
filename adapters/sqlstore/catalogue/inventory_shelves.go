package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// shelves are the stock levels that one transaction writes. Their variants cannot be deleted meanwhile.
type shelves struct {
	t        *db.Tx
	project  id.Project
	variants map[string]catalog.Level // by sku, without a location
	levels   map[ports.StockPlace]catalog.Shelf
}

// openShelves finds the variants. It names all unknown ones at once, in the list that they came in.
func openShelves(ctx context.Context, t *db.Tx, project id.Project, places []ports.StockPlace, list string) (*shelves, error) {
	s, unknown, err := findShelves(ctx, t, project, places)
	if err != nil {
		return nil, err
	}
	check := fault.NewCheck()
	for _, i := range unknown {
		check.In(list).At(i).That(false, "sku", "is not the sku of a variant")
	}
	return s, check.Err()
}

// findShelves finds the existing variants, and the places whose sku no variant has.
func findShelves(ctx context.Context, t *db.Tx, project id.Project, places []ports.StockPlace) (s *shelves, unknown []int, err error) {
	s = &shelves{
		t:        t,
		project:  project,
		variants: make(map[string]catalog.Level),
		levels:   make(map[ports.StockPlace]catalog.Shelf),
	}
	skus := make([]string, len(places))
	for i, p := range places {
		skus[i] = p.SKU
	}
	slices.Sort(skus)
	for some := range slices.Chunk(slices.Compact(skus), db.Listed) {
		args := db.Args{project}
		rows, err := db.All[catalog.Level](ctx, t, `
SELECT product_id, id AS variant_id, sku, inventory_policy AS policy, digital
FROM variants
WHERE project_id = $1
  AND sku IN `+args.List(some)+t.Dialect.ForKeyShare, args...)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range rows {
			s.variants[r.SKU] = r
		}
	}
	for i, p := range places {
		if v, known := s.variants[p.SKU]; known {
			v.Location = p.Location
			s.levels[p] = catalog.Shelf{Level: v}
		} else {
			unknown = append(unknown, i)
		}
	}
	return s, unknown, nil
}

// put keeps a level and returns it.
func (s *shelves) put(p ports.StockPlace, shelf catalog.Shelf) catalog.Shelf {
	s.levels[p] = shelf
	return shelf
}

// count loads the levels for exclusive use, and the time. It creates levels that do not exist yet, because a missing
// row cannot be locked. Stock held by payment attempts is read once the levels are locked: no attempt begins on them
// then, and one that ends is seen either with its pieces put back or not at all.
func (s *shelves) count(ctx context.Context) (now time.Time, err error) {
	if err := s.t.Insert(ctx, upsertStock, s.rows(), `
ON CONFLICT (project_id, variant_id, location) DO NOTHING`); err != nil {
		return now, err
	}
	places := make(map[stockKey]ports.StockPlace, len(s.levels))
	var variants []string
	for p, l := range s.levels {
		places[stockKey{l.Variant, p.Location}] = p
		variants = append(variants, l.Variant.String())
	}
	slices.Sort(variants)
	for some := range slices.Chunk(slices.Compact(variants), db.Listed) {
		args := db.Args{s.project}
		rows, err := db.All[lockedLevelRow](ctx, s.t, `
SELECT variant_id, location, quantity, oversold, `+s.t.Dialect.Moment()+` AS now
FROM stock
WHERE project_id = $1
  AND variant_id IN `+args.List(some)+`
ORDER BY variant_id, location`+s.t.Dialect.ForUpdate, args...)
		if err != nil {
			return now, err
		}
		for _, r := range rows {
			if p, asked := places[stockKey{r.Variant, r.Location}]; asked {
				shelf := s.levels[p]
				shelf.Quantity, shelf.Oversold, now = r.Quantity, r.Oversold, r.Now
				s.levels[p] = shelf
			}
		}
	}
	held, err := held(ctx, s.t, s.project)
	for at, n := range held {
		if p, asked := places[at]; asked {
			shelf := s.levels[p]
			shelf.Held = n
			s.levels[p] = shelf
		}
	}
	return now, err
}

type lockedLevelRow struct {
	catalog.Level
	Oversold int
	Now      time.Time
}

// move applies moves one after the other and returns the level that each of them led to.
func (s *shelves) move(moves []ports.StockMove, places []ports.StockPlace) ([]catalog.Shelf, error) {
	written := make([]catalog.Shelf, len(moves))
	tooMany := fault.NewCheck()
	short := fault.New(fault.Conflict, "insufficient_stock", "There is not enough stock.")
	for i, m := range moves {
		shelf := s.levels[places[i]]
		count := shelf.Count() + m.Delta
		if count < 0 && m.Delta < 0 {
			short = short.With(fmt.Sprintf("adjustments.%d.delta", i), "would take more than there is")
			continue
		}
		tooMany.In("adjustments").At(i).That(count <= catalog.MaxStock, "delta", "would make more than 1,000,000,000")
		written[i] = s.put(places[i], shelf.Recount(count))
	}
	if len(short.Details) > 0 {
		return nil, short
	}
	return written, tooMany.Err()
}

// store writes the levels.
func (s *shelves) store(ctx context.Context) error {
	return s.t.Insert(ctx, upsertStock, s.rows(), replaceStock)
}

// rows returns the levels in the order in which stock is locked everywhere.
func (s *shelves) rows() [][]any {
	places := slices.SortedFunc(maps.Keys(s.levels), func(a, b ports.StockPlace) int {
		return cmp.Or(
			cmp.Compare(s.variants[a.SKU].Variant.String(), s.variants[b.SKU].Variant.String()),
			cmp.Compare(a.Location, b.Location),
		)
	})
	rows := make([][]any, len(places))
	for i, p := range places {
		l := s.levels[p]
		rows[i] = []any{s.project, l.Variant, p.Location, l.Quantity, l.Oversold}
	}
	return rows
}

// note stores the reasons.
func (s *shelves) note(ctx context.Context, moves []ports.StockMove, now time.Time) error {
	rows := make([][]any, len(moves))
	for i, m := range moves {
		rows[i] = []any{s.project, s.variants[m.SKU].Variant, m.Location, m.Delta, m.Reason, now}
	}
	return s.t.Insert(ctx, insertMoves, rows, "")
}
