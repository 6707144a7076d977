package merchant

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// NewKey is the request to create an API key (features/MANAGEMENT.md#keys). A nil ExpiresAt means never.
type NewKey struct {
	Name       string     `json:"name"`
	Scopes     []string   `json:"scopes"`
	ProjectIDs []string   `json:"project_ids,omitempty"`
	ExpiresAt  *time.Time `json:"expires_at,omitempty"`
}

// APIKey is an API key. Secret is set only in the answer to its creation.
type APIKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Secret     string     `json:"key"`
	Prefix     string     `json:"prefix"`
	Status     string     `json:"status"`
	Scopes     []string   `json:"scopes"`
	ProjectIDs []string   `json:"project_ids"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// Account is the account that a key belongs to.
type Account struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Plan   string `json:"plan"`
	Limits struct {
		RequestsPerMinute int `json:"requests_per_minute"`
		Burst             int `json:"burst"`
	} `json:"limits"`
	MFA       MFA       `json:"mfa"`
	CreatedAt time.Time `json:"created_at"`
}

// MFA is the state of an account's second factor.
type MFA struct {
	Enabled           bool `json:"enabled"`
	RecoveryCodesLeft int  `json:"recovery_codes_left"`
}

// Enrolment is an authenticator that is not confirmed yet.
type Enrolment struct {
	Secret        string   `json:"secret"` // base32
	OTPAuthURL    string   `json:"otpauth_url"`
	RecoveryCodes []string `json:"recovery_codes"`
}

// AuditEvent records a change and who made it.
type AuditEvent struct {
	ID        string          `json:"id"`
	Action    string          `json:"action"`
	Target    string          `json:"target"`
	ProjectID *string         `json:"project_id"`
	KeyID     string          `json:"key_id"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
	CreatedAt time.Time       `json:"created_at"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
}

// AuditQuery narrows a list of audit events. From and To are RFC 3339.
type AuditQuery struct {
	Project, Key, Action, From, To string
	Page
}

const (
	keysPath    = "/v1/api-keys"
	accountPath = "/v1/account"
	mfaPath     = accountPath + "/mfa"
)

// MFACode confirms the call with a code of the authenticator, or a recovery code.
func MFACode(code string) Option { return Header("X-MFA-Code", code) }

// CreateKey creates an API key.
func (c *Client) CreateKey(ctx context.Context, key NewKey, options ...Option) (APIKey, error) {
	return call[APIKey](ctx, c, "POST", keysPath, key, options)
}

// Keys lists the API keys that are not revoked.
func (c *Client) Keys(ctx context.Context, page Page, options ...Option) (List[APIKey], error) {
	return call[List[APIKey]](ctx, c, "GET", keysPath+page.query(nil), nil, options)
}

// Key reads an API key.
func (c *Client) Key(ctx context.Context, id string, options ...Option) (APIKey, error) {
	return call[APIKey](ctx, c, "GET", keyPath(id), nil, options)
}

// RevokeKey revokes an API key.
func (c *Client) RevokeKey(ctx context.Context, id string, options ...Option) error {
	_, err := call[nothing](ctx, c, "DELETE", keyPath(id), nil, options)
	return err
}

// Account reads the account that the client's key belongs to.
func (c *Client) Account(ctx context.Context, options ...Option) (Account, error) {
	return call[Account](ctx, c, "GET", accountPath, nil, options)
}

// PatchAccount changes the account that the client's key belongs to.
func (c *Client) PatchAccount(ctx context.Context, patch Patch, options ...Option) (Account, error) {
	return call[Account](ctx, c, "PATCH", accountPath, patch, options)
}

// EnrolMFA creates an authenticator, which is pending until it is confirmed.
func (c *Client) EnrolMFA(ctx context.Context, options ...Option) (Enrolment, error) {
	return call[Enrolment](ctx, c, "POST", mfaPath, nil, options)
}

// ConfirmMFA confirms the pending authenticator.
func (c *Client) ConfirmMFA(ctx context.Context, code string, options ...Option) (MFA, error) {
	return call[MFA](ctx, c, "POST", mfaPath+"/confirm", map[string]string{"code": code}, options)
}

// DisableMFA removes the authenticator.
func (c *Client) DisableMFA(ctx context.Context, options ...Option) error {
	_, err := call[nothing](ctx, c, "DELETE", mfaPath, nil, options)
	return err
}

// AuditEvents lists audit events, newest first.
func (c *Client) AuditEvents(ctx context.Context, query AuditQuery, options ...Option) (List[AuditEvent], error) {
	parameters := url.Values{}
	for name, value := range map[string]string{
		"project_id": query.Project, "key_id": query.Key, "action": query.Action, "from": query.From, "to": query.To,
	} {
		if value != "" {
			parameters.Set(name, value)
		}
	}
	return call[List[AuditEvent]](ctx, c, "GET", "/v1/audit-events"+query.query(parameters), nil, options)
}

func keyPath(id string) string { return keysPath + "/" + url.PathEscape(id) }
