package merchant

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// NewProject is the request to create a project.
type NewProject struct {
	Name        string           `json:"name"`
	Slug        string           `json:"slug"`
	Description string           `json:"description,omitempty"`
	Settings    *ProjectSettings `json:"settings,omitempty"`
}

// ProjectSettings are the flat settings in a project (features/MANAGEMENT.md#projects).
type ProjectSettings struct {
	DefaultCurrency    string           `json:"default_currency,omitempty"`
	Timezone           string           `json:"timezone,omitempty"`
	Locale             string           `json:"locale,omitempty"`
	NegotiationEnabled *bool            `json:"negotiation_enabled,omitempty"`
	MaxDiscountPercent *decimal.Decimal `json:"max_discount_percent,omitempty"`
}

// Project is defined in features/MANAGEMENT.md#projects. Lists omit most of it.
type Project struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Slug        string          `json:"slug"`
	Description string          `json:"description"`
	Settings    ProjectSettings `json:"settings"`
	Status      string          `json:"status"`
	CreatedAt   time.Time       `json:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at"`
	Endpoints   struct {
		ACP string `json:"acp"`
		API string `json:"api"`
	} `json:"endpoints"`
	Statistics *struct {
		Products   int             `json:"products"`
		Agents     int             `json:"agents"`
		Orders30D  int             `json:"orders_30d"`
		Revenue30D decimal.Decimal `json:"revenue_30d"`
	} `json:"statistics"`
	Integrations []struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	} `json:"integrations"`
}

// Settings are the grouped settings of features/MANAGEMENT.md#settings.
type Settings struct {
	General struct {
		Name            string `json:"name"`
		Slug            string `json:"slug"`
		Timezone        string `json:"timezone"`
		Locale          string `json:"locale"`
		DefaultCurrency string `json:"default_currency"`
	} `json:"general"`
	Commerce struct {
		NegotiationEnabled  bool            `json:"negotiation_enabled"`
		MaxDiscountPercent  decimal.Decimal `json:"max_discount_percent"`
		BundleSuggestions   bool            `json:"bundle_suggestions"`
		SubscriptionEnabled bool            `json:"subscription_enabled"`
	} `json:"commerce"`
	Agents struct {
		DefaultLLMProvider  string      `json:"default_llm_provider"`
		DefaultLLMModel     string      `json:"default_llm_model"`
		MaxTokensPerRequest int         `json:"max_tokens_per_request"`
		Temperature         json.Number `json:"temperature"`
	} `json:"agents"`
	Notifications struct {
		EmailEnabled  bool     `json:"email_enabled"`
		ChatWebhook   string   `json:"chat_webhook"`
		AlertChannels []string `json:"alert_channels"`
	} `json:"notifications"`
	Security struct {
		IPAllowlist           []string `json:"ip_allowlist"`
		MFARequired           bool     `json:"mfa_required"`
		SessionTimeoutMinutes int      `json:"session_timeout_minutes"`
	} `json:"security"`
}

// Storefront is defined in features/MANAGEMENT.md#storefront. Rates and warehouses are not decoded.
type Storefront struct {
	Description           string           `json:"description"`
	LogoURL               string           `json:"logo_url"`
	ShippingRegions       []string         `json:"shipping_regions"`
	ShippingRates         json.RawMessage  `json:"shipping_rates"`
	FreeShippingThreshold *decimal.Decimal `json:"free_shipping_threshold"`
	TaxRates              json.RawMessage  `json:"tax_rates"`
	ReturnWindowDays      int              `json:"return_window_days"`
	ReturnConditions      string           `json:"return_conditions"`
	Warehouses            json.RawMessage  `json:"warehouses"`
}

// Patch is a JSON merge patch: a nil value restores the default.
type Patch map[string]any

// CreateProject creates a project.
func (c *Client) CreateProject(ctx context.Context, project NewProject, options ...Option) (Project, error) {
	return call[Project](ctx, c, "POST", "/v1/projects", project, options)
}

// Projects lists the account's projects.
func (c *Client) Projects(ctx context.Context, page Page, options ...Option) (List[Project], error) {
	return call[List[Project]](ctx, c, "GET", "/v1/projects"+page.query(nil), nil, options)
}

// Project reads a project.
func (c *Client) Project(ctx context.Context, id string, options ...Option) (Project, error) {
	return call[Project](ctx, c, "GET", projectPath(id), nil, options)
}

// PatchProject changes a project's name or flat settings.
func (c *Client) PatchProject(ctx context.Context, id string, patch Patch, options ...Option) (Project, error) {
	return call[Project](ctx, c, "PATCH", projectPath(id), patch, options)
}

// DeleteProject deletes a project. It sends the header that confirms the deletion.
func (c *Client) DeleteProject(ctx context.Context, id string, options ...Option) error {
	options = append([]Option{Header("X-Confirm-Delete", id)}, options...)
	_, err := call[nothing](ctx, c, "DELETE", projectPath(id), nil, options)
	return err
}

// Settings reads a project's settings.
func (c *Client) Settings(ctx context.Context, id string, options ...Option) (Settings, error) {
	return call[Settings](ctx, c, "GET", projectPath(id)+"/settings", nil, options)
}

// PatchSettings changes a project's settings.
func (c *Client) PatchSettings(ctx context.Context, id string, patch Patch, options ...Option) (Settings, error) {
	return call[Settings](ctx, c, "PATCH", projectPath(id)+"/settings", patch, options)
}

// Storefront reads the settings of the manifest, shipping, tax and returns.
func (c *Client) Storefront(ctx context.Context, id string, options ...Option) (Storefront, error) {
	return call[Storefront](ctx, c, "GET", projectPath(id)+"/storefront", nil, options)
}

// PatchStorefront changes the settings of the manifest, shipping, tax and returns.
func (c *Client) PatchStorefront(ctx context.Context, id string, patch Patch, options ...Option) (Storefront, error) {
	return call[Storefront](ctx, c, "PATCH", projectPath(id)+"/storefront", patch, options)
}

func projectPath(id string) string { return "/v1/projects/" + url.PathEscape(id) }
