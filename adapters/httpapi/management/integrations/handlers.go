package integrations

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/app/syncing"
)

// handlers has the package's operations as methods, and its use cases on the stores of a request.
type handlers struct{ *operation.API }

func (h *handlers) connecting(rq operation.Request) *connecting.Service {
	return h.Connecting.In(rq.Stores)
}

func (h *handlers) syncing(rq operation.Request) *syncing.Service {
	return h.Syncing.In(rq.Stores)
}

func (h *handlers) inbox(rq operation.Request) *inbox.Service { return h.Inbox.In(rq.Stores) }

func (h *handlers) shipping(rq operation.Request) *shipping.Service {
	return h.Shipping.In(rq.Stores)
}

func (h *handlers) publishing(rq operation.Request) *publishing.Service {
	return h.Publishing.In(rq.Stores)
}
