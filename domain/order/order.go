// Package order defines paid orders: the order, its payment, its fulfillment, and the returns, refunds, disputes and
// cancellation that may follow. It also has the state machines of an order's shipping label (Label), of its counterpart
// at an e-commerce platform (PlatformOrder) and of its deal in a CRM (CRMDeal). It moves no money and calls no platform
// itself.
//
//	order        confirmed ──the whole payment is refunded──▶ refunded
//	             refunded ──a refund failed later──▶ confirmed
//	             confirmed, refunded ──Cancel, CancelElsewhere──▶ canceled, which it stays whatever becomes of its refunds
//	fulfillment  processing ──Ship──▶ shipped ──Deliver──▶ delivered      processing ──Cancel──▶ canceled
//	refund       pending ──SettleRefund──▶ succeeded or failed      succeeded ──ReverseRefund──▶ failed
//	             (none) ──ReportRefund──▶ pending, succeeded or failed: it was made elsewhere
//	return       requested ──ApproveReturn──▶ approved (with its refund)   requested ──RejectReturn──▶ rejected
//	payment      succeeded, partially_refunded, refunded: by what its refunds gave back
//	dispute      (none) ──ReportDispute──▶ open, won or lost: as the newest report has it
//	             while open: needed ──AnswerDispute, or the report of an answer──▶ under_review ──ReportDispute──▶ needed
package order

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Status of an order.
type Status struct{ name string }

var (
	Confirmed      = Status{"confirmed"}
	StatusRefunded = Status{"refunded"} // the whole payment
	Canceled       = Status{"canceled"}
)

func (s Status) String() string { return s.name }

// Statuses are all statuses by name.
var Statuses = map[string]Status{"confirmed": Confirmed, "refunded": StatusRefunded, "canceled": Canceled}

// PaymentStatus is the status of an order's payment.
type PaymentStatus struct{ name string }

var (
	Succeeded         = PaymentStatus{"succeeded"}
	PartiallyRefunded = PaymentStatus{"partially_refunded"}
	FullyRefunded     = PaymentStatus{"refunded"}
)

func (s PaymentStatus) String() string { return s.name }

// PaymentStatuses are all statuses by name.
var PaymentStatuses = map[string]PaymentStatus{
	"succeeded": Succeeded, "partially_refunded": PartiallyRefunded, "refunded": FullyRefunded,
}

// Payment is the payment of an order, with the amounts refunded.
type Payment struct {
	ID        id.Payment
	Amount    money.Amount
	Refunded  money.Amount // by refunds that succeeded
	Refunding money.Amount // by refunds that are pending
	Disputed  money.Amount // held back by the provider for disputes at present
	Method    project.PaymentMethod
	Label     string // the instrument in words: "Visa ending in 4242"
	Route     project.PaymentRoute
	Provider  string // the provider's own id of the charge
	CreatedAt time.Time
}

// Status returns the status, which depends on the amount refunded.
func (p Payment) Status() PaymentStatus {
	switch {
	case !p.Refunded.IsPositive():
		return Succeeded
	case p.Refunded.Minor() < p.Amount.Minor():
		return PartiallyRefunded
	}
	return FullyRefunded
}

// Left returns what can still be refunded. Pending refunds count as refunded, and the provider holds disputed amounts
// back. A refund made elsewhere may overlap with pending ones, so the result is limited to 0.
func (p Payment) Left() money.Amount {
	left := p.Amount.Minor() - p.Refunded.Minor() - p.Refunding.Minor() - p.Disputed.Minor()
	return money.Of(max(left, 0), p.Amount.Currency())
}

// Order is a paid checkout. There is at most one per checkout.
type Order struct {
	ID           id.Order
	Project      id.Project
	Checkout     id.Checkout
	Session      id.Session
	Confirmation string // to read aloud: "HG-7K2M-9QXA"
	Status       Status
	Sequence     int // of its latest event, from 1
	Lines        []checkout.Line
	Address      checkout.Address
	Email        string
	Notes        string
	Agent        agentid.Agent // placed the order
	Hook         checkout.Hook // receives updates of the order
	HookEndedAt  *time.Time    // when Hook was turned off; nil: it is on
	Subtotal     money.Amount
	Shipping     money.Amount
	Tax          money.Amount
	Savings      money.Amount
	Total        money.Amount
	Payment      Payment
	Fulfillment  Fulfillment
	CreatedAt    time.Time
	// TokenSalt and TokenHash belong to the buyer's manage token; empty in orders of releases that had none. See
	// token.go.
	TokenSalt, TokenHash string
}

// IDs are the IDs of an order to be placed.
type IDs struct {
	Order        id.Order
	Payment      id.Payment
	Confirmation string
}

// Confirmation returns a number to read aloud, HG-7K2M-9QXA: 40 of the bits in Crockford's alphabet, which has no I, L,
// O or U. The number is unique within a project, so another one may be needed.
func Confirmation(random [16]byte) string {
	_, text, _ := strings.Cut(strings.ToUpper(id.New[id.Order](random).String()), "_")
	return "HG-" + text[:4] + "-" + text[4:8]
}

