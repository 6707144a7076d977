package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/payments/paypal"
	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// maxTriedAccounts is how many connected accounts, and how many remote agents, the doctor tries.
const maxTriedAccounts = 50

// accounts returns checks of what merchants have connected: stored credentials, accounts with platforms and payment
// providers, and the handlers of their agents.
func (d *doctor) accounts(ctx context.Context, store *sqlstore.Store) (checks []check) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	connected, err := store.Integrations().Sealed(ctx)
	if err != nil {
		return []check{{"integrations", func(_ context.Context, r *report) {
			r.fail("integrations", "cannot read them from the database: "+reason(cause(err)), "run `haggle verify`")
		}}}
	}
	keys, err := vault.New(d.masterKeys()...)
	if err != nil {
		return nil // Check reports it
	}
	checks = append(checks, check{"stored credentials", func(_ context.Context, r *report) { checkCredentials(connected, keys, r) }})
	inspectors := d.inspectors()
	for n, i := range connected {
		if n == maxTriedAccounts {
			checks = append(checks, check{"integrations", func(_ context.Context, r *report) {
				r.ok("integrations", "checked %d of %d", maxTriedAccounts, len(connected))
			}})
			break
		}
		checks = append(checks, check{i.Type.Label(), func(ctx context.Context, r *report) {
			inspect(ports.NewOutbound(ctx), i, keys, inspectors[i.Type], r)
		}})
	}
	asking, err := store.Agents().Asking(ctx, maxTriedAccounts)
	if err != nil {
		return append(checks, check{"remote agents", func(_ context.Context, r *report) {
			r.fail("remote agents", "cannot read them from the database: "+reason(cause(err)), "run `haggle verify`")
		}})
	}
	client := delivery.SafeClient(d.AllowLoopback)
	for _, a := range asking {
		for _, address := range handlerURLs(a) {
			checks = append(checks, check{"remote agent", func(ctx context.Context, r *report) { checkHandler(ctx, client, a, address, r) }})
		}
	}
	return checks
}

// checkCredentials checks whether the master key opens the stored credentials.
func checkCredentials(connected []*integration.Integration, keys ports.Vault, r *report) {
	closed := 0
	for _, i := range connected {
		if _, err := i.Open(keys.Open); err != nil {
			closed++
		}
	}
	seen := fmt.Sprintf("HAGGLE_MASTER_KEY cannot decrypt %d of %d", closed, len(connected))
	const remedy = "set the master key that encrypted them, or enter the credentials again"
	switch {
	case len(connected) == 0:
	case closed == len(connected):
		r.fail("stored credentials", seen+"; the server cannot start", remedy)
	case closed > 0:
		r.warn("stored credentials", seen, remedy)
	default:
		r.ok("stored credentials", "HAGGLE_MASTER_KEY decrypts all %d", len(connected))
	}
}

// inspector reads the name of an account from its platform, which is an authenticated request. outdated is the API version
// that answered instead of the requested one, or "".
type inspector func(ctx ports.Outbound, i *integration.Integration, c integration.Credentials) (account, outdated string, err error)

func (d *doctor) inspectors() map[integration.Type]inspector {
	clock := system.Clock{}
	all := map[integration.Type]inspector{}
	for t, platform := range map[integration.Type]ports.PaymentPlatform{
		integration.Stripe: stripe.New(stripe.Config{URL: d.StripeURL, Clock: clock}),
		integration.PayPal: paypal.New(paypal.Config{
			URL:   d.PayPalURL,
			Live:  d.env == account.Production,
			Clock: clock,
		}),
	} {
		all[t] = func(ctx ports.Outbound, _ *integration.Integration, c integration.Credentials) (string, string, error) {
			name, _, err := platform.Inspect(ctx, connecting.Account(c))
			return name, "", err
		}
	}
	for t, connector := range d.connectors(clock, slog.New(slog.DiscardHandler)) {
		all[t] = func(ctx ports.Outbound, i *integration.Integration, c integration.Credentials) (string, string, error) {
			found, err := connector.Inspect(ctx, ports.Connection{
				Key:         i.ID.String(),
				Store:       i.Config.Store,
				BaseURL:     i.Config.BaseURL,
				Credentials: c,
			})
			outdated := ""
			if versioned, is := connector.(interface{ OtherVersion(key string) string }); is {
				outdated = versioned.OtherVersion(i.ID.String())
			}
			return found.Account, outdated, err
		}
	}
	return all
}

// inspect checks an account. It does not refresh an expired token, because that would change it.
func inspect(ctx ports.Outbound, i *integration.Integration, keys ports.Vault, ask inspector, r *report) {
	of := fmt.Sprintf("%s of %s", i.ID, i.Project)
	c, err := i.Open(keys.Open)
	if err != nil || ask == nil {
		return // checkCredentials reports it
	}
	if !c.Expires.IsZero() && time.Now().After(c.Expires) {
		r.warn(i.Type.Label(), of+": the access token expired at "+c.Expires.Format(time.RFC3339), "start the server; it refreshes the token")
		return
	}
	name, outdated, err := ask(ctx, i, c)
	switch {
	case errors.Is(err, ports.ErrCredentialsRefused):
		r.fail(i.Type.Label(), of+": the platform rejected the credentials", "enter new credentials in the console, under Integrations")
	case err != nil:
		r.fail(i.Type.Label(), of+": "+reason(err), "check whether the platform is available and whether a firewall blocks the connection")
	case outdated != "":
		r.warn(i.Type.Label(), of+": the platform has retired the API version that this release requests and responds with version "+outdated, "upgrade haggle")
	default:
		r.ok(i.Type.Label(), "%s is connected as %s", of, name)
	}
}

// handlerURLs returns the distinct addresses of an agent's remote handlers.
func handlerURLs(a *agent.Agent) (all []string) {
	known := map[string]bool{}
	for _, h := range []agent.Handler{a.Handlers.Search, a.Handlers.Quote, a.Handlers.Checkout, a.Handlers.Finalize} {
		if h.Kind == agent.Remote && !known[h.URL] {
			known[h.URL] = true
			all = append(all, h.URL)
		}
	}
	return all
}

// checkHandler checks whether a handler answers at all. It sends HEAD, because the handler would count a question.
func checkHandler(ctx context.Context, client *http.Client, a *agent.Agent, address string, r *report) {
	of := fmt.Sprintf("%s of %s at %s", a.ID, a.Project, address)
	status, err := askBy(ctx, client, http.MethodHead, address, nil)
	switch {
	case err != nil:
		r.fail("remote agent", of+": "+reason(err), "start the handler; until it responds, the built-in agent answers")
	case status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
		r.fail("remote agent", fmt.Sprintf("%s responds with status %d", of, status), "check the log of the handler; meanwhile the built-in agent answers")
	default:
		r.ok("remote agent", "%s responds", of)
	}
}
