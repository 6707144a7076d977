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

// OrderCompleted says that an order is paid and confirmed. Its sequence is 1.
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
	ShipsOn      time.Time // these are days, as order.Fulfillment has them
	DeliversFrom time.Time
	DeliversBy   time.Time
	PlacedAt     time.Time
}

// Item of an order. Prices are per unit.
type Item struct {
	Product  id.Product
	Variant  id.Variant
	SKU      string
	Name     string
	Quantity int
	Price    money.Amount
	Original money.Amount
}

// Tracking is where a parcel is.
type Tracking struct {
	Carrier   string
	Number    string
	URL       string // https
	ShippedAt time.Time
}

// OrderShipped says that an order is on its way.
type OrderShipped struct {
	Order    id.Order
	Sequence int
	Tracking Tracking
}

// OrderUpdated says that a shipped order has another tracking. An empty one says that it is not on its way any more: its
// label was voided.
type OrderUpdated struct {
	Order    id.Order
	Sequence int
	Tracking Tracking
}

// OrderDelivered says that an order has arrived.
type OrderDelivered struct {
	Order       id.Order
	Sequence    int
	DeliveredAt time.Time
}

// OrderCanceled says that an order ended unshipped.
type OrderCanceled struct {
	Order    id.Order
	Sequence int
	Reason   string
	Refund   id.Refund    // of what was left of the payment; zero: nothing was
	Amount   money.Amount // of that refund
}

// ReturnRequested says that a buyer wants to send something back.
type ReturnRequested struct {
	Return   id.Return
	Order    id.Order
	Sequence int
	Estimate money.Amount
}

// ReturnApproved says that the shop takes a return.
type ReturnApproved struct {
	Return   id.Return
	Order    id.Order
	Sequence int
	Refund   id.Refund    // zero: nothing is refunded
	Amount   money.Amount // of that refund
}

// ReturnRejected says that the shop refuses a return.
type ReturnRejected struct {
	Return   id.Return
	Order    id.Order
	Sequence int
	Reason   string
}

// OrderRefunded says that money of an order was given back.
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

// RefundFailed says that the buyer does not get a refund's money: the provider refused it, or took it back
// days after it had succeeded.
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

// Dispute is how a dispute stands at the provider. Amounts are totals, not changes.
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

// DisputeOpened says that a buyer disputes a payment at the bank or the provider.
type DisputeOpened struct{ Dispute }

// DisputeClosed says that a dispute was won or lost.
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
