package purchase

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

type orderRow struct {
	ProjectID    string `db:"project_id"`
	ID           string
	CheckoutID   string `db:"checkout_id"`
	SessionID    string `db:"session_id"`
	Confirmation string
	Status       string
	Lines        string
	Address      string
	Email        string
	Notes        string
	Currency     string
	Subtotal     int64
	Shipping     int64
	Tax          int64
	Savings      int64
	Total        int64
	Fulfillment  string
	Fulfilled    string `db:"fulfillment_status"`
	CreatedAt    int64  `db:"created_at"`
	Sequence     int
	TokenSalt    string `db:"token_salt"`
	TokenHash    string `db:"token_hash"`
}

// newPaymentRow is a payment as it is written with its order.
type newPaymentRow struct {
	ProjectID   string `db:"project_id"`
	ID          string
	OrderID     string `db:"order_id"`
	Status      string
	Currency    string
	Amount      int64
	Method      string
	Label       string
	Gateway     string
	Integration string `db:"integration_id"`
	Provider    string
	Refunded    int64
	Refunding   int64
	Disputed    int64
	CreatedAt   int64 `db:"created_at"`
}

var (
	orders   = db.NewTable[orderRow]("orders")
	payments = db.NewTable[newPaymentRow]("payments")
	returns  = db.NewTable[returnRow]("returns")
)

// paidOrderRow is an order with its payment.
type paidOrderRow struct {
	orderRow
	PaymentRow
}

