package boot

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/console"
	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/openid"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/ports"
)

// longestProviderName is the maximum length of the provider's name, which is shown on a button.
const longestProviderName = 40

// checkOIDC validates the configuration of the OpenID Connect provider.
func (c Config) checkOIDC(env account.Environment) error {
	if c.OIDCIssuer == "" {
		for name, value := range map[string]string{"CLIENT_ID": c.OIDCClientID, "CLIENT_SECRET": c.OIDCSecret, "NAME": c.OIDCName} {
			if value != "" {
				return fmt.Errorf("HAGGLE_OIDC_%s requires HAGGLE_OIDC_ISSUER", name)
			}
		}
		return nil
	}
	// An issuer has no query and no fragment (OpenID Connect Core 1.0, section 2).
	u, err := url.Parse(c.OIDCIssuer)
	whole := err == nil && u.Host != "" && u.User == nil && !strings.ContainsAny(c.OIDCIssuer, "?#")
	switch {
	case !whole || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("HAGGLE_OIDC_ISSUER is %q: it must be a URL such as https://accounts.example.com", c.OIDCIssuer)
	case u.Scheme != "https" && (env == account.Production || !loopback(u.Host) && !loopback(u.Host+":80")):
		return fmt.Errorf("HAGGLE_OIDC_ISSUER is %q: it must begin with https://; only a sandbox may use http://, with a loopback address", c.OIDCIssuer)
	case c.OIDCClientID == "" || c.OIDCSecret == "":
		return errors.New("HAGGLE_OIDC_ISSUER requires HAGGLE_OIDC_CLIENT_ID and HAGGLE_OIDC_CLIENT_SECRET")
	case env == account.Production && !isHTTPS(c.PublicURL):
		return errors.New("HAGGLE_OIDC_ISSUER requires a HAGGLE_PUBLIC_URL that begins with https://, because the provider redirects browsers to it")
	case utf8.RuneCountInString(c.OIDCName) > longestProviderName || strings.ContainsFunc(c.OIDCName, unicode.IsControl):
		return fmt.Errorf("HAGGLE_OIDC_NAME must be one line of at most %d characters", longestProviderName)
	}
	return nil
}

// openID returns the OpenID Connect provider for members' sign-in, or nil if none is configured.
func (a *App) openID() ports.IdentityProvider {
	if a.config.OIDCIssuer == "" {
		return nil
	}
	return openid.New(openid.Config{
		Issuer:       a.config.OIDCIssuer,
		ClientID:     a.config.OIDCClientID,
		ClientSecret: a.config.OIDCSecret,
		Name:         strings.TrimSpace(a.config.OIDCName),
		Redirect:     func() string { return a.URL() + console.ReturnPath },
		Elsewhere:    delivery.SafeClient(a.config.AllowLoopback),
		Clock:        a.clock,
		Log:          a.log,
	})
}
