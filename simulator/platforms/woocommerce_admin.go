package platforms

import (
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/platforms/woocommerce"
)

// Changes that a merchant makes in WooCommerce's admin.
type (
	WooCommerceChange = woocommerce.AdminChange
	WooCommerceSale   = woocommerce.AdminSale
)

func (p *Platforms) routeWooCommerceAdmin() {
	p.control("POST /control/woocommerce/change", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(c WooCommerceChange) (any, error) { return map[string]any{}, p.ChangeAtWooCommerce(c) })
	})
	p.control("POST /control/woocommerce/sell", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(s WooCommerceSale) (any, error) { return map[string]any{}, p.SellAtWooCommerce(s) })
	})
}

// ChangeAtWooCommerce changes or refunds an order in the shop's admin.
func (p *Platforms) ChangeAtWooCommerce(c WooCommerceChange) error {
	return p.woocommerce.AdminChange(c)
}

// SellAtWooCommerce sells pieces in the shop.
func (p *Platforms) SellAtWooCommerce(s WooCommerceSale) error { return p.woocommerce.AdminSell(s) }
