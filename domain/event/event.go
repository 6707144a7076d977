// Package event is what the shop announces to the merchant's systems, with its public payload.
package event

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Type of an event. Only this package's types exist.
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

	// PingType is a test's. It goes to the one subscription that asked for it, and none subscribes to it.
	PingType = Type{"ping"}
)

// Types are those that can be subscribed to.
var Types = []Type{
	OrderCompletedType, OrderShippedType, OrderUpdatedType, OrderDeliveredType, OrderCanceledType, OrderRefundedType,
	ReturnRequestType, ReturnApprovedType, ReturnRejectedType, RefundFailedType, DisputeOpenedType, DisputeClosedType,
	QuoteAcceptedType, NegotiationLostType, CheckoutAbandonedType, PaymentUnresolvedType, RefundUnresolvedType, PaymentOrphanedType,
	MoneyUnexplainedType, SyncCompletedType, SyncFailedType, IntegrationErrorType, CustomerDataRequestType, InventoryLowType, SubscriptionDisabledType,
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

// Alerts reports whether such an event is also sent to the merchant's people, by the alert channels of the
// project's settings.
func (t Type) Alerts() bool {
	switch t {
	case PaymentUnresolvedType, RefundUnresolvedType, PaymentOrphanedType, MoneyUnexplainedType, RefundFailedType, DisputeOpenedType,
		DisputeClosedType, ReturnRequestType, InventoryLowType, IntegrationErrorType, SyncFailedType, CustomerDataRequestType, SubscriptionDisabledType:
		return true
	}
	return false
}

// ForAgents reports whether such an event of an order changes what its agent may see of it.
func (t Type) ForAgents() bool {
	switch t {
	case OrderCompletedType, OrderShippedType, OrderUpdatedType, OrderDeliveredType, OrderCanceledType, OrderRefundedType,
		ReturnRequestType, ReturnApprovedType, ReturnRejectedType, RefundFailedType:
		return true
	}
	return false
}

// AfterClosing reports whether such an event is also announced of a project that is closing or closed: it is about money
// that a person may have to look after, and names no buyer.
func (t Type) AfterClosing() bool {
	switch t {
	case PaymentUnresolvedType, PaymentOrphanedType, MoneyUnexplainedType, RefundFailedType, DisputeOpenedType, DisputeClosedType:
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
	Hook    Target // an order's, where its agent hears of the event; zero: nowhere
}

// New is the event of a project that data tells. Its id has the random bits.
func New(random [16]byte, project id.Project, at time.Time, data Data) *Event {
	return &Event{
		ID:      id.New[id.Event](random),
		Project: project,
		At:      at,
		Data:    data,
	}
}

// Data is an event's payload. The type follows from it.
type Data interface{ Type() Type }

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

// NegotiationLost says that a negotiation ended without a deal. Prices are per unit. The event names no
// session, whose id would let its receiver act for the buyer.
type NegotiationLost struct {
	Product     id.Product
	Variant     id.Variant
	Quantity    int
	List        money.Amount
	BestOffer   money.Amount // the buyer's highest; in no currency: the buyer offered nothing
	LastCounter money.Amount // the shop's last; in no currency: there was none
	Reason      string       // for which the buyer gave up; "": it did not, or did not say
}

// CheckoutAbandoned says that a checkout ended unpaid.
type CheckoutAbandoned struct {
	Checkout id.Checkout
	Items    []Item
	Total    money.Amount
	Email    string // "" if the buyer gave none
	Phase    string // how far the buyer got: the checkout's last status
}

// PaymentUnresolved says that nobody knows yet whether a payment attempt took money. It is announced when the provider
// was first asked in vain, and again while the attempt stays unresolved.
type PaymentUnresolved struct {
	Checkout id.Checkout
	Attempt  int
	Amount   money.Amount
	Method   project.PaymentMethod
	Provider string
	Since    time.Time // when the attempt began
	Asked    int       // how many times the provider was asked in vain
	Problem  string    // why, the last time, in words for the merchant
}

// UnresolvedPayment is the event of the attempt in flight of a checkout.
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

// RefundUnresolved says that nobody knows yet whether a refund was made, though it was asked for long ago.
type RefundUnresolved struct {
	Refund   id.Refund
	Order    id.Order
	Payment  id.Payment
	Amount   money.Amount
	Provider string
	Since    time.Time // when the refund was requested
	Asked    int       // how many times the provider was asked
	Problem  string    // why it did not tell, the last time, in words for the merchant
}

// PaymentOrphaned says that a provider took money for an attempt that has no order. It is refunded by itself.
type PaymentOrphaned struct {
	Checkout id.Checkout
	Attempt  int
	Provider string // stripe
	Charge   string // the provider's id of the charge
	Amount   money.Amount
	Refund   string // the state of its refund: pending, succeeded or failed
}

// MoneyUnexplained says that the books of a payment provider differ from ours and nothing explains it. Each
// difference is in one event.
type MoneyUnexplained struct {
	Integration id.Integration
	Provider    string
	Found       int               // new differences
	Differences []MoneyDifference // the first of them
}

// MoneyDifference is money that the two books do not agree on.
type MoneyDifference struct {
	Kind      string // missing_here, missing_there or amount_differs
	Refund    bool
	Reference string        // our id or key
	Provider  string        // the provider's id
	Ours      *money.Amount // nil: missing here
	Theirs    *money.Amount // nil: missing there
	At        time.Time
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
	Error       string               // in words for the merchant
	Counts      map[string]SyncCount // by resource, of what it had read until then
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

// CustomerDataRequested says that a customer of a platform's shop asks for the personal data that is kept of them, which the
// merchant has to send. The event has no e-mail address, because erasing the customer does not reach the event.
type CustomerDataRequested struct {
	Integration id.Integration
	Platform    string   // the integration's type
	Subject     string   // the buyer's pseudonym; "": the platform told no e-mail address
	Customer    string   // the platform's id of the customer; "": it is not told
	Orders      []string // the platform's ids of the orders that are asked about
	Sessions    int      // that are kept of the buyer
	Placed      int      // orders that are kept of the buyer
	Records     int      // of platforms that are kept of the buyer
}

// SubscriptionDisabled says that a subscription gets no more events until someone enables it.
type SubscriptionDisabled struct {
	Subscription id.Subscription
	URL          string // masked
	Reason       Reason
}

// Ping says nothing: it tests a subscription.
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
