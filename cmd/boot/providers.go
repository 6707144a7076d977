package boot

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/httpapi/consent"
	"github.com/haggle-commerce/haggle/adapters/httpapi/hooks"
	"github.com/haggle-commerce/haggle/adapters/payments/paypal"
	"github.com/haggle-commerce/haggle/adapters/payments/sandbox"
	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/checkpoint"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// implementing returns those that implement T, by name.
func implementing[T, P any](all map[string]P) map[string]T {
	offers := map[string]T{}
	for name, one := range all {
		if offer, ok := any(one).(T); ok {
			offers[name] = offer
		}
	}
	return offers
}

func (a *App) openProviders() {
	pp := paypal.New(paypal.Config{
		URL:   a.config.PayPalURL,
		Live:  a.env == account.Production,
		Clock: a.clock,
	})
	a.providers = map[string]ports.PaymentProvider{
		integration.Stripe.String(): stripe.New(stripe.Config{URL: a.config.StripeURL, Clock: a.clock}),
		integration.PayPal.String(): pp,
	}
	a.rooms["webhooks"] = pp.Verifying()
	a.openClocks()
	a.admission = payments.NewAdmission(a.clocks.remote())
	a.suspended["payments"] = a.admission.Suspended
	a.gateway = payments.Gateway{
		Admission: a.admission,
		Providers: a.providers,
		InUse:     a.store.Integrations(),
		Health:    a.healthRecorder(),
		Vault:     a.vault,
	}
	if a.env == account.Sandbox {
		a.gateway.Sandbox = sandbox.Provider{
			Ledger:  a.store.SandboxLedger(),
			Clock:   a.clock,
			Entropy: system.Entropy{},
		}
	}
}

// sandboxDisputes returns the sandbox's payment provider, or nil outside a sandbox.
func (a *App) sandboxDisputes() ports.SandboxDisputes {
	if disputes, ok := a.gateway.Sandbox.(ports.SandboxDisputes); ok {
		return disputes
	}
	return nil
}

// healthRecorder returns what records the health of integrations, in transactions of its own.
func (a *App) healthRecorder() connecting.HealthRecorder {
	return connecting.HealthRecorder{
		Unit:    a.store.SyncUnit(),
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Log:     a.log,
	}
}

// hookAddress returns the address of a webhook.
func (a *App) hookAddress(webhook id.Webhook) string { return a.URL() + hooks.Path + webhook.String() }

// reachableHook returns the address of a webhook, or "" if the provider cannot reach it, because public providers call https
// addresses only. A provider whose address is configured may be on this network.
func (a *App) reachableHook(t integration.Type, webhook id.Webhook) string {
	configured := map[integration.Type]string{
		integration.Stripe: a.config.StripeURL, integration.PayPal: a.config.PayPalURL, integration.ShipStation: a.config.ShipStationURL,
		integration.Shopify: a.platforms.apps[integration.Shopify].url,
	}[t]
	if t.Hosted() { // the merchant chooses its address, which may be on this network
		return a.hookAddress(webhook)
	}
	if configured == "" && !isHTTPS(a.URL()) {
		return ""
	}
	return a.hookAddress(webhook)
}

func (a *App) hookServices() hooks.Services {
	webhooks := payments.WebhookHandler{
		InUse:     a.store.Integrations(),
		Readers:   implementing[ports.WebhookReader](a.providers),
		Vault:     a.vault,
		Purchases: a.Purchase,
		Refunds:   a.Aftersales,
		Undecided: a.store.Checkouts(),
	}
	return hooks.Services{
		Receiver:        a.platforms.receiver,
		PaymentWebhooks: webhooks,
		Lane:            a.edge.merchants,
		Limiter:         a.edge.managed,
		Rate:            strangersRate,
		ClientAddress:   a.edge.address,
	}
}

func (a *App) consentServices() consent.Services {
	return consent.Services{
		StoreOf:       a.Connecting.StoreOf,
		ChooseStore:   a.Connecting.ChooseStore,
		Return:        a.Connecting.Return,
		Limiter:       a.edge.managed,
		Rate:          strangersRate,
		ClientAddress: a.edge.address,
	}
}

// checkSecrets returns an error if the master key opens none of the stored credentials, because it is the wrong key and nobody
// could pay. If it opens only some, the others are damaged, which is logged.
func (a *App) checkSecrets(ctx context.Context) error {
	unreadable, all, err := a.Connecting.Unreadable(ctx)
	switch {
	case err != nil:
		return err
	case len(unreadable) > 0 && len(unreadable) == all:
		return fmt.Errorf("HAGGLE_MASTER_KEY cannot decrypt the stored credentials of %s: another key encrypted them", unreadable[0])
	case len(unreadable) > 0:
		a.log.ErrorContext(ctx, "cannot decrypt stored credentials", "integrations", unreadable)
	}
	return nil
}

// RotateMaster reseals all stored secrets under the first master key and returns their number. It may be repeated, and run
// while a server with the same keys is running.
func (a *App) RotateMaster(ctx context.Context) (all int, err error) {
	for _, reseal := range []func() (int, error){
		func() (int, error) { return a.Connecting.Reseal(ctx) },
		func() (int, error) { return reseal(ctx, a.vault, a.store.Authenticators(), access.Purpose) },
		func() (int, error) { return reseal(ctx, a.vault, a.store.Events(), publishing.Purpose) },
		func() (int, error) { return reseal(ctx, a.vault, a.store.Webhooks(), inbox.Purpose) },
		func() (int, error) { return reseal(ctx, a.vault, a.store.Agents(), agent.SecretPurpose) },
		func() (int, error) { return reseal(ctx, a.vault, a.store.Retention(), checkpoint.Purpose) },
		func() (int, error) { return reseal(ctx, a.vault, a.store.SigningKeys(), signingkeys.Purpose) },
		func() (int, error) { return a.store.ResealAddresses(ctx) },
	} {
		n, err := reseal()
		if all += n; err != nil {
			return all, err
		}
	}
	return all, nil
}

// reseal reseals the secrets of one kind under the vault's first key, each for its purpose.
func reseal[ID any](ctx context.Context, vault ports.Vault, all ports.Sealed[ID], purpose func(ID) string) (int, error) {
	return all.Reseal(ctx, func(of ID, sealed []byte) ([]byte, error) {
		plain, err := vault.Open(sealed, purpose(of))
		if err != nil {
			return nil, err
		}
		return vault.Seal(plain, purpose(of)), nil
	})
}
