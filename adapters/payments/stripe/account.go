package stripe

import (
	"net/http"
	"strings"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.PaymentPlatform = (*Provider)(nil)
	_ ports.WebhookPlatform = (*Provider)(nil)
)

// webhookEvents are the events that ReadWebhook processes. Source: docs.stripe.com/api/events/types, read November 2026.
var webhookEvents = []string{
	"payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled",
	"refund.created", "refund.updated", "refund.failed", "charge.refunded",
	"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed",
	"charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated",
}

// Inspect reads the account. The prefix of the key shows whether it is in live mode.
func (p *Provider) Inspect(ctx ports.Outbound, a ports.PaymentAccount) (account string, live bool, err error) {
	found, err := try(ctx, func() (*api.Account, error) { return p.client(a).V1Accounts.Retrieve(ctx, nil) })
	if err != nil {
		return "", false, redacted(err)
	}
	return found.ID, strings.HasPrefix(a.Key, "sk_live_") || strings.HasPrefix(a.Key, "rk_live_"), nil
}

// RegisterWebhook registers a webhook. It first removes endpoints of earlier tries with the address, because Stripe returns
// the secret of an endpoint only when it is created.
func (p *Provider) RegisterWebhook(ctx ports.Outbound, a ports.PaymentAccount, address string) (remote, secret string, err error) {
	if err := p.removeEndpoints(ctx, a, address); err != nil {
		return "", "", err
	}
	params := &api.WebhookEndpointCreateParams{
		URL:           &address,
		EnabledEvents: api.StringSlice(webhookEvents),
		APIVersion:    api.String(api.APIVersion),
		Description:   api.String("Payments made through buyer agents"),
	}
	params.SetIdempotencyKey(api.NewIdempotencyKey())
	made, err := try(ctx, func() (*api.WebhookEndpoint, error) { return p.client(a).V1WebhookEndpoints.Create(ctx, params) })
	if err != nil {
		return "", "", redacted(err)
	}
	return made.ID, made.Secret, nil
}

func (p *Provider) removeEndpoints(ctx ports.Outbound, a ports.PaymentAccount, address string) error {
	params := &api.WebhookEndpointListParams{}
	params.Limit = api.Int64(100)
	for endpoint, err := range p.client(a).V1WebhookEndpoints.List(ctx, params).All(ctx) {
		if err != nil {
			return redacted(err)
		}
		if endpoint.URL != address {
			continue
		}
		if err := p.RemoveWebhook(ctx, a, endpoint.ID); err != nil {
			return err
		}
	}
	return nil
}

// RemoveWebhook removes a webhook. An endpoint that does not exist is no error.
func (p *Provider) RemoveWebhook(ctx ports.Outbound, a ports.PaymentAccount, remote string) error {
	_, err := try(ctx, func() (*api.WebhookEndpoint, error) { return p.client(a).V1WebhookEndpoints.Delete(ctx, remote, nil) })
	if status(err) == http.StatusNotFound {
		return nil
	}
	return redacted(err)
}
