package management

import (
	"context"
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerIntegrations() {
	const tag, all, one = "Integrations", "/v1/integrations", "/v1/integrations/{integration_id}"
	register(h, tag, operation{id: "connect-api-key", ahead: true, method: "POST", path: all + "/connect/api-key", scope: "integrations:write",
		on: headerProject, status: 201, errors: []int{409, 503},
		summary: "Connect an account by its API key; the platform is asked whether it takes it"}, (*handlers).connectAPIKey)
	h.registerConsent(tag, all)
	register(h, tag, operation{id: "list-integrations", method: "GET", path: all, scope: "integrations:read", on: headerProject,
		summary: "List integrations, disconnected ones too"}, (*handlers).listIntegrations)
	register(h, tag, operation{id: "get-integration", method: "GET", path: one, scope: "integrations:read", on: headerProject,
		summary: "Get an integration"}, (*handlers).getIntegration)
	register(h, tag, operation{id: "update-integration", method: "PATCH", path: one, scope: "integrations:write", on: headerProject,
		summary: "Change an integration's name and what is synchronised; null restores a default"}, (*handlers).updateIntegration)
	register(h, tag, operation{id: "rotate-credentials", ahead: true, method: "PUT", path: one + "/credentials", scope: "integrations:write",
		on: headerProject, errors: []int{409, 503}, summary: "Give an integration other credentials of the same account"},
		(*handlers).rotateCredentials)
	register(h, tag, operation{id: "disconnect-integration", method: "DELETE", path: one, scope: "integrations:write",
		on: headerProject, status: 204, errors: []int{409}, summary: "Disconnect an integration and forget its credentials; its sync and webhooks end"},
		(*handlers).disconnectIntegration)
	h.registerSyncs(tag, one)
	h.registerWebhooks(tag, one)
}

// credentials never come back in an answer, an error or a log.
type credentials struct {
	Key    string `json:"api_key,omitempty" writeOnly:"true" doc:"Stripe: the secret or restricted key. PayPal: the client id. ShipStation: the API key. Custom: what we send as the bearer token."`
	Secret string `json:"api_secret,omitempty" writeOnly:"true" doc:"Stripe: the signing secret of a webhook that you registered yourself, else left out. PayPal: the client's secret. ShipStation: the API secret. Custom: left out."`
}

func (credentials) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return documentRequired(s, "api_key")
}

type newIntegration struct {
	Type        string      `json:"type,omitempty" example:"stripe" doc:"stripe, paypal, shipstation or custom. The others are connected by consent."`
	Credentials credentials `json:"credentials,omitzero"`
	Name        string      `json:"name,omitempty" doc:"At most 200 characters; left out: the type's."`
	Config      newConfig   `json:"config,omitzero"`
}

type newConfig struct {
	BaseURL string `json:"base_url,omitempty" doc:"Of a custom system: an https URL that does not lead to a private address."`
	SyncPatch
}

func (newIntegration) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return documentRequired(s, "type", "credentials")
}

type connectInput struct{ Body newIntegration }

type integrationOutput struct{ Body IntegrationView }

func (h *handlers) connectAPIKey(ctx context.Context, in *connectInput) (*integrationOutput, error) {
	kind, err := fromAPIType(in.Body.Type, func(c fault.Check) {
		c.In("credentials").That(in.Body.Credentials.Key != "", "api_key", "is required")
	})
	if err != nil {
		return nil, err
	}
	i, err := h.Connecting.Connect(wire.Outbound(ctx), projectOf(ctx), integration.Draft{
		Type: kind, Name: in.Body.Name, Credentials: kind.Given(in.Body.Credentials.Key, in.Body.Credentials.Secret),
		Config: integration.Config{BaseURL: in.Body.Config.BaseURL, Skip: in.Body.Config.skips()},
	})
	if err != nil {
		return nil, err
	}
	return h.changedIntegration(ctx, nil, i)
}

// changedIntegration tells the audit log of a change, and answers with the integration after it.
func (h *handlers) changedIntegration(ctx context.Context, before, after *integration.Integration) (*integrationOutput, error) {
	list := []*integration.Integration{after}
	if before != nil {
		list = append(list, before)
	}
	views, err := h.toAPIIntegrations(ctx, list)
	if err != nil {
		return nil, err
	}
	noteTarget(ctx, views[0].ID)
	if before == nil {
		noteChange(ctx, nil, views[0])
	} else {
		noteChange(ctx, views[1], views[0])
	}
	return &integrationOutput{views[0]}, nil
}

// fromAPIType reads a type. Where there is none, more tells what else of the body is wrong.
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

type listIntegrationsInput struct{ Paging }

