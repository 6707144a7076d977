package purchase

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ = stored.JSON[order.ReturnItem](nil)
	_ = stored.JSON[order.Allocation](nil)
)

var (
	orders = db.NewTable[orderRow]("orders", db.Columns{
		"Lines":       ",json",
		"Address":     ",json",
		"Fulfillment": "-",
		// Orders are read with their payments.
		"Payment.ID":                "payment_id,read",
		"Payment.Amount":            ",read",
		"Payment.Refunded":          ",read",
		"Payment.Refunding":         ",read",
		"Payment.Disputed":          ",read",
		"Payment.Method":            ",read",
		"Payment.Label":             ",read",
		"Payment.Route.Provider":    "gateway,read",
		"Payment.Route.Integration": ",read",
		"Payment.Provider":          ",read",
		"Payment.CreatedAt":         "paid_at,read",
	})

	// Payments are written with their status, which follows from the amounts.
	Payments = db.NewTable[ports.OrderPayment]("payments", db.Columns{"Route.Provider": "gateway", "Checkout": ",read"})

	returns = db.NewTable[order.Return]("returns", db.Columns{
		"Items":      ",json",
		"Allocation": ",json",
		"Restocked":  ",json",
		"DecidedAt":  ",null",
	})
)

type orderRow struct {
	order.Order
	Shipment  fulfillmentJSON         `db:"fulfillment,json"`
	Fulfilled order.FulfillmentStatus `db:"fulfillment_status"`
}

type takenRow struct {
	Taken []catalog.Take `db:",json"`
}

// fulfillmentJSON has its dates with the offset of the shop's zone, so that they stay the same days.
type fulfillmentJSON struct {
	ShipsOn      time.Time `json:"ships_on"`
	DeliversFrom time.Time `json:"delivers_from"`
	DeliversBy   time.Time `json:"delivers_by"`
	Option       string    `json:"option"`
	Carrier      string    `json:"carrier,omitempty"`
	Number       string    `json:"tracking_number,omitempty"`
	URL          string    `json:"tracking_url,omitempty"`
	ShippedAt    *int64    `json:"shipped_at,omitempty"`
	DeliveredAt  *int64    `json:"delivered_at,omitempty"`
}

func toOrderRow(o *order.Order) orderRow {
	f := o.Fulfillment
	return orderRow{*o, fulfillmentJSON{
		f.ShipsOn, f.DeliversFrom, f.DeliversBy, f.ShippingOption, f.Carrier, f.TrackingNumber, f.TrackingURL,
		db.MillisOrNull(f.ShippedAt), db.MillisOrNull(f.DeliveredAt),
	}, f.Status}
}

func fromOrderRow(r *orderRow) *order.Order {
	f := r.Shipment
	r.Fulfillment = order.Fulfillment{
		Status: r.Fulfilled, ShipsOn: f.ShipsOn, DeliversFrom: f.DeliversFrom, DeliversBy: f.DeliversBy,
		ShippingOption: f.Option, Carrier: f.Carrier, TrackingNumber: f.Number, TrackingURL: f.URL,
		ShippedAt: db.TimeOrZero(f.ShippedAt), DeliveredAt: db.TimeOrZero(f.DeliveredAt),
	}
	return &r.Order
}
