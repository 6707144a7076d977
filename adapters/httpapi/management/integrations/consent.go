package integrations

import (
	"context"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerConsent(g operation.Group, all string) {
	operation.Register(g, "connect-integration", "POST "+all+"/connect", "Start connecting an account by its owner's consent (OAuth 2.0)", h.connectIntegration,
		operation.Errors(409, 503))
	operation.RegisterClaimed(g, "complete-connection", "POST "+all+"/connect/complete", "Complete a connection with the code of the platform's redirect",
		h.completeConnection, operation.Created, operation.Errors(409, 503))
}

type newConnection struct {
	Type        string `json:"type,omitempty" example:"shopify" doc:"shopify or hubspot. Other types are connected by API key."`
	RedirectURI string `json:"redirect_uri,omitempty" doc:"The URL to which the account's owner returns, with code and state: an https URL, or an http URL of this machine. The platform redirects to {public_url}/oauth/callback first, which validates the response; register that URL with the platform."`
	StoreDomain string `json:"store_domain,omitempty" example:"my-shop.myshopify.com" doc:"The shop of an e-commerce platform. If omitted, the page at authorization_url asks for it."`
}

func (newConnection) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "type", "redirect_uri")
}

type consentView struct {
	URL       string `json:"authorization_url" format:"uri" doc:"The page on which the account's owner consents."`
	State     string `json:"state" doc:"Returned with the code. It is valid for one completion, with the same API account and project."`
	ExpiresIn int    `json:"expires_in" doc:"Seconds until the state expires."`
}

func (h *handlers) connectIntegration(ctx context.Context, rq operation.Request, in *wire.Input[newConnection]) (*wire.Output[consentView], error) {
	kind, err := fromAPIType(in.Body.Type, func(c fault.Check) { integration.CheckRedirect(c, in.Body.RedirectURI) })
	if err != nil {
		return nil, err
	}
	begun, err := h.Connecting.In(rq.Stores).Begin(ctx, rq.Caller.Account.ID, rq.Caller.Project, connecting.Begin{
		Type:        kind,
		RedirectURI: in.Body.RedirectURI,
		Store:       in.Body.StoreDomain,
	})
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, nil, newConnection{kind.String(), in.Body.RedirectURI, in.Body.StoreDomain})
	return &wire.Output[consentView]{Body: consentView{begun.URL, begun.State, int(begun.Life.Seconds())}}, nil
}

type completion struct {
	Type        string `json:"type,omitempty" example:"shopify"`
	Code        string `json:"code,omitempty" writeOnly:"true" doc:"The code that redirect_uri received. Code and state may be omitted with callback_query, which has both."`
	State       string `json:"state,omitempty" writeOnly:"true" doc:"The state that redirect_uri received."`
	RedirectURI string `json:"redirect_uri,omitempty" doc:"Optional; it must equal that of the first step."`
	StoreDomain string `json:"store_domain,omitempty" doc:"The shop of an e-commerce platform. callback_query also names it."`
	Callback    string `json:"callback_query,omitempty" doc:"The unchanged query of the redirect. Required only for Shopify if the redirect did not pass through /oauth/callback: without Shopify's signature no code is redeemed."`
}

func (completion) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "type")
}

// filled returns the completion with the code and the state, which it takes from the query if they are left out.
func (c completion) filled() completion {
	if q, err := url.ParseQuery(strings.TrimPrefix(c.Callback, "?")); err == nil && c.Code == "" && c.State == "" {
		c.Code, c.State = q.Get("code"), q.Get("state")
	}
	return c
}

type completedView struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	Status      string  `json:"status" enum:"connected,error,disconnected"`
	StoreDomain *string `json:"store_domain" nullable:"true" doc:"Null: not an e-commerce platform."`
}

type completedOutput = wire.Output[completedView]

func (h *handlers) completeConnection(ctx ports.Outbound, rq operation.Request, in *wire.Input[completion]) (made operation.Plan[completedOutput], err error) {
	v, given := rq.Caller, in.Body.filled()
	kind, err := fromAPIType(given.Type, func(c fault.Check) {
		c.That(given.Code != "", "code", "is required")
		c.That(given.State != "", "state", "is required")
	})
	if err != nil {
		return made, err
	}
	prepared, err := h.Connecting.In(rq.Stores).PrepareCompletion(ctx, v.Account.ID, v.Project.ID, connecting.Completion{
		Type:        kind,
		Code:        given.Code,
		State:       given.State,
		RedirectURI: given.RedirectURI,
		Store:       given.StoreDomain,
		Callback:    given.Callback,
		Currency:    v.Project.Settings.Currency.Code(),
	})
	if err != nil {
		return made, err
	}
	return connection(h, rq, prepared, func(i *integration.Integration, _ *integrationOutput) *completedOutput {
		return &completedOutput{Body: completedView{
			ID:          i.ID.String(),
			Type:        i.Type.String(),
			Status:      i.Status.String(),
			StoreDomain: wire.ToOptional(i.Config.Store),
		}}
	}), nil
}
