// Package event is what the shop announces to the merchant's systems, with its public payload.
package event

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Type of an event. Only this package's types exist.
type Type struct{ name string }

var (
	OrderCompletedType       = Type{"order.completed"}
	OrderRefundedType        = Type{"order.refunded"}
	ReturnRequestType        = Type{"return.requested"}
	QuoteAcceptedType        = Type{"quote.accepted"}
	PaymentUnresolvedType    = Type{"payment.unresolved"}
	SyncCompletedType        = Type{"sync.completed"}
	SyncFailedType           = Type{"sync.failed"}
	IntegrationErrorType     = Type{"integration.error"}
	InventoryLowType         = Type{"inventory.low"}
	SubscriptionDisabledType = Type{"subscription.disabled"}

	// PingType is a test's. It goes to the one subscription that asked for it, and none subscribes to it.
	PingType = Type{"ping"}
)

// Types are those that can be subscribed to.
var Types = []Type{
	OrderCompletedType, OrderRefundedType, ReturnRequestType, QuoteAcceptedType, PaymentUnresolvedType, SyncCompletedType,
	SyncFailedType, IntegrationErrorType, InventoryLowType, SubscriptionDisabledType,
}

func (t Type) String() string { return t.name }

// ParseType knows the types that can be subscribed to.
func ParseType(name string) (Type, bool) {
	for _, t := range Types {
		if t.name == name {
			return t, true
		}
	}
	return Type{}, false
}

// StoredType trusts text that this system wrote.
func StoredType(name string) Type { return Type{name} }

// Alerts tells whether the merchant's people should hear of such an event at once, by the channels of
// the project's settings.
func (t Type) Alerts() bool {
	switch t {
	case PaymentUnresolvedType, ReturnRequestType, InventoryLowType, IntegrationErrorType, SyncFailedType, SubscriptionDisabledType:
		return true
	}
	return false
}

// Event is a fact with its payload, written with the state that it announces.
type Event struct {
	ID      id.Event
	Project id.Project
	At      time.Time
	Data    Data
}

// Data is an event's payload. The type follows from it.
type Data interface{ Type() Type }

// OrderCompleted says that an order is paid and confirmed.
type OrderCompleted struct {
	Order        id.Order
	Checkout     id.Checkout
	Session      id.Session
	Confirmation string
	Payment      id.Payment
	Method       string
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

// QuoteAccepted says that a price was agreed.
type QuoteAccepted struct {
	Quote    id.Quote
	Session  id.Session
	Product  id.Product
	Variant  id.Variant
	Quantity int
	List     money.Amount
	Price    money.Amount
}

// ReturnRequested says that a buyer wants to send something back.
type ReturnRequested struct {
	Return   id.Return
	Order    id.Order
	Estimate money.Amount
}

// OrderRefunded says that money of an order was given back.
type OrderRefunded struct {
	Refund   id.Refund
	Order    id.Order
	Payment  id.Payment
	Amount   money.Amount
	Refunded money.Amount // of the payment so far, this refund included
	Reason   string
	Return   id.Return // zero: the refund is not for a return
}

// PaymentUnresolved says that nobody knows yet whether a payment attempt took money.
type PaymentUnresolved struct {
	Checkout id.Checkout
	Attempt  int
	Amount   money.Amount
	Method   string
	Provider string
}

// InventoryLow says that little is left of a variant, over all locations.
type InventoryLow struct {
	Product id.Product
	Variant id.Variant
	SKU     string
	Left    int
}

// SyncCompleted says that a run has read all that it was to read.
type SyncCompleted struct {
	Run         id.Sync
	Integration id.Integration
	Full        bool
	Counts      map[string]SyncCount // by resource
	StartedAt   time.Time
	EndedAt     time.Time
}

// SyncCount is what became of the records of a resource.
type SyncCount struct{ Total, Created, Updated, Unchanged, Errors int }

// SyncFailed says that a run was given up. What it had read until then stays.
type SyncFailed struct {
	Run         id.Sync
	Integration id.Integration
	Error       string // in words for the merchant
	StartedAt   time.Time
	EndedAt     time.Time
}

// IntegrationError says that a platform does not take an integration's credentials any more.
type IntegrationError struct {
	Integration id.Integration
	Platform    string // the integration's type
	Name        string
	Error       string // in words for the merchant
}

// SubscriptionDisabled says that a subscription gets no more events until someone enables it.
type SubscriptionDisabled struct {
	Subscription id.Subscription
	URL          string
	Reason       Reason
}

// Ping says nothing: it tests a subscription.
type Ping struct{ Subscription id.Subscription }

func (OrderCompleted) Type() Type       { return OrderCompletedType }
func (OrderRefunded) Type() Type        { return OrderRefundedType }
func (QuoteAccepted) Type() Type        { return QuoteAcceptedType }
func (ReturnRequested) Type() Type      { return ReturnRequestType }
func (PaymentUnresolved) Type() Type    { return PaymentUnresolvedType }
func (InventoryLow) Type() Type         { return InventoryLowType }
func (SyncCompleted) Type() Type        { return SyncCompletedType }
func (SyncFailed) Type() Type           { return SyncFailedType }
func (IntegrationError) Type() Type     { return IntegrationErrorType }
func (SubscriptionDisabled) Type() Type { return SubscriptionDisabledType }
func (Ping) Type() Type                 { return PingType }
