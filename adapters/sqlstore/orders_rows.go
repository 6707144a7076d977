package sqlstore

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
)

// orderRow is an order with its payment.
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
	CreatedAt    int64 `db:"created_at"`

	PaymentID     string `db:"payment_id"`
	PaymentStatus string `db:"payment_status"`
	Amount        int64
	Method        string
	Label         string
	Provider      string
	PaidAt        int64 `db:"paid_at"`
}

// fulfillmentJSON has its dates with the offset of the shop's zone, so that they stay the same days.
type fulfillmentJSON struct {
	Status       string    `json:"status"`
	ShipsOn      time.Time `json:"ships_on"`
	DeliversFrom time.Time `json:"delivers_from"`
	DeliversBy   time.Time `json:"delivers_by"`
	Option       string    `json:"option"`
}

func orderArgs(o *order.Order) ([]any, error) {
	lines, err := toJSON(toLinesJSON(o.Lines))
	if err != nil {
		return nil, err
	}
	address, err := toJSON(addressJSON(o.Address))
	if err != nil {
		return nil, err
	}
	f := o.Fulfillment
	fulfillment, err := toJSON(fulfillmentJSON{f.Status.String(), f.ShipsOn, f.DeliversFrom, f.DeliversBy, f.ShippingOption})
	return []any{
		o.Project.String(), o.ID.String(), o.Checkout.String(), o.Session.String(), o.Confirmation, o.Status.String(),
		lines, address, o.Email, o.Notes, o.Total.Currency().Code(),
		o.Subtotal.Minor(), o.Shipping.Minor(), o.Tax.Minor(), o.Savings.Minor(), o.Total.Minor(),
		fulfillment, toMillis(o.CreatedAt),
	}, err
}

func paymentArgs(o *order.Order) []any {
	p := o.Payment
	return []any{
		o.Project.String(), p.ID.String(), o.ID.String(), p.Status.String(), p.Amount.Currency().Code(), p.Amount.Minor(),
		p.Method, p.Label, p.Provider, toMillis(p.CreatedAt),
	}
}

var (
	orderStatuses       = map[string]order.Status{order.Confirmed.String(): order.Confirmed}
	paymentStatuses     = map[string]order.PaymentStatus{order.Succeeded.String(): order.Succeeded}
	fulfillmentStatuses = map[string]order.FulfillmentStatus{
		order.FulfillmentProcessing.String(): order.FulfillmentProcessing,
	}
)

func fromOrderRow(r orderRow) (*order.Order, error) {
	c, err := fromCurrency(r.Currency)
	if err != nil {
		return nil, err
	}
	var lines []lineJSON
	if err := fromJSON(r.Lines, &lines); err != nil {
		return nil, err
	}
	var address addressJSON
	if err := fromJSON(r.Address, &address); err != nil {
		return nil, err
	}
	var f fulfillmentJSON
	if err := fromJSON(r.Fulfillment, &f); err != nil {
		return nil, err
	}
	return &order.Order{
		ID: id.Stored[id.Order](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		Checkout: id.Stored[id.Checkout](r.CheckoutID), Session: id.Stored[id.Session](r.SessionID),
		Confirmation: r.Confirmation, Status: orderStatuses[r.Status],
		Lines: fromLinesJSON(lines, c), Address: checkout.Address(address), Email: r.Email, Notes: r.Notes,
		Subtotal: money.Of(r.Subtotal, c), Shipping: money.Of(r.Shipping, c), Tax: money.Of(r.Tax, c),
		Savings: money.Of(r.Savings, c), Total: money.Of(r.Total, c),
		Payment: order.Payment{
			ID: id.Stored[id.Payment](r.PaymentID), Status: paymentStatuses[r.PaymentStatus], Amount: money.Of(r.Amount, c),
			Method: r.Method, Label: r.Label, Provider: r.Provider, CreatedAt: fromMillis(r.PaidAt),
		},
		Fulfillment: order.Fulfillment{
			Status: fulfillmentStatuses[f.Status], ShipsOn: f.ShipsOn, DeliversFrom: f.DeliversFrom, DeliversBy: f.DeliversBy,
			ShippingOption: f.Option,
		},
		CreatedAt: fromMillis(r.CreatedAt),
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
	CreatedAt    int64 `db:"created_at"`
}

type returnItemJSON struct {
	Product  string `json:"product"`
	Variant  string `json:"variant"`
	Quantity int    `json:"quantity"`
	Reason   string `json:"reason"`
}

func returnArgs(r *order.Return) ([]any, error) {
	items := make([]returnItemJSON, len(r.Items))
	for i, item := range r.Items {
		items[i] = returnItemJSON{item.Product.String(), item.Variant.String(), item.Quantity, item.Reason}
	}
	text, err := toJSON(items)
	return []any{
		r.Project.String(), r.ID.String(), r.Order.String(), r.Status.String(), text, r.Comment,
		r.Estimate.Currency().Code(), r.Estimate.Minor(), r.Instructions, toMillis(r.CreatedAt),
	}, err
}

func fromReturnRow(r returnRow) (order.Return, error) {
	var list []returnItemJSON
	if err := fromJSON(r.Items, &list); err != nil {
		return order.Return{}, err
	}
	items := make([]order.ReturnItem, len(list))
	for i, item := range list {
		items[i] = order.ReturnItem{
			Product: id.Stored[id.Product](item.Product), Variant: id.Stored[id.Variant](item.Variant),
			Quantity: item.Quantity, Reason: item.Reason,
		}
	}
	estimate, err := fromMinor(r.Estimate, r.Currency)
	return order.Return{
		ID: id.Stored[id.Return](r.ID), Project: id.Stored[id.Project](r.ProjectID), Order: id.Stored[id.Order](r.OrderID),
		Status: order.ReturnStatuses[r.Status], Items: items, Comment: r.Comment, Estimate: estimate,
		Instructions: r.Instructions, CreatedAt: fromMillis(r.CreatedAt),
	}, err
}
