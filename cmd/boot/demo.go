package boot

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/history"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/cmd/boot/demo"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// DemoShop is the demo project, with what a visitor needs to try it.
type DemoShop struct {
	ACP      string
	Console  string // link that signs the shop's owner in to the console, once, within a day
	Key      string // API key, valid for a week
	Project  id.Project
	Products int
	Query    string
	Product  id.Product // the first result of Query
	Variant  id.Variant
	Offer    money.Amount // below its list price
}

// Demo creates the demo project with its catalogue if it does not exist, and an API key for it.
func (a *App) Demo(ctx context.Context) (DemoShop, error) { return a.demo(ctx, a.importDemo) }

// DemoWithHistory is Demo, but a new project also gets ninety days of orders, negotiations and returns.
func (a *App) DemoWithHistory(ctx context.Context) (DemoShop, error) {
	return a.demo(ctx, a.loadDemoHistory)
}

// demo opens the demo project. fill adds the products to a new one.
func (a *App) demo(ctx context.Context, fill func(context.Context, *project.Project) error) (DemoShop, error) {
	owner, err := a.Access.Owner(ctx, account.Enterprise)
	if err != nil {
		return DemoShop{}, err
	}
	p, err := a.demoProject(ctx, owner, fill)
	if err != nil {
		return DemoShop{}, err
	}
	key, err := a.demoKey(ctx, owner.ID)
	if err != nil {
		return DemoShop{}, err
	}
	link, err := a.demoLink(ctx, owner.ID)
	if err != nil {
		return DemoShop{}, err
	}
	return a.chooseDemoProduct(ctx, DemoShop{
		ACP:      a.acpAddress(project.DemoSlug),
		Console:  link,
		Key:      key,
		Products: demo.Count(),
		Query:    "lightweight tent for two",
	}, p)
}

// The owner of the demo shop.
const (
	demoOwner     = "owner@demo.example"
	demoOwnerName = "Demo owner"
)

// demoLink creates a link that signs the demo's owner in.
func (a *App) demoLink(ctx context.Context, of id.Account) (string, error) {
	owner, err := a.People.FirstOwner(ctx, of, operator, demoOwner, demoOwnerName)
	if err != nil {
		return "", err
	}
	l, err := a.People.SignInLink(ctx, owner, operator)
	return l.Address, err
}

// demoProject finds the demo project, or opens it. It fills the project if CatalogVersion is 0: filling is one transaction,
// which a crash may have prevented.
func (a *App) demoProject(ctx context.Context, owner *account.Account, fill func(context.Context, *project.Project) error) (*project.Project, error) {
	p, err := a.storefront.BySlug(ctx, project.DemoSlug)
	if fault.KindOf(err) == fault.NotFound {
		p, err = a.openDemo(ctx, owner)
	}
	if err != nil || p.CatalogVersion > 0 {
		return p, err
	}
	if err := fill(ctx, p); err != nil {
		return nil, err
	}
	a.storefront.Forget(p.ID)
	return a.storefront.BySlug(ctx, project.DemoSlug)
}

// importDemo imports the catalogue.
func (a *App) importDemo(ctx context.Context, p *project.Project) error {
	lines, err := feed.New(demo.Catalogue(), feed.Options{Name: "demo.ndjson", Currency: p.Settings.Currency})
	if err != nil {
		return err
	}
	summary, err := a.load(ctx, p, lines, catalogs.Import{})
	if err == nil && summary.Refused > 0 {
		err = fmt.Errorf("cannot import %d products of the demo: %v", summary.Refused, summary.Problems.Lines())
	}
	return err
}

// loadDemoHistory loads the history, which includes the catalogue as of its end.
func (a *App) loadDemoHistory(ctx context.Context, p *project.Project) error {
	owner, err := a.People.FirstOwner(ctx, p.Account, operator, demoOwner, demoOwnerName)
	if err != nil {
		return err
	}
	_, err = a.store.LoadHistory(ctx, history.Names{
		Project: p.ID,
		Account: p.Account,
		Member:  owner.ID,
	}, a.clock.Now(), func(bits []byte) { rand.Read(bits) }, demo.History())
	return err
}

// demoRetention is long enough for the history of ninety days. By default sessions are kept for thirty.
var demoRetention = project.RetentionPatch{
	Messages:   patch.To(180),
	Sessions:   patch.To(180),
	Events:     patch.To(365),
	Deliveries: patch.To(180),
}

func (a *App) openDemo(ctx context.Context, owner *account.Account) (*project.Project, error) {
	p, err := a.Projects.Open(ctx, owner.ID, project.Draft{
		Name:        "Haggle Demo Shop",
		Slug:        project.DemoSlug,
		Description: "A general store to try agentic commerce on.",
		Demo:        true,
		Settings:    project.SettingsPatch{Retention: demoRetention},
	})
	if err != nil {
		return nil, err
	}
	threshold := money.Of(7500, money.USD)
	opened, err := a.Projects.ChangeStorefront(ctx, owner.ID, p.ID, project.StorefrontPatch{
		Description:           patch.To("Gear for home, kitchen, garden and the great outdoors. Prices are open to a fair offer."),
		ShippingRegions:       patch.To([]string{"US", "CA"}),
		FreeShippingThreshold: patch.To(&threshold),
		TaxRates: patch.To([]project.TaxRate{
			{
				Country: "US",
				State:   "CA",
				Rate:    7250,
			}, {
				Country: "US",
				State:   "NY",
				Rate:    4000,
			},
			{
				Country: "US",
				State:   "TX",
				Rate:    6250,
			}, {Country: "CA", Rate: 5000},
		}),
	})
	return opened.After, err
}

// chooseDemoProduct finds a product to negotiate about.
func (a *App) chooseDemoProduct(ctx context.Context, shop DemoShop, p *project.Project) (DemoShop, error) {
	if err := a.Discovery.Fresh(ctx, p); err != nil {
		return shop, err
	}
	found, err := a.index.Search(ports.NewOutbound(ctx), p.ID, catalog.Query{Text: shop.Query, Limit: 1})
	if err != nil || len(found.Hits) == 0 {
		return shop, err
	}
	product := found.Hits[0].Product
	shop.Project, shop.Product, shop.Variant = p.ID, product.ID, product.Variants[0].ID
	shop.Offer, err = money.Percent(900).Of(product.PriceOf(product.Variants[0]), money.Down)
	return shop, err
}
