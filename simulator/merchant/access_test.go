package merchant_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func TestClient_accessRequests(t *testing.T) {
	t.Parallel()
	ctx, end := t.Context(), time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)
	eachSends(t, map[string]sent{
		"create a key": {func(c *merchant.Client) error {
			_, err := c.CreateKey(ctx, merchant.NewKey{
				Name:       "ci",
				Scopes:     []string{"catalog:read"},
				ProjectIDs: []string{"proj_1"},
				ExpiresAt:  &end,
			})
			return err
		}, "POST /v1/api-keys", `{"name":"ci","scopes":["catalog:read"],"project_ids":["proj_1"],"expires_at":"2030-01-31T12:00:00Z"}`},
		"list keys": {func(c *merchant.Client) error { _, err := c.Keys(ctx, merchant.Page{Limit: 5}); return err },
			"GET /v1/api-keys?limit=5", ""},
		"read a key":       {func(c *merchant.Client) error { _, err := c.Key(ctx, "key_1"); return err }, "GET /v1/api-keys/key_1", ""},
		"revoke a key":     {func(c *merchant.Client) error { return c.RevokeKey(ctx, "key_1") }, "DELETE /v1/api-keys/key_1", ""},
		"read the account": {func(c *merchant.Client) error { _, err := c.Account(ctx); return err }, "GET /v1/account", ""},
		"patch the account": {func(c *merchant.Client) error {
			_, err := c.PatchAccount(ctx, merchant.Patch{"name": nil})
			return err
		}, "PATCH /v1/account", `{"name":null}`},
		"enrol an authenticator": {func(c *merchant.Client) error { _, err := c.EnrolMFA(ctx); return err }, "POST /v1/account/mfa", ""},
		"confirm it": {func(c *merchant.Client) error { _, err := c.ConfirmMFA(ctx, "123456"); return err },
			"POST /v1/account/mfa/confirm", `{"code":"123456"}`},
		"remove it": {func(c *merchant.Client) error { return c.DisableMFA(ctx) }, "DELETE /v1/account/mfa", ""},
		"list audit events": {func(c *merchant.Client) error {
			_, err := c.AuditEvents(ctx, merchant.AuditQuery{
				Project: "proj_1",
				Key:     "key_1",
				Action:  "update-settings",
				From:    "2030-01-31T12:00:00Z",
				Page:    merchant.Page{Offset: 3},
			})
			return err
		}, "GET /v1/audit-events?action=update-settings&from=2030-01-31T12%3A00%3A00Z&key_id=key_1&offset=3&project_id=proj_1", ""},
	})
}

func TestMFACode_header(t *testing.T) {
	t.Parallel()
	client, got := answering(t, 204, "")
	if err := client.DisableMFA(t.Context(), merchant.MFACode("123456")); err != nil {
		t.Fatal(err)
	}
	if got.header.Get("X-MFA-Code") != "123456" {
		t.Errorf("header %v", got.header)
	}
}
