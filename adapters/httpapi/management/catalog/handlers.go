package catalog

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/discovery"
)

// handlers has the package's operations as methods, and its use cases on the stores of a request.
type handlers struct{ *operation.API }

func (h *handlers) catalogs(rq operation.Request) *catalogs.Service {
	return h.Catalogs.In(rq.Stores)
}

func (h *handlers) discovery(rq operation.Request) *discovery.Service {
	return h.Discovery.In(rq.Stores)
}
