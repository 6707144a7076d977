package boot

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/console"
	"github.com/haggle-commerce/haggle/adapters/eventbus"
	"github.com/haggle-commerce/haggle/adapters/notify"
	"github.com/haggle-commerce/haggle/adapters/ratelimit"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/integration"
)

func (d *doctor) redis(ctx context.Context, r *report) {
	if d.RedisURL == "" {
		r.ok("rate limits", "counted in this process; set HAGGLE_REDIS_URL if you run several replicas")
		return
	}
	limiter, err := ratelimit.New(d.RedisURL, slog.New(slog.DiscardHandler))
	if err == nil {
		defer limiter.Close()
		err = limiter.Ask(ctx)
	}
	if err != nil {
		r.fail("Redis", "no response: "+reason(err), "start Redis or correct HAGGLE_REDIS_URL; until then each replica enforces its share of the rate limits alone")
		return
	}
	limits, _ := d.limits() // Check has validated them
	if limiter.Allow(ctx, "doctor", limits.enterprise); limiter.Degraded() {
		r.fail("Redis", "responds, but rejects the commands of the rate limiter", "grant the Redis user EVALSHA and EVAL on the keys haggle:*")
		return
	}
	r.ok("Redis", "responds")
}

func (d *doctor) nats(ctx context.Context, r *report) {
	if d.NATSURL == "" {
		return
	}
	if err := eventbus.Try(ctx, d.NATSURL); err != nil {
		r.fail("NATS", "no response: "+reason(err), "start NATS with JetStream or correct HAGGLE_NATS_URL; until then events wait in the outbox")
		return
	}
	r.ok("NATS", "responds; JetStream is enabled")
}

func (d *doctor) smtp(ctx context.Context, r *report) {
	if d.SMTPURL == "" {
		return
	}
	mailer, err := notify.NewMailer(d.SMTPURL)
	if err == nil {
		err = mailer.Try(ctx)
	}
	if err != nil {
		r.fail("SMTP", "cannot send mail: "+reason(err), "start the mail server or correct HAGGLE_SMTP_URL; until then alerts and invitations are not sent")
		return
	}
	r.ok("SMTP", "responds; no mail was sent")
}

// providerAddresses returns checks that payment providers answer and that their clocks agree with the database's.
func (d *doctor) providerAddresses() (checks []check) {
	database := time.Duration(0)
	known := make(chan struct{})
	checks = append(checks, check{"clock", func(ctx context.Context, _ *report) {
		defer close(known)
		select {
		case database = <-d.skew:
		case <-ctx.Done():
		}
	}})
	for _, provider := range []struct {
		of       integration.Type
		variable string
		url      string
	}{{integration.Stripe, "HAGGLE_STRIPE_URL", d.StripeURL}, {integration.PayPal, "HAGGLE_PAYPAL_URL", d.PayPalURL}} {
		if provider.url == "" && d.env != account.Production {
			continue // a sandbox may have no connection to it
		}
		about := provider.of.Label() + " clock"
		checks = append(checks, check{about, func(ctx context.Context, r *report) {
			skew, err := skewOf(ctx, d.providerURL(provider.of.String()), time.Now)
			if err != nil && provider.url != "" {
				r.fail(about, "cannot read it: "+reason(err), "check "+provider.variable+" and whether a firewall blocks the connection")
				return
			} else if err != nil {
				r.warn(about, "cannot read it: "+reason(err), "if you use this provider, allow connections from this machine to "+d.providerURL(provider.of.String()))
				return
			}
			<-known
			if skew -= database; payments.TooFarApart(skew) {
				r.warn(about, fmt.Sprintf("is %s ahead of the database clock; the server refuses payments through this provider", skew.Round(time.Second)), "synchronize the database clock with NTP")
				return
			}
			r.ok(about, "agrees with the database clock")
		}})
	}
	return checks
}

// platformAddresses returns checks of the OAuth apps and of the configured addresses of platforms.
func (d *doctor) platformAddresses() (checks []check) {
	for _, t := range []integration.Type{integration.Shopify, integration.HubSpot} {
		app, name := d.oauthApps()[t], strings.ToUpper(t.String())
		given := map[integration.Type]string{integration.Shopify: d.ShopifyURL, integration.HubSpot: d.HubSpotURL}[t]
		checks = append(checks, check{t.Label(), func(ctx context.Context, r *report) {
			switch {
			case app.id == "":
				r.warn(t.Label(), "no OAuth app is configured; merchants cannot connect accounts",
					fmt.Sprintf("to allow it, set HAGGLE_%[1]s_CLIENT_ID and HAGGLE_%[1]s_CLIENT_SECRET", name))
			case app.url == "":
				r.ok(t.Label(), "OAuth app %s", app.id)
			case d.env == account.Production && !isHTTPS(app.url):
				r.warn(t.Label(), app.url+" is not https; tokens would be sent unencrypted", "correct HAGGLE_"+name+"_URL")
			case given == "":
				r.ok(t.Label(), "OAuth app %s at %s", app.id, app.url)
			default:
				if _, err := ask(ctx, app.url, nil); err != nil {
					r.fail(t.Label(), app.url+": "+reason(err), "correct HAGGLE_"+name+"_URL")
					return
				}
				r.ok(t.Label(), "OAuth app %s at %s, which responds", app.id, app.url)
			}
		}})
	}
	if d.ShipStationURL != "" {
		checks = append(checks, check{"ShipStation", func(ctx context.Context, r *report) {
			if _, err := ask(ctx, d.ShipStationURL, nil); err != nil {
				r.fail("ShipStation", d.ShipStationURL+": "+reason(err), "correct HAGGLE_SHIPSTATION_URL")
				return
			}
			r.ok("ShipStation", "%s responds", d.ShipStationURL)
		}})
	}
	return checks
}

