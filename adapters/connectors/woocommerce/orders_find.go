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
	findPage = 50 // orders on a page that is looked through
	mostFind = 40 // pages
	// skew is how wrong the shop's clock may be.
	skew = time.Hour
)

// wooOrder is an order as the API tells it.
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

// unpaid reports whether the order was saved and its payment not completed.
func (o wooOrder) unpaid() bool {
	return o.Paid == "" && slices.Contains([]loose{"pending", "failed", "checkout-draft"}, o.Status)
}

// taken is the stock that a line has taken: "_reduced_stock" is set by wc_reduce_stock_levels.
func taken(list []meta) int {
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
	if !w.Unfinished && o.ID != "" && !o.totals(d.Order.Total) {
		w.WrongTotal = connectors.Plain(o.Total.String() + " " + o.Currency.String())
	}
	for _, l := range o.Lines {
		if taken(l.Meta) > 0 {
			w.Counted = append(w.Counted, itemOf(l.Product, l.Variation))
		}
	}
	return w
}

// itemOf is what the stock of a line is called here: its variation, or its product.
func itemOf(product, variation loose) string {
	if variation == "" || variation == "0" {
		return product.String()
	}
	return variation.String()
}

// FindOrder looks for an order with ours in its metadata.
func (s *Connector) FindOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (*ports.WrittenOrder, error) {
	if d.Unfinished != "" {
		o, err := s.known(ctx, c, d.Unfinished)
		if err == nil && find(o.Meta, referenceKey) == d.Order.ID.String() {
			w := o.written(c, d)
			return &w, nil
		}
		if err != nil && err != errOrderGone {
			return nil, err
		}
	}
	list, err := s.ours(ctx, c, d, time.Time{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	o, err := s.order(ctx, c, best(list).ID.String())
	if err != nil {
		return nil, err
	}
	w := o.written(c, d)
	return &w, nil
}

// best is the order that is kept of several: the one that is paid, else the oldest.
func best(list []wooOrder) wooOrder {
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

// ours are the orders with ours in their metadata. The API finds no order by that: "search" looks through addresses and
// products, and there is no filter by metadata (developer.woocommerce.com/docs/apis/rest-api/v3/orders, read on 2026-11-29). So the
// newest orders are read, back to the last attempt, or to a time before it; where that is long ago, those of its time.
func (s *Connector) ours(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft, before time.Time) (list []wooOrder, err error) {
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
	for number := 1; number <= mostFind; number++ {
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
			if find(o.Meta, referenceKey) == d.Order.ID.String() {
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
	err = s.as(c).Ask(ctx, request(c, "/orders/"+url.PathEscape(remote), nil), &o)
	return o, err
}
