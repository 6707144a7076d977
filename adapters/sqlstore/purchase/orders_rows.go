package purchase

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ = stored.JSON[order.ReturnItem](nil)
	_ = stored.JSON[order.Allocation](nil)
	_ = stored.JSON[order.Fulfillment](stored.Tags{
		"Fulfillment.Status": "-", // a column
		// In the shop's zone, so that they stay the same days.
		"Fulfillment.ShipsOn":        ",format:RFC3339",
		"Fulfillment.DeliversFrom":   ",format:RFC3339",
		"Fulfillment.DeliversBy":     ",format:RFC3339",
		"Fulfillment.ShippingOption": "option",
		"Fulfillment.Carrier":        ",omitempty",
		"Fulfillment.TrackingNumber": ",omitempty",
		"Fulfillment.TrackingURL":    ",omitempty",
		"Fulfillment.ShippedAt":      ",omitempty",
		"Fulfillment.DeliveredAt":    ",omitempty",
		"Fulfillment.CanceledAt":     ",omitempty",
	})
)

var (
	orders = db.NewTable[orderRow]("orders", db.Columns{
		"Lines":          ",json",
		"Address":        ",json",
		"Fulfillment":    ",json",
		"Agent.Profile":  "agent_profile",
		"Agent.Verified": "agent_verified",
		"Agent.Key":      "agent_key",
		"Agent.Protocol": "protocol",
		"Hook.Protocol":  "hook_protocol",
		"Hook.URL":       "hook_url",
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
	Fulfilled order.FulfillmentStatus `db:"fulfillment_status"`
}

type takenRow struct {
	Taken []catalog.Reservation `db:",json"`
}

func toOrderRow(o *order.Order) orderRow { return orderRow{*o, o.Fulfillment.Status} }

func fromOrderRow(r *orderRow) *order.Order {
	r.Fulfillment.Status = r.Fulfilled
	return &r.Order
}
