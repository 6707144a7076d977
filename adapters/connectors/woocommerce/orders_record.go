package woocommerce

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// referenceKey is the metadata key with the id of our order.
const referenceKey = "haggle_order_id"

type meta struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

func metaValue(list []meta, key string) (text string) {
	for _, m := range list {
		if m.Key == key {
			_ = json.Unmarshal(m.Value, &text) // a value that is no text is not ours
		}
	}
	return text
}

func orderRecord(raw json.RawMessage) syncrun.Record {
	var o struct {
		ID       loose `json:"id"`
		Number   loose `json:"number"`
		Status   loose `json:"status"`
		Total    loose `json:"total"`
		Currency loose `json:"currency"`
		Created  loose `json:"date_created_gmt"`
		Modified loose `json:"date_modified_gmt"`
		Sent     loose `json:"date_completed_gmt"`
		Billing  struct {
			Email loose `json:"email"`
		} `json:"billing"`
		Lines []struct {
			Quantity loose `json:"quantity"`
		} `json:"line_items"`
		Refunds []json.RawMessage `json:"refunds"`
		Meta    []meta            `json:"meta_data"`
	}
	r := syncrun.Record{Resource: syncrun.Orders}
	if err := json.Unmarshal(raw, &o); err != nil || o.ID == "" {
		r.Remote, r.Problem = o.ID.String(), "It is no order of WooCommerce's."
		return r
	}
	r.Remote = o.ID.String()
	r.At, r.WholeSecond = moment(o.Modified)
	placed, _ := moment(o.Created)
	r.Order = &syncrun.Order{
		Number:   o.Number.String(),
		Email:    o.Billing.Email.String(),
		Status:   o.Status.String(),
		Total:    o.Total.String(),
		Currency: strings.ToUpper(o.Currency.String()),
		PlacedAt: placed,
	}
	for _, l := range o.Lines {
		if n, err := strconv.Atoi(l.Quantity.String()); err == nil && n > 0 && n < maxPieces {
			r.Order.Items += n
		}
	}
	if ours := metaValue(o.Meta, referenceKey); ours != "" {
		if _, err := id.Parse[id.Order](ours); err == nil {
			r.Order.Reference = ours
		}
	}
	if r.Order.Reference != "" { // changes of our orders have effects here; of other orders only the status is stored
		r.Order.Canceled, r.Order.Refunded = o.Status == "cancelled", refunded(o.Refunds, r.Order.Currency)
		if sent, _ := moment(o.Sent); o.Status == "completed" {
			r.Order.Shipment = &syncrun.Shipment{ShippedAt: sent}
		}
	}
	return r
}
