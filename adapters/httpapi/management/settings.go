package management

import (
	"context"
	"net/url"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerSettings() {
	const tag, path = "Settings", "/v1/projects/{project_id}/settings"
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "get-settings", Method: "GET", Path: path, Scope: "projects:read", On: operation.PathProject,
		Summary: "Get all settings, by category",
	}, h.getSettings)
	operation.Register(h.API, tag, operation.Spec{
		ID: "update-settings", Method: "PATCH", Path: path, Scope: "projects:write", On: operation.PathProject,
		Errors: []int{409}, Summary: "Change settings; null restores a default",
	}, h.updateSettings)
}

// settings are all of a project's settings in their groups (spec 2.2).
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
	Retention retention `json:"retention" doc:"For how many days what buyers and platforms leave behind is kept. Orders and money are kept."`
}

// settingsPatch has the same groups, each of which may be left out or be null.
type settingsPatch struct {
	General       wire.Optional[generalPatch]       `json:"general,omitzero"`
	Commerce      wire.Optional[commercePatch]      `json:"commerce,omitzero"`
	Agents        wire.Optional[agentsPatch]        `json:"agents,omitzero"`
	Notifications wire.Optional[notificationsPatch] `json:"notifications,omitzero"`
	Security      wire.Optional[securityPatch]      `json:"security,omitzero"`
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
}

type notificationsPatch struct {
	EmailEnabled  wire.Optional[bool]     `json:"email_enabled,omitzero"`
	ChatWebhook   wire.Optional[string]   `json:"chat_webhook,omitzero" doc:"An https URL."`
	AlertChannels wire.Optional[[]string] `json:"alert_channels,omitzero" doc:"Of email and chat."`
}

type securityPatch struct {
	IPAllowlist    wire.Optional[[]string] `json:"ip_allowlist,omitzero" doc:"Addresses and CIDR blocks; empty admits all."`
	MFARequired    wire.Optional[bool]     `json:"mfa_required,omitzero"`
	SessionMinutes wire.Optional[int]      `json:"session_timeout_minutes,omitzero" doc:"5 to 1,440."`
}

type settingsOutput struct{ Body settings }

func (h *handlers) getSettings(ctx context.Context, rq operation.Request, _ *OnProject) (*settingsOutput, error) {
	return &settingsOutput{toAPISettings(rq.Caller.Project)}, nil
}

type updateSettingsInput struct {
	OnProject
	operation.WithMFA
	Body settingsPatch
}

func (h *handlers) updateSettings(ctx context.Context, rq operation.Request, in *updateSettingsInput) (*settingsOutput, error) {
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
	return &settingsOutput{toAPISettings(p)}, nil
}

// confirmMFAOff asks for a code before a second factor is no longer asked for: who stole a key cannot
// turn it off.
func (h *handlers) confirmMFAOff(ctx context.Context, rq operation.Request, in *updateSettingsInput) error {
	p := rq.Caller.Project
	s := fromAPISettings(in.Body, fault.NewCheck()).Settings
	on, given := s.MFARequired.Value()
	if !p.Settings.MFARequired || !s.MFARequired.Given() || given && on {
		return nil
	}
	return h.access(rq).ConfirmIfEnrolled(ctx, p.Account, in.MFACode)
}

// fromAPISettings reads a merge patch. A group that is null is one whose every field is.
func fromAPISettings(in settingsPatch, check fault.Check) project.Change {
	c := project.Change{Grouped: true}
	fromAPIGeneral(in.General, &c)
	s := &c.Settings
	fromAPICommerce(in.Commerce, s, check.In("commerce"))
	fromAPIAgents(in.Agents, s, check.In("agents"))
	fromAPINotifications(in.Notifications, s)
	fromAPISecurity(in.Security, s)
	fromAPIRetention(in.Retention, s)
	return c
}

func fromAPIGeneral(o wire.Optional[generalPatch], c *project.Change) {
	if o.Null() {
		c.Name, c.Slug = patch.Null[string](), patch.Null[string]()
		c.Settings.Timezone, c.Settings.Locale, c.Settings.Currency = patch.Null[string](), patch.Null[string](), patch.Null[string]()
		return
	}
	g, _ := o.Value()
	c.Name, c.Slug = g.Name.Field(), g.Slug.Field()
	c.Settings.Timezone, c.Settings.Locale, c.Settings.Currency = g.Timezone.Field(), g.Locale.Field(), g.Currency.Field()
}

func fromAPICommerce(o wire.Optional[commercePatch], s *project.SettingsPatch, check fault.Check) {
	if o.Null() {
		s.NegotiationEnabled, s.MaxDiscount = patch.Null[bool](), patch.Null[money.Percent]()
		s.BundleSuggestions, s.SubscriptionEnabled = patch.Null[bool](), patch.Null[bool]()
		return
	}
	g, _ := o.Value()
	s.NegotiationEnabled = g.NegotiationEnabled.Field()
	s.MaxDiscount = operation.FromAPIPercent(g.MaxDiscount, "max_discount_percent", check)
	s.BundleSuggestions, s.SubscriptionEnabled = g.BundleSuggestions.Field(), g.SubscriptionEnabled.Field()
}

func fromAPIAgents(o wire.Optional[agentsPatch], s *project.SettingsPatch, check fault.Check) {
	if o.Null() {
		s.LLMProvider, s.LLMModel = patch.Null[string](), patch.Null[string]()
		s.MaxTokens, s.Temperature = patch.Null[int](), patch.Null[int]()
		return
	}
	g, _ := o.Value()
	s.LLMProvider, s.LLMModel, s.MaxTokens = g.LLMProvider.Field(), g.LLMModel.Field(), g.MaxTokens.Field()
	s.Temperature = wire.MapField(g.Temperature, func(d wire.Decimal) int {
		return int(d.Scaled(operation.TemperatureDigits, "temperature", check))
	})
}

func fromAPINotifications(o wire.Optional[notificationsPatch], s *project.SettingsPatch) {
	if o.Null() {
		s.EmailEnabled, s.ChatWebhook, s.AlertChannels = patch.Null[bool](), patch.Null[string](), patch.Null[[]string]()
		return
	}
	g, _ := o.Value()
	s.EmailEnabled, s.ChatWebhook, s.AlertChannels = g.EmailEnabled.Field(), g.ChatWebhook.Field(), g.AlertChannels.Field()
}

func fromAPISecurity(o wire.Optional[securityPatch], s *project.SettingsPatch) {
	if o.Null() {
		s.IPAllowlist, s.MFARequired, s.SessionMinutes = patch.Null[[]string](), patch.Null[bool](), patch.Null[int]()
		return
	}
	g, _ := o.Value()
	s.IPAllowlist, s.MFARequired, s.SessionMinutes = g.IPAllowlist.Field(), g.MFARequired.Field(), g.SessionMinutes.Field()
}

// loggedSettings are a project's settings for the audit log, with its description. The address of a
// chat webhook is a secret: only its host is told.
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
	out.Notifications.EmailEnabled, out.Notifications.ChatWebhook = s.EmailEnabled, s.ChatWebhook
	out.Notifications.AlertChannels = s.AlertChannels
	out.Security.IPAllowlist, out.Security.MFARequired = s.IPAllowlist, s.MFARequired
	out.Security.SessionMinutes = s.SessionMinutes
	out.Retention = retention(s.Retention)
	return out
}
