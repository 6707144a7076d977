package analytics

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// foldedLost are lost deals ($1 project, $2 from, $3 to, $4 currency, $5 thousandths) of sessions that are folded
	// completely.
	foldedLost = `
FROM analytics_lost
WHERE project_id = $1
  AND began >= $2
  AND began < $3
  AND currency = $4
  AND best * 1000 >= floor * (1000 - $5)
  AND session_id NOT IN (SELECT session_id FROM analytics_pending WHERE project_id = $1)`

	sumLost = `
SELECT count(*) AS count, count(CASE WHEN best >= floor THEN 1 END) AS above_floor,
  CAST(COALESCE(sum(best * quantity), 0) AS BIGINT) AS offered, CAST(COALESCE(sum(list_price * quantity), 0) AS BIGINT) AS list` + foldedLost

	selectLost = `
SELECT began, session_id, product_id, variant_id, quantity, last, currency, best, standing, list_price, floor` + foldedLost + `
ORDER BY began DESC, session_id DESC, product_id DESC, variant_id DESC, quantity DESC
LIMIT $6`
)

func (v Analytics) Lost(ctx context.Context, project id.Project, f ports.LostFilter, page ports.Page) (ports.LostDeals, error) {
	var deals ports.LostDeals
	err := v.Store.Snapshot(ctx, project, func(t *db.Tx) error {
		args := []any{project, f.From, f.To, f.Currency, f.Near}
		var sum struct{ Count, AboveFloor, Offered, List int64 }
		if _, err := t.Get(ctx, &sum, sumLost, args...); err != nil {
			return err
		}
		deals = ports.LostDeals{
			Count:      sum.Count,
			AboveFloor: sum.AboveFloor,
			Offered:    sum.Offered,
			List:       sum.List,
		}
		rows, err := db.All[lostRow](ctx, t, selectLost, append(args, page.Offset+page.Limit)...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			deals.Examples = append(deals.Examples, r.Lost)
		}
		return addUnfoldedLost(ctx, t, project, f, &deals)
	})
	if err != nil {
		return ports.LostDeals{}, err
	}
	slices.SortFunc(deals.Examples, NewestLost)
	last := min(page.Offset+page.Limit, len(deals.Examples))
	deals.Examples = deals.Examples[min(page.Offset, last):last]
	return deals, nil
}

func addUnfoldedLost(ctx context.Context, t *db.Tx, project id.Project, f ports.LostFilter, deals *ports.LostDeals) error {
	fresh, err := unfolded(ctx, t, project)
	if err != nil {
		return err
	}
	sessions, err := recorded(ctx, t, project, fresh.sessions(), fresh)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		_, lost := s.Facts()
		for _, l := range lost {
			if l.Began.Before(f.From) || !l.Began.Before(f.To) || l.Currency != f.Currency || !l.Near(f.Near) {
				continue
			}
			deals.Count++
			if l.Best >= l.Floor {
				deals.AboveFloor++
			}
			n := int64(l.Item.Quantity)
			deals.Offered, deals.List = deals.Offered+n*l.Best, deals.List+n*l.List
			deals.Examples = append(deals.Examples, l)
		}
	}
	return nil
}

// NewestLost is the order of selectLost.
func NewestLost(a, b analytics.Lost) int {
	return cmp.Or(
		b.Began.Compare(a.Began),
		strings.Compare(b.Item.Session.String(), a.Item.Session.String()),
		strings.Compare(b.Item.Product.String(), a.Item.Product.String()),
		strings.Compare(b.Item.Variant.String(), a.Item.Variant.String()),
		b.Item.Quantity-a.Item.Quantity,
	)
}
