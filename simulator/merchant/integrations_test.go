package merchant_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func TestClient_integrationRequests(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	eachSends(t, map[string]sent{
		"connect": {func(c *merchant.Client) error {
			_, err := c.ConnectAPIKey(ctx, merchant.NewIntegration{
				Type:        "stripe",
				Credentials: merchant.Credentials{Key: "sk_test_1"},
				Name:        "Main",
			})
			return err
		}, "POST /v1/integrations/connect/api-key", `{"type":"stripe","credentials":{"api_key":"sk_test_1"},"name":"Main"}`},
		"list": {func(c *merchant.Client) error { _, err := c.Integrations(ctx, merchant.Page{Limit: 5}); return err },
			"GET /v1/integrations?limit=5", ""},
		"read": {func(c *merchant.Client) error { _, err := c.Integration(ctx, "int_1"); return err }, "GET /v1/integrations/int_1", ""},
		"rotate": {func(c *merchant.Client) error {
			_, err := c.RotateCredentials(ctx, "int_1", merchant.Credentials{Key: "id", Secret: "s"})
			return err
		}, "PUT /v1/integrations/int_1/credentials", `{"api_key":"id","api_secret":"s"}`},
		"disconnect": {func(c *merchant.Client) error { return c.Disconnect(ctx, "int_1") }, "DELETE /v1/integrations/int_1", ""},
	})
}
