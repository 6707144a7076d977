package accounts

import (
	"cmp"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

type ProjectRow struct {
	ID             string
	AccountID      string `db:"account_id"`
	Slug           string
	Name           string
	Description    string
	Currency       string
	Settings       string
	Storefront     string
	Routes         string
	CatalogVersion int64 `db:"catalog_version"`
	AgentRevision  int64 `db:"agent_revision"`
	Status         string
	CreatedAt      int64 `db:"created_at"`
	UpdatedAt      int64 `db:"updated_at"`
}

// SettingsJSON is a project's settings but its currency, which is a column.
type SettingsJSON struct {
	Timezone            string   `json:"timezone"`
	Locale              string   `json:"locale"`
	NegotiationEnabled  bool     `json:"negotiation_enabled"`
	MaxDiscount         int64    `json:"max_discount"` // tenths of a percent
	BundleSuggestions   bool     `json:"bundle_suggestions"`
	SubscriptionEnabled bool     `json:"subscription_enabled"`
	LLMProvider         string   `json:"llm_provider"`
	LLMModel            string   `json:"llm_model"`
	MaxTokens           int      `json:"max_tokens"`
	Temperature         int      `json:"temperature"`
	EmailEnabled        bool     `json:"email_enabled"`
	ChatWebhook         string   `json:"chat_webhook"`
	AlertChannels       []string `json:"alert_channels"`
	IPAllowlist         []string `json:"ip_allowlist"`
	MFARequired         bool     `json:"mfa_required"`
	SessionMinutes      int      `json:"session_minutes"`

	Retention retentionJSON `json:"retention"`
}

// retentionJSON is in days. What is missing, as in settings of earlier releases, is the default.
type retentionJSON struct {
	Messages   int `json:"messages"`
	Sessions   int `json:"sessions"`
	Decisions  int `json:"decisions"`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
	Logs       int `json:"logs"`
}

func (j retentionJSON) Retention() project.Retention {
	d := project.DefaultRetention()
	return project.Retention{
		Messages:   cmp.Or(j.Messages, d.Messages),
		Sessions:   cmp.Or(j.Sessions, d.Sessions),
		Decisions:  cmp.Or(j.Decisions, d.Decisions),
		Events:     cmp.Or(j.Events, d.Events),
		Deliveries: cmp.Or(j.Deliveries, d.Deliveries),
		Logs:       cmp.Or(j.Logs, d.Logs),
	}
}

func toSettingsJSON(s project.Settings) SettingsJSON {
	return SettingsJSON{
		Timezone: s.Timezone, Locale: s.Locale,
		NegotiationEnabled: s.NegotiationEnabled, MaxDiscount: int64(s.MaxDiscount),
		BundleSuggestions: s.BundleSuggestions, SubscriptionEnabled: s.SubscriptionEnabled,
		LLMProvider: s.LLMProvider, LLMModel: s.LLMModel, MaxTokens: s.MaxTokens, Temperature: s.Temperature,
		EmailEnabled: s.EmailEnabled, ChatWebhook: s.ChatWebhook, AlertChannels: s.AlertChannels,
		IPAllowlist: s.IPAllowlist, MFARequired: s.MFARequired, SessionMinutes: s.SessionMinutes,
		Retention: retentionJSON(s.Retention),
	}
}

func fromSettingsJSON(j SettingsJSON, c money.Currency) project.Settings {
	return project.Settings{
		Timezone: j.Timezone, Locale: j.Locale, Currency: c,
		NegotiationEnabled: j.NegotiationEnabled, MaxDiscount: money.Percent(j.MaxDiscount),
		BundleSuggestions: j.BundleSuggestions, SubscriptionEnabled: j.SubscriptionEnabled,
		LLMProvider: j.LLMProvider, LLMModel: j.LLMModel, MaxTokens: j.MaxTokens, Temperature: j.Temperature,
		EmailEnabled: j.EmailEnabled, ChatWebhook: j.ChatWebhook, AlertChannels: j.AlertChannels,
		IPAllowlist: j.IPAllowlist, MFARequired: j.MFARequired, SessionMinutes: j.SessionMinutes,
		Retention: j.Retention.Retention(),
	}
}

// storefrontJSON has amounts in minor units of the project's currency.
type storefrontJSON struct {
	Description      string          `json:"description"`
	LogoURL          string          `json:"logo_url"`
	ShippingRegions  []string        `json:"shipping_regions"`
	ShippingRates    []shippingJSON  `json:"shipping_rates"`
	FreeShippingFrom *int64          `json:"free_shipping_from"`
	TaxRates         []taxJSON       `json:"tax_rates"`
	ReturnWindowDays int             `json:"return_window_days"`
	ReturnConditions string          `json:"return_conditions"`
	Warehouses       []warehouseJSON `json:"warehouses"`
}

type shippingJSON struct {
	Region  string `json:"region"`
	Method  string `json:"method"`
	Price   int64  `json:"price"`
	MinDays int    `json:"min_days"`
	MaxDays int    `json:"max_days"`
}

type taxJSON struct {
	Country string `json:"country"`
	State   string `json:"state"`
	Rate    int64  `json:"rate"` // thousandths of a percent
}

type warehouseJSON struct {
	Location   string `json:"location"`
	Name       string `json:"name"`
	Country    string `json:"country"`
	PostalCode string `json:"postal_code"`
}

func toStorefrontJSON(f project.Storefront) storefrontJSON {
	j := storefrontJSON{
		Description: f.Description, LogoURL: f.LogoURL, ShippingRegions: f.ShippingRegions,
		FreeShippingFrom: db.OptionalMinor(f.FreeShippingThreshold),
		ReturnWindowDays: f.ReturnWindowDays, ReturnConditions: f.ReturnConditions,
	}
	for _, r := range f.ShippingRates {
		j.ShippingRates = append(j.ShippingRates, shippingJSON{r.Region, r.Method, r.Price.Minor(), r.MinDays, r.MaxDays})
	}
	for _, t := range f.TaxRates {
		j.TaxRates = append(j.TaxRates, taxJSON{t.Country, t.State, int64(t.Rate)})
	}
	for _, w := range f.Warehouses {
		j.Warehouses = append(j.Warehouses, warehouseJSON(w))
	}
	return j
}

func fromStorefrontJSON(j storefrontJSON, c money.Currency) project.Storefront {
	f := project.Storefront{
		Description: j.Description, LogoURL: j.LogoURL, ShippingRegions: j.ShippingRegions,
		FreeShippingThreshold: db.OptionalAmount(j.FreeShippingFrom, c),
		ReturnWindowDays:      j.ReturnWindowDays, ReturnConditions: j.ReturnConditions,
	}
	for _, r := range j.ShippingRates {
		f.ShippingRates = append(f.ShippingRates, project.ShippingRate{
			Region: r.Region, Method: r.Method, Price: money.Of(r.Price, c), MinDays: r.MinDays, MaxDays: r.MaxDays,
		})
	}
	for _, t := range j.TaxRates {
		f.TaxRates = append(f.TaxRates, project.TaxRate{Country: t.Country, State: t.State, Rate: project.Rate(t.Rate)})
	}
	for _, w := range j.Warehouses {
		f.Warehouses = append(f.Warehouses, project.Warehouse(w))
	}
	return f
}

// routeJSON is where payments by a method go.
type routeJSON struct {
	Provider    string `json:"provider"`
	Integration string `json:"integration"`
}

func ToRoutesJSON(routes map[project.PaymentMethod]project.PaymentRoute) map[string]routeJSON {
	j := map[string]routeJSON{}
	for method, r := range routes {
		j[spelling.Methods[method]] = routeJSON{r.Provider, r.Integration.String()}
	}
	return j
}

func fromRoutesJSON(j map[string]routeJSON) (map[project.PaymentMethod]project.PaymentRoute, error) {
	if len(j) == 0 {
		return nil, nil
	}
	routes := make(map[project.PaymentMethod]project.PaymentRoute, len(j))
	for text, r := range j {
		method, err := spelling.Method(text)
		if err != nil {
			return nil, err
		}
		routes[method] = project.PaymentRoute{Provider: r.Provider, Integration: id.Stored[id.Integration](r.Integration)}
	}
	return routes, nil
}

func toProjectRow(d db.Dialect, p *project.Project) (ProjectRow, error) {
	kept := toSettingsJSON(p.Settings)
	kept.ChatWebhook = d.SealAddress(kept.ChatWebhook, db.ChatAddress(p.ID.String()))
	settings, err := db.ToJSON(kept)
	if err != nil {
		return ProjectRow{}, err
	}
	storefront, err := db.ToJSON(toStorefrontJSON(p.Storefront))
	if err != nil {
		return ProjectRow{}, err
	}
	routes, err := db.ToJSON(ToRoutesJSON(p.Routes))
	if err != nil {
		return ProjectRow{}, err
	}
	return ProjectRow{
		ID: p.ID.String(), AccountID: p.Account.String(), Slug: p.Slug, Name: p.Name, Description: p.Description,
		Currency: p.Settings.Currency.Code(), Settings: settings, Storefront: storefront, Routes: routes,
		CatalogVersion: p.CatalogVersion, CreatedAt: db.Millis(p.CreatedAt), UpdatedAt: db.Millis(p.UpdatedAt),
	}, nil
}

func FromProjectRow(d db.Dialect, r ProjectRow) (*project.Project, error) {
	currency, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	var settings SettingsJSON
	if err := db.FromJSON(r.Settings, &settings); err != nil {
		return nil, err
	}
	settings.ChatWebhook = d.OpenAddress(settings.ChatWebhook, db.ChatAddress(r.ID))
	var storefront storefrontJSON
	if err := db.FromJSON(r.Storefront, &storefront); err != nil {
		return nil, err
	}
	var stored map[string]routeJSON
	if err := db.FromJSON(r.Routes, &stored); err != nil {
		return nil, err
	}
	routes, err := fromRoutesJSON(stored)
	if err != nil {
		return nil, err
	}
	return &project.Project{
		ID: id.Stored[id.Project](r.ID), Account: id.Stored[id.Account](r.AccountID),
		Name: r.Name, Slug: r.Slug, Description: r.Description,
		Settings: fromSettingsJSON(settings, currency), Storefront: fromStorefrontJSON(storefront, currency),
		Routes: routes, Status: project.Statuses[r.Status], CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
		CatalogVersion: r.CatalogVersion, AgentRevision: r.AgentRevision,
	}, nil
}
