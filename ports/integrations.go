package ports

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Integrations stores the integrations of projects. An unknown one, or another project's: NotFound
// integration_not_found. Functions passed to it do no I/O and may run more than once.
type Integrations interface {
	// List is newest first, disconnected ones too, with the number of all.
	List(ctx context.Context, project id.Project, page Page) ([]*integration.Integration, int, error)
	ByID(ctx context.Context, project id.Project, integration id.Integration) (*integration.Integration, error)
	// Connect stores an integration that is new, or was disconnected, and the project's routes as changed by route, or
	// neither. Another connected integration of the type, or the same one connected meanwhile: Conflict
	// integration_exists.
	Connect(ctx context.Context, i *integration.Integration, route func(*project.Project) error) error
	// Update loads the integration for exclusive use, runs change on it, stores it if change returns nil,
	// and returns it.
	Update(ctx context.Context, project id.Project, integration id.Integration,
		change func(*integration.Integration) error) (*integration.Integration, error)
	// Disconnect is Update, with the project's routes. While a payment or a refund through the
	// integration is undecided: Conflict payments_unresolved.
	Disconnect(ctx context.Context, project id.Project, integration id.Integration,
		change func(*integration.Integration, *project.Project)) (*integration.Integration, error)
}

// IntegrationsInUse finds integrations for code that calls providers.
type IntegrationsInUse interface {
	// Use returns the integration, of any status, after any change of it that is under way. A caller that stored a
	// claim of a payment before, and finds the integration connected, can be sure that it is not disconnected until the
	// payment is decided. If it finds the integration disconnected, nobody has sent the payment.
	Use(ctx context.Context, project id.Project, integration id.Integration) (*integration.Integration, error)
	// Undecided reports whether a payment or a refund through the integration is undecided.
	Undecided(ctx context.Context, project id.Project, integration id.Integration) (bool, error)
	// ByWebhook finds the integration, of any project, to which the webhook belongs: NotFound webhook_not_found.
	ByWebhook(ctx context.Context, webhook id.Webhook) (*integration.Integration, error)
	// ByStore are the integrations of a type with a shop's domain, of all projects, disconnected ones too.
	ByStore(ctx context.Context, t integration.Type, store string) ([]*integration.Integration, error)
	// Sealed are the integrations of all projects that have credentials.
	Sealed(ctx context.Context) ([]*integration.Integration, error)
}

// ErrCredentialsRefused means that a provider refused an account's credentials. The requested operation did not happen.
var ErrCredentialsRefused = errors.New("the provider refused the account's credentials")

// CredentialsRefusal is ErrCredentialsRefused with the platform's reason. Reason is for the merchant.
type CredentialsRefusal struct{ Reason string }

func (r *CredentialsRefusal) Error() string { return r.Reason }

// Is reports that it is ErrCredentialsRefused.
func (*CredentialsRefusal) Is(target error) bool { return target == ErrCredentialsRefused }

// WhyRefused returns the reason of a CredentialsRefusal, or otherwise for other refused credentials.
func WhyRefused(err error, otherwise string) string {
	var r *CredentialsRefusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return otherwise
}

// ErrAccountRefused means that a provider refuses a request because of how the merchant's account is set
// up (a feature that is not enabled, a currency that it does not take), not because of the buyer's means
// of payment. Nothing was charged.
var ErrAccountRefused = errors.New("the provider refused the request because of the account's setup")

// PaymentPlatform checks the credentials of an account with a provider when it is connected.
type PaymentPlatform interface {
	// Inspect asks which account the credentials belong to, and whether its money is real. Refused credentials:
	// ErrCredentialsRefused. After any other error it is unknown.
	Inspect(ctx Outbound, a PaymentAccount) (account string, live bool, err error)
}

// WebhookPlatform is a provider that calls us at an address that we register.
type WebhookPlatform interface {
	// RegisterWebhook returns the provider's id of the address, and the secret that signs calls to it.
	RegisterWebhook(ctx Outbound, a PaymentAccount, address string) (remote, secret string, err error)
	RemoveWebhook(ctx Outbound, a PaymentAccount, remote string) error
}

// PaymentEvent is what a provider's webhook reports of a charge, a refund or a dispute. At most one of
// Charge, Refund, External and Dispute is set; none is: nothing that matters to us.
type PaymentEvent struct {
	Key      string // ours, with Charge and Refund: an attempt's key, or a refund's id
	Charge   checkout.Outcome
	Refund   order.RefundOutcome
	External *order.ExternalRefund // a refund that does not carry our key
	Dispute  *order.DisputeReport
}

// WebhookReader reads a provider's calls to a webhook's address.
type WebhookReader interface {
	// ReadWebhook checks the signature of the payload's bytes, and that it is recent. If either is wrong:
	// Unauthenticated invalid_signature. If the provider has to be asked to verify it, and does not answer: any other
	// error; the webhook is delivered again.
	ReadWebhook(ctx Outbound, a PaymentAccount, c Call, secret string) (PaymentEvent, error)
}
