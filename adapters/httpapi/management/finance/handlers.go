package finance

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/app/purchase"
)

// handlers has the package's operations as methods, and its use cases on the stores of a request.
type handlers struct{ *operation.API }

func (h *handlers) purchase(rq operation.Request) *purchase.Service {
	return h.Purchase.In(rq.Stores)
}

func (h *handlers) aftersales(rq operation.Request) *aftersales.Service {
	return h.Aftersales.In(rq.Stores)
}

func (h *handlers) finance(rq operation.Request) *finance.Service {
	return h.Finance.In(rq.Stores)
}
