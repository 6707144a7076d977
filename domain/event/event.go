// Package event defines the events that the shop announces to the merchant's systems, with their public payload, the
// subscriptions to them, and their deliveries with the retry schedule. It sends nothing itself.
package event

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Type is the type of an event. Only this package's types exist.
type Type struct{ name string }

var (
	OrderCompletedType       = Type{"order.completed"}
	OrderRefundedType        = Type{"order.refunded"}
	OrderCanceledType        = Type{"order.canceled"}
	OrderShippedType         = Type{"order.shipped"}
	OrderUpdatedType         = Type{"order.updated"}
	OrderDeliveredType       = Type{"order.delivered"}
	ReturnRequestType        = Type{"return.requested"}
	ReturnApprovedType       = Type{"return.approved"}
	ReturnRejectedType       = Type{"return.rejected"}
	RefundFailedType         = Type{"refund.failed"}
	DisputeOpenedType        = Type{"dispute.opened"}
	DisputeClosedType        = Type{"dispute.closed"}
	QuoteAcceptedType        = Type{"quote.accepted"}
	NegotiationLostType      = Type{"negotiation.lost"}
	CheckoutAbandonedType    = Type{"checkout.abandoned"}
	PaymentUnresolvedType    = Type{"payment.unresolved"}
	RefundUnresolvedType     = Type{"refund.unresolved"}
	PaymentOrphanedType      = Type{"payment.orphaned"}
	MoneyUnexplainedType     = Type{"money.unexplained"}
	SyncCompletedType        = Type{"sync.completed"}
	SyncFailedType           = Type{"sync.failed"}
	IntegrationErrorType     = Type{"integration.error"}
	CustomerDataRequestType  = Type{"customer.data_requested"}
	InventoryLowType         = Type{"inventory.low"}
	SubscriptionDisabledType = Type{"subscription.disabled"}

	// PingType is for tests of a subscription. It is sent only to that subscription, and cannot be subscribed to.
	PingType = Type{"ping"}
)

// Types are the types that can be subscribed to.
var Types = []Type{
	OrderCompletedType, OrderShippedType, OrderUpdatedType, OrderDeliveredType, OrderCanceledType, OrderRefundedType,
	ReturnRequestType, ReturnApprovedType, ReturnRejectedType, RefundFailedType, DisputeOpenedType, DisputeClosedType,
	QuoteAcceptedType, NegotiationLostType, CheckoutAbandonedType, PaymentUnresolvedType, RefundUnresolvedType, PaymentOrphanedType,
	MoneyUnexplainedType, SyncCompletedType, SyncFailedType, IntegrationErrorType, CustomerDataRequestType, InventoryLowType, SubscriptionDisabledType,
}

func (t Type) String() string { return t.name }

// ParseType reads the name of a type that can be subscribed to.
func ParseType(name string) (Type, bool) {
	for _, t := range Types {
		if t.name == name {
			return t, true
		}
	}
	return Type{}, false
}

// StoredType returns a stored type without validating it.
func StoredType(name string) Type { return Type{name} }

// Alerts reports whether events of the type are also sent to the merchant's people, over the alert channels of the
// project's settings.
func (t Type) Alerts() bool {
	switch t {
	case PaymentUnresolvedType, RefundUnresolvedType, PaymentOrphanedType, MoneyUnexplainedType, RefundFailedType, DisputeOpenedType,
		DisputeClosedType, ReturnRequestType, InventoryLowType, IntegrationErrorType, SyncFailedType, CustomerDataRequestType, SubscriptionDisabledType:
		return true
	}
	return false
}

// ForAgents reports whether events of the type change what an order's agent can see of the order.
func (t Type) ForAgents() bool {
	switch t {
	case OrderCompletedType, OrderShippedType, OrderUpdatedType, OrderDeliveredType, OrderCanceledType, OrderRefundedType,
		ReturnRequestType, ReturnApprovedType, ReturnRejectedType, RefundFailedType:
		return true
	}
	return false
}

// AfterClosing reports whether events of the type are announced even if the project is closing or closed. They concern
// money that a person may have to deal with, and name no buyer.
func (t Type) AfterClosing() bool {
	switch t {
	case PaymentUnresolvedType, PaymentOrphanedType, MoneyUnexplainedType, RefundFailedType, DisputeOpenedType, DisputeClosedType:
		return true
	}
	return false
}

// Event is a fact with its payload, stored in the same transaction as the state that it announces.
type Event struct {
	ID      id.Event
	Project id.Project
	At      time.Time
	Data    Data
	Hook    Target // the webhook of the order's agent; zero: none
}

// New returns the event of a project with the payload data. random are the random bits of its ID.
func New(random [16]byte, project id.Project, at time.Time, data Data) *Event {
	return &Event{
		ID:      id.New[id.Event](random),
		Project: project,
		At:      at,
		Data:    data,
	}
}

// Data is an event's payload, which determines its type.
type Data interface{ Type() Type }

// QuoteAccepted announces that a price was agreed.
type QuoteAccepted struct {
	Quote    id.Quote
	Session  id.Session
	Product  id.Product
	Variant  id.Variant
	Quantity int
	List     money.Amount
	Price    money.Amount
}

// NegotiationLost announces that a negotiation ended without a deal. Prices are per unit. The event does not name the
// session, because the session's ID would let the receiver act for the buyer.
type NegotiationLost struct {
	Product     id.Product
	Variant     id.Variant
	Quantity    int
	List        money.Amount
	BestOffer   money.Amount // the buyer's highest; without currency: the buyer made no offer
	LastCounter money.Amount // the shop's last; without currency: there was none
	Reason      string       // why the buyer declined; "": it did not, or gave no reason
}

