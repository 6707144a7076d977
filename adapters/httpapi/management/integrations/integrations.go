// Package integrations serves in the Management API what connects a project with other systems: platforms and payment providers
// with their sync runs and webhooks, carriers' rates and labels, and event subscriptions with their deliveries. It calls no
// platform itself.
package integrations

import (
	"context"
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on integrations, shipping and event subscriptions.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerIntegrations()
	h.registerShipping()
	h.registerSubscriptions()
}

func (h *handlers) registerIntegrations() {
	const all, one = "/v1/integrations", "/v1/integrations/{integration_id}"
	g := h.Group("Integrations", "integrations", operation.HeaderProject)
	operation.RegisterClaimed(g, "connect-api-key", "POST "+all+"/connect/api-key", "Connect an account by its API key, which is verified at the platform",
		h.connectAPIKey, operation.Created, operation.Errors(409, 503))
	h.registerConsent(g, all)
	operation.Register(g, "list-integrations", "GET "+all, "List integrations, including disconnected ones",
		operation.HandleList(h.listIntegrations, wire.Identity))
	operation.Register(g, "get-integration", "GET "+one, "Get an integration", h.getIntegration)
	operation.Register(g, "update-integration", "PATCH "+one, "Change an integration's name and sync settings; null restores a default",
		h.updateIntegration)
	operation.RegisterClaimed(g, "rotate-credentials", "PUT "+one+"/credentials", "Replace an integration's credentials by others of the same account",
		h.rotateCredentials, operation.Errors(409, 503))
	operation.RegisterPrepared(g, "disconnect-integration", "DELETE "+one, "Disconnect an integration and delete its credentials; its sync and webhooks end",
		h.disconnectIntegration, operation.Errors(409))
	h.registerSyncs(g, one)
	h.registerSyncChanges(g, one)
	h.registerWebhooks(g, one)
}

// credentials never appear in an answer, an error or a log.
type credentials struct {
	Key    string `json:"api_key,omitempty" writeOnly:"true"`
	Secret string `json:"api_secret,omitempty" writeOnly:"true"`
}

func (credentials) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["api_key"].Description = byType(integration.Type.Key)
	s.Properties["api_secret"].Description = byType(integration.Type.Secret)
	return operation.DocumentRequired(s, "api_key")
}

type newIntegration struct {
	Type        string      `json:"type,omitempty" example:"stripe" doc:"A type that is not connected by consent."`
	Credentials credentials `json:"credentials,omitzero"`
	Name        string      `json:"name,omitempty" doc:"At most 200 characters. Default: the name of the type."`
	Config      newConfig   `json:"config,omitzero"`
}

type newConfig struct {
	BaseURL string `json:"base_url,omitempty" doc:"The address of a system that you host yourself (custom, woocommerce): an https URL that does not lead to a private address."`
	SyncPatch
}

func (newIntegration) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "type", "credentials")
}

type integrationOutput = wire.Output[IntegrationView]

func (h *handlers) connectAPIKey(ctx ports.Outbound, rq operation.Request, in *wire.Input[newIntegration]) (made operation.Plan[integrationOutput], err error) {
	kind, err := fromAPIType(in.Body.Type, func(c fault.Check) {
		c.In("credentials").That(in.Body.Credentials.Key != "", "api_key", "is required")
	})
	if err != nil {
		return made, err
	}
	prepared, err := h.Connecting.In(rq.Stores).PrepareConnect(ctx, rq.Caller.Project, integration.Draft{
		Type:        kind,
		Name:        in.Body.Name,
		Credentials: kind.Given(in.Body.Credentials.Key, in.Body.Credentials.Secret),
		Config:      integration.Config{BaseURL: in.Body.Config.BaseURL},
		Change:      in.Body.Config.change(),
	})
	if err != nil {
		return made, err
	}
	return connection(h, rq, prepared, asItIs), nil
}

func asItIs(_ *integration.Integration, out *integrationOutput) *integrationOutput { return out }

