package payments

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Purchases records outcomes of payment attempts, whoever brings them.
type Purchases interface {
	// Heard records what a provider says became of an attempt. It may be told more than once, late, and
	// of attempts that are unknown: NotFound.
	Heard(ctx context.Context, project id.Project, key string, outcome checkout.Outcome) error
}

// Refunds records outcomes of refunds, likewise.
type Refunds interface {
	HeardRefund(ctx context.Context, project id.Project, key string, outcome order.RefundOutcome) error
}

// Ear hears what providers tell of their own accord.
type Ear struct {
	InUse     ports.IntegrationsInUse
	Readers   map[string]ports.WebhookReader // by type
	Vault     ports.Vault
	Purchases Purchases
	Refunds   Refunds // nil: what is told of them is found out by asking
}

// Hear takes what came to a webhook's address. Once it returns nil the news are recorded, or are none of
// ours. Nobody signed it: Unauthenticated invalid_signature. No such address: NotFound webhook_not_found.
func (e Ear) Hear(ctx context.Context, webhook id.Webhook, payload []byte, signature string) error {
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
	news, err := reader.ReadWebhook(payload, signature, c.Signing)
	if err != nil {
		return err
	}
	switch {
	case news.Charge != nil:
		err = e.Purchases.Heard(ctx, i.Project, news.Key, news.Charge)
	case news.Refund != nil && e.Refunds != nil:
		err = e.Refunds.HeardRefund(ctx, i.Project, news.Key, news.Refund)
	}
	if fault.KindOf(err) == fault.NotFound {
		return nil // the merchant's account may have other uses
	}
	return err
}

// ErrSignature is the answer to what nobody has signed.
var ErrSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing, wrong or too old.")
