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
	operation.Register(g, "connect-integration", "POST "+all+"/connect", "Begin connecting an account by its owner's consent (OAuth 2.0)", h.connectIntegration,
		operation.Errors(409, 503))
	operation.RegisterClaimed(g, "complete-connection", "POST "+all+"/connect/complete", "Connect the account with the code that the platform sent its owner back with",
		h.completeConnection, operation.Created, operation.Errors(409, 503))
}

type newConnection struct {
	Type        string `json:"type,omitempty" example:"shopify" doc:"shopify or hubspot. The others are connected by API key."`
	RedirectURI string `json:"redirect_uri,omitempty" doc:"Where the account's owner comes back to, with code and state: an https URL, or an http URL of this machine. The platform sends the browser to {public_url}/oauth/callback first, which is the redirect URL to register with it; the answer is checked there."`
	StoreDomain string `json:"store_domain,omitempty" example:"my-shop.myshopify.com" doc:"Of an e-commerce platform's shop; left out: the page at authorization_url asks for it."`
}

func (newConnection) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "type", "redirect_uri")
}

type consentView struct {
	URL       string `json:"authorization_url" format:"uri" doc:"Where the account's owner consents."`
	State     string `json:"state" doc:"Comes back with the code. It is good for one completion, with the same API account and project."`
	ExpiresIn int    `json:"expires_in" doc:"Seconds that the state lives."`
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
	Code        string `json:"code,omitempty" writeOnly:"true" doc:"As it came to the redirect_uri. It and state may be left out with callback_query, which has both."`
	State       string `json:"state,omitempty" writeOnly:"true" doc:"Likewise."`
	RedirectURI string `json:"redirect_uri,omitempty" doc:"If given, it must be the one of the first step."`
	StoreDomain string `json:"store_domain,omitempty" doc:"Of an e-commerce platform's shop. The callback_query names it, too."`
	Callback    string `json:"callback_query,omitempty" doc:"The whole query of the redirect, as it came. Needed only of Shopify and if its answer did not come to /oauth/callback: without Shopify's signature no code is redeemed."`
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
	StoreDomain *string `json:"store_domain" nullable:"true" doc:"Null: the type is of another kind than e-commerce."`
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