// connection returns a plan that stores a new integration, and answers with the view that show makes of it.
func connection[O any](h *handlers, rq operation.Request, prepared *connecting.PreparedConnection,
	show func(*integration.Integration, *integrationOutput) *O) operation.Plan[O] {
	return operation.Plan[O]{
		Commit: func(ctx context.Context, st *ports.Stores) (*O, error) {
			after, err := prepared.Commit(ctx, st)
			if err != nil {
				return nil, err
			}
			rq.Stores = st
			out, err := h.changedIntegration(ctx, rq, prepared.Before, after)
			if err != nil {
				return nil, err
			}
			return show(after, out), nil
		},
		Discard: prepared.Discard,
	}
}

// changedIntegration notes a change for the audit log, and answers with the changed integration.
func (h *handlers) changedIntegration(ctx context.Context, rq operation.Request, before, after *integration.Integration) (*integrationOutput, error) {
	list := []*integration.Integration{after}
	if before != nil {
		list = append(list, before)
	}
	views, err := h.toAPIIntegrations(ctx, rq, list)
	if err != nil {
		return nil, err
	}
	operation.NoteCreated(rq, views[0].ID, views[0])
	if before != nil {
		operation.NoteChange(rq, views[1], views[0])
	}
	return &integrationOutput{Body: views[0]}, nil
}

// fromAPIType parses a type. If that fails, more adds the other problems of the body.
func fromAPIType(name string, more func(fault.Check)) (integration.Type, error) {
	kind, err := integration.ParseType(name)
	if err == nil {
		return kind, nil
	}
	check := fault.NewCheck()
	check.That(name != "", "type", "is required")
	var known *fault.Error
	if errors.As(err, &known) {
		for _, d := range known.Details {
			check.That(false, d.Field, d.Message)
		}
	}
	more(check)
	return kind, check.Err()
}

func (h *handlers) listIntegrations(ctx context.Context, rq operation.Request, in *operation.Paging) ([]IntegrationView, int, error) {
	found, total, err := rq.Stores.Integrations.List(ctx, rq.Caller.Project.ID, in.Page())
	if err != nil {
		return nil, 0, err
	}
	views, err := h.toAPIIntegrations(ctx, rq, found)
	return views, total, err
}

type OnIntegration struct {
	Integration wire.Ref[id.Integration] `path:"integration_id"`
}

func (h *handlers) findIntegration(ctx context.Context, rq operation.Request, in OnIntegration) (*integration.Integration, error) {
	return rq.Stores.Integrations.ByID(ctx, rq.Caller.Project.ID, in.Integration.ID)
}

func (h *handlers) getIntegration(ctx context.Context, rq operation.Request, in *OnIntegration) (*integrationOutput, error) {
	i, err := h.findIntegration(ctx, rq, *in)
	if err != nil {
		return nil, err
	}
	views, err := h.toAPIIntegrations(ctx, rq, []*integration.Integration{i})
	if err != nil {
		return nil, err
	}
	return &integrationOutput{Body: views[0]}, nil
}

type updateIntegrationInput struct {
	OnIntegration
	Body integrationPatch
}

type integrationPatch struct {
	Name   wire.Optional[string]    `json:"name,omitzero" doc:"At most 200 characters. Null: the name of the type."`
	Config wire.Optional[SyncPatch] `json:"config,omitzero"`
}

