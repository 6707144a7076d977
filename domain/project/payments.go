package project

import "github.com/haggle-commerce/haggle/domain/id"

// PaymentMethods are the types of spec 2.12.
var PaymentMethods = []string{"psp_spt", "wallet_ba"}

// SandboxProvider serves payments of the sandbox environment that no connected provider serves.
const SandboxProvider = "sandbox"

// PaymentRoute says through whom payments go.
type PaymentRoute struct {
	Provider    string         // sandbox, stripe or paypal
	Integration id.Integration // the merchant's account with the provider; zero for the sandbox's
}

// IsZero tells that payments go nowhere.
func (r PaymentRoute) IsZero() bool { return r.Provider == "" }

// PaymentRoute is how payments by a method go now: through the connected provider, else in a sandbox
// through the built-in one, else nowhere (decisions 2).
func (p *Project) PaymentRoute(method string, sandbox bool) PaymentRoute {
	if r, ok := p.Routes[method]; ok {
		return r
	}
	for _, known := range PaymentMethods {
		if known == method && sandbox {
			return PaymentRoute{Provider: SandboxProvider}
		}
	}
	return PaymentRoute{}
}

// ServedMethods are the methods that can be paid with now.
func (p *Project) ServedMethods(sandbox bool) []string {
	var served []string
	for _, method := range PaymentMethods {
		if !p.PaymentRoute(method, sandbox).IsZero() {
			served = append(served, method)
		}
	}
	return served
}
