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

// heard are the events that ReadWebhook knows. Source: docs.stripe.com/api/events/types, read November 2026.
var heard = []string{
	"payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled",
	"refund.created", "refund.updated", "refund.failed", "charge.refunded",
	"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed",
	"charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated",
}

// Inspect asks for the account. Whether its money is real is written in the key.
func (p *Provider) Inspect(ctx ports.Outbound, a ports.PaymentAccount) (account string, live bool, err error) {
	found, err := try(ctx, func() (*api.Account, error) { return p.as(a).V1Accounts.Retrieve(ctx, nil) })
	if err != nil {
		return "", false, described(err)
	}
	return found.ID, strings.HasPrefix(a.Key, "sk_live_") || strings.HasPrefix(a.Key, "rk_live_"), nil
}

// RegisterWebhook also removes what an earlier try, whose answer was lost, has registered at the
// address: only who creates an endpoint learns its secret.
func (p *Provider) RegisterWebhook(ctx ports.Outbound, a ports.PaymentAccount, address string) (remote, secret string, err error) {
	if err := p.clear(ctx, a, address); err != nil {
		return "", "", err
	}
	params := &api.WebhookEndpointCreateParams{
		URL:           &address,
		EnabledEvents: api.StringSlice(heard),
		APIVersion:    api.String(api.APIVersion),
		Description:   api.String("Payments made through buyer agents"),
	}
	params.SetIdempotencyKey(api.NewIdempotencyKey())
	made, err := try(ctx, func() (*api.WebhookEndpoint, error) { return p.as(a).V1WebhookEndpoints.Create(ctx, params) })
	if err != nil {
		return "", "", described(err)
	}
	return made.ID, made.Secret, nil
}

func (p *Provider) clear(ctx ports.Outbound, a ports.PaymentAccount, address string) error {
	params := &api.WebhookEndpointListParams{}
	params.Limit = api.Int64(100)
	for endpoint, err := range p.as(a).V1WebhookEndpoints.List(ctx, params).All(ctx) {
		if err != nil {
			return described(err)
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

// RemoveWebhook is done also when there is no such endpoint any more.
func (p *Provider) RemoveWebhook(ctx ports.Outbound, a ports.PaymentAccount, remote string) error {
	_, err := try(ctx, func() (*api.WebhookEndpoint, error) { return p.as(a).V1WebhookEndpoints.Delete(ctx, remote, nil) })
	if status(err) == http.StatusNotFound {
		return nil
	}
	return described(err)
}
