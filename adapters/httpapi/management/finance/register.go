// Package finance serves orders, returns, payments, refunds, the ledger, exports and analytics.
package finance

import "github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on orders, returns, payments, the ledger and analytics.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerPayments()
	h.registerResolutions()
	h.registerOrphans()
	h.registerFinance()
	h.registerAnalytics()
	h.registerExports()
	h.registerOrders()
	h.registerReturns()
}
