package woocommerce

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// kept is an item with what its stock is kept in: itself, or its product.
type kept struct {
	item
	in     item
	parent loose // its product's SKU
}

// counts reports whether the shop counts the pieces.
func (k kept) counts() bool { return k.in.Managed == "true" }

// items reads products and variations by their ids. Those that are not there any more are left out. /products/{id} serves
// variations, too (wc_get_product).
func (s *Connector) items(ctx context.Context, c ports.Connection, ids []string) (map[string]kept, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	list := make([]*kept, len(ids))
	all, within := errgroup.WithContext(ctx)
	all.SetLimit(atOnce)
	for n, id := range ids {
		all.Go(func() error {
			own, err := s.item(within, c, id)
			if err != nil || own == nil {
				return err
			}
			list[n] = &kept{item: *own, in: *own}
			if own.Type != "variation" {
				return nil
			}
			parent, err := s.item(within, c, own.Parent.String())
			if parent != nil {
				list[n].parent = parent.SKU
			}
			if parent != nil && own.Managed == "parent" {
				list[n].in = *parent
			}
			return err
		})
	}
	err := all.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	found := map[string]kept{}
	for n, id := range ids {
		if list[n] != nil {
			found[id] = *list[n]
		}
	}
	return found, err
}

// item is nil where there is none.
func (s *Connector) item(ctx context.Context, c ports.Connection, id string) (*item, error) {
	account := s.as(c)
	a, err := account.Send(ctx, request(c, "/products/"+url.PathEscape(id), nil))
	if err != nil {
		return nil, err
	}
	if a.Status == http.StatusNotFound && !noRoute(a.Body) {
		return nil, nil
	}
	if err := account.Judge(a); err != nil {
		return nil, err
	}
	one := parseItem(a.Body)
	if one.wrong != nil {
		return nil, s.platform.Failed("sent a product that cannot be read", one.wrong)
	}
	return &one, nil
}

// noRoute reports whether a 404 is of the API and not of a product.
func noRoute(body []byte) bool {
	var told struct{ Code string }
	return json.Unmarshal(body, &told) != nil || told.Code == "rest_no_route" || told.Code == ""
}

// goodsOf reports for each line whether the shop has its goods. WooCommerce asks nobody whether there is enough stock when an order
// is written (wc_reduce_stock_levels), so that is asked before: too little is SoldOut.
func (s *Connector) goodsOf(ctx context.Context, c ports.Connection, d ports.OrderDraft) ([]bool, error) {
	items, err := s.items(ctx, c, d.Items)
	if err != nil {
		return nil, err
	}
	goods, wanted := make([]bool, len(d.Items)), map[loose]int{}
	for n, id := range d.Items {
		k, there := items[id]
		if !there {
			continue
		}
		goods[n] = true
		wanted[k.in.ID] += d.Order.Lines[n].Quantity
		if k.soldOut(wanted[k.in.ID]) {
			return nil, &ports.SoldOut{Reason: "WooCommerce has too little stock for it."}
		}
	}
	return goods, nil
}

// soldOut reports whether the shop would not sell so many pieces itself.
func (k kept) soldOut(pieces int) bool {
	if !k.counts() {
		return k.in.stock.Status == "outofstock"
	}
	if k.in.Backorders == "yes" || k.in.Backorders == "notify" {
		return false
	}
	left, err := strconv.ParseFloat(k.in.Quantity.String(), 64)
	return err != nil || left < float64(pieces)
}

// ReadLevels reads the stock of items that the shop counts.
func (s *Connector) ReadLevels(ctx ports.Outbound, c ports.Connection, items []string) (records []syncrun.Record, err error) {
	found, err := s.items(ctx, c, items)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(slices.Values(items)) {
		k, there := found[id]
		if !there || !k.counts() {
			continue
		}
		record := k.level(k.in.stock, k.parent)
		if record.Problem != "" {
			return nil, s.platform.Refused("has stock that cannot be read: " + record.Problem)
		}
		records = append(records, record)
	}
	return records, nil
}
