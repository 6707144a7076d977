package merchant

import (
	"context"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Order is an order as its merchant sees it. Lists omit lines, address, refunds and returns.
type Order struct {
	ID                 string          `json:"id"`
	ConfirmationNumber string          `json:"confirmation_number"`
	Status             string          `json:"status"`
	Email              string          `json:"email"`
	Total              decimal.Decimal `json:"total"`
	Currency           string          `json:"currency"`
	CreatedAt          time.Time       `json:"created_at"`
	Payment            Payment         `json:"payment"`
	Fulfillment        Fulfillment     `json:"fulfillment"`
	Lines              []OrderLine     `json:"lines"`
	Refunds            []Refund        `json:"refunds"`
	Returns            []Return        `json:"returns"`
}

// OrderLine is one item of an order with its unit price.
type OrderLine struct {
	ProductID string          `json:"product_id"`
	VariantID string          `json:"variant_id"`
	SKU       string          `json:"sku"`
	Name      string          `json:"name"`
	Quantity  int             `json:"quantity"`
	UnitPrice decimal.Decimal `json:"unit_price"`
}

// Fulfillment is the shipping status of an order.
type Fulfillment struct {
	Status         string  `json:"status"`
	Carrier        *string `json:"carrier"`
	TrackingNumber *string `json:"tracking_number"`
	TrackingURL    *string `json:"tracking_url"`
}

// Shipping updates the fulfillment. Status is shipped or delivered.
type Shipping struct {
	Status         string `json:"status"`
	Carrier        string `json:"carrier,omitempty"`
	TrackingNumber string `json:"tracking_number,omitempty"`
	TrackingURL    string `json:"tracking_url,omitempty"`
}

// Return is a buyer's request to return items.
type Return struct {
	ID             string          `json:"id"`
	OrderID        string          `json:"order_id"`
	Status         string          `json:"status"`
	RefundEstimate decimal.Decimal `json:"refund_estimate"`
	Currency       string          `json:"currency"`
	Refund         *Refund         `json:"refund"`
	CreatedAt      time.Time       `json:"created_at"`
}

// Approval approves a return. A nil Amount refunds the estimate, a nil Restock means yes.
type Approval struct {
	Amount  *decimal.Decimal `json:"amount,omitempty"`
	Restock *bool            `json:"restock,omitempty"`
}

// OrderQuery narrows a list of orders. From and To are RFC 3339.
type OrderQuery struct {
	Status, Fulfillment, Text, From, To string
	Page
}

const (
	ordersPath  = "/v1/orders"
	returnsPath = "/v1/returns"
)

// Orders lists orders, newest first.
func (c *Client) Orders(ctx context.Context, query OrderQuery, options ...Option) (List[Order], error) {
	parameters := given(map[string]string{
		"status": query.Status, "fulfillment": query.Fulfillment, "q": query.Text, "from": query.From, "to": query.To,
	})
	return call[List[Order]](ctx, c, "GET", ordersPath+query.query(parameters), nil, options)
}

// Order reads an order.
func (c *Client) Order(ctx context.Context, id string, options ...Option) (Order, error) {
	return call[Order](ctx, c, "GET", orderPath(id), nil, options)
}

// CancelOrder cancels an order that has not shipped. Its stock is released and its payment refunded.
func (c *Client) CancelOrder(ctx context.Context, id, reason string, options ...Option) (Order, error) {
	return call[Order](ctx, c, "POST", orderPath(id)+"/cancel", map[string]string{"reason": reason}, options)
}

// Fulfill marks an order as shipped or delivered.
func (c *Client) Fulfill(ctx context.Context, id string, shipping Shipping, options ...Option) (Order, error) {
	return call[Order](ctx, c, "POST", orderPath(id)+"/fulfillment", shipping, options)
}

// Returns lists returns with a status, or all if status is empty, newest first.
func (c *Client) Returns(ctx context.Context, status string, page Page, options ...Option) (List[Return], error) {
	return call[List[Return]](ctx, c, "GET", returnsPath+page.query(given(map[string]string{"status": status})), nil, options)
}

// Return reads a return.
func (c *Client) Return(ctx context.Context, id string, options ...Option) (Return, error) {
	return call[Return](ctx, c, "GET", returnPath(id), nil, options)
}

// ApproveReturn approves a return and refunds it.
func (c *Client) ApproveReturn(ctx context.Context, id string, approval Approval, options ...Option) (Return, error) {
	return call[Return](ctx, c, "POST", returnPath(id)+"/approve", approval, options)
}

// RejectReturn rejects a return.
func (c *Client) RejectReturn(ctx context.Context, id, reason string, options ...Option) (Return, error) {
	return call[Return](ctx, c, "POST", returnPath(id)+"/reject", map[string]string{"reason": reason}, options)
}

func orderPath(id string) string { return ordersPath + "/" + url.PathEscape(id) }

func returnPath(id string) string { return returnsPath + "/" + url.PathEscape(id) }
