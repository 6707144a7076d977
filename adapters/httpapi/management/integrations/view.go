package integrations

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// IntegrationView is an integration (features/MANAGEMENT.md#integrations). It has no credentials.
type IntegrationView struct {
	ID        string             `json:"id"`
	Type      string             `json:"type" example:"shopify"`
	Name      string             `json:"name"`
	Status    string             `json:"status" enum:"connected,error,disconnected"`
	LastError *string            `json:"last_error" nullable:"true" doc:"The reason for the status error."`
	Config    integrationConfig  `json:"config"`
	LastSync  *wire.Time         `json:"last_sync" nullable:"true" doc:"When a sync last completed. Null: never; payment providers have nothing to sync."`
	NextSync  *wire.Time         `json:"next_sync" nullable:"true" doc:"When the next scheduled sync starts: up to a minute after the time of config.sync_schedule, with a fixed delay for each integration. Null: none is scheduled, or the credentials are rejected."`
	Metrics   integrationMetrics `json:"metrics"`
	Webhook   *integrationHook   `json:"webhook,omitempty" doc:"The webhook of a payment provider. list-webhooks has those of other platforms."`
	CreatedAt wire.Time          `json:"created_at"`
	UpdatedAt wire.Time          `json:"updated_at"`
}

// integrationConfig has the fields of the integration's type.
type integrationConfig struct {
	AccountID     string `json:"account_id,omitempty" doc:"The platform's id of the account."`
	LiveMode      *bool  `json:"live_mode,omitempty" doc:"Whether a payment account moves real money."`
	StoreDomain   string `json:"store_domain,omitempty" doc:"The shop of an e-commerce platform."`
	BaseURL       string `json:"base_url,omitempty" doc:"The address of a system that you host yourself."`
	SyncProducts  *bool  `json:"sync_products,omitempty" doc:"Whether products are synced, with their stock."`
	SyncOrders    *bool  `json:"sync_orders,omitempty"`
	SyncCustomers *bool  `json:"sync_customers,omitempty"`
	SyncSchedule  string `json:"sync_schedule,omitempty" doc:"The schedule of syncs, as a cron expression."`
	WriteOrders   *bool  `json:"write_orders,omitempty" doc:"Whether paid orders are written to the platform. It requires the platform's permission: for Shopify the scope write_orders, for WooCommerce a key with write access, for your own system writes_orders in its account. HubSpot gets them as deals, with the scopes crm.objects.deals.write and crm.schemas.deals.write."`
	RefusedOrders string `json:"refused_orders,omitempty" enum:"keep,refund" doc:"The handling of a paid order for which the platform has no stock: it is kept and you are alerted, or it is canceled and refunded."`

	OfferUnpublished      *bool `json:"offer_unpublished,omitempty" doc:"For Shopify: whether products that are not published to the Online Store are offered to buyers."`
	OfferGiftCards        *bool `json:"offer_gift_cards,omitempty" doc:"For Shopify: whether gift cards are offered to buyers."`
	OfferSubscriptionOnly *bool `json:"offer_subscription_only,omitempty" doc:"For Shopify: whether subscription-only products are offered to buyers, as a single purchase."`
}

type integrationMetrics struct {
	Products int `json:"products_synced"`
	Orders   int `json:"orders_synced"`
	Errors   int `json:"errors_24h" doc:"Records, syncs and webhook calls that failed in the last 24 hours."`
}

type integrationHook struct {
	Endpoint string `json:"endpoint" format:"uri" doc:"The address that the provider calls."`
	Status   string `json:"status" enum:"none,active,failed" doc:"Whether the provider calls: no webhook was requested, it calls, or it rejected the request. Without a webhook, payments are polled."`
}

// toAPIIntegrations shows a project's integrations with their metrics.
func (h *handlers) toAPIIntegrations(ctx context.Context, rq operation.Request, list []*integration.Integration) ([]IntegrationView, error) {
	if len(list) == 0 {
		return []IntegrationView{}, nil
	}
	names := wire.Each(list, func(i *integration.Integration) id.Integration { return i.ID })
	figures, err := rq.Stores.Figures.Metrics(ctx, rq.Caller.Project.ID, names, h.Clock.Now().Add(-24*time.Hour))
	if err != nil {
		return nil, err
	}
	return wire.Each(list, func(i *integration.Integration) IntegrationView { return h.toAPIIntegration(i, figures[i.ID]) }), nil
}

func (h *handlers) toAPIIntegration(i *integration.Integration, m ports.IntegrationMetrics) IntegrationView {
	v := IntegrationView{
		ID:        i.ID.String(),
		Type:      i.Type.String(),
		Name:      i.Name,
		Status:    i.Status.String(),
		LastError: wire.ToOptional(i.LastError),
		Config:    toAPIConfig(i),
		Metrics:   integrationMetrics{m.Products, m.Orders, m.Errors},
		LastSync:  wire.ToKnownTime(i.LastSync),
		CreatedAt: wire.ToTime(i.CreatedAt),
		UpdatedAt: wire.ToTime(i.UpdatedAt),
	}
	if i.Status == integration.Connected { // only connected ones are synced on schedule
		v.NextSync = wire.ToKnownTime(i.NextSync)
	}
	if i.Type.Kind() == integration.Payment {
		v.Webhook = &integrationHook{h.HookAddress(i.Hook.ID), i.Hook.Status.String()}
	}
	return v
}

func toAPIConfig(i *integration.Integration) integrationConfig {
	c := integrationConfig{StoreDomain: i.Config.Store, BaseURL: i.Config.BaseURL}
	if c.StoreDomain == "" && c.BaseURL == "" {
		c.AccountID = i.Config.Account
	}
	if i.Type.Kind() == integration.Payment {
		c.LiveMode = &i.Config.Live
	}
	wanted := func(r syncrun.Resource) *bool {
		if !slices.Contains(i.Type.Resources(), r) {
			return nil
		}
		on := i.Config.Syncs(r)
		return &on
	}
	c.SyncProducts, c.SyncOrders, c.SyncCustomers = wanted(syncrun.Products), wanted(syncrun.Orders), wanted(syncrun.Customers)
	c.SyncSchedule = i.Config.Schedule
	if on := i.Config.WritesOrders(); i.Type.WritesOrders() || i.Type.WritesDeals() {
		c.WriteOrders = &on
	}
	if i.Type.WritesOrders() {
		c.RefusedOrders = i.Config.Refused.String()
	}
	if offer := i.Config.Offer; i.Type.ReportsOffers() {
		c.OfferUnpublished, c.OfferGiftCards, c.OfferSubscriptionOnly = &offer.Unpublished, &offer.GiftCards, &offer.SubscriptionOnly
	}
	return c
}
