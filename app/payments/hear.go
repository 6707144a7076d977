package payments

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Purchases records outcomes of payment attempts that providers report by themselves.
type Purchases interface {
	// Heard records what a provider reports of an attempt, also of one that was given up. Reports may
	// repeat and be late. Unknown attempt: NotFound.
	Heard(ctx context.Context, project id.Project, key string, outcome checkout.Outcome) error
	// HeardOrphanRefund records what a provider reports of the refund of an orphan charge, by the orphan's id.
	HeardOrphanRefund(ctx context.Context, project id.Project, orphan string, outcome order.RefundOutcome) error
}

// Refunds records what providers report of money that goes back. Reports may repeat, be late and come out
// of order. Unknown refund or charge: NotFound.
type Refunds interface {
	HeardRefund(ctx context.Context, project id.Project, key string, outcome order.RefundOutcome) error
	// HeardExternalRefund records a refund that was not requested here.
	HeardExternalRefund(ctx context.Context, project id.Project, r order.ExternalRefund) error
	HeardDispute(ctx context.Context, project id.Project, d order.DisputeReport) error
}

// Ear verifies payment providers' webhooks and passes them on.
type Ear struct {
	InUse     ports.IntegrationsInUse
	Readers   map[string]ports.WebhookReader // by type
	Vault     ports.Vault
	Purchases Purchases
	Refunds   Refunds // nil: reports of refunds and disputes are ignored
	// Undecided are the attempts that a charge may belong to which is not known yet. nil: there are none.
	Undecided ports.UndecidedAttempts
}

// ErrPaymentUndecided asks to repeat a report on a charge that may be that of a payment nobody knows the outcome of.
var ErrPaymentUndecided = fault.New(fault.Conflict, "payment_undecided", "A payment that this may be about is not decided yet.")

// Hear records a call to a webhook's address. Once it returns nil the report is recorded, or concerns
// nothing of ours. Invalid signature: Unauthenticated invalid_signature. No such address: NotFound
// webhook_not_found.
func (e Ear) Hear(ctx ports.Outbound, webhook id.Webhook, call ports.Call) error {
	i, err := e.InUse.ByWebhook(ctx, webhook)
	if err != nil {
		return err
	}
	reader, reads := e.Readers[i.Type.String()]
	if !reads || i.Status == integration.Disconnected {
		return fault.Missing("webhook")
	}
	c, err := i.Open(e.Vault.Open)
	if err != nil {
		return err
	}
	if c.Signing == "" {
		return ErrSignature
	}
	news, err := reader.ReadWebhook(ctx, ports.PaymentAccount{Key: c.Key, Secret: c.Secret}, call, c.Signing)
	if err != nil {
		return err
	}
	return e.Record(ctx, i.Project, news)
}

// Record passes a report on. One that concerns nothing of ours is ignored: the merchant's account may have other
// uses. While an undecided payment may be what it is about: ErrPaymentUndecided. Providers repeat a webhook for three
// days, and the balance report is read again for as long. An attempt is undecided for longer only if its account
// cannot be read, and then the balance report is read from where it stopped.
func (e Ear) Record(ctx context.Context, of id.Project, news ports.PaymentNews) error {
	err := e.record(ctx, of, news)
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	undecided, err := e.undecided(ctx, of, news)
	switch {
	case err != nil:
		return err
	case undecided:
		return ErrPaymentUndecided
	}
	err = e.record(ctx, of, news) // of a payment that was decided meanwhile
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	return nil
}

// undecided reports whether an attempt in flight may have taken the money that a report says is given back.
func (e Ear) undecided(ctx context.Context, of id.Project, news ports.PaymentNews) (bool, error) {
	var amount money.Amount
	var at time.Time
	switch {
	case e.Undecided == nil:
		return false, nil
	case news.External != nil:
		amount, at = news.External.Amount, news.External.At
	case news.Dispute != nil:
		amount, at = news.Dispute.Amount, news.Dispute.At
	default:
		return false, nil
	}
	list, err := e.Undecided.UndecidedAttempts(ctx, of)
	return slices.ContainsFunc(list, func(c *checkout.Checkout) bool { return c.MayHaveTaken(amount, at) }), err
}

func (e Ear) record(ctx context.Context, of id.Project, news ports.PaymentNews) error {
	switch {
	case news.Charge != nil:
		return e.Purchases.Heard(ctx, of, news.Key, news.Charge)
	case news.Refund != nil && checkout.IsOrphan(news.Key):
		return e.Purchases.HeardOrphanRefund(ctx, of, news.Key, news.Refund)
	case e.Refunds == nil:
		return nil
	case news.Refund != nil:
		return e.Refunds.HeardRefund(ctx, of, news.Key, news.Refund)
	case news.External != nil:
		return e.Refunds.HeardExternalRefund(ctx, of, *news.External)
	case news.Dispute != nil:
		return e.Refunds.HeardDispute(ctx, of, *news.Dispute)
	}
	return nil
}

// ErrSignature is the answer to a call whose signature is not valid.
var ErrSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing, wrong or too old.")
