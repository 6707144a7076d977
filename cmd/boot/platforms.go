package boot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/adapters/cron"
	"github.com/haggle-commerce/haggle/adapters/delivery"
	"github.com/haggle-commerce/haggle/adapters/httpapi/consent"
	"github.com/haggle-commerce/haggle/adapters/httpapi/hooks"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/crm"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/privacy"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/app/writeback"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// simulatorURL is the default address of `haggle simulate platforms`.
const simulatorURL = "http://127.0.0.1:8095"

// oauthApp is this installation's OAuth app at a platform. An empty url is the platform's own address.
type oauthApp struct {
	url, id, secret string
	deals           bool // the HubSpot app has the scopes for writing deals
}

// oauthApps returns the configured OAuth apps. Without one, a sandbox gets an app at the simulator, because it cannot connect to
// the platform itself.
func (c Config) oauthApps() map[integration.Type]oauthApp {
	apps := map[integration.Type]oauthApp{
		integration.Shopify: {
			url:    c.ShopifyURL,
			id:     c.ShopifyID,
			secret: c.ShopifySecret,
		},
		integration.HubSpot: {
			url:    c.HubSpotURL,
			id:     c.HubSpotID,
			secret: c.HubSpotSecret,
			deals:  c.HubSpotDeals,
		},
	}
	for t, app := range apps {
		if app.id != "" || c.Env != account.Sandbox.String() {
			continue
		}
		app.id, app.secret, app.deals = "haggle-sandbox", "haggle-sandbox-secret", true
		if app.url == "" {
			app.url = simulatorURL + "/" + t.String()
		}
		apps[t] = app
	}
	return apps
}

// missingApp names the variables that configure a type's OAuth app, or returns "" if it is configured.
func (a *App) missingApp(t integration.Type) string {
	if a.platforms.apps[t].id != "" {
		return ""
	}
	return fmt.Sprintf("HAGGLE_%[1]s_CLIENT_ID and HAGGLE_%[1]s_CLIENT_SECRET", strings.ToUpper(t.String()))
}

// platforms holds the connectors of external platforms, by type and by the interfaces that they implement, and the background
// workers that use them.
type platforms struct {
	apps       map[integration.Type]oauthApp
	connectors map[string]ports.Connector
	called     map[string]ports.CalledConnector
	shippers   map[string]ports.Shipper
	demands    func(ports.Call) (privacy.Demand, error) // parses Shopify's privacy webhooks to its app
	writers    map[string]ports.OrderWriter
	deals      map[string]ports.DealWriter
	listers    map[string]ports.WebhookLister

	accounts *connecting.Accounts
	receiver *inbox.Receiver
	inbox    *inbox.Worker
	worker   *jobs.Worker[*integration.Delivery] // processes received webhooks
	engine   *jobs.Worker[*syncrun.Run]
	writing  *jobs.Worker[*order.PlatformOrder] // writes orders to them
	mirror   *jobs.Worker[*order.CRMDeal]       // writes deals to them
	checks   *jobs.Worker[*integration.Webhook] // checks webhooks at them
}

// openPlatforms creates the connectors and what stores their accounts' credentials. It uses the root store, so each write is a
// transaction of its own.
func (a *App) openPlatforms() {
	p := platforms{apps: a.config.oauthApps(), connectors: map[string]ports.Connector{}}
	for t, c := range a.config.connectors(a.clock, a.log) {
		p.connectors[t.String()] = connectors.Break(c)
		if s, is := c.(*shopify.Connector); is {
			p.demands = s.Demand
		}
	}
	p.writers, p.deals, p.listers = map[string]ports.OrderWriter{}, map[string]ports.DealWriter{}, map[string]ports.WebhookLister{}
	for t, c := range p.connectors {
		if l := connectors.WebhookListerOf(c); l != nil {
			p.listers[t] = l
		}
		if w := connectors.WriterOf(c); w != nil {
			p.writers[t] = w
		}
		if w := connectors.DealWriterOf(c); w != nil {
			p.deals[t] = w
		}
	}
	p.called, p.shippers = implementing[ports.CalledConnector](p.connectors), implementing[ports.Shipper](p.connectors)
	p.accounts = &connecting.Accounts{
		Integrations: a.store.Integrations(),
		Queue:        a.store.SyncQueue(),
		Connectors:   p.connectors,
		Health:       a.healthRecorder(),
		Vault:        a.vault,
		Clock:        a.clock,
		Log:          a.log,
	}
	a.platforms = p
}

