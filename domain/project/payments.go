package project

import "github.com/haggle-commerce/haggle/domain/id"

// PaymentMethod is a kind of credential that a buyer's agent pays with. The zero PaymentMethod is none. Protocols and
// tables have their own names for it.
type PaymentMethod struct{ name string }

// The payment methods.
var (
	SharedPaymentToken = PaymentMethod{"shared_payment_token"} // issued by the payment provider, limited to one seller and amount
	BillingAgreement   = PaymentMethod{"billing_agreement"}    // of the buyer's wallet
)

// PaymentMethods are all methods.
var PaymentMethods = []PaymentMethod{SharedPaymentToken, BillingAgreement}

// IsZero reports whether m is no method.
func (m PaymentMethod) IsZero() bool { return m == PaymentMethod{} }

// String returns a name for logs and tests.
func (m PaymentMethod) String() string { return m.name }

// SandboxProvider serves payments in the sandbox environment if no connected provider does.
const SandboxProvider = "sandbox"

// PaymentRoute is the provider that payments go through.
type PaymentRoute struct {
	Provider    string         // sandbox, stripe or paypal
	Integration id.Integration // the merchant's account with the provider; zero for the sandbox's
}

// IsZero reports whether there is no provider.
func (r PaymentRoute) IsZero() bool { return r.Provider == "" }

// PaymentRoute returns the current route of payments by a method: the connected provider, else in a sandbox the
// built-in one, else none.
func (p *Project) PaymentRoute(method PaymentMethod, sandbox bool) PaymentRoute {
	if r, ok := p.Routes[method]; ok {
		return r
	}
	if sandbox && !method.IsZero() {
		return PaymentRoute{Provider: SandboxProvider}
	}
	return PaymentRoute{}
}

// ServedMethods returns the methods that buyers can pay with now.
func (p *Project) ServedMethods(sandbox bool) []PaymentMethod {
	var served []PaymentMethod
	for _, method := range PaymentMethods {
		if !p.PaymentRoute(method, sandbox).IsZero() {
			served = append(served, method)
		}
	}
	return served
}