// ReadConfirmation parses a number as written down after hearing it: HG-7K2M-9QXA, hg7k2m9qxa, or with the letters O, I
// and L in place of digits.
func ReadConfirmation(text string) string {
	plain := strings.NewReplacer("-", "", " ", "").Replace(strings.ToUpper(text))
	body, ok := strings.CutPrefix(plain, "HG")
	if !ok || len(body) != 8 {
		return text
	}
	body = strings.NewReplacer("O", "0", "I", "1", "L", "1").Replace(body)
	return "HG-" + body[:4] + "-" + body[4:]
}

// Receipt is the provider's data of a successful charge.
type Receipt struct {
	Provider string
	Label    string
}

// Place returns the order of a completed checkout. Its days are those of the shop's time zone.
func Place(c *checkout.Checkout, ids IDs, r Receipt, zone *time.Location, now time.Time) *Order {
	s, none := c.Snapshot(), money.Zero(c.Total().Currency())
	return &Order{
		ID:           ids.Order,
		Project:      s.Project,
		Checkout:     s.ID,
		Session:      s.Session,
		Confirmation: ids.Confirmation,
		Status:       Confirmed,
		Sequence:     1,
		Lines:        s.Lines,
		Address:      s.Address.Place(),
		Email:        s.Payment.Email,
		Notes:        s.Payment.Notes,
		Agent:        s.Agent,
		Hook:         s.Hook,
		Subtotal:     s.Subtotal,
		Shipping:     c.Shipping(),
		Tax:          s.Tax,
		Savings:      s.Savings,
		Total:        c.Total(),
		Payment: Payment{
			ID:        ids.Payment,
			Amount:    c.Total(),
			Refunded:  none,
			Refunding: none,
			Disputed:  none,
			Method:    s.Payment.Method,
			Label:     r.Label,
			Route:     s.Payment.Route,
			Provider:  r.Provider,
			CreatedAt: now,
		},
		Fulfillment: promise(s, zone, now),
		CreatedAt:   now,
	}
}

// followPayment sets the status by the amount refunded. A canceled order stays canceled.
func (o *Order) followPayment() {
	switch {
	case o.Status == Canceled:
	case o.Payment.Status() == FullyRefunded:
		o.Status = StatusRefunded
	default:
		o.Status = Confirmed
	}
}

// Completed returns the payload of the event that announces the order.
func (o *Order) Completed() event.OrderCompleted {
	items := make([]event.Item, len(o.Lines))
	for i, l := range o.Lines {
		items[i] = event.Item{
			Product:  l.Product,
			Variant:  l.Variant,
			SKU:      l.SKU,
			Name:     l.Name,
			Quantity: l.Quantity,
			Price:    l.Unit,
			Original: l.Original,
		}
	}
	return event.OrderCompleted{
		Order:        o.ID,
		Sequence:     1,
		Checkout:     o.Checkout,
		Session:      o.Session,
		Confirmation: o.Confirmation,
		Payment:      o.Payment.ID,
		Method:       o.Payment.Method,
		Items:        items,
		Subtotal:     o.Subtotal,
		Shipping:     o.Shipping,
		Tax:          o.Tax,
		Total:        o.Total,
		Savings:      o.Savings,
		BuyerEmail:   o.Email,
		Notes:        o.Notes,
		Address:      o.Address,
		Option:       o.Fulfillment.ShippingOption,
		ShipsOn:      o.Fulfillment.ShipsOn,
		DeliversFrom: o.Fulfillment.DeliversFrom,
		DeliversBy:   o.Fulfillment.DeliversBy,
		PlacedAt:     o.CreatedAt,
	}
}

// Announced returns the event that announces the order.
func (o *Order) Announced(name id.Event, now time.Time) *event.Event {
	payload := o.Completed()
	return &event.Event{
		ID:      name,
		Project: o.Project,
		At:      now,
		Data:    payload,
		Hook:    o.hookFor(payload.Type()),
	}
}

// hookFor returns the webhook target of an event of the order; zero: none.
func (o *Order) hookFor(t event.Type) event.Target {
	if !o.Hooked() || !t.ForAgents() {
		return event.Target{}
	}
	return event.ToHook(o.Hook)
}

// Hooked reports whether an agent receives updates of the order.
func (o *Order) Hooked() bool { return o.Hook.URL != "" && o.HookEndedAt == nil }

// Sale returns the ledger's transaction of the payment.
func (o *Order) Sale() ledger.Transaction {
	return ledger.Sale(ledger.Transaction{
		Project:  o.Project,
		Order:    o.ID,
		Payment:  o.Payment.ID,
		Provider: o.Payment.Route.Provider,
		At:       o.Payment.CreatedAt,
	}, o.Subtotal, o.Shipping, o.Tax)
}
