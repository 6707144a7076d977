// Package event is what the shop announces to the merchant's systems, with its public payload.
package event

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Type of an event. Only this package's types exist.
type Type struct{ name string }

var (
	OrderCompletedType = Type{"order.completed"}
	QuoteAcceptedType  = Type{"quote.accepted"}
	ReturnRequestType  = Type{"return.requested"}
)

func (t Type) String() string { return t.name }

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

func (OrderCompleted) Type() Type  { return OrderCompletedType }
func (QuoteAccepted) Type() Type   { return QuoteAcceptedType }
func (ReturnRequested) Type() Type { return ReturnRequestType }
