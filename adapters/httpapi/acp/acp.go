// Package acp serves the Agent Commerce Protocol, the buyers' HTTP API (features/PROTOCOL.md#addresses,
// features/PROTOCOL.md#orders): it turns requests into calls of the use cases and their answers into the contract's JSON, and
// decides nothing itself.
//
// # Choices where the contract is silent
//
// Ids in paths and bodies are capabilities. A malformed id is answered like an unknown one. A search may name a session to
// continue. Quotes and rejections also carry session_id and quote_id, without which a buyer that had no session could not follow
// up. A country may be written in lower case. A product's list price is that of its first variant; each variant also has its own.
//
// A cart has the id of its session. A cart may have several lines of a variant; an accepted quote replaces the earlier agreement
// about its variant, or else the variant's first line at list price. An expired agreement stays in the cart with a warning, and
// prevents a checkout until the cart is put again with the line at list price: a price is never raised without the buyer's
// request. Changing the cart does not change its checkout; the next init with from_cart does, and keeps the address or the buyer
// if the request leaves it out. While the checkout is being paid, init answers with the unchanged checkout, or with 409
// checkout_processing if the cart has changed. A payment removes the paid lines from the cart: agreements by their tokens, and
// the lines that the cart's checkout sold at list price, even if their quantity in the cart has changed. Emptying a cart leaves
// its checkout open and its tokens valid.
package acp

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

type (
	// Request is what a handler gets in addition to its input.
	Request = commerce.Request
	entry   = wire.Entry[commerce.Buyer]
)

// plan is what a handler has prepared for the request's transaction.
type plan[O any] = wire.Plan[*ports.Stores, O]

// Groups of operations in the documentation.
var (
	discoveryTag  = []string{"ACP discovery"}
	commerceTag   = []string{"ACP commerce"}
	aftersalesTag = []string{"ACP orders and returns"}
)

// tags describes the groups of operations, in the order of the documentation.
var tags = []*huma.Tag{
	{Name: discoveryTag[0], Description: "For buyers' agents: read the shop's manifest, products, stock and shipping."},
	{Name: commerceTag[0], Description: "For buyers' agents: negotiate a price, check out and pay. In any request an agent may " +
		"name its profile: UCP-Agent: profile=\"https://…\". The merchant sees it with the order; it does not affect prices."},
	{Name: aftersalesTag[0], Description: "For buyers' agents: read and cancel orders, print receipts and request returns."},
}

// Register adds the operations of every project's ACP API.
func Register(api huma.API, s *commerce.Services) {
	h := &handlers{Services: s}
	api.OpenAPI().Tags = append(api.OpenAPI().Tags, tags...)
	h.mount = s.Mount(api, Style, wire.KeyRules[commerce.Buyer]{Owner: h.keyOwner, Repeat: h.repeat},
		checkoutCancelID, orderCancelID, returnCreateID)
	h.registerManifest()
	h.registerKeySet()
	h.registerSearch()
	h.registerProduct()
	h.registerAvailability()
	h.registerQuote()
	h.registerInit()
	h.registerCheckout()
	h.registerCheckoutPage()
	h.registerCart()
	h.registerFinalize()
	h.registerCheckoutCancel()
	h.registerSessions()
	h.registerOrders()
	h.registerReturns()
	h.registerDocument()
	h.registerPages()
	showExamples(api.OpenAPI())
}

type handlers struct {
	*commerce.Services
	mount *commerce.Mount
	// template is the common part of the documents of all shops.
	template func() (*documentTemplate, error)
}

// operation returns the operation with its path below the address of the shop.
func (h *handlers) operation(op huma.Operation) wire.Operation {
	op.Path = "/p/{slug}" + op.Path
	op.Parameters = []*huma.Param{{
		Name:        "slug",
		In:          "path",
		Required:    true,
		Description: "The shop's slug.",
		Schema:      &huma.Schema{Type: huma.TypeString},
		Example:     "demo",
	}}
	op.Errors = append(op.Errors, http.StatusNotFound)
	line := wire.Operation{Operation: op, Lane: h.Lane}
	switch op.OperationID {
	case searchID, quoteID, initID, cartPutID:
		line.ShortestKey = shortestKey
	case finalizeID, orderCancelID:
		line.Lane = h.PaymentLane
	}
	return line
}

// oneOf documents an answer that has one of several forms, which its status distinguishes.
func (h *handlers) oneOf(forms map[string]reflect.Type) map[string]*huma.Response {
	schema := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: "status", Mapping: map[string]string{}}}
	for _, status := range sorted(forms) {
		form := h.mount.API.OpenAPI().Components.Schemas.Schema(forms[status], true, "")
		schema.OneOf = append(schema.OneOf, form)
		schema.Discriminator.Mapping[status] = form.Ref
	}
	return map[string]*huma.Response{"200": {
		Description: "A response; its status tells which one",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
}
