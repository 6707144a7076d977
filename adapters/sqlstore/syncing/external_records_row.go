package syncing

import (
	"encoding/binary"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var externalRecords = db.NewTable[copyRow]("copies", db.Columns{"Prints": "-", "At": "changed_at,null", "Seen": "seen", "Order": "-", "Customer": "-"})

type copyRow struct {
	syncrun.ExternalRecord
	Stored  []byte `db:"prints"`
	Content string
}

// content has the fields of an order's or a customer's record.
type content struct {
	Order    *syncrun.Order
	Customer *syncrun.Customer
}

var contents = stored.JSON[content](stored.Tags{
	"content.Order":      ",omitempty",
	"content.Customer":   ",omitempty",
	"Order.PlacedAt":     ",null",
	"Order.Reference":    ",omitempty",
	"Order.Shipment":     ",omitempty",
	"Shipment.ShippedAt": ",null",
})

func toCopyArgs(c *syncrun.ExternalRecord) ([]any, error) {
	content, err := toContent(c)
	return externalRecords.Args(copyRow{
		ExternalRecord: *c,
		Stored:         toPrints(c.Prints),
		Content:        content,
	}), err
}

func fromCopyRows(rows []copyRow) ([]*syncrun.ExternalRecord, error) {
	list := make([]*syncrun.ExternalRecord, len(rows))
	for i := range rows {
		var err error
		list[i] = &rows[i].ExternalRecord
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
func toPrints(prints syncrun.Fingerprints) []byte {
	if prints == (syncrun.Fingerprints{}) {
		return nil
	}
	stored := make([]byte, 0, 8*len(prints))
	for _, print := range prints {
		stored = binary.BigEndian.AppendUint64(stored, print)
	}
	return stored
}

// fromPrints also reads prints of releases that had fewer of them: the missing ones are zero.
func fromPrints(stored []byte) (prints syncrun.Fingerprints, err error) {
	if len(stored)%8 != 0 || len(stored) > 8*len(prints) {
		return prints, db.Unreadable("prints", fmt.Errorf("%d bytes", len(stored)))
	}
	for i := range len(stored) / 8 {
		prints[i] = binary.BigEndian.Uint64(stored[8*i:])
	}
	return prints, nil
}

// toContent is empty for a record that is neither an order nor a customer.
func toContent(c *syncrun.ExternalRecord) (string, error) {
	if c.Order == nil && c.Customer == nil {
		return "", nil
	}
	return contents.Text(content{c.Order, c.Customer})
}

func fromContent(text string, c *syncrun.ExternalRecord) error {
	if text == "" {
		return nil
	}
	var kept content
	err := contents.Read(text, &kept, money.Currency{})
	c.Order, c.Customer = kept.Order, kept.Customer
	return err
}
