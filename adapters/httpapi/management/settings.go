package management

import (
	"context"
	"net/url"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerSettings() {
	const path = "/v1/projects/{project_id}/settings"
	g := h.Group("Settings", "projects", operation.PathProject)
	operation.Register(g, "get-settings", "GET "+path, "Get all settings, by category", wire.HandleOne(h.getSettings, toAPISettings))
	operation.Register(g, "update-settings", "PATCH "+path, "Change settings; null restores a default", h.updateSettings, operation.Errors(409))
}

// settings are all of a project's settings in their groups (features/MANAGEMENT.md#settings).
type settings struct {
	General struct {
		Name     string `json:"name"`
		Slug     string `json:"slug"`
		Timezone string `json:"timezone"`
		Locale   string `json:"locale"`
		Currency string `json:"default_currency"`
	} `json:"general"`
	Commerce struct {
		NegotiationEnabled  bool         `json:"negotiation_enabled"`
		MaxDiscount         wire.Decimal `json:"max_discount_percent"`
		BundleSuggestions   bool         `json:"bundle_suggestions"`
		SubscriptionEnabled bool         `json:"subscription_enabled"`
	} `json:"commerce"`
	Agents struct {
		LLMProvider string       `json:"default_llm_provider"`
		LLMModel    string       `json:"default_llm_model"`
		MaxTokens   int          `json:"max_tokens_per_request"`
		Temperature wire.Decimal `json:"temperature"`

		Authentication *string `json:"authentication" nullable:"true" doc:"Authentication of buyers' agents: open or signed. Null: open in the sandbox, signed in production."`
	} `json:"agents"`
	Notifications struct {
		EmailEnabled  bool     `json:"email_enabled"`
		ChatWebhook   string   `json:"chat_webhook"`
		AlertChannels []string `json:"alert_channels"`
	} `json:"notifications"`
	Security struct {
		IPAllowlist    []string `json:"ip_allowlist"`
		MFARequired    bool     `json:"mfa_required"`
		SessionMinutes int      `json:"session_timeout_minutes"`
	} `json:"security"`
	Protocols protocols `json:"protocols" doc:"Protocols that the shop serves in addition to Haggle's own."`
	Retention retention `json:"retention" doc:"Days for which data of buyers and platforms is kept. Orders and money are always kept."`
}

// settingsPatch has the same groups. Any of them may be left out or be null.
type settingsPatch struct {
	General       wire.Optional[generalPatch]       `json:"general,omitzero"`
	Commerce      wire.Optional[commercePatch]      `json:"commerce,omitzero"`
	Agents        wire.Optional[agentsPatch]        `json:"agents,omitzero"`
	Notifications wire.Optional[notificationsPatch] `json:"notifications,omitzero"`
	Security      wire.Optional[securityPatch]      `json:"security,omitzero"`
	Protocols     wire.Optional[protocolsPatch]     `json:"protocols,omitzero"`
	Retention     wire.Optional[retentionPatch]     `json:"retention,omitzero"`
}

type generalPatch struct {
	Name     wire.Optional[string] `json:"name,omitzero"`
	Slug     wire.Optional[string] `json:"slug,omitzero"`
	Timezone wire.Optional[string] `json:"timezone,omitzero"`
	Locale   wire.Optional[string] `json:"locale,omitzero"`
	Currency wire.Optional[string] `json:"default_currency,omitzero"`
}

type commercePatch struct {
	NegotiationEnabled  wire.Optional[bool]         `json:"negotiation_enabled,omitzero"`
	MaxDiscount         wire.Optional[wire.Decimal] `json:"max_discount_percent,omitzero" doc:"0 to 90, at most one decimal."`
	BundleSuggestions   wire.Optional[bool]         `json:"bundle_suggestions,omitzero"`
	SubscriptionEnabled wire.Optional[bool]         `json:"subscription_enabled,omitzero"`
}

type agentsPatch struct {
	LLMProvider wire.Optional[string]       `json:"default_llm_provider,omitzero"`
	LLMModel    wire.Optional[string]       `json:"default_llm_model,omitzero"`
	MaxTokens   wire.Optional[int]          `json:"max_tokens_per_request,omitzero" doc:"1 to 1,000,000."`
	Temperature wire.Optional[wire.Decimal] `json:"temperature,omitzero" doc:"0 to 2, at most three decimals."`

	Authentication wire.Optional[string] `json:"authentication,omitzero" doc:"Authentication of buyers' agents that use the Universal Commerce Protocol or tools. signed: an agent must sign its requests (RFC 9421) to read an order; the webhooks of agents that did not sign get no orders. open: no signature is required. Searching, negotiating and buying never require one."`
}

type notificationsPatch struct {
	EmailEnabled  wire.Optional[bool]     `json:"email_enabled,omitzero"`
	ChatWebhook   wire.Optional[string]   `json:"chat_webhook,omitzero" doc:"An https URL."`
	AlertChannels wire.Optional[[]string] `json:"alert_channels,omitzero" doc:"Any of email and chat."`
}

type securityPatch struct {
	IPAllowlist    wire.Optional[[]string] `json:"ip_allowlist,omitzero" doc:"Addresses and CIDR blocks. Empty: all are allowed."`
	MFARequired    wire.Optional[bool]     `json:"mfa_required,omitzero"`
	SessionMinutes wire.Optional[int]      `json:"session_timeout_minutes,omitzero" doc:"5 to 1,440."`
}

func (h *handlers) getSettings(_ context.Context, rq operation.Request, _ *OnProject) (*project.Project, error) {
	return rq.Caller.Project, nil
}

type updateSettingsInput struct {
	OnProject
	operation.WithMFA
	Body settingsPatch
}

func (h *handlers) updateSettings(ctx context.Context, rq operation.Request, in *updateSettingsInput) (*wire.Output[settings], error) {
	check := fault.NewCheck()
	change := fromAPISettings(in.Body, check)
	if err := check.Err(); err != nil {
		return nil, err
	}
	if err := h.confirmMFAOff(ctx, rq, in); err != nil {
		return nil, err
	}
	p, err := h.changeProject(ctx, rq, change)
	if err != nil {
		return nil, err
	}
	return &wire.Output[settings]{Body: toAPISettings(p)}, nil
}

// confirmMFAOff asks for a code before the second factor is turned off, so that a stolen key cannot turn it off.
func (h *handlers) confirmMFAOff(ctx context.Context, rq operation.Request, in *updateSettingsInput) error {
	p := rq.Caller.Project
	required := in.Body.Security.Group().MFARequired
	on, given := required.Value()
	if !p.Settings.MFARequired || !required.Given() || given && on {
		return nil
	}
	return h.Access.In(rq.Stores).ConfirmWeakening(ctx, rq.Caller.Holder(), in.MFACode)
}

// fromAPISettings reads a merge patch. A null group stands for a group in which every field is null.
func fromAPISettings(in settingsPatch, check fault.Check) project.Change {
	general, commerce, agents := in.General.Group(), in.Commerce.Group(), in.Agents.Group()
	notifications, security := in.Notifications.Group(), in.Security.Group()
	return project.Change{
		Grouped: true,
		Name:    general.Name.Field(),
		Slug:    general.Slug.Field(),
		Settings: project.SettingsPatch{
			Timezone:            general.Timezone.Field(),
			Locale:              general.Locale.Field(),
			Currency:            general.Currency.Field(),
			NegotiationEnabled:  commerce.NegotiationEnabled.Field(),
			MaxDiscount:         operation.FromAPIPercent(commerce.MaxDiscount, "max_discount_percent", check.In("commerce")),
			BundleSuggestions:   commerce.BundleSuggestions.Field(),
			SubscriptionEnabled: commerce.SubscriptionEnabled.Field(),
			LLMProvider:         agents.LLMProvider.Field(),
			LLMModel:            agents.LLMModel.Field(),
			MaxTokens:           agents.MaxTokens.Field(),
			Temperature:         operation.FromAPITemperature(agents.Temperature, check.In("agents")),
			AgentAuthentication: agents.Authentication.Field(),
			EmailEnabled:        notifications.EmailEnabled.Field(),
			ChatWebhook:         notifications.ChatWebhook.Field(),
			AlertChannels:       notifications.AlertChannels.Field(),
			IPAllowlist:         security.IPAllowlist.Field(),
			MFARequired:         security.MFARequired.Field(),
			SessionMinutes:      security.SessionMinutes.Field(),
			Retention:           fromAPIRetention(in.Retention.Group()),
			Protocols:           fromAPIProtocols(in.Protocols.Group()),
		},
	}
}

// loggedSettings returns a project's settings for the audit log, with its description. The URL of a chat
// webhook is a secret, so only its host is logged.
func loggedSettings(p *project.Project) any {
	logged := struct {
		settings
		Description string `json:"description"`
	}{toAPISettings(p), p.Description}
	if hook := &logged.Notifications.ChatWebhook; *hook != "" {
		u, err := url.Parse(*hook)
		if err != nil {
			u = &url.URL{}
		}
		*hook = "https://" + u.Host + "/…"
	}
	return logged
}

func toAPISettings(p *project.Project) settings {
	var out settings
	s, general := p.Settings, &out.General
	general.Name, general.Slug = p.Name, p.Slug
	general.Timezone, general.Locale, general.Currency = s.Timezone, s.Locale, s.Currency.Code()
	out.Commerce.NegotiationEnabled, out.Commerce.MaxDiscount = s.NegotiationEnabled, wire.ToPercent(s.MaxDiscount)
	out.Commerce.BundleSuggestions, out.Commerce.SubscriptionEnabled = s.BundleSuggestions, s.SubscriptionEnabled
	out.Agents.LLMProvider, out.Agents.LLMModel, out.Agents.MaxTokens = s.LLMProvider, s.LLMModel, s.MaxTokens
	out.Agents.Temperature = wire.ToDecimal(int64(s.Temperature), operation.TemperatureDigits)
	out.Agents.Authentication = wire.ToOptional(s.AgentAuthentication)
	out.Notifications.EmailEnabled, out.Notifications.ChatWebhook = s.EmailEnabled, s.ChatWebhook
	out.Notifications.AlertChannels = s.AlertChannels
	out.Security.IPAllowlist, out.Security.MFARequired = s.IPAllowlist, s.MFARequired
	out.Security.SessionMinutes = s.SessionMinutes
	out.Retention = retention(s.Retention)
	out.Protocols = protocols(s.Protocols)
	return out
}

// protocols says which protocols are on. All addresses of a protocol that is off answer 404.
type protocols struct {
	UCP    bool `json:"ucp"`
	MCP    bool `json:"mcp"`
	OAIACP bool `json:"oai_acp"`
}

type protocolsPatch struct {
	UCP    wire.Optional[bool] `json:"ucp,omitzero" doc:"Universal Commerce Protocol over REST. Off: its profile and all its addresses are 404. Default: true."`
	MCP    wire.Optional[bool] `json:"mcp,omitzero" doc:"Tools over the Model Context Protocol. Off: the endpoint is 404, and no profile names it. Default: true."`
	OAIACP wire.Optional[bool] `json:"oai_acp,omitzero" doc:"Agentic Commerce Protocol of OpenAI and Stripe. It is not supported yet: true is rejected. Default: false."`
}

func fromAPIProtocols(g protocolsPatch) project.ProtocolsPatch {
	return project.ProtocolsPatch{
		UCP:    g.UCP.Field(),
		MCP:    g.MCP.Field(),
		OAIACP: g.OAIACP.Field(),
	}
}

// retention is in days.
type retention struct {
	Messages   int `json:"messages"`
	Sessions   int `json:"sessions"`
	Decisions  int `json:"decisions"`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
	Logs       int `json:"logs"`
}

type retentionPatch struct {
	Messages   wire.Optional[int] `json:"messages,omitzero" doc:"Days for which buyers' messages are kept, with a hash of their sender, which a pseudonym replaces: 1 to 3,650, default 30."`
	Sessions   wire.Optional[int] `json:"sessions,omitzero" doc:"Days for which an expired session is kept, with its quotes and checkouts, if it has no order and no undecided payment: 1 to 3,650, default 30."`
	Decisions  wire.Optional[int] `json:"decisions,omitzero" doc:"Days for which decisions are kept; lists, replay and tuning use only these: 7 to 3,650, at least as many as sessions, default 180. A checkpoint of the chain replaces the deleted ones."`
	Events     wire.Optional[int] `json:"events,omitzero" doc:"Days for which events are kept: 1 to 3,650, default 90."`
	Deliveries wire.Optional[int] `json:"deliveries,omitzero" doc:"Days for which deliveries of events are kept: 1 to 3,650, at most as many as events, default 90."`
	Logs       wire.Optional[int] `json:"logs,omitzero" doc:"Days for which the logs of webhook calls, syncs and stock adjustments are kept: 1 to 3,650, default 90."`
}

func fromAPIRetention(g retentionPatch) project.RetentionPatch {
	return project.RetentionPatch{
		Messages:   g.Messages.Field(),
		Sessions:   g.Sessions.Field(),
		Decisions:  g.Decisions.Field(),
		Events:     g.Events.Field(),
		Deliveries: g.Deliveries.Field(),
		Logs:       g.Logs.Field(),
	}
}
