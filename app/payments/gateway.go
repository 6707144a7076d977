// Package payments sends a project's payments to the payment provider of their route, with the merchant's own account there,
// and verifies the webhooks of providers and passes them on. It refuses to begin payments while a provider fails (Admission).
// It records nothing; packages purchase and aftersales do.
package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Gateway dispatches to the payment providers. It reads the integration for every request, so that new credentials take effect at
// once and no payment is sent through an account that is being disconnected. That read is short compared with the request.
type Gateway struct {
	Sandbox   ports.PaymentProvider // may be nil
	Providers map[string]ports.PaymentProvider
	InUse     ports.IntegrationsInUse
	Health    HealthRecorder
	Vault     ports.Vault
	// Admission is informed of the results of charges. It may be nil.
	Admission *Admission
}

// Health records the health of integrations.
type HealthRecorder interface {
	// Note records the result of a request with the integration's credentials; nil: the provider answered.
	Note(ctx context.Context, i *integration.Integration, answer error)
}

var (
	_ ports.Gateway        = Gateway{}
	_ ports.AmountRules    = Gateway{}
	_ ports.StatementLag   = Gateway{}
	_ ports.BalanceGateway = Gateway{}
	_ ports.ChargeNames    = Gateway{}
	_ ports.ChargeGateway  = Gateway{}
	_ ports.DisputeGateway = Gateway{}
)

// Charge charges a payment. Through a disconnected integration it sends nothing and returns NotCharged, because no earlier request
// can have charged either (see ports.IntegrationsInUse).
func (g Gateway) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	return notSent(through(ctx, g, r.Project, r.Charge.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (outcome checkout.Outcome, err error) {
		done := g.Admission.begin(r.Charge.Route.Integration)
		err = errPanicked
		defer func() { done(err) }()
		outcome, err = p.Charge(ctx, a, r)
		return outcome, err
	}))
}

func (g Gateway) Resolve(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	return notSent(through(ctx, g, r.Project, r.Charge.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (checkout.Outcome, error) {
		return p.Resolve(ctx, a, r)
	}))
}

// notSent replaces the error of a disconnected integration by NotCharged.
func notSent(outcome checkout.Outcome, err error) (checkout.Outcome, error) {
	if errors.Is(err, errDisconnected) {
		return checkout.NotCharged{}, nil
	}
	return outcome, err
}

// Refund refunds a payment. It fails while the payment's integration is disconnected, so that the refund is retried later.
func (g Gateway) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	return through(ctx, g, r.Project, r.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (order.RefundOutcome, error) {
		return p.Refund(ctx, a, r)
	})
}

func (g Gateway) Statement(ctx ports.Outbound, r ports.StatementRequest, each func(ports.Movement) error) error {
	_, err := through(ctx, g, r.Project, r.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (struct{}, error) {
		return struct{}{}, p.Statement(ctx, a, r, each)
	})
	return err
}

// CanCharge reports whether the route's provider can charge the amount. It is true for an unknown provider, which other
// operations refuse.
func (g Gateway) CanCharge(r project.PaymentRoute, a money.Amount) bool {
	provider := g.Providers[r.Provider]
	if r.Provider == project.SandboxProvider {
		provider = g.Sandbox
	}
	rules, ok := provider.(ports.AmountRules)
	return !ok || rules.CanCharge(r, a)
}

// StatementLag returns the provider's lag, or 0 for an unknown provider.
func (g Gateway) StatementLag(r project.PaymentRoute) time.Duration {
	if late, ok := g.Providers[r.Provider].(ports.StatementLag); ok {
		return late.StatementLag(r)
	}
	return 0
}

// ChargeForm returns what is wrong with the form of a charge's id at the route's provider, or "".
func (g Gateway) ChargeForm(r project.PaymentRoute, named string) string {
	if names, ok := g.Providers[r.Provider].(ports.ChargeNames); ok {
		return names.ChargeForm(r, named)
	}
	return ""
}