// SyncPatch changes which data is synced from a platform.
type SyncPatch struct {
	Products  wire.Optional[bool] `json:"sync_products,omitzero" doc:"Whether products are synced, with their stock. Default: true."`
	Orders    wire.Optional[bool] `json:"sync_orders,omitzero"`
	Customers wire.Optional[bool] `json:"sync_customers,omitzero"`

	WriteOrders   wire.Optional[bool]   `json:"write_orders,omitzero" doc:"Default: true, if the platform permits it. A CRM gets orders as deals."`
	RefusedOrders wire.Optional[string] `json:"refused_orders,omitzero" enum:"keep,refund" doc:"Default: keep. For shop platforms only; a CRM has no stock."`
	SyncSchedule  wire.Optional[string] `json:"sync_schedule,omitzero" doc:"A cron expression of five fields, or @hourly, @daily or @weekly. Times are in UTC, or in the time zone before it: CRON_TZ=Europe/Berlin 0 6 * * *. Two syncs are at least five minutes apart. Null or empty: none." example:"0 6 * * *"`

	OfferUnpublished      wire.Optional[bool] `json:"offer_unpublished,omitzero" doc:"For Shopify: also offer products that are not published to the Online Store. Default: false. The next full_sync applies a change."`
	OfferGiftCards        wire.Optional[bool] `json:"offer_gift_cards,omitzero" doc:"For Shopify: also offer gift cards. Default: false. The next full_sync applies a change."`
	OfferSubscriptionOnly wire.Optional[bool] `json:"offer_subscription_only,omitzero" doc:"For Shopify: also offer subscription-only products, as a single purchase. Default: false. The next full_sync applies a change."`
}

func (p SyncPatch) change() integration.Change {
	return integration.Change{
		SyncProducts:  p.Products.Field(),
		SyncOrders:    p.Orders.Field(),
		SyncCustomers: p.Customers.Field(),
		WriteOrders:   p.WriteOrders.Field(),
		RefusedOrders: p.RefusedOrders.Field(),
		SyncSchedule:  p.SyncSchedule.Field(),

		OfferUnpublished:      p.OfferUnpublished.Field(),
		OfferGiftCards:        p.OfferGiftCards.Field(),
		OfferSubscriptionOnly: p.OfferSubscriptionOnly.Field(),
	}
}

func (h *handlers) updateIntegration(ctx context.Context, rq operation.Request, in *updateIntegrationInput) (*integrationOutput, error) {
	change := in.Body.Config.Group().change()
	change.Name = in.Body.Name.Field()
	before, after, err := h.Connecting.In(rq.Stores).Change(ctx, rq.Caller.Project.ID, in.Integration.ID, change)
	if err != nil {
		return nil, err
	}
	return h.changedIntegration(ctx, rq, before, after)
}

type rotateInput struct {
	OnIntegration
	Body credentials
}

func (h *handlers) rotateCredentials(ctx ports.Outbound, rq operation.Request, in *rotateInput) (made operation.Plan[integrationOutput], err error) {
	before, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return made, err
	}
	prepared, err := h.Connecting.In(rq.Stores).PrepareRotation(ctx, rq.Caller.Project.ID, before.ID, in.Body.Key, in.Body.Secret)
	if err != nil {
		return made, atRoot(err)
	}
	made = connection(h, rq, prepared, asItIs)
	commit := made.Commit
	made.Commit = func(ctx context.Context, st *ports.Stores) (*integrationOutput, error) {
		out, err := commit(ctx, st)
		return out, atRoot(err)
	}
	return made, nil
}

// atRoot renames the fields of credentials for a body that consists of the credentials alone.
func atRoot(err error) error {
	return operation.RenameFields(err, func(field string) string { return strings.TrimPrefix(field, "credentials.") })
}

func (h *handlers) disconnectIntegration(ctx ports.Outbound, rq operation.Request, in *OnIntegration) (made operation.Plan[struct{}], err error) {
	before, err := h.findIntegration(ctx, rq, *in)
	if err != nil {
		return made, err
	}
	commit, err := h.Connecting.In(rq.Stores).PrepareDisconnect(ctx, rq.Caller.Project.ID, before.ID)
	if err != nil {
		return made, err
	}
	operation.NoteChange(rq, h.toAPIIntegration(before, ports.IntegrationMetrics{}), nil)
	made.Commit = func(ctx context.Context, st *ports.Stores) (*struct{}, error) {
		return nil, commit(ctx, st)
	}
	return made, nil
}