// models returns checks of the addresses and keys of language models. They list the models, which costs nothing. OpenAI:
// https://developers.openai.com/api/reference/cli/resources/models/methods/list/index.md, GET /models; Anthropic:
// https://platform.claude.com/docs/en/api/models-list, GET /v1/models with x-api-key (both read 2026-11-27).
func (d *doctor) models() (checks []check) {
	bearer := func(key string) http.Header {
		if key == "" {
			return http.Header{}
		}
		return http.Header{"Authorization": {"Bearer " + key}}
	}
	for _, m := range []struct {
		about, variable, url, path string
		key                        string
		header                     http.Header
		says                       string
	}{
		{"embeddings", "HAGGLE_EMBEDDINGS", d.EmbeddingsURL, "/models", d.EmbeddingsKey, bearer(d.EmbeddingsKey),
			cmp.Or(d.EmbeddingModel, "text-embedding-3-small") + " at "},
		{"OpenAI", "HAGGLE_OPENAI", orDefault(d.OpenAIURL, d.OpenAIKey, "https://api.openai.com/v1"), "/models", d.OpenAIKey, bearer(d.OpenAIKey), ""},
		{"Anthropic", "HAGGLE_ANTHROPIC", orDefault(d.AnthropicURL, d.AnthropicKey, "https://api.anthropic.com"), "/v1/models", d.AnthropicKey,
			http.Header{"X-Api-Key": {d.AnthropicKey}, "Anthropic-Version": {"2023-06-01"}}, ""},
	} {
		if m.url == "" {
			continue
		}
		checks = append(checks, check{m.about, func(ctx context.Context, r *report) {
			if d.env == account.Production && !isHTTPS(m.url) && m.key != "" {
				r.warn(m.about, m.url+" is not https; the API key would be sent unencrypted", "correct "+m.variable+"_URL")
			}
			status, err := ask(ctx, strings.TrimSuffix(m.url, "/")+m.path, m.header)
			switch {
			case err != nil:
				r.fail(m.about, m.says+m.url+": "+reason(err), "correct "+m.variable+"_URL, or allow connections from this machine to it")
			case status == http.StatusUnauthorized || status == http.StatusForbidden:
				r.fail(m.about, fmt.Sprintf("%s%s rejects the API key (status %d)", m.says, m.url, status), "correct "+m.variable+"_KEY")
			case status >= http.StatusInternalServerError:
				r.fail(m.about, fmt.Sprintf("%s%s responds with status %d", m.says, m.url, status), "contact the operator of this service")
			case status >= http.StatusBadRequest: // some compatible servers do not list their models
				r.ok(m.about, "%s%s responds; it cannot list models, so the API key was not checked", m.says, m.url)
			default:
				r.ok(m.about, "%s%s responds", m.says, m.url)
			}
		}})
	}
	return checks
}

// orDefault returns the address of a provider, which is the public one if only a key is configured.
func orDefault(address, key, own string) string {
	if address == "" && key != "" {
		return own
	}
	return address
}

// agentProfiles reports how many agents' profiles are configured.
func (d *doctor) agentProfiles(_ context.Context, r *report) {
	if d.UCPPlatforms == "" {
		return
	}
	known, err := d.knownAgents()
	if err != nil {
		r.fail("agents' profiles", err.Error(), "correct HAGGLE_UCP_PLATFORMS")
		return
	}
	r.ok("agents' profiles", "%d are configured; the server never fetches them", len(known))
}

// openIDProvider reads the provider's discovery document, and reports the redirect URI to register there.
func (d *doctor) openIDProvider(ctx context.Context, r *report) {
	if d.OIDCIssuer == "" {
		return
	}
	status, err := ask(ctx, strings.TrimSuffix(d.OIDCIssuer, "/")+"/.well-known/openid-configuration", nil)
	switch {
	case err != nil:
		r.fail("OpenID Connect", d.OIDCIssuer+": "+reason(err), "correct HAGGLE_OIDC_ISSUER, or allow connections from this machine to it")
	case status != http.StatusOK:
		r.fail("OpenID Connect", fmt.Sprintf("%s has no /.well-known/openid-configuration (status %d)", d.OIDCIssuer, status), "correct HAGGLE_OIDC_ISSUER")
	default:
		r.ok("OpenID Connect", "members may sign in with %s; register the redirect URI %s%s there", d.OIDCIssuer, strings.TrimSuffix(d.PublicURL, "/"), console.ReturnPath)
	}
}
