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

// Purchases records outcomes of payment attempts that providers report by webhook.
type Purchases interface {
	// RecordOutcome records the outcome of an attempt, also of one that was given up. Reports may repeat and be late. For an unknown
	// attempt it returns NotFound.
	RecordOutcome(ctx context.Context, project id.Project, key string, outcome checkout.Outcome) error
	// RecordOrphanRefund records the outcome of an orphan charge's refund, by the orphan's id.
	RecordOrphanRefund(ctx context.Context, project id.Project, orphan string, outcome order.RefundOutcome) error
}

// Refunds records refunds and disputes that providers report by webhook. Reports may repeat, be late and come out of order. For
// an unknown refund or charge it returns NotFound.
type Refunds interface {
	RecordRefund(ctx context.Context, project id.Project, key string, outcome order.RefundOutcome) error
	// RecordExternalRefund records a refund that was not requested here.
	RecordExternalRefund(ctx context.Context, project id.Project, r order.ExternalRefund) error
	RecordDispute(ctx context.Context, project id.Project, d order.DisputeReport) error
}

// WebhookHandler handles payment providers' webhooks: it verifies them and passes them to Purchases and Refunds.
type WebhookHandler struct {
	InUse     ports.IntegrationsInUse
	Readers   map[string]ports.WebhookReader // by type
	Vault     ports.Vault
	Purchases Purchases
	Refunds   Refunds // nil: reports of refunds and disputes are ignored
	// Undecided lists the attempts that an unknown charge may belong to. nil: there are none.
	Undecided ports.UndecidedAttempts
}

// ErrPaymentUndecided means that a report must be repeated later, because its charge may belong to a payment whose outcome is not
// known yet.
var ErrPaymentUndecided = fault.New(fault.Conflict, "payment_undecided", "A payment that this may be about is not decided yet.")

// Handle records a call of a webhook. If it returns nil, the report is recorded or irrelevant. A duplicate webhook changes nothing
// that is recorded. For an invalid signature it returns Unauthenticated, invalid_signature; for an unknown webhook NotFound,
// webhook_not_found.
func (e WebhookHandler) Handle(ctx ports.Outbound, webhook id.Webhook, call ports.Call) error {
	i, err := e.InUse.ByWebhook(ctx, webhook)
	if err != nil {
		return err
	}
	reader, ok := e.Readers[i.Type.String()]
	if !ok || i.Status == integration.Disconnected {
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

// Record passes a report on. It ignores reports on unknown charges, because the merchant may use the account for other things,
// too. While an undecided payment may be the one reported, it returns ErrPaymentUndecided. Providers repeat a webhook for three
// days, and the balance report is read again for as long. An attempt stays undecided for longer only if its account
// cannot be read, and then the balance report is continued from where it stopped.
func (e WebhookHandler) Record(ctx context.Context, of id.Project, news ports.PaymentEvent) error {
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
	err = e.record(ctx, of, news) // the payment may have been decided meanwhile
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	return nil
}

// undecided reports whether an attempt in flight may be the payment that a reported refund or dispute belongs to.
func (e WebhookHandler) undecided(ctx context.Context, of id.Project, news ports.PaymentEvent) (bool, error) {
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

func (e WebhookHandler) record(ctx context.Context, of id.Project, news ports.PaymentEvent) error {
	switch {
	case news.Charge != nil:
		return e.Purchases.RecordOutcome(ctx, of, news.Key, news.Charge)
	case news.Refund != nil && checkout.IsOrphan(news.Key):
		return e.Purchases.RecordOrphanRefund(ctx, of, news.Key, news.Refund)
	case e.Refunds == nil:
		return nil
	case news.Refund != nil:
		return e.Refunds.RecordRefund(ctx, of, news.Key, news.Refund)
	case news.External != nil:
		return e.Refunds.RecordExternalRefund(ctx, of, *news.External)
	case news.Dispute != nil:
		return e.Refunds.RecordDispute(ctx, of, *news.Dispute)
	}
	return nil
}

// ErrSignature means that the signature of a webhook call is not valid.
var ErrSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing, wrong or too old.")
