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

// stockItem is an item and the item that has its stock: itself, or its product.
type stockItem struct {
	item
	in     item
	parent loose // SKU of its product
}

// managesStock reports whether the shop counts the pieces.
func (k stockItem) managesStock() bool { return k.in.Managed == "true" }

// items reads products and variations by id. It leaves out ids that do not exist any more. /products/{id} serves variations,
// too (wc_get_product).
func (s *Connector) items(ctx context.Context, c ports.Connection, ids []string) (map[string]stockItem, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	list := make([]*stockItem, len(ids))
	all, within := errgroup.WithContext(ctx)
	all.SetLimit(concurrency)
	for n, id := range ids {
		all.Go(func() error {
			own, err := s.item(within, c, id)
			if err != nil || own == nil {
				return err
			}
			list[n] = &stockItem{item: *own, in: *own}
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
	found := map[string]stockItem{}
	for n, id := range ids {
		if list[n] != nil {
			found[id] = *list[n]
		}
	}
	return found, err
}

// item reads a product or variation. It returns nil if there is none.
func (s *Connector) item(ctx context.Context, c ports.Connection, id string) (*item, error) {
	account := s.forAccount(c)
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

// noRoute reports whether a 404 means that the API does not exist, rather than the product.
func noRoute(body []byte) bool {
	var problem struct{ Code string }
	return json.Unmarshal(body, &problem) != nil || problem.Code == "rest_no_route" || problem.Code == ""
}

// goodsOf reports for each line whether its goods are a product of the shop. It returns SoldOut if there is too little stock, because
// WooCommerce does not check that when it creates an order (wc_reduce_stock_levels).
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

// soldOut reports whether the shop itself would refuse to sell so many pieces.
func (k stockItem) soldOut(pieces int) bool {
	if !k.managesStock() {
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
		if !there || !k.managesStock() {
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