type PaymentRow struct {
	PaymentID   string `db:"payment_id"`
	Amount      int64
	Refunded    int64
	Refunding   int64
	Disputed    int64
	Method      string
	Label       string
	Gateway     string
	Integration string `db:"integration_id"`
	Provider    string
	PaidAt      int64 `db:"paid_at"`
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

func toFulfillment(f order.Fulfillment) (string, error) {
	return db.ToJSON(fulfillmentJSON{
		f.ShipsOn, f.DeliversFrom, f.DeliversBy, f.ShippingOption, f.Carrier, f.TrackingNumber, f.TrackingURL,
		db.MillisOrNull(f.ShippedAt), db.MillisOrNull(f.DeliveredAt),
	})
}

func fromFulfillment(status, text string) (order.Fulfillment, error) {
	var f fulfillmentJSON
	err := db.FromJSON(text, &f)
	return order.Fulfillment{
		Status: order.FulfillmentStatuses[status], ShipsOn: f.ShipsOn, DeliversFrom: f.DeliversFrom, DeliversBy: f.DeliversBy,
		ShippingOption: f.Option, Carrier: f.Carrier, TrackingNumber: f.Number, TrackingURL: f.URL,
		ShippedAt: db.TimeOrZero(f.ShippedAt), DeliveredAt: db.TimeOrZero(f.DeliveredAt),
	}, err
}

func toOrderRow(o *order.Order) (orderRow, error) {
	lines, err := db.ToJSON(toLinesJSON(o.Lines))
	if err != nil {
		return orderRow{}, err
	}
	address, err := db.ToJSON(addressJSON(o.Address))
	if err != nil {
		return orderRow{}, err
	}
	fulfillment, err := toFulfillment(o.Fulfillment)
	return orderRow{
		ProjectID:    o.Project.String(),
		ID:           o.ID.String(),
		CheckoutID:   o.Checkout.String(),
		SessionID:    o.Session.String(),
		Confirmation: o.Confirmation,
		Status:       o.Status.String(),
		Lines:        lines,
		Address:      address,
		Email:        o.Email,
		Notes:        o.Notes,
		Currency:     o.Total.Currency().Code(),
		Subtotal:     o.Subtotal.Minor(),
		Shipping:     o.Shipping.Minor(),
		Tax:          o.Tax.Minor(),
		Savings:      o.Savings.Minor(),
		Total:        o.Total.Minor(),
		Fulfillment:  fulfillment,
		Fulfilled:    o.Fulfillment.Status.String(),
		CreatedAt:    db.Millis(o.CreatedAt),
		Sequence:     o.Sequence,
		TokenSalt:    o.TokenSalt,
		TokenHash:    o.TokenHash,
	}, err
}

func toPaymentRow(o *order.Order) newPaymentRow {
	p := o.Payment
	return newPaymentRow{
		ProjectID:   o.Project.String(),
		ID:          p.ID.String(),
		OrderID:     o.ID.String(),
		Status:      p.Status().String(),
		Currency:    p.Amount.Currency().Code(),
		Amount:      p.Amount.Minor(),
		Method:      spelling.Methods[p.Method],
		Label:       p.Label,
		Gateway:     p.Route.Provider,
		Integration: p.Route.Integration.String(),
		Provider:    p.Provider,
		Refunded:    p.Refunded.Minor(),
		Refunding:   p.Refunding.Minor(),
		Disputed:    p.Disputed.Minor(),
		CreatedAt:   db.Millis(p.CreatedAt),
	}
}

func FromPaymentRow(r PaymentRow, c money.Currency) (order.Payment, error) {
	method, err := spelling.Method(r.Method)
	return order.Payment{
		ID: id.Stored[id.Payment](r.PaymentID), Amount: money.Of(r.Amount, c),
		Refunded: money.Of(r.Refunded, c), Refunding: money.Of(r.Refunding, c), Disputed: money.Of(r.Disputed, c),
		Method: method, Label: r.Label,
		Route:    project.PaymentRoute{Provider: r.Gateway, Integration: id.Stored[id.Integration](r.Integration)},
		Provider: r.Provider, CreatedAt: db.Time(r.PaidAt),
	}, err
}

func fromOrderRow(r paidOrderRow) (*order.Order, error) {
	c, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	var lines []LineJSON
	if err := db.FromJSON(r.Lines, &lines); err != nil {
		return nil, err
	}
	var address addressJSON
	if err := db.FromJSON(r.Address, &address); err != nil {
		return nil, err
	}
	fulfillment, err := fromFulfillment(r.Fulfilled, r.Fulfillment)
	if err != nil {
		return nil, err
	}
	payment, err := FromPaymentRow(r.PaymentRow, c)
	if err != nil {
		return nil, err
	}
	return &order.Order{
		ID: id.Stored[id.Order](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		Checkout: id.Stored[id.Checkout](r.CheckoutID), Session: id.Stored[id.Session](r.SessionID),
		Confirmation: r.Confirmation, Status: order.Statuses[r.Status], Sequence: r.Sequence,
		Lines: fromLinesJSON(lines, c), Address: checkout.Address(address), Email: r.Email, Notes: r.Notes,
		Subtotal: money.Of(r.Subtotal, c), Shipping: money.Of(r.Shipping, c), Tax: money.Of(r.Tax, c),
		Savings: money.Of(r.Savings, c), Total: money.Of(r.Total, c),
		Payment: payment, Fulfillment: fulfillment,
		CreatedAt: db.Time(r.CreatedAt), TokenSalt: r.TokenSalt, TokenHash: r.TokenHash,
	}, nil
}

type returnRow struct {
	ProjectID    string `db:"project_id"`
	ID           string
	OrderID      string `db:"order_id"`
	Status       string
	Items        string
	Comment      string
	Currency     string
	Estimate     int64
	Instructions string
	CreatedAt    int64  `db:"created_at"`
	RefundID     string `db:"refund_id"`
	Reason       string
	Restocked    string
	DecidedAt    *int64 `db:"decided_at"`
	Allocation   string
}

type allocationJSON struct {
	Line     int `json:"line"`
	Quantity int `json:"quantity"`
}

type returnItemJSON struct {
	Product  string `json:"product"`
	Variant  string `json:"variant"`
	Quantity int    `json:"quantity"`
	Reason   string `json:"reason"`
}

func toReturnRow(r *order.Return) (returnRow, error) {
	items := make([]returnItemJSON, len(r.Items))
	for i, item := range r.Items {
		items[i] = returnItemJSON{item.Product.String(), item.Variant.String(), item.Quantity, item.Reason}
	}
	text, err := db.ToJSON(items)
	if err != nil {
		return returnRow{}, err
	}
	allocation := make([]allocationJSON, len(r.Allocation))
	for i, a := range r.Allocation {
		allocation[i] = allocationJSON(a)
	}
	allocated, err := db.ToJSON(allocation)
	if err != nil {
		return returnRow{}, err
	}
	restocked, err := db.ToJSON(toTakesJSON(r.Restocked))
	return returnRow{
		ProjectID:    r.Project.String(),
		ID:           r.ID.String(),
		OrderID:      r.Order.String(),
		Status:       r.Status.String(),
		Items:        text,
		Comment:      r.Comment,
		Currency:     r.Estimate.Currency().Code(),
		Estimate:     r.Estimate.Minor(),
		Instructions: r.Instructions,
		CreatedAt:    db.Millis(r.CreatedAt),
		RefundID:     r.Refund.String(),
		Reason:       r.Reason,
		Restocked:    restocked,
		DecidedAt:    db.MillisOrNull(r.DecidedAt),
		Allocation:   allocated,
	}, err
}

func fromReturnRow(r returnRow) (order.Return, error) {
	var list []returnItemJSON
	if err := db.FromJSON(r.Items, &list); err != nil {
		return order.Return{}, err
	}
	items := make([]order.ReturnItem, len(list))
	for i, item := range list {
		items[i] = order.ReturnItem{
			Product: id.Stored[id.Product](item.Product), Variant: id.Stored[id.Variant](item.Variant),
			Quantity: item.Quantity, Reason: item.Reason,
		}
	}
	estimate, err := db.Amount(r.Estimate, r.Currency)
	if err != nil {
		return order.Return{}, err
	}
	var lines []allocationJSON
	if err := db.FromJSON(r.Allocation, &lines); err != nil {
		return order.Return{}, err
	}
	var allocation []order.Allocation
	for _, l := range lines {
		allocation = append(allocation, order.Allocation(l))
	}
	restocked, err := catalogue.FromTakes(r.Restocked)
	return order.Return{
		ID: id.Stored[id.Return](r.ID), Project: id.Stored[id.Project](r.ProjectID), Order: id.Stored[id.Order](r.OrderID),
		Status: order.ReturnStatuses[r.Status], Items: items, Allocation: allocation, Comment: r.Comment,
		Estimate:     estimate,
		Instructions: r.Instructions, CreatedAt: db.Time(r.CreatedAt),
		Refund: id.Stored[id.Refund](r.RefundID), Reason: r.Reason, Restocked: restocked, DecidedAt: db.TimeOrZero(r.DecidedAt),
	}, err
}