func (h *handlers) listIntegrations(ctx context.Context, in *listIntegrationsInput) (*listOutput[IntegrationView], error) {
	found, total, err := h.Integrations.List(ctx, projectOf(ctx).ID, in.page())
	if err != nil {
		return nil, err
	}
	views, err := h.toAPIIntegrations(ctx, found)
	if err != nil {
		return nil, err
	}
	return &listOutput[IntegrationView]{list[IntegrationView]{views, meta{total, in.Limit, in.Offset}}}, nil
}

type OnIntegration struct {
	Integration string `path:"integration_id"`
}

// id is the integration in the path.
func (o OnIntegration) id() (id.Integration, error) {
	return wire.ID[id.Integration](o.Integration, "integration")
}

func (h *handlers) findIntegration(ctx context.Context, in OnIntegration) (*integration.Integration, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	return h.Integrations.ByID(ctx, projectOf(ctx).ID, wanted)
}

func (h *handlers) getIntegration(ctx context.Context, in *OnIntegration) (*integrationOutput, error) {
	i, err := h.findIntegration(ctx, *in)
	if err != nil {
		return nil, err
	}
	views, err := h.toAPIIntegrations(ctx, []*integration.Integration{i})
	if err != nil {
		return nil, err
	}
	return &integrationOutput{views[0]}, nil
}

type updateIntegrationInput struct {
	OnIntegration
	Body integrationPatch
}

type integrationPatch struct {
	Name   wire.Optional[string]    `json:"name,omitzero" doc:"At most 200 characters; null: the type's."`
	Config wire.Optional[SyncPatch] `json:"config,omitzero"`
}

// SyncPatch is what of a platform's data is wanted.
type SyncPatch struct {
	Products  wire.Optional[bool] `json:"sync_products,omitzero" doc:"With their stock. Left out at first: true."`
	Orders    wire.Optional[bool] `json:"sync_orders,omitzero"`
	Customers wire.Optional[bool] `json:"sync_customers,omitzero"`
}

// skips are what a new integration leaves out.
func (p SyncPatch) skips() integration.Skips {
	off := func(o wire.Optional[bool]) bool { on, given := o.Value(); return given && !on }
	return integration.Skips{Products: off(p.Products), Orders: off(p.Orders), Customers: off(p.Customers)}
}

func (h *handlers) updateIntegration(ctx context.Context, in *updateIntegrationInput) (*integrationOutput, error) {
	wanted, err := in.id()
	if err != nil {
		return nil, err
	}
	c := integration.Change{Name: in.Body.Name.Field()}
	if in.Body.Config.Null() {
		c.SyncProducts, c.SyncOrders, c.SyncCustomers = patch.Null[bool](), patch.Null[bool](), patch.Null[bool]()
	} else if p, given := in.Body.Config.Value(); given {
		c.SyncProducts, c.SyncOrders, c.SyncCustomers = p.Products.Field(), p.Orders.Field(), p.Customers.Field()
	}
	before, after, err := h.Connecting.Change(ctx, projectOf(ctx).ID, wanted, c)
	if err != nil {
		return nil, err
	}
	return h.changedIntegration(ctx, before, after)
}

type rotateInput struct {
	OnIntegration
	Body credentials
}

func (h *handlers) rotateCredentials(ctx context.Context, in *rotateInput) (*integrationOutput, error) {
	before, err := h.findIntegration(ctx, in.OnIntegration)
	if err != nil {
		return nil, err
	}
	after, err := h.Connecting.Rotate(wire.Outbound(ctx), projectOf(ctx).ID, before.ID, in.Body.Key, in.Body.Secret)
	if err != nil {
		return nil, atRoot(err)
	}
	return h.changedIntegration(ctx, before, after)
}

// atRoot names credentials as this body has them, which has nothing else.
func atRoot(err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	renamed := *known
	renamed.Details = each(known.Details, func(d fault.Detail) fault.Detail {
		return fault.Detail{Field: strings.TrimPrefix(d.Field, "credentials."), Message: d.Message}
	})
	return &renamed
}

func (h *handlers) disconnectIntegration(ctx context.Context, in *OnIntegration) (*struct{}, error) {
	before, err := h.findIntegration(ctx, *in)
	if err != nil {
		return nil, err
	}
	noteTarget(ctx, in.Integration)
	noteChange(ctx, h.toAPIIntegration(before, ports.IntegrationMetrics{}), nil)
	return nil, h.Connecting.Disconnect(wire.Outbound(ctx), projectOf(ctx).ID, before.ID)
}

func toAPIConnection(i *integration.Integration) connection {
	return connection{i.Type.String(), i.Status.String()}
}
