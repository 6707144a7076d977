// Package boot puts the parts together: it is the one place that knows all of them, and what a
// program, or a test, starts to get a whole server.
package boot

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/domain/account"
)

// Config is everything that can be configured. Each field is an environment variable and, in
// `haggle serve`, a flag of the same name; flags win.
type Config struct {
	Addr          string `env:"HAGGLE_ADDR" default:"127.0.0.1:8080" help:"Address of the API, host:port."`
	OpsAddr       string `env:"HAGGLE_OPS_ADDR" default:"127.0.0.1:8081" help:"Address of /livez and /readyz, host:port."`
	PublicURL     string `env:"HAGGLE_PUBLIC_URL" help:"URL under which clients reach the API. Default: http:// and the address."`
	DatabaseURL   string `env:"HAGGLE_DATABASE_URL" default:"sqlite://.data/haggle.db" help:"sqlite://PATH or postgres://…"`
	Env           string `env:"HAGGLE_ENV" default:"sandbox" enum:"sandbox,production" help:"sandbox or production."`
	BootstrapKey  string `env:"HAGGLE_BOOTSTRAP_KEY" help:"An account with this admin key exists after start."`
	MasterKey     string `env:"HAGGLE_MASTER_KEY" help:"Encrypts stored credentials. Required in production."`
	ACPDomain     string `env:"HAGGLE_ACP_DOMAIN" name:"acp-domain" help:"Also serve each project at https://SLUG.DOMAIN."`
	AllowLoopback bool   `env:"HAGGLE_ALLOW_LOOPBACK" help:"Sandbox only: settings may name addresses on this machine."`
	ACPRate       string `env:"HAGGLE_ACP_RATE" name:"acp-rate" help:"Only \"off\" so far: buyers are not rate limited."`
	LogLevel      string `env:"HAGGLE_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"Least severe log line."`
}

// later are documented variables whose parts do not exist yet. Setting one stops the start: it would
// otherwise be ignored in silence.
var later = []string{
	"HAGGLE_TRUSTED_PROXIES", "HAGGLE_REDIS_URL", "HAGGLE_NATS_URL", "HAGGLE_EMBEDDINGS_URL", "HAGGLE_STRIPE_URL",
	"HAGGLE_PAYPAL_URL", "HAGGLE_SHOPIFY_URL", "HAGGLE_HUBSPOT_URL", "HAGGLE_SHIPSTATION_URL", "HAGGLE_SHOPIFY_CLIENT_ID",
	"HAGGLE_SHOPIFY_CLIENT_SECRET", "HAGGLE_HUBSPOT_CLIENT_ID", "HAGGLE_HUBSPOT_CLIENT_SECRET",
}

// CheckEnvironment refuses HAGGLE_ variables that mean nothing to this version.
func CheckEnvironment(environ []string) error {
	known := make(map[string]bool)
	for field := range reflect.TypeFor[Config]().Fields() {
		known[field.Tag.Get("env")] = true
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "HAGGLE_") || known[name] {
			continue
		}
		for _, l := range later {
			if name == l {
				return fmt.Errorf("%s is set, but this version cannot use it yet: unset it", name)
			}
		}
		return fmt.Errorf("%s is not a variable of haggle: see `haggle serve --help`", name)
	}
	return nil
}

var (
	keyForm    = regexp.MustCompile(`^hk_(test|live)_[0-9A-Za-z]{32,200}$`)
	domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$`)
)

// Check says in one line what is wrong with the configuration.
func (c Config) Check() error {
	env, err := account.ParseEnvironment(c.Env)
	if err != nil {
		return fmt.Errorf("HAGGLE_ENV is %q: it must be sandbox or production", c.Env)
	}
	if c.PublicURL != "" {
		if u, err := url.Parse(c.PublicURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
			return fmt.Errorf("HAGGLE_PUBLIC_URL is %q: it must be an http or https URL", c.PublicURL)
		}
	}
	switch {
	case env == account.Production && c.MasterKey == "":
		return errors.New("HAGGLE_MASTER_KEY must be set in production")
	case c.BootstrapKey != "" && !keyForm.MatchString(c.BootstrapKey):
		return fmt.Errorf("HAGGLE_BOOTSTRAP_KEY must be %s followed by at least 32 letters and digits", env.KeyMark())
	case c.BootstrapKey != "" && !strings.HasPrefix(c.BootstrapKey, env.KeyMark()):
		return fmt.Errorf("HAGGLE_BOOTSTRAP_KEY must begin with %s in the %s environment", env.KeyMark(), env)
	case env == account.Production && c.AllowLoopback:
		return errors.New("HAGGLE_ALLOW_LOOPBACK is for the sandbox only")
	case c.ACPDomain != "" && !domainForm.MatchString(c.ACPDomain):
		return fmt.Errorf("HAGGLE_ACP_DOMAIN is %q: it must be a domain name such as acp.example.com", c.ACPDomain)
	case c.ACPRate != "" && c.ACPRate != "off":
		return fmt.Errorf("HAGGLE_ACP_RATE is %q: only \"off\" is possible in this version", c.ACPRate)
	case !strings.HasPrefix(c.DatabaseURL, "sqlite://") && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://"):
		return errors.New("HAGGLE_DATABASE_URL must begin with sqlite:// or postgres://")
	}
	return nil
}