// ChargeKey reads the idempotency key of a charge from the route's account.
func (g Gateway) ChargeKey(ctx ports.Outbound, of id.Project, r project.PaymentRoute, charge string) (string, error) {
	return through(ctx, g, of, r, func(p ports.PaymentProvider, a ports.PaymentAccount) (string, error) {
		if reader, ok := p.(ports.ChargeReader); ok {
			return reader.ChargeKey(ctx, a, charge)
		}
		return "", ports.ErrNotAvailable
	})
}

// BalanceChanges reads the balance report of the route's account.
func (g Gateway) BalanceChanges(ctx ports.Outbound, r ports.StatementRequest, each func(ports.BalanceChange) error) error {
	_, err := through(ctx, g, r.Project, r.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (none struct{}, err error) {
		if reader, ok := p.(ports.BalanceReader); ok {
			err = reader.BalanceChanges(ctx, a, r, each)
		}
		return none, err
	})
	return err
}

// Dispute reads the state of a dispute from the route's account.
func (g Gateway) Dispute(ctx ports.Outbound, of id.Project, r project.PaymentRoute, dispute string) (ports.PaymentEvent, error) {
	return through(ctx, g, of, r, func(p ports.PaymentProvider, a ports.PaymentAccount) (news ports.PaymentEvent, err error) {
		if reader, ok := p.(ports.DisputeReader); ok {
			return reader.Dispute(ctx, a, dispute)
		}
		return news, nil
	})
}

// SubmitEvidence sends evidence for a dispute to the route's account.
func (g Gateway) SubmitEvidence(ctx ports.Outbound, r ports.DisputeRequest) (ports.DisputeReply, error) {
	return g.respond(ctx, r, func(p ports.DisputeResponder, a ports.PaymentAccount) (ports.DisputeReply, error) {
		return p.SubmitEvidence(ctx, a, r)
	})
}

// AcceptDispute accepts a dispute as lost at the route's account.
func (g Gateway) AcceptDispute(ctx ports.Outbound, r ports.DisputeRequest) (ports.DisputeReply, error) {
	return g.respond(ctx, r, func(p ports.DisputeResponder, a ports.PaymentAccount) (ports.DisputeReply, error) {
		return p.AcceptDispute(ctx, a, r)
	})
}

// respond runs work with the route's provider if it accepts responses to disputes.
func (g Gateway) respond(ctx ports.Outbound, r ports.DisputeRequest, work func(ports.DisputeResponder, ports.PaymentAccount) (ports.DisputeReply, error)) (ports.DisputeReply, error) {
	return through(ctx, g, r.Project, r.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (ports.DisputeReply, error) {
		if responder, ok := p.(ports.DisputeResponder); ok {
			return work(responder, a)
		}
		return ports.DisputeReply{}, ports.ErrNoResponses
	})
}

// errPanicked is the result of a charge during which the adapter panicked.
var errPanicked = errors.New("payments: the provider's adapter panicked")

// errDisconnected means that no request was sent to the provider.
var errDisconnected = fault.New(fault.Conflict, "provider_not_connected",
	"The account that took the payment is disconnected. Connect it again.")

// errNoProvider means that a route has an unknown provider. Init and Finalize refuse such routes earlier.
var errNoProvider = errors.New("payments: no such provider")

// through runs work with the route's provider and the merchant's account there.
func through[T any](ctx context.Context, g Gateway, p id.Project, r project.PaymentRoute,
	work func(ports.PaymentProvider, ports.PaymentAccount) (T, error)) (result T, err error) {
	if r.Provider == project.SandboxProvider && g.Sandbox != nil {
		return work(g.Sandbox, ports.PaymentAccount{})
	}
	provider, known := g.Providers[r.Provider]
	if !known {
		return result, errNoProvider
	}
	i, err := g.InUse.Use(ctx, p, r.Integration)
	if err != nil {
		return result, err
	}
	if i.Status == integration.Disconnected {
		return result, errDisconnected
	}
	c, err := i.Open(g.Vault.Open)
	if err != nil {
		return result, fmt.Errorf("%w, which cannot be read: %w", ports.ErrCredentialsRefused, err) // nothing was sent
	}
	result, err = work(provider, ports.PaymentAccount{Key: c.Key, Secret: c.Secret})
	g.Health.Note(ctx, i, err)
	return result, err
}
