package event

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Sequence, in every event of an order, numbers the order's events from 1 without gaps, in the order in
// which they happened. Deliveries may arrive in another order.

// OrderCompleted announces that an order is paid and confirmed. Its sequence is 1.
type OrderCompleted struct {
	Order        id.Order
	Sequence     int
	Checkout     id.Checkout
	Session      id.Session
	Confirmation string
	Payment      id.Payment
	Method       project.PaymentMethod
	Items        []Item
	Subtotal     money.Amount
	Shipping     money.Amount
	Tax          money.Amount
	Total        money.Amount
	Savings      money.Amount
	BuyerEmail   string
	Notes        string // the buyer's
	Address      checkout.Address
	Option       string    // of shipping
	ShipsOn      time.Time // these are days, as in order.Fulfillment
	DeliversFrom time.Time
	DeliversBy   time.Time
	PlacedAt     time.Time
}

// Item is an item of an order. Prices are per unit.
type Item struct {
	Product  id.Product
	Variant  id.Variant
	SKU      string
	Name     string
	Quantity int
	Price    money.Amount
	Original money.Amount
}

// Tracking is the carrier and tracking of a parcel.
type Tracking struct {
	Carrier   string
	Number    string
	URL       string // https
	ShippedAt time.Time
}

// OrderShipped announces that an order is on its way.
type OrderShipped struct {
	Order    id.Order
	Sequence int
	Tracking Tracking
}

// OrderUpdated announces another tracking of a shipped order. An empty one means that the order is no longer on its
// way, because its label was voided.
type OrderUpdated struct {
	Order    id.Order
	Sequence int
	Tracking Tracking
}

// OrderDelivered announces that an order has arrived.
type OrderDelivered struct {
	Order       id.Order
	Sequence    int
	DeliveredAt time.Time
}

// OrderCanceled announces that an order ended unshipped.
type OrderCanceled struct {
	Order    id.Order
	Sequence int
	Reason   string
	Refund   id.Refund    // of the rest of the payment; zero: nothing was left
	Amount   money.Amount // of that refund
}

// ReturnRequested announces that a buyer wants to return items.
type ReturnRequested struct {
	Return   id.Return
	Order    id.Order
	Sequence int
	Estimate money.Amount
}

// ReturnApproved announces that the shop accepts a return.
type ReturnApproved struct {
	Return   id.Return
	Order    id.Order
	Sequence int
	Refund   id.Refund    // zero: nothing is refunded
	Amount   money.Amount // of that refund
}

// ReturnRejected announces that the shop rejects a return.
type ReturnRejected struct {
	Return   id.Return
	Order    id.Order
	Sequence int
	Reason   string
}

// OrderRefunded announces that money of an order was refunded.
type OrderRefunded struct {
	Refund   id.Refund
	Order    id.Order
	Sequence int
	Payment  id.Payment
	Amount   money.Amount
	Refunded money.Amount // of the payment so far, this refund included
	Reason   string
	External bool      // not requested here: made in the provider's dashboard, or by the provider
	Return   id.Return // zero: the refund is not for a return
}

// RefundFailed announces that the buyer does not get a refund: the provider refused it, or reversed it days after it
// had succeeded.
type RefundFailed struct {
	Refund    id.Refund
	Order     id.Order
	Sequence  int
	Payment   id.Payment
	Amount    money.Amount
	Refunded  money.Amount // of the payment, without this refund
	Failure   string       // the provider's code
	Succeeded bool         // the refund had been announced by order.refunded
	Return    id.Return    // zero: the refund was not for a return
}

// Dispute is the state of a dispute at the provider. Amounts are totals, not changes.
type Dispute struct {
	Dispute   id.Dispute
	Order     id.Order
	Sequence  int
	Payment   id.Payment
	Provider  string // the provider's id of the dispute
	Status    string // open, won or lost
	Reason    string // the provider's code
	Amount    money.Amount
	Withdrawn money.Amount // what the provider has taken out of the merchant's balance
	Fee       money.Amount // what the provider charges for it
}

// DisputeOpened announces that a buyer disputes a payment at the bank or the provider.
type DisputeOpened struct{ Dispute }

// DisputeClosed announces that a dispute was won or lost.
type DisputeClosed struct{ Dispute }

func (OrderCompleted) Type() Type  { return OrderCompletedType }
func (OrderShipped) Type() Type    { return OrderShippedType }
func (OrderUpdated) Type() Type    { return OrderUpdatedType }
func (OrderDelivered) Type() Type  { return OrderDeliveredType }
func (OrderCanceled) Type() Type   { return OrderCanceledType }
func (OrderRefunded) Type() Type   { return OrderRefundedType }
func (ReturnRequested) Type() Type { return ReturnRequestType }
func (ReturnApproved) Type() Type  { return ReturnApprovedType }
func (ReturnRejected) Type() Type  { return ReturnRejectedType }
func (RefundFailed) Type() Type    { return RefundFailedType }
func (DisputeOpened) Type() Type   { return DisputeOpenedType }
func (DisputeClosed) Type() Type   { return DisputeClosedType }
