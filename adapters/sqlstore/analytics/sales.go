package analytics

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Sales sums up orders.
type Sales struct{ Store *db.DB }

var _ ports.SalesReader = Sales{}

const (
	// mostSold is the maximum number of lines that are summed up, except for the rest of the last order. Pairs of
	// products take the most memory: 10 MB, if all orders have 50 lines.
	mostSold = 50_000

	// soldAtOnce is how many orders are read at a time.
	soldAtOnce = 1000

	// selectSold goes on from an order, to older ones.
	selectSold = `
SELECT id, created_at, lines
FROM orders
WHERE project_id = $1
  AND created_at >= $2
  AND (created_at, id) < ($3, $4)
  AND status <> 'canceled'
ORDER BY created_at DESC, id DESC
LIMIT $5`
)

type soldRow struct {
	ID        string
	CreatedAt time.Time
	Lines     string
}

// soldJSON has the fields of a stored line that sales need.
type soldJSON struct {
	Product  string `json:"product"`
	Quantity int    `json:"quantity"`
}

func (v Sales) Sales(ctx context.Context, project id.Project, since time.Time, limit int) (ports.Sales, error) {
	t := tally{numbers: make(map[string]uint32)}
	for last := (soldRow{CreatedAt: time.UnixMilli(math.MaxInt64)}); t.lines < mostSold; {
		rows, err := db.All[soldRow](ctx, v.Store.Read(project), selectSold, project, since, last.CreatedAt, last.ID, soldAtOnce)
		if err != nil {
			return ports.Sales{}, err
		}
		for _, r := range rows {
			if err := t.add(r.Lines); err != nil {
				return ports.Sales{}, err
			}
		}
		if len(rows) < soldAtOnce {
			break
		}
		last = rows[len(rows)-1]
	}
	return t.sales(limit), nil
}

// tally adds orders up. Products have numbers, in the order in which they came.
type tally struct {
	lines    int
	numbers  map[string]uint32
	products []id.Product
	pieces   []int
	pairs    []uint64 // of an order's products, the lower number above the higher
}

// add adds the lines of an order, unless there have been enough.
func (t *tally) add(text string) error {
	if t.lines >= mostSold {
		return nil
	}
	var lines []soldJSON
	if err := db.FromJSON(text, &lines); err != nil {
		return err
	}
	t.lines += len(lines)
	var products []uint32
	for _, l := range lines {
		n := t.number(l.Product)
		t.pieces[n] += l.Quantity
		if !slices.Contains(products, n) {
			products = append(products, n)
		}
	}
	for _, one := range products {
		for _, other := range products {
			if one < other {
				t.pairs = append(t.pairs, uint64(one)<<32|uint64(other))
			}
		}
	}
	return nil
}

func (t *tally) number(product string) uint32 {
	n, known := t.numbers[product]
	if !known {
		n = uint32(len(t.products))
		t.numbers[product] = n
		t.products, t.pieces = append(t.products, id.Stored[id.Product](product)), append(t.pieces, 0)
	}
	return n
}

// companion is a product that was in some orders with another one.
type companion struct {
	product id.Product
	orders  int
}

func (t *tally) sales(limit int) ports.Sales {
	s := ports.Sales{Sold: make(map[id.Product]int, len(t.products)), Together: make(map[id.Product][]id.Product)}
	for n, product := range t.products {
		s.Sold[product] = t.pieces[n]
	}
	companions := make(map[id.Product][]companion)
	slices.Sort(t.pairs)
	for rest := t.pairs; len(rest) > 0; {
		orders := 1
		for orders < len(rest) && rest[orders] == rest[0] {
			orders++
		}
		if orders > 1 {
			one, other := t.products[rest[0]>>32], t.products[uint32(rest[0])]
			companions[one] = append(companions[one], companion{other, orders})
			companions[other] = append(companions[other], companion{one, orders})
		}
		rest = rest[orders:]
	}
	for one, all := range companions {
		s.Together[one] = best(all, limit)
	}
	return s
}

// best returns the products of the most orders, then by id.
func best(companions []companion, limit int) []id.Product {
	slices.SortFunc(companions, func(a, b companion) int {
		return cmp.Or(b.orders-a.orders, cmp.Compare(a.product.String(), b.product.String()))
	})
	companions = companions[:min(limit, len(companions))]
	products := make([]id.Product, len(companions))
	for i, c := range companions {
		products[i] = c.product
	}
	return products
}
