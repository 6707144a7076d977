package merchant

import (
	"context"
	"net/url"
	"time"
)

// Credentials open an account with a provider.
type Credentials struct {
	Key    string `json:"api_key"`
	Secret string `json:"api_secret,omitempty"`
}

// NewIntegration is an account to be connected (features/MANAGEMENT.md#integrations).
type NewIntegration struct {
	Type        string      `json:"type"`
	Credentials Credentials `json:"credentials"`
	Name        string      `json:"name,omitempty"`
}

// Integration is a connected account (features/MANAGEMENT.md#integrations), of the payment kind.
type Integration struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	Name      string  `json:"name"`
	Status    string  `json:"status"`
	LastError *string `json:"last_error"`
	Config    struct {
		AccountID string `json:"account_id"`
		LiveMode  bool   `json:"live_mode"`
	} `json:"config"`
	LastSync *time.Time `json:"last_sync"`
	Metrics  struct {
		Products int `json:"products_synced"`
		Orders   int `json:"orders_synced"`
		Errors   int `json:"errors_24h"`
	} `json:"metrics"`
	Webhook struct {
		Endpoint string `json:"endpoint"`
		Status   string `json:"status"`
	} `json:"webhook"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

const integrationsPath = "/v1/integrations"

// ConnectAPIKey connects an account by its API key.
func (c *Client) ConnectAPIKey(ctx context.Context, account NewIntegration, options ...Option) (Integration, error) {
	return call[Integration](ctx, c, "POST", integrationsPath+"/connect/api-key", account, options)
}

// Integrations lists integrations.
func (c *Client) Integrations(ctx context.Context, page Page, options ...Option) (List[Integration], error) {
	return call[List[Integration]](ctx, c, "GET", integrationsPath+page.query(nil), nil, options)
}

// Integration reads an integration.
func (c *Client) Integration(ctx context.Context, id string, options ...Option) (Integration, error) {
	return call[Integration](ctx, c, "GET", integrationPath(id), nil, options)
}

// RotateCredentials replaces an integration's credentials.
func (c *Client) RotateCredentials(ctx context.Context, id string, to Credentials, options ...Option) (Integration, error) {
	return call[Integration](ctx, c, "PUT", integrationPath(id)+"/credentials", to, options)
}

// Disconnect disconnects an integration.
func (c *Client) Disconnect(ctx context.Context, id string, options ...Option) error {
	_, err := call[nothing](ctx, c, "DELETE", integrationPath(id), nil, options)
	return err
}

func integrationPath(id string) string { return integrationsPath + "/" + url.PathEscape(id) }

// Webhook is a webhook that is registered at a platform (features/MANAGEMENT.md#platform-webhooks).
type Webhook struct {
	ID        string    `json:"id"`
	Topic     string    `json:"topic"`
	Endpoint  string    `json:"endpoint"`
	Status    string    `json:"status"`
	Actions   []string  `json:"actions"`
	CreatedAt time.Time `json:"created_at"`
}