// openSyncing creates the background workers of platforms. They notify the catalogue only of committed writes.
func (a *App) openSyncing() {
	p := &a.platforms
	importer := &syncing.Importer{Clock: a.clock, Entropy: system.Entropy{}}
	p.engine = jobs.NewWorker((&syncing.Engine{
		Queue:        a.store.SyncQueue(),
		Integrations: a.store.Integrations(),
		Projects:     a.store.ActiveProjects(),
		Unit:         a.store.SyncUnit(),
		Accounts:     p.accounts,
		Connectors:   p.connectors,
		Importer:     importer,
		Clock:        a.clock,
		Entropy:      system.Entropy{},
		Schedules:    cron.Schedules{},
		Log:          a.log,
		Changed:      a.Catalogs.Written,
		Announced:    a.publisher.Wake,
	}).Job())
	p.inbox = &inbox.Worker{
		Queue:        a.store.InboxQueue(),
		Inbox:        a.store.Inbox(),
		Webhooks:     a.store.Webhooks(),
		Integrations: a.store.Integrations(),
		Projects:     a.store.ActiveProjects(),
		Unit:         a.store.SyncUnit(),
		Platforms:    p.called,
		Accounts:     p.accounts,
		Importer:     importer,
		Clock:        a.clock,
		Log:          a.log,
		Changed:      a.Catalogs.Written,
		Wanted:       p.engine.Wake,
	}
	p.worker = jobs.NewWorker(p.inbox.Job())
	p.writing = jobs.NewWorker((&writeback.Worker{
		Queue:           a.store.DuePlatformOrders(),
		Orders:          a.store.Orders(),
		Platform:        a.store.Orders(),
		ExternalRecords: a.store.ExternalRecords(),
		Integrations:    a.store.Integrations(),
		Projects:        a.store.ActiveProjects(),
		Unit:            a.store.SyncUnit(),
		Accounts:        p.accounts,
		Writers:         p.writers,
		Importer:        importer,
		Clock:           a.clock,
		Entropy:         system.Entropy{},
		Log:             a.log,
		Live:            a.env == account.Production,
		Changed:         a.Catalogs.Written,
	}).Job())
	p.mirror = jobs.NewWorker((&crm.Worker{
		Queue:        a.store.DueCRMDeals(),
		Orders:       a.store.Orders(),
		Deals:        a.store.Orders(),
		Integrations: a.store.Integrations(),
		Projects:     a.store.ActiveProjects(),
		Unit:         a.store.SyncUnit(),
		Accounts:     p.accounts,
		Writers:      p.deals,
		Clock:        a.clock,
		Entropy:      system.Entropy{},
		Log:          a.log,
		Live:         a.env == account.Production,
	}).Job())
	p.receiver = inbox.NewReceiver(inbox.ReceiverConfig{
		Webhooks:  a.store.Webhooks(),
		Inbox:     a.store.Inbox(),
		Platforms: p.called,
		Vault:     a.vault,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Log:       a.log,
		Wake:      p.worker.Wake,
	})
	p.checks = jobs.NewWorker((&inbox.Checker{
		Queue:        a.store.WebhookChecks(),
		Integrations: a.store.Integrations(),
		Unit:         a.store.SyncUnit(),
		Platforms:    p.called,
		Listers:      p.listers,
		Accounts:     p.accounts,
		Vault:        a.vault,
		Clock:        a.clock,
		Entropy:      system.Entropy{},
		Log:          a.log,
		Address:      a.reachableHook,
		Restored:     p.receiver.Forget,
		Wanted:       p.engine.Wake,
	}).Job())
}

