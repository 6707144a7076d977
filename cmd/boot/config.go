// Package boot assembles a server from its parts and runs it, for programs and for tests. It also has the functions behind the
// tools of Command haggle, such as backup, verify, doctor and keys. It holds configuration and wiring only; the rules are in
// domain and app.
package boot

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/ratelimit"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Config is everything that can be configured. Each field is an environment variable and, in
// `haggle serve`, a flag of the same name; flags win.
type Config struct {
	Addr          string `env:"HAGGLE_ADDR" default:"127.0.0.1:8080" group:"server" help:"Listen address of the APIs and the console, host:port."`
	OpsAddr       string `env:"HAGGLE_OPS_ADDR" default:"127.0.0.1:8081" group:"server" help:"Listen address of /livez, /readyz and /metrics, host:port."`
	PublicURL     string `env:"HAGGLE_PUBLIC_URL" group:"server" help:"URL at which clients reach the server. Default: http://ADDR."`
	DatabaseURL   string `env:"HAGGLE_DATABASE_URL" default:"sqlite://.data/haggle.db" group:"database" help:"sqlite://PATH or postgres://…. Several PostgreSQL hosts: postgres://HOST1:5432,HOST2:5432/DATABASE?target_session_attrs=read-write."`
	Connections   int    `env:"HAGGLE_DATABASE_CONNECTIONS" name:"database-connections" group:"database" help:"Maximum number of PostgreSQL connections or SQLite readers; at least 4. Default: 20 for PostgreSQL, 8 for SQLite."`
	Pooler        string `env:"HAGGLE_DATABASE_POOLER" name:"database-pooler" default:"none" enum:"none,transaction" group:"database" help:"Connection pooler in front of PostgreSQL: none, or transaction for a pooler such as PgBouncer with pool_mode=transaction."`
	AllowNewer    bool   `env:"HAGGLE_ALLOW_NEWER_SCHEMA" name:"allow-newer-schema" group:"database" help:"Start even if a newer release has migrated the database, to roll back an upgrade. Each release supports the schema of the next release."`
	Env           string `env:"HAGGLE_ENV" default:"sandbox" enum:"sandbox,production" group:"server" help:"Environment: sandbox or production."`
	BootstrapKey  string `env:"HAGGLE_BOOTSTRAP_KEY" group:"server" help:"Create an account with this admin API key at startup, unless it exists."`
	MasterKey     string `env:"HAGGLE_MASTER_KEY" group:"server" help:"Key that encrypts stored credentials. Required in production. Separate several keys with commas: the first encrypts, all decrypt."`
	UCPAuthority  string `env:"HAGGLE_UCP_AUTHORITY" name:"ucp-authority" group:"shops" help:"Prefix of the server's own names in UCP, such as com.example.shops. Default: the reversed host of the public URL."`
	ACPDomain     string `env:"HAGGLE_ACP_DOMAIN" name:"acp-domain" group:"shops" help:"Also serve each project at https://SLUG.DOMAIN, with this domain."`
	RootShop      string `env:"HAGGLE_ROOT_SHOP" group:"shops" help:"Slug of a shop. Its UCP profiles, /ucp and /mcp are also served at the root of the public URL."`
	AllowLoopback bool   `env:"HAGGLE_ALLOW_LOOPBACK" group:"server" help:"Allow URLs with loopback addresses in settings and agent profiles. Sandbox only."`
	ACPRate       string `env:"HAGGLE_ACP_RATE" name:"acp-rate" default:"600/900" group:"limits" help:"Rate limit for each client IP address and project, as REQUESTS_PER_MINUTE/BURST; or off."`

	EnterpriseRate string `env:"HAGGLE_ENTERPRISE_RATE" default:"10000/15000" group:"limits" help:"Rate limit for each account on the enterprise plan, as REQUESTS_PER_MINUTE/BURST."`
	EnterpriseSize string `env:"HAGGLE_ENTERPRISE_LIMITS" name:"enterprise-limits" default:"500/10000000" group:"limits" help:"Limits for each account on the enterprise plan, as PROJECTS/PRODUCTS_PER_PROJECT."`
	StripeURL      string `env:"HAGGLE_STRIPE_URL" name:"stripe-url" group:"payments" help:"Base URL of a proxy or simulator to use instead of Stripe's API."`
	PayPalURL      string `env:"HAGGLE_PAYPAL_URL" name:"paypal-url" group:"payments" help:"Base URL of a proxy or simulator to use instead of PayPal's API."`
	ShopifyURL     string `env:"HAGGLE_SHOPIFY_URL" name:"shopify-url" group:"integrations" help:"Base URL of a proxy or simulator to use instead of each Shopify shop's address."`
	ShopifyID      string `env:"HAGGLE_SHOPIFY_CLIENT_ID" name:"shopify-client-id" group:"integrations" help:"Client ID of the Shopify OAuth app. Without it, a sandbox connects to the simulator of haggle simulate platforms."`
	ShopifySecret  string `env:"HAGGLE_SHOPIFY_CLIENT_SECRET" name:"shopify-client-secret" group:"integrations" help:"Client secret of the Shopify OAuth app."`
	ShopifyOld     string `env:"HAGGLE_SHOPIFY_PREVIOUS_SECRET" name:"shopify-previous-secret" group:"integrations" help:"Previous client secret of the Shopify app, during a rotation. Its signatures are still accepted."`
	ShopifyApp     string `env:"HAGGLE_SHOPIFY_APP" name:"shopify-app" default:"public" enum:"public,custom" group:"integrations" help:"Distribution of the Shopify app: public (its access tokens must expire) or custom."`
	HubSpotURL     string `env:"HAGGLE_HUBSPOT_URL" name:"hubspot-url" group:"integrations" help:"Base URL of a proxy or simulator to use instead of HubSpot."`
	HubSpotID      string `env:"HAGGLE_HUBSPOT_CLIENT_ID" name:"hubspot-client-id" group:"integrations" help:"Client ID of the HubSpot OAuth app. Without it, a sandbox connects to the simulator of haggle simulate platforms."`
	HubSpotSecret  string `env:"HAGGLE_HUBSPOT_CLIENT_SECRET" name:"hubspot-client-secret" group:"integrations" help:"Client secret of the HubSpot OAuth app."`
	HubSpotDeals   bool   `env:"HAGGLE_HUBSPOT_DEALS" name:"hubspot-deals" group:"integrations" help:"Request permission to create deals in HubSpot from paid orders. The app needs the optional scopes crm.objects.deals.write, crm.schemas.deals.write and crm.objects.contacts.write."`
	ShipStationURL string `env:"HAGGLE_SHIPSTATION_URL" name:"shipstation-url" group:"integrations" help:"Base URL of a proxy or simulator to use instead of ShipStation's API."`
	EmbeddingsURL  string `env:"HAGGLE_EMBEDDINGS_URL" name:"embeddings-url" group:"models" help:"Base URL of an OpenAI-compatible API, such as https://api.openai.com/v1. Search then also matches products by embeddings."`
	EmbeddingsKey  string `env:"HAGGLE_EMBEDDINGS_KEY" group:"models" help:"API key of the embeddings endpoint, if it requires one."`
	EmbeddingModel string `env:"HAGGLE_EMBEDDINGS_MODEL" name:"embeddings-model" default:"text-embedding-3-small" group:"models" help:"Embedding model. After a change, the server embeds all products again."`
	OpenAIURL      string `env:"HAGGLE_OPENAI_URL" name:"openai-url" group:"models" help:"Base URL of the model provider openai or a compatible one, such as https://api.openai.com/v1. A model words the answers of agents that are configured to use it."`
	OpenAIKey      string `env:"HAGGLE_OPENAI_KEY" name:"openai-key" group:"models" help:"API key of the model provider openai."`
	AnthropicURL   string `env:"HAGGLE_ANTHROPIC_URL" group:"models" help:"Base URL of the model provider anthropic, such as https://api.anthropic.com."`
	AnthropicKey   string `env:"HAGGLE_ANTHROPIC_KEY" group:"models" help:"API key of the model provider anthropic."`
	SearchMemory   string `env:"HAGGLE_SEARCH_MEMORY" default:"1024" group:"limits" help:"Memory limit for the search indexes of all shops, in megabytes; 0 means no limit. At the limit, the server drops the least recently used indexes and rebuilds them on demand. One shop may use half of the limit."`
	NATSURL        string `env:"HAGGLE_NATS_URL" name:"nats-url" group:"messages" help:"nats://…; separate the servers of a cluster with commas. Publish each event to JetStream, with the subject haggle.PROJECT.TYPE."`
	SMTPURL        string `env:"HAGGLE_SMTP_URL" name:"smtp-url" group:"messages" help:"Mail server for alerts and invitations: smtp://USER:PASSWORD@HOST:PORT?from=…&to=… or smtps://…."`
	RedisURL       string `env:"HAGGLE_REDIS_URL" group:"limits" help:"redis://…. Replicas share the counters of rate limits in Redis. Without it, each replica counts alone. With Sentinel: redis://SENTINEL:26379/0?master_name=NAME&addr=SENTINEL2:26379."`
	OIDCIssuer     string `env:"HAGGLE_OIDC_ISSUER" name:"oidc-issuer" group:"sign-in" help:"Issuer URL of the OpenID Connect provider for sign-in to the console, such as https://accounts.example.com. Register PUBLIC_URL/console/sign-in/openid/callback there as the redirect URI."`
	OIDCClientID   string `env:"HAGGLE_OIDC_CLIENT_ID" name:"oidc-client-id" group:"sign-in" help:"Client ID of this server at the OpenID Connect provider."`
	OIDCSecret     string `env:"HAGGLE_OIDC_CLIENT_SECRET" name:"oidc-client-secret" group:"sign-in" help:"Client secret of this server at the OpenID Connect provider."`
	OIDCName       string `env:"HAGGLE_OIDC_NAME" name:"oidc-name" group:"sign-in" help:"Name of the provider on the sign-in button. Default: the host of the issuer."`
	UCPPlatforms   string `env:"HAGGLE_UCP_PLATFORMS" name:"ucp-platforms" group:"shops" help:"JSON file that maps profile URLs to UCP agent profiles. The server never fetches these profiles."`
	TrustedProxies string `env:"HAGGLE_TRUSTED_PROXIES" group:"server" help:"IP addresses and CIDRs of trusted proxies, separated by commas. The server uses X-Forwarded-For only from these."`
	Simulator      string `env:"HAGGLE_SIMULATOR" group:"server" help:"Path of the program haggle-sim, which the console starts for test buyers. Sandbox only. Default: haggle-sim in the directory of this program."`
	LogLevel       string `env:"HAGGLE_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" group:"server" help:"Minimum log level: debug, info, warn or error."`
	LogFormat      string `env:"HAGGLE_LOG_FORMAT" default:"text" enum:"text,json" group:"server" help:"Log format: text or json. With json, haggle serve also prints its addresses as JSON."`
	RequestLog     string `env:"HAGGLE_REQUEST_LOG" default:"all" enum:"all,errors,off" group:"server" help:"Requests to log: all, errors (status 400 and above) or off."`
	Profiling      string `env:"HAGGLE_PPROF" name:"pprof" default:"off" enum:"on,off" group:"server" help:"on serves profiles at /debug/pprof/ of the operations address; off does not."`

	// Programs are agents written in Go, in addition to the built-in one. There is no variable for them: a merchant's own
	// main package starts the server with them.
	Programs []*agent.Program `kong:"-"`
	// DemoKeys is a folder for the keys of demo shops on PostgreSQL. If it is "", they are not kept.
	DemoKeys string `kong:"-"`
	// RepeatAfter is how long a WooCommerce shop may still be working on a request whose response was lost. 0 means the
	// documented time. Tests set it.
	RepeatAfter time.Duration `kong:"-"`
	// ProfilesUnlimited lifts the limit on agents' profiles read per second. Tests set it.
	ProfilesUnlimited bool `kong:"-"`
	// WeakPasswords hashes passwords fast and weakly. Tests set it.
	WeakPasswords bool `kong:"-"`
	// Migrated, if set, is called before the first missing migration is applied and after each, with the number applied so far.
	Migrated func(done, of int) `kong:"-"`
}

