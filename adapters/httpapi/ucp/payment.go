package ucp

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/project"
)

// handlerEntity is a way to pay, by the handler that defines its instruments.
type handlerEntity struct {
	ID          string       `json:"id"`
	Version     string       `json:"version"`
	Instruments []instrument `json:"available_instruments,omitempty"`
}

type instrument struct {
	Type string `json:"type"`
}

// way is how a payment method of ours is paid over the protocol (decisions-interop 12).
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

// paymentHandlers are the ways to pay that are served now, by the names of their handlers, as far as a platform takes them that
// declares these handlers ("Resolving available_instruments").
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

// instruments are those that a method's handler takes.
func (h *handlers) instruments(shop *project.Project, method project.PaymentMethod) []string {
	if h.inSandbox(shop, method) {
		return []string{"card", "token"}
	}
	return []string{ways[method].instrument}
}
