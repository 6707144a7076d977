package acp

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

// orderWebhook is the webhook by which an agent follows its order.
type orderWebhook struct {
	URL string `json:"url" maxLength:"2048" format:"uri" example:"https://agent.example/haggle/orders" doc:"An https URL that does not lead to a private address. It receives the order, as GET /acp/orders/{id} shows it, when it is placed and when it changes, signed by RFC 9421 with a key of /.well-known/jwks.json: {id, type: order.completed or order.updated, created_at, sequence, order}. A higher sequence is newer. A revision without order_webhook ends the webhook, as does a response 410; responses other than 2xx are retried for 24 hours."`
}

// fromAPIHook is nowhere for a request without.
func fromAPIHook(w *orderWebhook) checkout.Hook {
	if w == nil {
		return checkout.Hook{}
	}
	return checkout.Hook{Protocol: checkout.ByHaggle, URL: w.URL}
}

// acceptedWebhook tells that a webhook is set.
type acceptedWebhook struct {
	URL string `json:"url" format:"uri"`
}

// toAPIHook is nil for a checkout without.
func toAPIHook(c *checkout.Checkout) *acceptedWebhook {
	if hook := c.Snapshot().Hook; hook.Protocol == checkout.ByHaggle {
		return &acceptedWebhook{hook.URL}
	}
	return nil
}

// Hooks builds webhook messages about orders in Haggle's own protocol.
type Hooks struct{}

var _ ports.HookProtocol = Hooks{}

// orderNews is the body of a request to an order's webhook. It has the order at the time of the request, and sequence is the
// number of the order's newest event at that time: of two bodies, the one with the higher sequence is newer.
type orderNews struct {
	ID        string      `json:"id"`
	Type      string      `json:"type"`
	CreatedAt wire.Time   `json:"created_at"`
	Sequence  int         `json:"sequence"`
	Order     orderAnswer `json:"order"`
}

// Message implements ports.HookProtocol.
func (Hooks) Message(n ports.OrderNews) ([]byte, map[string]string, error) {
	body, err := wire.Marshal(orderNews{
		ID:        n.Event.String(),
		Type:      n.Type.String(),
		CreatedAt: wire.ToTime(n.At),
		Sequence:  n.Case.Order.Sequence,
		Order:     toAPICase(n.Shop, n.Case, n.Now),
	})
	return body, nil, err
}
