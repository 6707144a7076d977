package woocommerce

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	findPage     = 50 // orders on a page of a search
	maxFindPages = 40 // pages
	// skew is the tolerated error of the shop's clock.
	skew = time.Hour
)

// wooOrder is an order in the API.
type wooOrder struct {
	ID       loose  `json:"id"`
	Number   loose  `json:"number"`
	Status   loose  `json:"status"`
	Currency loose  `json:"currency"`
	Total    loose  `json:"total"`
	Paid     loose  `json:"date_paid_gmt"`
	Created  loose  `json:"date_created_gmt"`
	Meta     []meta `json:"meta_data"`
	Lines    []struct {
		ID        loose  `json:"id"`
		Product   loose  `json:"product_id"`
		Variation loose  `json:"variation_id"`
		Quantity  loose  `json:"quantity"`
		Meta      []meta `json:"meta_data"`
	} `json:"line_items"`
	Fees []label `json:"fee_lines"`
}

// unpaid reports whether the order was saved, but its payment was not completed.
func (o wooOrder) unpaid() bool {
	return o.Paid == "" && slices.Contains([]loose{"pending", "failed", "checkout-draft"}, o.Status)
}

// reducedStock returns the stock that a line has taken: wc_reduce_stock_levels sets "_reduced_stock".
func reducedStock(list []meta) int {
	for _, m := range list {
		var text loose
		if m.Key == "_reduced_stock" && json.Unmarshal(m.Value, &text) == nil {
			n, _ := strconv.Atoi(text.String())
			return n
		}
	}
	return 0
}

func (o wooOrder) written(c ports.Connection, d ports.OrderDraft) ports.WrittenOrder {
	w := ports.WrittenOrder{
		Remote:     o.ID.String(),
		Name:       "#" + cmp.Or(o.Number, o.ID).String(),
		URL:        strings.TrimRight(c.BaseURL, "/") + "/wp-admin/post.php?action=edit&post=" + url.QueryEscape(o.ID.String()),
		Unfinished: o.unpaid(),
	}
	if !w.Unfinished && o.ID != "" && !o.hasTotal(d.Order.Total) {
		w.WrongTotal = connectors.Plain(o.Total.String() + " " + o.Currency.String())
	}
	for _, l := range o.Lines {
		if reducedStock(l.Meta) > 0 {
			w.Counted = append(w.Counted, itemOf(l.Product, l.Variation))
		}
	}
	return w
}

// itemOf returns the id of a line's stock item: its variation, or else its product.
func itemOf(product, variation loose) string {
	if variation == "" || variation == "0" {
		return product.String()
	}
	return variation.String()
}

// FindOrder finds the order that has our id in its metadata.
func (s *Connector) FindOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (*ports.WrittenOrder, error) {
	if d.Unfinished != "" {
		o, err := s.readExisting(ctx, c, d.Unfinished)
		if err == nil && metaValue(o.Meta, referenceKey) == d.Order.ID.String() {
			w := o.written(c, d)
			return &w, nil
		}
		if err != nil && err != errOrderGone {
			return nil, err
		}
	}
	list, err := s.ordersByReference(ctx, c, d, time.Time{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	o, err := s.order(ctx, c, pickOrder(list).ID.String())
	if err != nil {
		return nil, err
	}
	w := o.written(c, d)
	return &w, nil
}

// pickOrder returns the order to keep of several duplicates: the paid one, else the oldest.
func pickOrder(list []wooOrder) wooOrder {
	return slices.MinFunc(list, func(a, b wooOrder) int {
		if a.unpaid() != b.unpaid() {
			if a.unpaid() {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
}

// ordersByReference returns the orders with our id in their metadata. The API cannot find an order by metadata: "search" covers
// addresses and products, and there is no filter (developer.woocommerce.com/docs/apis/rest-api/v3/orders, read on 2026-11-29).
// Therefore it reads the newest orders, back to the last attempt, or to before if that is earlier. If that is long ago, it reads
// the orders of that time.
func (s *Connector) ordersByReference(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft, before time.Time) (list []wooOrder, err error) {
	since := d.Asked
	if since.IsZero() {
		since = d.Order.CreatedAt
	}
	if !before.IsZero() && before.Before(since) {
		since = before
	}
	query := url.Values{
		"orderby": {"id"}, "order": {"desc"}, "status": {"any"},
		"_fields": {"id,number,status,total,currency,date_paid_gmt,date_created_gmt,meta_data"},
	}
	if s.clock.Now().Sub(since) > 3*skew {
		query.Set("before", since.Add(2*skew).UTC().Format("2006-01-02T15:04:05"))
		query.Set("dates_are_gmt", "true")
	}
	for number := 1; number <= maxFindPages; number++ {
		p, err := s.page(ctx, c, "/orders", query, number, findPage)
		if err != nil {
			return nil, err
		}
		oldest := time.Time{}
		for _, raw := range p.list {
			var o wooOrder
			if err := s.platform.Decode(raw, &o); err != nil {
				return nil, err
			}
			if metaValue(o.Meta, referenceKey) == d.Order.ID.String() {
				list = append(list, o)
			}
			oldest, _ = moment(o.Created)
		}
		if !p.more || !oldest.IsZero() && oldest.Before(since.Add(-skew)) {
			return list, nil
		}
	}
	return nil, s.platform.Failed("has too many orders to look through", nil)
}

func (s *Connector) order(ctx ports.Outbound, c ports.Connection, remote string) (o wooOrder, err error) {
	err = s.forAccount(c).Ask(ctx, request(c, "/orders/"+url.PathEscape(remote), nil), &o)
	return o, err
}
