package ucp

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/project"
)

// handlerEntity is a payment handler, which defines the instruments of a way to pay.
type handlerEntity struct {
	ID          string       `json:"id"`
	Version     string       `json:"version"`
	Instruments []instrument `json:"available_instruments,omitempty"`
}

type instrument struct {
	Type string `json:"type"`
}

// way maps a payment method of ours to the protocol (adapters/httpapi/ucp/README.md).
type way struct {
	id         string // of the handler
	instrument string
}

var ways = map[project.PaymentMethod]way{
	project.SharedPaymentToken: {id: "psp_spt", instrument: "shared_payment_token"},
	project.BillingAgreement:   {id: "wallet_ba", instrument: "wallet"},
}

// stripeHandler is Stripe's own name.
const stripeHandler = "com.stripe.payments"

// paymentHandlers returns the handlers that can be used now, by name, limited to those that the platform declares ("Resolving
// available_instruments").
func (h *handlers) paymentHandlers(shop *project.Project, platform []capability.Handler) map[string][]handlerEntity {
	list := map[string][]handlerEntity{}
	for _, method := range shop.ServedMethods(h.Sandbox) {
		name := stripeHandler
		switch {
		case h.inSandbox(shop, method):
			name = h.config.Authority + ".sandbox"
		case method == project.BillingAgreement:
			name = h.config.Authority + ".wallet_ba"
		}
		ours := capability.Handler{Instruments: h.instruments(shop, method)}
		ours.Name, _ = capability.ParseName(name)
		types, ok := capability.Instruments(ours, platform)
		if !ok {
			continue
		}
		list[name] = append(list[name], handlerEntity{
			ID:          ways[method].id,
			Version:     h.version.date,
			Instruments: wire.Each(types, func(t string) instrument { return instrument{t} }),
		})
	}
	return list
}

func (h *handlers) inSandbox(shop *project.Project, method project.PaymentMethod) bool {
	return shop.PaymentRoute(method, h.Sandbox).Provider == project.SandboxProvider
}

// instruments returns the instruments that a method's handler accepts.
func (h *handlers) instruments(shop *project.Project, method project.PaymentMethod) []string {
	if h.inSandbox(shop, method) {
		return []string{"card", "token"}
	}
	return []string{ways[method].instrument}
}
