package project

import "github.com/haggle-commerce/haggle/domain/id"

// PaymentMethod is a kind of credential that a buyer's agent pays with. The zero PaymentMethod is none. Protocols and
// tables spell it in words of their own.
type PaymentMethod struct{ name string }

// The payment methods.
var (
	SharedPaymentToken = PaymentMethod{"shared_payment_token"} // issued by the payment provider, for one seller and amount
	BillingAgreement   = PaymentMethod{"billing_agreement"}    // of the buyer's wallet
)

// PaymentMethods are all that there are.
var PaymentMethods = []PaymentMethod{SharedPaymentToken, BillingAgreement}

// IsZero reports whether it is no method.
func (m PaymentMethod) IsZero() bool { return m == PaymentMethod{} }

// String is a name for logs and tests.
func (m PaymentMethod) String() string { return m.name }

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
func (p *Project) PaymentRoute(method PaymentMethod, sandbox bool) PaymentRoute {
	if r, ok := p.Routes[method]; ok {
		return r
	}
	if sandbox && !method.IsZero() {
		return PaymentRoute{Provider: SandboxProvider}
	}
	return PaymentRoute{}
}

// ServedMethods are the methods that can be paid with now.
func (p *Project) ServedMethods(sandbox bool) []PaymentMethod {
	var served []PaymentMethod
	for _, method := range PaymentMethods {
		if !p.PaymentRoute(method, sandbox).IsZero() {
			served = append(served, method)
		}
	}
	return served
}
