package platforms

import (
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/platforms/custom"
)

// Changes that a merchant makes in their own system.
type (
	CustomChange = custom.AdminChange
	CustomSale   = custom.AdminSale
)

func (p *Platforms) routeCustomAdmin() {
	p.control("POST /control/custom/change", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(c CustomChange) (any, error) { return map[string]any{}, p.ChangeAtCustom(c) })
	})
	p.control("POST /control/custom/sell", func(_ *http.Request, body []byte) (any, error) {
		return ordered(body, func(s CustomSale) (any, error) { return map[string]any{}, p.SellAtCustom(s) })
	})
}

// ChangeAtCustom cancels, refunds or ships an order in the merchant's own system.
func (p *Platforms) ChangeAtCustom(c CustomChange) error { return p.custom.AdminChange(c) }

// SellAtCustom sells pieces in the merchant's own system.
func (p *Platforms) SellAtCustom(s CustomSale) error { return p.custom.AdminSell(s) }
