// Package payments takes a project's payments to the provider that each goes through, with the merchant's
// own account, and takes back what providers tell of them.
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

// Gateway is all providers as one. It reads the integration for every request, beside which the request
// to the provider is long, so that new credentials take effect at once and no payment is sent through an
// account that is being disconnected.
type Gateway struct {
	Sandbox   ports.PaymentProvider // nil: there is none
	Providers map[string]ports.PaymentProvider
	InUse     ports.IntegrationsInUse
	Standing  Standing
	Vault     ports.Vault
	// Admission learns how charges end; nil: nobody does.
	Admission *Admission
}

// Standing keeps how integrations stand with their providers.
type Standing interface {
	// Note takes the provider's answer to what was asked of it with the integration's credentials; nil: it
	// answered.
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

// Charge does not send what goes through a disconnected integration. Nobody else has: see
// ports.IntegrationsInUse.
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

// notSent is the outcome of a charge through a disconnected integration.
func notSent(outcome checkout.Outcome, err error) (checkout.Outcome, error) {
	if errors.Is(err, reasonDisconnected) {
		return checkout.NotCharged{}, nil
	}
	return outcome, err
}

// Refund waits while the payment's integration is disconnected: it may be connected again.
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

// CanCharge reports whether the route's provider can express and take the amount. A route that leads
// nowhere is refused elsewhere.
func (g Gateway) CanCharge(r project.PaymentRoute, a money.Amount) bool {
	provider := g.Providers[r.Provider]
	if r.Provider == project.SandboxProvider {
		provider = g.Sandbox
	}
	rules, ok := provider.(ports.AmountRules)
	return !ok || rules.CanCharge(r, a)
}

// StatementLag is the provider's; 0 of a route that leads nowhere.
func (g Gateway) StatementLag(r project.PaymentRoute) time.Duration {
	if late, ok := g.Providers[r.Provider].(ports.StatementLag); ok {
		return late.StatementLag(r)
	}
	return 0
}

// ChargeForm asks the route's provider.
func (g Gateway) ChargeForm(r project.PaymentRoute, named string) string {
	if names, ok := g.Providers[r.Provider].(ports.ChargeNames); ok {
		return names.ChargeForm(r, named)
	}
	return ""
}

// ChargeKey asks the account that a route goes through.
func (g Gateway) ChargeKey(ctx ports.Outbound, of id.Project, r project.PaymentRoute, charge string) (string, error) {
	return through(ctx, g, of, r, func(p ports.PaymentProvider, a ports.PaymentAccount) (string, error) {
		if reader, ok := p.(ports.ChargeReader); ok {
			return reader.ChargeKey(ctx, a, charge)
		}
		return "", ports.ErrUntold
	})
}

// BalanceChanges reads the balance report of the account that a route goes through.
func (g Gateway) BalanceChanges(ctx ports.Outbound, r ports.StatementRequest, each func(ports.BalanceChange) error) error {
	_, err := through(ctx, g, r.Project, r.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (none struct{}, err error) {
		if reader, ok := p.(ports.BalanceReader); ok {
			err = reader.BalanceChanges(ctx, a, r, each)
		}
		return none, err
	})
	return err
}

// Dispute asks the account that a route goes through how a dispute stands.
func (g Gateway) Dispute(ctx ports.Outbound, of id.Project, r project.PaymentRoute, dispute string) (ports.PaymentNews, error) {
	return through(ctx, g, of, r, func(p ports.PaymentProvider, a ports.PaymentAccount) (news ports.PaymentNews, err error) {
		if reader, ok := p.(ports.DisputeReader); ok {
			return reader.Dispute(ctx, a, dispute)
		}
		return news, nil
	})
}

// SubmitEvidence sends evidence to the account that a route goes through.
func (g Gateway) SubmitEvidence(ctx ports.Outbound, r ports.DisputeRequest) (ports.DisputeReply, error) {
	return g.respond(ctx, r, func(p ports.DisputeResponder, a ports.PaymentAccount) (ports.DisputeReply, error) {
		return p.SubmitEvidence(ctx, a, r)
	})
}

// AcceptDispute gives a dispute up at the account that a route goes through.
func (g Gateway) AcceptDispute(ctx ports.Outbound, r ports.DisputeRequest) (ports.DisputeReply, error) {
	return g.respond(ctx, r, func(p ports.DisputeResponder, a ports.PaymentAccount) (ports.DisputeReply, error) {
		return p.AcceptDispute(ctx, a, r)
	})
}

// respond does work with a provider that takes responses.
func (g Gateway) respond(ctx ports.Outbound, r ports.DisputeRequest, work func(ports.DisputeResponder, ports.PaymentAccount) (ports.DisputeReply, error)) (ports.DisputeReply, error) {
	return through(ctx, g, r.Project, r.Route, func(p ports.PaymentProvider, a ports.PaymentAccount) (ports.DisputeReply, error) {
		if responder, ok := p.(ports.DisputeResponder); ok {
			return work(responder, a)
		}
		return ports.DisputeReply{}, ports.ErrNoResponses
	})
}

// errPanicked is the end of a charge that has no other.
var errPanicked = errors.New("payments: the provider's adapter panicked")

// reasonDisconnected is why nothing is asked of a provider.
var reasonDisconnected = fault.New(fault.Conflict, "provider_not_connected",
	"The account that the payment went through is disconnected. Connect it again.")

// errNoProvider means that a route leads nowhere, which Init and Finalize refuse before.
var errNoProvider = errors.New("payments: no such provider")

// through does work with the route's provider and the merchant's account there.
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
		return result, reasonDisconnected
	}
	c, err := i.Open(g.Vault.Open)
	if err != nil {
		return result, fmt.Errorf("%w, which cannot be read: %w", ports.ErrCredentialsRefused, err) // nothing was sent
	}
	result, err = work(provider, ports.PaymentAccount{Key: c.Key, Secret: c.Secret})
	g.Standing.Note(ctx, i, err)
	return result, err
}
