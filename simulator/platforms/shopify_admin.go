package platforms

import (
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/platforms/shopify"
)

// Changes that a merchant makes in Shopify's admin.
type (
	AdminCancel  = shopify.AdminCancel
	AdminRefund  = shopify.AdminRefund
	AdminFulfill = shopify.AdminFulfill
	AdminSale    = shopify.AdminSale
	AdminLine    = shopify.AdminLine
	AdminPublish = shopify.AdminPublish
)

func (p *Platforms) routeShopifyAdmin() {
	p.control("POST /control/shopify/cancel", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(c AdminCancel) (any, error) { return map[string]any{}, p.CancelAtShopify(c) })
	})
	p.control("POST /control/shopify/refund", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(r AdminRefund) (any, error) { return identified(p.RefundAtShopify(r)) })
	})
	p.control("POST /control/shopify/fulfill", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(f AdminFulfill) (any, error) { return identified(p.FulfillAtShopify(f)) })
	})
	p.control("POST /control/shopify/publish", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(a AdminPublish) (any, error) { return map[string]any{}, p.PublishAtShopify(a) })
	})
	p.control("POST /control/shopify/sell", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(s AdminSale) (any, error) { return identified(p.SellAtShopify(s)) })
	})
}

func identified(id string, err error) (any, error) { return map[string]any{"id": id}, err }

// CancelAtShopify cancels an order in Shopify's admin.
func (p *Platforms) CancelAtShopify(c AdminCancel) error { return p.shopify.AdminCancel(c) }

// RefundAtShopify refunds an order in Shopify's admin and returns the refund's id.
func (p *Platforms) RefundAtShopify(r AdminRefund) (string, error) { return p.shopify.AdminRefund(r) }

// FulfillAtShopify marks pieces of an order as fulfilled in Shopify's admin and returns the fulfillment's id.
func (p *Platforms) FulfillAtShopify(f AdminFulfill) (string, error) {
	return p.shopify.AdminFulfill(f)
}

// PublishAtShopify publishes a product to the Online Store, or unpublishes it.
func (p *Platforms) PublishAtShopify(a AdminPublish) error { return p.shopify.AdminPublish(a) }

// SellAtShopify sells pieces of a variant in the shop and returns the order's id.
func (p *Platforms) SellAtShopify(s AdminSale) (string, error) { return p.shopify.AdminSell(s) }