// openIntegrations creates the services that connect a project with platforms and payment providers.
func (a *App) openIntegrations(s *ports.Stores) {
	a.Connecting = &connecting.Service{
		Stores:      s,
		Platforms:   implementing[ports.PaymentPlatform](a.providers),
		Hooks:       implementing[ports.WebhookPlatform](a.providers),
		HookAddress: a.reachableHook,
		Waiting:     a.edge.platforms,
		Vault:       a.vault,
		Clock:       a.clock,
		Entropy:     system.Entropy{},
		Log:         a.log,
		Connectors:  a.platforms.connectors,
		Accounts:    a.platforms.accounts,
		MissingApp:  a.missingApp,
		CallbackURL: func() string { return a.URL() + consent.CallbackPath },
		StorePage:   func() string { return a.URL() + consent.StorePath },
		Schedules:   cron.Schedules{},
		Addresses:   delivery.Addresses{AllowLoopback: a.config.AllowLoopback},
		Rules:       integration.Rules{Live: a.env == account.Production, AllowLoopback: a.config.AllowLoopback},
	}
	a.Syncing = &syncing.Service{
		Stores:  s,
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Wake:    func() {},
	}
	a.Inbox = &inbox.Service{
		Stores:    s,
		Platforms: a.platforms.called,
		Accounts:  a.platforms.accounts,
		Waiting:   a.edge.platforms,
		Address:   a.reachableHook,
		Vault:     a.vault,
		Clock:     a.clock,
		Entropy:   system.Entropy{},
		Log:       a.log,
		Wake:      func() {},
	}
	a.Shipping = &shipping.Service{
		Stores:   s,
		Accounts: a.platforms.accounts,
		Shippers: a.platforms.shippers,
		Clock:    a.clock,
		Entropy:  system.Entropy{},
		Log:      a.log,
	}
}

// shopifyDemands returns how Shopify's privacy webhooks (data request, customer and shop redaction) are read and fulfilled.
func (a *App) shopifyDemands() hooks.Demands {
	s := &privacy.Service{
		InUse:      a.store.Integrations(),
		Projects:   a.store.ActiveProjects(),
		Accounts:   a.platforms.accounts,
		Connectors: a.platforms.connectors,
		Disconnect: a.Connecting.Disconnect,
		Count: func(ctx context.Context, of id.Project, email string) (privacy.Found, error) {
			e, err := a.Buyers.Export(ctx, of, email, 0)
			return privacy.Found{
				Subject:  e.Subject,
				Sessions: len(e.Sessions),
				Orders:   len(e.Orders),
				Records:  len(e.Copied),
				More:     e.Next > 0,
			}, err
		},
		Erase: func(ctx context.Context, of id.Project, email string) (privacy.Found, error) {
			e, err := a.Buyers.Erase(ctx, of, email)
			return privacy.Found{
				Subject:  e.Subject,
				Sessions: e.Sessions,
				Orders:   e.Orders,
				Records:  e.Copied,
				Pending:  len(e.Pending) + e.Waiting,
				More:     e.More,
			}, err
		},
		Imported: a.store.ImportedPeople(),
		Begin: func(ctx context.Context, work func(privacy.Books) error) error {
			return a.store.Within(ctx, nil, func(view *sqlstore.Store) error {
				return work(privacy.Books{
					Audit:   view.Requests(),
					Records: view.Requests(),
					Events:  view.Announcements(),
				})
			})
		},
		Clock:   a.clock,
		Entropy: system.Entropy{},
		Log:     a.log,
	}
	return hooks.Demands{Read: a.platforms.demands, Do: s.Do}
}

// loopObserver returns a function that records a run of a worker in health, metrics and the log.
func (a *App) loopObserver(name string) func(error) {
	beats := a.health.Loop(name, time.Minute)
	return func(err error) {
		beats.Beat()
		a.metrics.BackgroundRan(name, err)
		if err != nil {
			a.log.Warn("background work failed; it will run again", "loop", name, "error", err)
		}
	}
}

// refreshTokens refreshes access tokens before they expire.
func (a *App) refreshTokens(ctx context.Context) error {
	return a.platforms.accounts.RefreshExpiring(ports.NewOutbound(ctx))
}

// forgetConsents removes expired OAuth states.
func (a *App) forgetConsents(ctx context.Context) error {
	return a.store.Authorizations().Forget(ctx, a.clock.Now().Add(-24*time.Hour))
}
