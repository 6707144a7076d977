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

// lookalikes is where `haggle simulate platforms` listens unless it is told otherwise.
const lookalikes = "http://127.0.0.1:8095"

// oauthApp is what a platform knows this installation by, and where the platform is; "": at home.
type oauthApp struct {
	url, id, secret string
	deals           bool // HubSpot's has the scopes that deals are written with
}

// oauthApps are the configured ones. A sandbox without an app connects to look-alikes: to the platform itself
// it could not.
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
			app.url = lookalikes + "/" + t.String()
		}
		apps[t] = app
	}
	return apps
}

// missingApp names the variables that configure a type's OAuth app; "": it is.
func (a *App) missingApp(t integration.Type) string {
	if a.platforms.apps[t].id != "" {
		return ""
	}
	return fmt.Sprintf("HAGGLE_%[1]s_CLIENT_ID and HAGGLE_%[1]s_CLIENT_SECRET", strings.ToUpper(t.String()))
}

// platforms are the systems outside whose data is synchronised, by type, as each conversation with them needs
// them, and what works on them in the background.
type platforms struct {
	apps       map[integration.Type]oauthApp
	connectors map[string]ports.Connector
	called     map[string]ports.CalledConnector
	shippers   map[string]ports.Shipper
	demands    func(ports.Call) (privacy.Demand, error) // reads what Shopify calls its app for
	writers    map[string]ports.OrderWriter
	deals      map[string]ports.DealWriter
	listers    map[string]ports.WebhookLister

	accounts *connecting.Accounts
	receiver *inbox.Receiver
	inbox    *inbox.Worker
	worker   *jobs.Worker[*integration.Delivery] // works on what is in the inbox
	engine   *jobs.Worker[*syncrun.Run]
	writing  *jobs.Worker[*order.PlatformOrder] // writes orders to them
	mirror   *jobs.Worker[*order.CRMDeal]       // writes deals to them
	checks   *jobs.Worker[*integration.Webhook] // checks webhooks at them
}

// openPlatforms puts together what reads platforms' data and hears of it. It works on the whole store: in
// transactions of its own.
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
	p.called, p.shippers = offering[ports.CalledConnector](p.connectors), offering[ports.Shipper](p.connectors)
	p.accounts = &connecting.Accounts{
		Integrations: a.store.Integrations(),
		Queue:        a.store.SyncQueue(),
		Connectors:   p.connectors,
		Standing:     a.standing(),
		Vault:        a.vault,
		Clock:        a.clock,
		Log:          a.log,
	}
	a.platforms = p
}

// openSyncing puts the background work together. What it tells the catalogue of are committed writes.
func (a *App) openSyncing() {
	p := &a.platforms
	taker := &syncing.Taker{Clock: a.clock, Entropy: system.Entropy{}}
	p.engine = jobs.NewWorker((&syncing.Engine{
		Queue:        a.store.SyncQueue(),
		Integrations: a.store.Integrations(),
		Projects:     a.store.ActiveProjects(),
		Unit:         a.store.SyncUnit(),
		Accounts:     p.accounts,
		Connectors:   p.connectors,
		Taker:        taker,
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
		Taker:        taker,
		Clock:        a.clock,
		Log:          a.log,
		Changed:      a.Catalogs.Written,
		Wanted:       p.engine.Wake,
	}
	p.worker = jobs.NewWorker(p.inbox.Job())
	p.writing = jobs.NewWorker((&writeback.Worker{
		Queue:        a.store.DuePlatformOrders(),
		Orders:       a.store.Orders(),
		Platform:     a.store.Orders(),
		Copies:       a.store.Copies(),
		Integrations: a.store.Integrations(),
		Projects:     a.store.ActiveProjects(),
		Unit:         a.store.SyncUnit(),
		Accounts:     p.accounts,
		Writers:      p.writers,
		Taker:        taker,
		Clock:        a.clock,
		Entropy:      system.Entropy{},
		Log:          a.log,
		Live:         a.env == account.Production,
		Changed:      a.Catalogs.Written,
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
	p.receiver = inbox.NewReceiver(inbox.Door{
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

// openIntegrations puts together what connects a project with platforms and payment providers.
func (a *App) openIntegrations(s *ports.Stores) {
	a.Connecting = &connecting.Service{
		Stores:      s,
		Platforms:   offering[ports.PaymentPlatform](a.providers),
		Hooks:       offering[ports.WebhookPlatform](a.providers),
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

// demands are what Shopify calls its app for, and what does it.
func (a *App) demands() hooks.Demands {
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

// ran notes a round of a loop that keeps its own time.
func (a *App) ran(name string) func(error) {
	beats := a.health.Loop(name, time.Minute)
	return func(err error) {
		beats.Beat()
		a.metrics.BackgroundRan(name, err)
		if err != nil {
			a.log.Warn("background work is not done yet", "loop", name, "error", err)
		}
	}
}

// refreshTokens exchanges access tokens before they expire.
func (a *App) refreshTokens(ctx context.Context) error {
	return a.platforms.accounts.RefreshExpiring(ports.NewOutbound(ctx))
}

// forgetConsents removes consents that nobody can redeem any more.
func (a *App) forgetConsents(ctx context.Context) error {
	return a.store.Authorizations().Forget(ctx, a.clock.Now().Add(-24*time.Hour))
}