// fewestConnections is the smallest pool in which operations, payments and background work do not block each other.
const fewestConnections = 4

// Logger returns a logger that writes structured lines without secrets and with their trace id.
func (c Config) Logger(w io.Writer) *slog.Logger {
	return slog.New(telemetry.WithTraceID(telemetry.NewLogger(w, c.LogLevel, c.LogFormat).Handler()))
}

// CheckEnvironment returns an error if there is a HAGGLE_ variable that this version does not know.
func CheckEnvironment(environ []string) error {
	known := knownVariables()
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "HAGGLE_") || known[name] || known[strings.TrimSuffix(name, fileMark)] {
			continue
		}
		return fmt.Errorf("%s is not a configuration variable of haggle; see `haggle serve --help`", name)
	}
	return nil
}

func knownVariables() map[string]bool {
	known := map[string]bool{"HAGGLE_API_KEY": true, "HAGGLE_URL": true} // for commands that are clients of a server
	for field := range reflect.TypeFor[Config]().Fields() {
		known[field.Tag.Get("env")] = true
	}
	return known
}

var (
	keyForm    = regexp.MustCompile(`^hk_(test|live)_[0-9A-Za-z]{32,200}$`)
	domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$`)
)

// Check validates the configuration. The error is one line and holds no secret.
func (c Config) Check() error {
	env, err := account.ParseEnvironment(c.Env)
	if err != nil {
		return fmt.Errorf("HAGGLE_ENV is %q: it must be sandbox or production", c.Env)
	}
	for _, address := range []struct{ name, text string }{
		{"HAGGLE_PUBLIC_URL", c.PublicURL}, {"HAGGLE_STRIPE_URL", c.StripeURL}, {"HAGGLE_PAYPAL_URL", c.PayPalURL},
		{"HAGGLE_SHOPIFY_URL", c.ShopifyURL}, {"HAGGLE_HUBSPOT_URL", c.HubSpotURL}, {"HAGGLE_SHIPSTATION_URL", c.ShipStationURL},
		{"HAGGLE_EMBEDDINGS_URL", c.EmbeddingsURL}, {"HAGGLE_OPENAI_URL", c.OpenAIURL}, {"HAGGLE_ANTHROPIC_URL", c.AnthropicURL},
	} {
		if u, err := url.Parse(address.text); address.text != "" &&
			(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "") {
			return fmt.Errorf("%s is %q: it must be an http or https URL", address.name, address.text)
		}
	}
	for _, app := range []struct{ name, id, secret string }{{"SHOPIFY", c.ShopifyID, c.ShopifySecret}, {"HUBSPOT", c.HubSpotID, c.HubSpotSecret}} {
		if (app.id == "") != (app.secret == "") {
			return fmt.Errorf("HAGGLE_%[1]s_CLIENT_ID and HAGGLE_%[1]s_CLIENT_SECRET must be set together", app.name)
		}
	}
	switch {
	case !slices.Contains([]string{"", "public", "custom"}, c.ShopifyApp):
		return fmt.Errorf("HAGGLE_SHOPIFY_APP is %q: it must be public or custom", c.ShopifyApp)
	case c.EmbeddingsURL == "" && c.EmbeddingsKey != "":
		return errors.New("HAGGLE_EMBEDDINGS_KEY requires HAGGLE_EMBEDDINGS_URL")
	case env == account.Production && c.MasterKey == "":
		return errors.New("HAGGLE_MASTER_KEY must be set in production")
	case slices.Contains(c.masterKeys(), ""):
		return errors.New("HAGGLE_MASTER_KEY contains an empty key: remove the extra comma")
	case c.BootstrapKey != "" && !keyForm.MatchString(c.BootstrapKey):
		return fmt.Errorf("HAGGLE_BOOTSTRAP_KEY must be %s followed by at least 32 letters and digits", env.KeyMark())
	case c.BootstrapKey != "" && !strings.HasPrefix(c.BootstrapKey, env.KeyMark()):
		return fmt.Errorf("HAGGLE_BOOTSTRAP_KEY must begin with %s in the %s environment", env.KeyMark(), env)
	case env == account.Production && c.AllowLoopback:
		return errors.New("HAGGLE_ALLOW_LOOPBACK is not allowed in production")
	case c.ACPDomain != "" && !domainForm.MatchString(c.ACPDomain):
		return fmt.Errorf("HAGGLE_ACP_DOMAIN is %q: it must be a domain name such as acp.example.com", c.ACPDomain)
	case c.RootShop != "" && !project.IsSlug(c.RootShop):
		return fmt.Errorf("HAGGLE_ROOT_SHOP is %q: it must be the slug of a shop, such as demo", c.RootShop)
	case c.UCPAuthority != "" && !domainForm.MatchString(c.UCPAuthority):
		return fmt.Errorf("HAGGLE_UCP_AUTHORITY is %q: it must be a reversed host name such as com.example.shops", c.UCPAuthority)
	case !strings.HasPrefix(c.DatabaseURL, "sqlite://") && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://"):
		return errors.New("HAGGLE_DATABASE_URL must begin with sqlite:// or postgres://")
	case c.Connections != 0 && c.Connections < fewestConnections:
		return fmt.Errorf("HAGGLE_DATABASE_CONNECTIONS is %d: it must be %d or more, or 0 for the default", c.Connections, fewestConnections)
	}
	if _, err := c.requestLog(); err != nil {
		return err
	}
	if c.Profiling != "" && c.Profiling != "on" && c.Profiling != "off" {
		return fmt.Errorf("HAGGLE_PPROF is %q: it must be on or off", c.Profiling)
	}
	if _, err := c.pooler(); err != nil {
		return err
	}
	if _, err := c.limits(); err != nil {
		return err
	}
	if _, err := c.enterpriseLimits(); err != nil {
		return err
	}
	if _, err := c.searchMemory(); err != nil {
		return err
	}
	if err := c.checkPublishing(); err != nil {
		return err
	}
	if err := c.checkOIDC(env); err != nil {
		return err
	}
	if limiter, err := ratelimit.New(c.RedisURL, slog.New(slog.DiscardHandler)); err != nil {
		return fmt.Errorf("HAGGLE_REDIS_URL: %w", err)
	} else if err := limiter.Close(); err != nil {
		return err
	}
	_, err = c.proxies()
	return err
}

// pooler returns the configured kind of connection pooler between the server and PostgreSQL.
func (c Config) pooler() (sqlstore.Pooler, error) {
	p, err := sqlstore.ParsePooler(cmp.Or(c.Pooler, "none"))
	switch {
	case err != nil:
		return p, fmt.Errorf("HAGGLE_DATABASE_POOLER is %w", err)
	case p == sqlstore.TransactionPooler && strings.HasPrefix(c.DatabaseURL, "sqlite://"):
		return p, errors.New("HAGGLE_DATABASE_POOLER=transaction requires PostgreSQL, but HAGGLE_DATABASE_URL is a SQLite database")
	}
	return p, nil
}

// limits holds the configured request rates.
type limits struct {
	acp        ports.Rate
	acpOff     bool
	enterprise ports.Rate
}

func (c Config) limits() (limits, error) {
	var l limits
	var err error
	if l.acp, l.acpOff, err = ratelimit.ParseRate(cmp.Or(c.ACPRate, "600/900")); err != nil {
		return l, fmt.Errorf("HAGGLE_ACP_RATE is %q: %w", c.ACPRate, err)
	}
	off := false
	l.enterprise, off, err = ratelimit.ParseRate(cmp.Or(c.EnterpriseRate, "10000/15000"))
	if err == nil && off {
		err = errors.New("it cannot be off")
	}
	if err != nil {
		return l, fmt.Errorf("HAGGLE_ENTERPRISE_RATE is %q: %w", c.EnterpriseRate, err)
	}
	return l, nil
}

// enterpriseLimits returns how many projects and products an account on the enterprise plan may have.
func (c Config) enterpriseLimits() (account.Limits, error) {
	projects, products, _ := strings.Cut(cmp.Or(c.EnterpriseSize, "500/10000000"), "/")
	most, err := strconv.ParseUint(projects, 10, 31)
	size, malformed := strconv.ParseUint(products, 10, 31)
	if err != nil || malformed != nil || most == 0 || size == 0 {
		return account.Limits{}, fmt.Errorf("HAGGLE_ENTERPRISE_LIMITS is %q: it must be PROJECTS/PRODUCTS, such as 500/10000000", c.EnterpriseSize)
	}
	return account.Limits{
		Projects: int(most),
		Products: int(size),
	}, nil
}

// searchMemory returns how many bytes the search indexes may take; 0 means no limit.
func (c Config) searchMemory() (int64, error) {
	megabytes, err := strconv.ParseUint(cmp.Or(c.SearchMemory, "1024"), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("HAGGLE_SEARCH_MEMORY is %q: it must be a number of megabytes, or 0 for no limit", c.SearchMemory)
	}
	return int64(megabytes) << 20, nil
}

// rate returns the request rate of an account on a plan (features/MANAGEMENT.md#rates).
func (l limits) rate(p account.Plan) ports.Rate {
	if p == account.Enterprise {
		return l.enterprise
	}
	perMinute, burst := p.Rate()
	return ports.Rate{PerMinute: perMinute, Burst: burst}
}

// masterKeys returns the keys of the vault, the newest first, or nil if none is configured, as a sandbox may be. To replace a
// key, put the new one before it, restart, run `haggle keys rotate-master`, and remove the old one. For a day after that,
// responses that the old key sealed under idempotency keys cannot be replayed.
func (c Config) masterKeys() []string {
	if c.MasterKey == "" {
		return nil
	}
	keys := strings.Split(c.MasterKey, ",")
	for i, key := range keys {
		keys[i] = strings.TrimSpace(key)
	}
	return keys
}

func isHTTPS(address string) bool { return strings.HasPrefix(address, "https://") }

func (c Config) proxies() ([]netip.Prefix, error) {
	var trusted []netip.Prefix
	for _, entry := range strings.FieldsFunc(c.TrustedProxies, func(r rune) bool { return r == ',' || r == ' ' }) {
		network, err := netip.ParsePrefix(entry)
		if err != nil {
			var single netip.Addr
			if single, err = netip.ParseAddr(entry); err == nil {
				network, err = single.Unmap().Prefix(single.Unmap().BitLen())
			}
		}
		if err != nil {
			return nil, fmt.Errorf("HAGGLE_TRUSTED_PROXIES has %q: it must be an address or a CIDR such as 10.0.0.0/8", entry)
		}
		trusted = append(trusted, network.Masked())
	}
	return trusted, nil
}
