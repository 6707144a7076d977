package haggling

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// quotes are written without redeemed_by: a purchase says who redeems a quote.
var quotes = db.NewTable[quoteRow]("quotes", db.Columns{
	"Progress.BestOffer": ",null",
	"Progress.Counter":   ",null",
	"FinalPrice":         ",null",
	"Bundle":             ",json",
	"RedeemedBy":         "redeemed_by,read",
	"Personal.Signals":   "personal",
	"Personal.Region":    "personal_region",
	"Bounds":             "-",
})

var _ = stored.JSON[negotiation.Bundle](stored.Tags{"Bundle.ValidUntil": "until", "Bundle.Digital": ",omitempty"})

type quoteRow struct {
	negotiation.Snapshot
	boundsRow
}

// boundsRow are the columns of bounds.
type boundsRow struct {
	ListPrice money.Amount
	Opening   money.Amount
	Target    money.Amount
	Floor     money.Amount
}

func toBounds(b negotiation.Bounds) boundsRow {
	return boundsRow{b.List(), b.Opening(), b.Target(), b.Floor()}
}

func (r boundsRow) bounds() negotiation.Bounds {
	return negotiation.RehydrateBounds(r.ListPrice, r.Opening, r.Target, r.Floor)
}

func toQuoteRow(q *negotiation.Quote) quoteRow {
	s := q.Snapshot()
	return quoteRow{s, toBounds(s.Bounds)}
}

// fromQuoteRow returns nil for no row.
func fromQuoteRow(r *quoteRow) *negotiation.Quote {
	if r == nil {
		return nil
	}
	r.Bounds = r.bounds()
	return negotiation.Rehydrate(r.Snapshot)
}
