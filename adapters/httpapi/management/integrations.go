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
)

func (h *handlers) registerIntegrations() {
	const tag, all, one = "Integrations", "/v1/integrations", "/v1/integrations/{integration_id}"
	register(h, tag, operation{id: "connect-api-key", method: "POST", path: all + "/connect/api-key", scope: "integrations:write",
		on: headerProject, status: 201, errors: []int{409, 503},
		summary: "Connect an account by its API key; the provider is asked whether it takes it"}, (*handlers).connectAPIKey)
	register(h, tag, operation{id: "list-integrations", method: "GET", path: all, scope: "integrations:read", on: headerProject,
		summary: "List integrations, disconnected ones too"}, (*handlers).listIntegrations)
	register(h, tag, operation{id: "get-integration", method: "GET", path: one, scope: "integrations:read", on: headerProject,
		summary: "Get an integration"}, (*handlers).getIntegration)
	register(h, tag, operation{id: "rotate-credentials", method: "PUT", path: one + "/credentials", scope: "integrations:write",
		on: headerProject, errors: []int{409, 503}, summary: "Give an integration other credentials of the same account"},
		(*handlers).rotateCredentials)
	register(h, tag, operation{id: "disconnect-integration", method: "DELETE", path: one, scope: "integrations:write",
		on: headerProject, status: 204, errors: []int{409}, summary: "Disconnect an integration and forget its credentials"},
		(*handlers).disconnectIntegration)
}

// IntegrationView is an integration (spec 2.3). It has no credentials.
type IntegrationView struct {
	ID        string             `json:"id"`
	Type      string             `json:"type" example:"stripe"`
	Name      string             `json:"name"`
	Status    string             `json:"status" enum:"connected,error,disconnected"`
	LastError *string            `json:"last_error" nullable:"true" doc:"Why status is error."`
	Config    integrationConfig  `json:"config"`
	LastSync  *wire.Time         `json:"last_sync" nullable:"true" doc:"Null: never; there is nothing to synchronise with payment providers."`
	Metrics   integrationMetrics `json:"metrics"`
	Webhook   integrationHook    `json:"webhook"`
	CreatedAt wire.Time          `json:"created_at"`
	UpdatedAt wire.Time          `json:"updated_at"`
}

type integrationConfig struct {
	AccountID string `json:"account_id" doc:"The account's id with the provider."`
	LiveMode  bool   `json:"live_mode" doc:"Whether its money is real."`
}

type integrationMetrics struct {
	Products int `json:"products_synced"`
	Orders   int `json:"orders_synced"`
	Errors   int `json:"errors_24h"`
}

type integrationHook struct {
	Endpoint string `json:"endpoint" format:"uri" doc:"Where the provider may call."`
	Status   string `json:"status" enum:"none,active,failed" doc:"Whether the provider calls: none was asked for, it does, or it refused to. Without it payments are found out by asking."`
}

// credentials never come back in an answer, an error or a log.
type credentials struct {
	Key    string `json:"api_key,omitempty" writeOnly:"true" doc:"Stripe: the secret or restricted key. PayPal: the client id."`
	Secret string `json:"api_secret,omitempty" writeOnly:"true" doc:"Stripe: the signing secret of a webhook that you registered yourself, else left out. PayPal: the client's secret."`
}

func (credentials) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return documentRequired(s, "api_key")
}

type newIntegration struct {
	Type        string      `json:"type,omitempty" example:"stripe" doc:"stripe or paypal."`
	Credentials credentials `json:"credentials,omitzero"`
	Name        string      `json:"name,omitempty" doc:"At most 200 characters; left out: the type's."`
}

func (newIntegration) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return documentRequired(s, "type", "credentials")
}

type connectInput struct{ Body newIntegration }

type integrationOutput struct{ Body IntegrationView }

func (h *handlers) connectAPIKey(ctx context.Context, in *connectInput) (*integrationOutput, error) {
	kind, err := fromAPIType(in.Body.Type)
	if err != nil {
		return nil, err
	}
	i, err := h.Connecting.Connect(ctx, projectOf(ctx), integration.Draft{
		Type: kind, Name: in.Body.Name, Credentials: kind.Given(in.Body.Credentials.Key, in.Body.Credentials.Secret),
	})
	if err != nil {
		return nil, err
	}
	out := &integrationOutput{h.toAPIIntegration(i)}
	noteTarget(ctx, out.Body.ID)
	noteChange(ctx, nil, out.Body)
	return out, nil
}

func fromAPIType(name string) (integration.Type, error) {
	if name == "" {
		return integration.Type{}, fault.Field("type", "is required")
	}
	return integration.ParseType(name)
}

type listIntegrationsInput struct{ Paging }

func (h *handlers) listIntegrations(ctx context.Context, in *listIntegrationsInput) (*listOutput[IntegrationView], error) {
	found, total, err := h.Integrations.List(ctx, projectOf(ctx).ID, in.page())
	if err != nil {
		return nil, err
	}
	return toAPIList(found, h.toAPIIntegration, in.Paging, total), nil
}

type OnIntegration struct {
	Integration string `path:"integration_id"`
}

func (h *handlers) findIntegration(ctx context.Context, in OnIntegration) (*integration.Integration, error) {
	wanted, err := wire.ID[id.Integration](in.Integration, "integration")
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
	return &integrationOutput{h.toAPIIntegration(i)}, nil
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
	after, err := h.Connecting.Rotate(ctx, projectOf(ctx).ID, before.ID, in.Body.Key, in.Body.Secret)
	if err != nil {
		return nil, atRoot(err)
	}
	out := &integrationOutput{h.toAPIIntegration(after)}
	noteTarget(ctx, out.Body.ID)
	noteChange(ctx, h.toAPIIntegration(before), out.Body)
	return out, nil
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
	noteChange(ctx, h.toAPIIntegration(before), nil)
	return nil, h.Connecting.Disconnect(ctx, projectOf(ctx).ID, before.ID)
}

func (h *handlers) toAPIIntegration(i *integration.Integration) IntegrationView {
	v := IntegrationView{
		ID: i.ID.String(), Type: i.Type.String(), Name: i.Name, Status: i.Status.String(),
		Config:    integrationConfig{i.Config.Account, i.Config.Live},
		Webhook:   integrationHook{h.HookAddress(i.Hook.ID), i.Hook.Status.String()},
		CreatedAt: wire.ToTime(i.CreatedAt), UpdatedAt: wire.ToTime(i.UpdatedAt),
	}
	if i.LastError != "" {
		v.LastError = &i.LastError
	}
	return v
}

func toAPIConnection(i *integration.Integration) connection {
	return connection{i.Type.String(), i.Status.String()}
}
