package acp

import (
	"context"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Session is defined in features/PROTOCOL.md#sessions.
type Session struct {
	SessionID    string        `json:"session_id"`
	Status       string        `json:"status"`
	CreatedAt    time.Time     `json:"created_at"`
	LastActivity time.Time     `json:"last_activity"`
	ExpiresAt    time.Time     `json:"expires_at"`
	BuyerContext *BuyerContext `json:"buyer_context"`
	Cart         struct {
		Items []struct {
			ProductID       string          `json:"product_id"`
			Name            string          `json:"name"`
			Quantity        int             `json:"quantity"`
			NegotiatedPrice decimal.Decimal `json:"negotiated_price"`
		} `json:"items"`
		Subtotal decimal.Decimal `json:"subtotal"`
	} `json:"cart"`
	NegotiationHistory []struct {
		Timestamp  time.Time        `json:"timestamp"`
		Type       string           `json:"type"`
		Offer      *decimal.Decimal `json:"offer"`
		Response   string           `json:"response"`
		Counter    *decimal.Decimal `json:"counter"`
		FinalPrice *decimal.Decimal `json:"final_price"`
	} `json:"negotiation_history"`
	RecommendationsShown []struct {
		ProductID string `json:"product_id"`
		Accepted  bool   `json:"accepted"`
	} `json:"recommendations_shown"`
}

// Extension asks for a longer session.
type Extension struct {
	SessionID       string `json:"-"`
	DurationMinutes int    `json:"duration_minutes"`
}

// Extended is the answer to an extension.
type Extended struct {
	SessionID    string    `json:"session_id"`
	NewExpiresAt time.Time `json:"new_expires_at"`
}

// ReturnRequest asks to return items (features/PROTOCOL.md#returns).
type ReturnRequest struct {
	OrderID string       `json:"order_id"`
	Items   []ReturnItem `json:"items"`
	Comment string       `json:"comment,omitempty"`
}

// ReturnItem is a quantity of one item to return, with the reason.
type ReturnItem struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id,omitempty"`
	Quantity  int    `json:"quantity"`
	Reason    string `json:"reason,omitempty"`
}

// Return is the state of a return.
type Return struct {
	ReturnID       string          `json:"return_id"`
	Status         string          `json:"status"` // requested, approved or rejected
	RefundEstimate decimal.Decimal `json:"refund_estimate"`
	Currency       string          `json:"currency"`
	Instructions   string          `json:"instructions"`
}

var (
	sessionOperation = operation{"GET", "/acp/sessions/{id}", always(
		"session_id", "status", "created_at", "last_activity", "expires_at", "cart.items[].product_id",
		"cart.items[].name", "cart.items[].quantity", "cart.items[].negotiated_price", "cart.subtotal",
		"negotiation_history[].timestamp", "negotiation_history[].type", "negotiation_history[].response",
		"recommendations_shown[].product_id", "recommendations_shown[].accepted",
	)}
	extendOperation = operation{"POST", "/acp/sessions/{id}/extend", always("session_id", "new_expires_at")}
	orderOperation  = operation{"GET", "/acp/orders/{id}", always(orderPaths...)}
	cancelOperation = operation{"POST", "/acp/orders/{id}/cancel", always(orderPaths...)}
	returnPaths     = always("return_id", "status", "refund_estimate", "currency", "instructions")

	createReturnOperation = operation{"POST", "/acp/returns", returnPaths}
	returnOperation       = operation{"GET", "/acp/returns/{id}", returnPaths}
)

// Session reads a session.
func (c *Client) Session(ctx context.Context, id string, options ...Option) (Session, error) {
	return call[Session](ctx, c, sessionOperation, "/acp/sessions/"+url.PathEscape(id), id, options)
}

// ExtendSession makes a session end later.
func (c *Client) ExtendSession(ctx context.Context, request Extension, options ...Option) (Extended, error) {
	return call[Extended](ctx, c, extendOperation, "/acp/sessions/"+url.PathEscape(request.SessionID)+"/extend", request, options)
}

// Cancellation cancels an order that has not shipped. It is authorized by the order's manage token or its session.
type Cancellation struct {
	OrderID     string `json:"-"`
	ManageToken string `json:"manage_token,omitempty"`
	SessionID   string `json:"session_id,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// ManageToken authorizes reading an order with its receipt.
func ManageToken(token string) Option { return Header("X-Manage-Token", token) }

// CancelOrder cancels an order.
func (c *Client) CancelOrder(ctx context.Context, request Cancellation, options ...Option) (OrderRecord, error) {
	return call[OrderRecord](ctx, c, cancelOperation, "/acp/orders/"+url.PathEscape(request.OrderID)+"/cancel", request, options)
}

// Order reads an order.
func (c *Client) Order(ctx context.Context, id string, options ...Option) (OrderRecord, error) {
	return call[OrderRecord](ctx, c, orderOperation, "/acp/orders/"+url.PathEscape(id), id, options)
}

// CreateReturn asks to return items.
func (c *Client) CreateReturn(ctx context.Context, request ReturnRequest, options ...Option) (Return, error) {
	return call[Return](ctx, c, createReturnOperation, "/acp/returns", request, options)
}

// Return reads a return.
func (c *Client) Return(ctx context.Context, id string, options ...Option) (Return, error) {
	return call[Return](ctx, c, returnOperation, "/acp/returns/"+url.PathEscape(id), id, options)
}
