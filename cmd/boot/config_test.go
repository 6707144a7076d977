package boot_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

const (
	digits40 = "0123456789abcdefghijABCDEFGHIJ0123456789"
	testKey  = "hk_test_" + digits40
	liveKey  = "hk_live_" + digits40
)

func TestConfig_Check(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*boot.Config)
		want   string // part of the error; "" if there is none
	}{
		{"as it comes", func(*boot.Config) {}, ""},
		{"everything", func(c *boot.Config) {
			c.PublicURL, c.BootstrapKey, c.ACPDomain, c.ACPRate, c.AllowLoopback = "https://shops.example.com", testKey, "acp.example.com", "off", true
		}, ""},
		{"PostgreSQL", func(c *boot.Config) { c.DatabaseURL = "postgres://haggle@db/haggle" }, ""},
		{"PostgreSQL by its other name", func(c *boot.Config) { c.DatabaseURL = "postgresql://haggle@db/haggle" }, ""},
		{"production", func(c *boot.Config) { c.Env, c.MasterKey, c.BootstrapKey = "production", digits40, liveKey }, ""},

		{"another environment", func(c *boot.Config) { c.Env = "staging" }, "HAGGLE_ENV"},
		{"no environment", func(c *boot.Config) { c.Env = "" }, "HAGGLE_ENV"},
		{"production without a master key", func(c *boot.Config) { c.Env = "production" }, "HAGGLE_MASTER_KEY"},
		{"loopback in production", func(c *boot.Config) { c.Env, c.MasterKey, c.AllowLoopback = "production", digits40, true }, "HAGGLE_ALLOW_LOOPBACK"},
		{"a key of production in the sandbox", func(c *boot.Config) { c.BootstrapKey = liveKey }, "HAGGLE_BOOTSTRAP_KEY must begin with hk_test_"},
		{"a key of the sandbox in production", func(c *boot.Config) {
			c.Env, c.MasterKey, c.BootstrapKey = "production", digits40, testKey
		}, "HAGGLE_BOOTSTRAP_KEY must begin with hk_live_"},
		{"a short key", func(c *boot.Config) { c.BootstrapKey = testKey[:39] }, "HAGGLE_BOOTSTRAP_KEY"},
		{"a key with a space", func(c *boot.Config) { c.BootstrapKey = testKey + " " }, "HAGGLE_BOOTSTRAP_KEY"},
		{"a public path", func(c *boot.Config) { c.PublicURL = "/haggle" }, "HAGGLE_PUBLIC_URL"},
		{"a public FTP address", func(c *boot.Config) { c.PublicURL = "ftp://shops.example.com" }, "HAGGLE_PUBLIC_URL"},
		{"a public query", func(c *boot.Config) { c.PublicURL = "https://shops.example.com?a=b" }, "HAGGLE_PUBLIC_URL"},
		{"no public URL at all", func(c *boot.Config) { c.PublicURL = "https://%zz" }, "HAGGLE_PUBLIC_URL"},
		{"a URL for a domain", func(c *boot.Config) { c.ACPDomain = "https://acp.example.com" }, "HAGGLE_ACP_DOMAIN"},
		{"a domain with a port", func(c *boot.Config) { c.ACPDomain = "acp.example.com:443" }, "HAGGLE_ACP_DOMAIN"},
		{"a root shop", func(c *boot.Config) { c.RootShop = "lamps" }, ""},
		{"a root shop's address", func(c *boot.Config) { c.RootShop = "https://shops.example.com/p/lamps" }, "HAGGLE_ROOT_SHOP is"},
		{"a root shop's path", func(c *boot.Config) { c.RootShop = "../v1" }, "HAGGLE_ROOT_SHOP is"},
		{"an authority that is a URL", func(c *boot.Config) { c.UCPAuthority = "https://shops.example.com" }, "HAGGLE_UCP_AUTHORITY"},
		{"a domain of one word", func(c *boot.Config) { c.ACPDomain = "localhost" }, "HAGGLE_ACP_DOMAIN"},
		{"rates", func(c *boot.Config) { c.ACPRate, c.EnterpriseRate = "600/900", "20000/30000" }, ""},
		{"half a rate", func(c *boot.Config) { c.ACPRate = "600" }, "HAGGLE_ACP_RATE"},
		{"a rate below zero", func(c *boot.Config) { c.ACPRate = "-1/900" }, "HAGGLE_ACP_RATE"},
		{"enterprise limits", func(c *boot.Config) { c.EnterpriseSize = "20/300" }, ""},
		{"enterprise limits without products", func(c *boot.Config) { c.EnterpriseSize = "20" }, "HAGGLE_ENTERPRISE_LIMITS"},
		{"no enterprise projects", func(c *boot.Config) { c.EnterpriseSize = "0/300" }, "HAGGLE_ENTERPRISE_LIMITS"},
		{"enterprise without a rate", func(c *boot.Config) { c.EnterpriseRate = "off" }, "HAGGLE_ENTERPRISE_RATE"},
		{"proxies", func(c *boot.Config) { c.TrustedProxies = "10.0.0.0/8, 192.0.2.1,2001:db8::/32" }, ""},
		{"a proxy by name", func(c *boot.Config) { c.TrustedProxies = "10.0.0.0/8,proxy" }, "HAGGLE_TRUSTED_PROXIES"},
		{"Redis", func(c *boot.Config) { c.RedisURL = "redis://:secret@localhost:6379/0" }, ""},
		{"no Redis", func(c *boot.Config) { c.RedisURL = "http://localhost/" + digits40 }, "HAGGLE_REDIS_URL"},
		{"an OAuth app", func(c *boot.Config) { c.ShopifyID, c.ShopifySecret = "id", "secret" }, ""},
		{"half an OAuth app", func(c *boot.Config) { c.HubSpotID = "id" }, "HAGGLE_HUBSPOT_CLIENT_SECRET must be set together"},
		{"a custom app", func(c *boot.Config) { c.ShopifyApp = "custom" }, ""},
		{"an app of another kind", func(c *boot.Config) { c.ShopifyApp = "private" }, "HAGGLE_SHOPIFY_APP"},
		{"a platform without a scheme", func(c *boot.Config) { c.ShopifyURL = "127.0.0.1:8095/shopify" }, "HAGGLE_SHOPIFY_URL"},
		{"embeddings", func(c *boot.Config) { c.EmbeddingsURL, c.EmbeddingsKey = "https://api.openai.com/v1", digits40 }, ""},
		{"embeddings without a scheme", func(c *boot.Config) { c.EmbeddingsURL = "localhost:8096" }, "HAGGLE_EMBEDDINGS_URL"},
		{"a key for no embeddings", func(c *boot.Config) { c.EmbeddingsKey = digits40 }, "HAGGLE_EMBEDDINGS_KEY requires HAGGLE_EMBEDDINGS_URL"},
		{"a provider", func(c *boot.Config) {
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = "https://id.example.com/", "id", "secret"
		}, ""},
		{"a provider on this machine", func(c *boot.Config) {
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = "http://127.0.0.1:8098", "id", "secret"
		}, ""},
		{"a provider without https", func(c *boot.Config) {
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = "http://id.example.com", "id", "secret"
		}, "HAGGLE_OIDC_ISSUER is"},
		{"a provider's query", func(c *boot.Config) {
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = "https://id.example.com?a=b", "id", "secret"
		}, "HAGGLE_OIDC_ISSUER is"},
		{"a provider without a secret", func(c *boot.Config) { c.OIDCIssuer, c.OIDCClientID = "https://id.example.com", "id" }, "HAGGLE_OIDC_CLIENT_SECRET"},
		{"a client of no provider", func(c *boot.Config) { c.OIDCClientID = "id" }, "HAGGLE_OIDC_CLIENT_ID requires HAGGLE_OIDC_ISSUER"},
		{"a provider's long name", func(c *boot.Config) {
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret, c.OIDCName = "https://id.example.com", "id", "secret", strings.Repeat("x", 41)
		}, "HAGGLE_OIDC_NAME"},
		{"a provider on this machine in production", func(c *boot.Config) {
			c.Env, c.MasterKey, c.PublicURL = "production", digits40, "https://shops.example.com"
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = "http://127.0.0.1:8098", "id", "secret"
		}, "HAGGLE_OIDC_ISSUER is"},
		{"a provider that sends browsers back without https", func(c *boot.Config) {
			c.Env, c.MasterKey, c.PublicURL = "production", digits40, "http://shops.example.com"
			c.OIDCIssuer, c.OIDCClientID, c.OIDCSecret = "https://id.example.com", "id", "secret"
		}, "HAGGLE_OIDC_ISSUER requires a HAGGLE_PUBLIC_URL"},
		{"memory for searches", func(c *boot.Config) { c.SearchMemory = "64" }, ""},
		{"any memory for searches", func(c *boot.Config) { c.SearchMemory = "0" }, ""},
		{"memory with a unit", func(c *boot.Config) { c.SearchMemory = "1GB" }, `HAGGLE_SEARCH_MEMORY is "1GB": it must be a number of megabytes`},
		{"memory below zero", func(c *boot.Config) { c.SearchMemory = "-1" }, "HAGGLE_SEARCH_MEMORY"},
		{"more memory than there is", func(c *boot.Config) { c.SearchMemory = "99999999999" }, "HAGGLE_SEARCH_MEMORY"},
		{"another database", func(c *boot.Config) { c.DatabaseURL = "mysql://db/haggle" }, "HAGGLE_DATABASE_URL"},
		{"no database", func(c *boot.Config) { c.DatabaseURL = "" }, "HAGGLE_DATABASE_URL"},
		{"another pooler", func(c *boot.Config) { c.Pooler = "session" }, "HAGGLE_DATABASE_POOLER"},
		{"a pooler before a file", func(c *boot.Config) { c.Pooler = "transaction" }, "HAGGLE_DATABASE_POOLER"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := boot.Config{
				Addr:        "127.0.0.1:8080",
				OpsAddr:     "127.0.0.1:8081",
				DatabaseURL: "sqlite://haggle.db",
				Env:         "sandbox",
			}
			test.change(&config)
			expectComplaint(t, config.Check(), test.want)
		})
	}
}