// CheckoutAbandoned announces that a checkout ended unpaid.
type CheckoutAbandoned struct {
	Checkout id.Checkout
	Items    []Item
	Total    money.Amount
	Email    string // "" if the buyer gave none
	Phase    string // the checkout's last status
}

// PaymentUnresolved announces that it is not known yet whether a payment attempt took money. It is announced when the
// provider was first asked without success, and again while the attempt stays unresolved.
type PaymentUnresolved struct {
	Checkout id.Checkout
	Attempt  int
	Amount   money.Amount
	Method   project.PaymentMethod
	Provider string
	Since    time.Time // when the attempt began
	Asked    int       // how often the provider was asked without success
	Problem  string    // why the last request failed, in words for the merchant
}

// UnresolvedPayment returns the event for the attempt in flight of a checkout.
func UnresolvedPayment(c *checkout.Checkout) PaymentUnresolved {
	charge, s := c.Charge(), c.Snapshot()
	return PaymentUnresolved{
		Checkout: s.ID,
		Attempt:  s.Attempt,
		Amount:   charge.Amount,
		Method:   charge.Method,
		Provider: charge.Route.Provider,
		Since:    charge.Since,
		Asked:    s.Unresolved,
		Problem:  s.Problem,
	}
}

// RefundUnresolved announces that it is not known whether a refund was made, long after it was requested.
type RefundUnresolved struct {
	Refund   id.Refund
	Order    id.Order
	Payment  id.Payment
	Amount   money.Amount
	Provider string
	Since    time.Time // when the refund was requested
	Asked    int       // how often the provider was asked
	Problem  string    // why the last request was not answered, in words for the merchant
}

// PaymentOrphaned announces that a provider took money for an attempt that has no order. It is refunded automatically.
type PaymentOrphaned struct {
	Checkout id.Checkout
	Attempt  int
	Provider string // stripe
	Charge   string // the provider's id of the charge
	Amount   money.Amount
	Refund   string // the state of its refund: pending, succeeded or failed
}

// MoneyUnexplained announces unexplained differences between a payment provider's books and ours. Each difference is in
// one event.
type MoneyUnexplained struct {
	Integration id.Integration
	Provider    string
	Found       int               // new differences
	Differences []MoneyDifference // the first of them
}

// MoneyDifference is an amount that the two books do not agree on.
type MoneyDifference struct {
	Kind      string // missing_here, missing_there or amount_differs
	Refund    bool
	Reference string        // our id or key
	Provider  string        // the provider's id
	Ours      *money.Amount // nil: missing here
	Theirs    *money.Amount // nil: missing there
	At        time.Time
}

// InventoryLow announces that the stock of a variant, over all locations, is low.
type InventoryLow struct {
	Product id.Product
	Variant id.Variant
	SKU     string
	Left    int
}

// SyncCompleted announces that a run has read all of its resources.
type SyncCompleted struct {
	Run         id.Sync
	Integration id.Integration
	Full        bool
	Counts      map[string]SyncCount // by resource
	StartedAt   time.Time
	EndedAt     time.Time
}

// SyncCount counts the records of a resource by outcome.
type SyncCount struct{ Total, Created, Updated, Unchanged, Errors int }

// SyncFailed announces that a run was given up. The records that it had imported until then are kept.
type SyncFailed struct {
	Run         id.Sync
	Integration id.Integration
	Error       string               // in words for the merchant
	Counts      map[string]SyncCount // by resource, until the run was given up
	StartedAt   time.Time
	EndedAt     time.Time
}

// IntegrationError announces that a platform refuses an integration's credentials.
type IntegrationError struct {
	Integration id.Integration
	Platform    string // the integration's type
	Name        string
	Error       string // in words for the merchant
}

// CustomerDataRequested announces that a customer of a platform's shop requests the personal data stored about them,
// which the merchant must send. The event has no email address, because erasing the customer does not reach the event.
type CustomerDataRequested struct {
	Integration id.Integration
	Platform    string   // the integration's type
	Subject     string   // the buyer's pseudonym; "": the platform sent no email address
	Customer    string   // the platform's id of the customer; "": not sent
	Orders      []string // the platform's ids of the orders in the request
	Sessions    int      // stored sessions of the buyer
	Placed      int      // stored orders of the buyer
	Records     int      // stored external records of the buyer
}

// SubscriptionDisabled announces that a subscription gets no more events until it is enabled.
type SubscriptionDisabled struct {
	Subscription id.Subscription
	URL          string // masked
	Reason       Reason
}

// Ping tests a subscription. It has no other content.
type Ping struct{ Subscription id.Subscription }

func (QuoteAccepted) Type() Type         { return QuoteAcceptedType }
func (NegotiationLost) Type() Type       { return NegotiationLostType }
func (CheckoutAbandoned) Type() Type     { return CheckoutAbandonedType }
func (PaymentUnresolved) Type() Type     { return PaymentUnresolvedType }
func (RefundUnresolved) Type() Type      { return RefundUnresolvedType }
func (PaymentOrphaned) Type() Type       { return PaymentOrphanedType }
func (MoneyUnexplained) Type() Type      { return MoneyUnexplainedType }
func (InventoryLow) Type() Type          { return InventoryLowType }
func (SyncCompleted) Type() Type         { return SyncCompletedType }
func (SyncFailed) Type() Type            { return SyncFailedType }
func (IntegrationError) Type() Type      { return IntegrationErrorType }
func (CustomerDataRequested) Type() Type { return CustomerDataRequestType }
func (SubscriptionDisabled) Type() Type  { return SubscriptionDisabledType }
func (Ping) Type() Type                  { return PingType }
