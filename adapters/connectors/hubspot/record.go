package hubspot

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// object is a contact or a deal. Its properties are text or null, whatever they hold.
type object struct {
	ID         string                     `json:"id"`
	Properties map[string]json.RawMessage `json:"properties"`
	UpdatedAt  string                     `json:"updatedAt"`
	Archived   bool                       `json:"archived"`
	URL        string                     `json:"url"` // in the answer to an upsert
}

func (o object) text(property string) (text string) {
	if raw := o.Properties[property]; json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return strings.ReplaceAll(text, "\x00", "") // which PostgreSQL does not store
}

func (k kind) records(p page, of syncrun.Resource) []syncrun.Record {
	return connectors.Records(p.Results, func(raw json.RawMessage) syncrun.Record { return k.record(raw, of) })
}

func (k kind) record(raw json.RawMessage, of syncrun.Resource) syncrun.Record {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o.ID == "" {
		return syncrun.Record{Resource: of, Problem: "It is no object of HubSpot's."}
	}
	r := syncrun.Record{
		Resource: of,
		Remote:   o.ID,
		At:       connectors.Moment(o.text(k.modified)),
		Deleted:  o.Archived,
	}
	if r.At.IsZero() {
		r.At = connectors.Moment(o.UpdatedAt)
	}
	if r.Deleted {
		return r
	}
	if err := k.read(o, &r); err != nil {
		return syncrun.Record{
			Resource: of,
			Remote:   o.ID,
			At:       r.At,
			Problem:  "It cannot be read: " + err.Error() + ".",
		}
	}
	return r
}

// maxDeals is the highest accepted number of deals.
const maxDeals = 1_000_000_000

func contact(o object, r *syncrun.Record) error {
	c := &syncrun.Customer{
		Email: o.text("email"),
		Name:  strings.TrimSpace(o.text("firstname") + " " + o.text("lastname")),
		Tier:  o.text("loyalty_tier"),
	}
	if text := o.text("num_associated_deals"); text != "" {
		n, err := money.ParseDecimal(text, 0)
		if err != nil || n < 0 || n > maxDeals {
			return errors.New("num_associated_deals is no number of deals")
		}
		c.Purchases = int(n)
	}
	r.Customer = c
	return nil
}

func deal(o object, r *syncrun.Record) error {
	d := &syncrun.Order{
		Number:    o.text("dealname"),
		Status:    o.text("dealstage"),
		Total:     strings.TrimSpace(o.text("amount")),
		Currency:  strings.ToUpper(o.text("deal_currency_code")),
		PlacedAt:  connectors.Moment(o.text("closedate")),
		Reference: o.text(orderProperty), // so that the sync recognizes a deal of ours
	}
	if _, err := money.ParseDecimal(d.Total, 0); d.Total != "" && (errors.Is(err, money.ErrSyntax) || len(d.Total) > 40) {
		return errors.New("amount is no number")
	}
	r.Order = d
	return nil
}