// expectComplaint expects an error with want, or none if want is empty. Errors are one line and hold no secret.
func expectComplaint(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want == "":
	case err == nil:
		t.Errorf("nothing said, want %s", want)
	case !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), digits40[:31]):
		t.Errorf("%q, want %s in one line without secrets", err, want)
	}
}

func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		environ []string
		want    string
	}{
		{nil, ""},
		{[]string{"PATH=/bin", "HAGGLE=1", "XHAGGLE_ADDR=:1"}, ""},
		{[]string{"HAGGLE_ADDR=:1", "HAGGLE_OPS_ADDR=:2", "HAGGLE_PUBLIC_URL=", "HAGGLE_DATABASE_URL=", "HAGGLE_ENV="}, ""},
		{[]string{"HAGGLE_BOOTSTRAP_KEY=", "HAGGLE_MASTER_KEY=", "HAGGLE_ACP_DOMAIN=", "HAGGLE_ALLOW_LOOPBACK=", "HAGGLE_ACP_RATE=", "HAGGLE_LOG_LEVEL="}, ""},
		{[]string{"HAGGLE_ADDR=:1", "HAGGLE_ADRESS=:1"}, "HAGGLE_ADRESS is not a configuration variable"},
		{[]string{"haggle_addr=:1", "HAGGLE_addr=:1"}, "HAGGLE_addr is not a configuration variable"},
		{[]string{"HAGGLE_=1"}, "HAGGLE_ is not a configuration variable"},
		{[]string{"HAGGLE_MASTER"}, "HAGGLE_MASTER is not a configuration variable"},
		{[]string{"HAGGLE_EMBEDDINGS_URL=", "HAGGLE_EMBEDDINGS_KEY=", "HAGGLE_EMBEDDINGS_MODEL=", "HAGGLE_SEARCH_MEMORY="}, ""},
		{[]string{"HAGGLE_REDIS_URL=", "HAGGLE_TRUSTED_PROXIES=10.0.0.0/8", "HAGGLE_ENTERPRISE_RATE="}, ""},
	} {
		expectComplaint(t, boot.CheckEnvironment(test.environ), test.want)
	}
}
