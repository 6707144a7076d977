package syncing

import (
	"encoding/binary"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var copies = db.NewTable[copyRow]("copies", db.Columns{"Prints": "-", "At": "changed_at,null", "Seen": "seen", "Order": "-", "Customer": "-"})

type copyRow struct {
	syncrun.Copy
	Stored  []byte `db:"prints"`
	Content string
}

// contentJSON is what a copy has of its record: an order's or a customer's fields.
type contentJSON struct {
	Order    *syncedOrderJSON    `json:"order,omitempty"`
	Customer *syncedCustomerJSON `json:"customer,omitempty"`
}

type syncedOrderJSON struct {
	Number    string              `json:"number"`
	Email     string              `json:"email"`
	Status    string              `json:"status"`
	Total     string              `json:"total"`
	Currency  string              `json:"currency"`
	Items     int                 `json:"items"`
	PlacedAt  *int64              `json:"placed_at"`
	Reference string              `json:"reference,omitempty"`
	Shipment  *syncedShipmentJSON `json:"shipment,omitempty"`
}

type syncedShipmentJSON struct {
	Carrier     string `json:"carrier"`
	Number      string `json:"number"`
	TrackingURL string `json:"tracking_url"`
	ShippedAt   *int64 `json:"shipped_at"`
	Delivered   bool   `json:"delivered"`
	Voided      bool   `json:"voided"`
}

type syncedCustomerJSON struct {
	Email     string `json:"email"`
	Name      string `json:"name"`
	Tier      string `json:"tier"`
	Purchases int    `json:"purchases"`
}

func toCopyArgs(c *syncrun.Copy) ([]any, error) {
	content, err := toContent(c)
	return copies.Args(copyRow{Copy: *c, Stored: toPrints(c.Prints), Content: content}), err
}

func fromCopyRows(rows []copyRow) ([]*syncrun.Copy, error) {
	list := make([]*syncrun.Copy, len(rows))
	for i := range rows {
		var err error
		list[i] = &rows[i].Copy
		if list[i].Prints, err = fromPrints(rows[i].Stored); err != nil {
			return nil, err
		}
		if err := fromContent(rows[i].Content, list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// toPrints writes prints one after the other, eight bytes each; nil: there are none.
func toPrints(prints syncrun.Prints) []byte {
	if prints == (syncrun.Prints{}) {
		return nil
	}
	stored := make([]byte, 0, 8*len(prints))
	for _, print := range prints {
		stored = binary.BigEndian.AppendUint64(stored, print)
	}
	return stored
}

// fromPrints reads also those of a time when there were fewer: the others are of nothing known.
func fromPrints(stored []byte) (prints syncrun.Prints, err error) {
	if len(stored)%8 != 0 || len(stored) > 8*len(prints) {
		return prints, db.Unreadable("prints", fmt.Errorf("%d bytes", len(stored)))
	}
	for i := range len(stored) / 8 {
		prints[i] = binary.BigEndian.Uint64(stored[8*i:])
	}
	return prints, nil
}

// toContent is empty for what is neither an order nor a customer.
func toContent(c *syncrun.Copy) (string, error) {
	var j contentJSON
	if o := c.Order; o != nil {
		j.Order = &syncedOrderJSON{
			Number: o.Number, Email: o.Email, Status: o.Status, Total: o.Total, Currency: o.Currency, Items: o.Items,
			PlacedAt: db.MillisOrNull(o.PlacedAt), Reference: o.Reference,
		}
		if s := o.Shipment; s != nil {
			j.Order.Shipment = &syncedShipmentJSON{
				Carrier: s.Carrier, Number: s.Number, TrackingURL: s.TrackingURL, ShippedAt: db.MillisOrNull(s.ShippedAt),
				Delivered: s.Delivered, Voided: s.Voided,
			}
		}
	}
	if c.Customer != nil {
		customer := syncedCustomerJSON(*c.Customer)
		j.Customer = &customer
	}
	if j == (contentJSON{}) {
		return "", nil
	}
	return db.ToJSON(j)
}

func fromContent(text string, c *syncrun.Copy) error {
	if text == "" {
		return nil
	}
	var j contentJSON
	if err := db.FromJSON(text, &j); err != nil {
		return err
	}
	if o := j.Order; o != nil {
		c.Order = &syncrun.Order{
			Number: o.Number, Email: o.Email, Status: o.Status, Total: o.Total, Currency: o.Currency, Items: o.Items,
			PlacedAt: db.TimeOrZero(o.PlacedAt), Reference: o.Reference,
		}
		if s := o.Shipment; s != nil {
			c.Order.Shipment = &syncrun.Shipment{
				Carrier: s.Carrier, Number: s.Number, TrackingURL: s.TrackingURL, ShippedAt: db.TimeOrZero(s.ShippedAt),
				Delivered: s.Delivered, Voided: s.Voided,
			}
		}
	}
	if j.Customer != nil {
		customer := syncrun.Customer(*j.Customer)
		c.Customer = &customer
	}
	return nil
}
