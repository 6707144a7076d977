package boot

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/feed"
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

// DemoShop is the demo project with things to try on it.
type DemoShop struct {
	ACP      string
	Console  string // signs the shop's owner in to the console, once, within a day
	Key      string // a fresh one, for a week
	Project  id.Project
	Products int
	Query    string
	Product  id.Product // what the query finds first
	Variant  id.Variant
	Offer    money.Amount // some way under its list price
}

// Demo creates the demo project with its catalogue, once, and a fresh API key for it.
func (a *App) Demo(ctx context.Context) (DemoShop, error) {
	owner, err := a.Access.Owner(ctx, account.Enterprise)
	if err != nil {
		return DemoShop{}, err
	}
	p, err := a.demoProject(ctx, owner)
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
	return a.tryOn(ctx, DemoShop{
		ACP:      a.acpAddress(project.DemoSlug),
		Console:  link,
		Key:      key,
		Products: demo.Count(),
		Query:    "lightweight tent for two",
	}, p)
}

// demoLink makes a link that signs the demo's owner in.
func (a *App) demoLink(ctx context.Context, of id.Account) (string, error) {
	owner, err := a.People.FirstOwner(ctx, of, operator, "owner@demo.example", "Demo owner")
	if err != nil {
		return "", err
	}
	l, err := a.People.SignInLink(ctx, owner, operator)
	return l.Address, err
}

// demoKeys is how many starts' keys work at once.
const demoKeys = 5

// demoKey makes a key for a week, and ends those of earlier starts, for an account has room for only so
// many.
func (a *App) demoKey(ctx context.Context, owner id.Account) (string, error) {
	const name = "demo"
	keys, _, err := a.store.Keys().List(ctx, owner, nil, ports.Page{Limit: account.MaxKeys})
	if err != nil {
		return "", err
	}
	kept := 1
	for _, k := range keys { // newest first
		if k.Name != name {
			continue
		}
		if kept++; kept > demoKeys {
			if err := a.Access.RevokeKeyOf(ctx, owner, k.ID); err != nil {
				return "", err
			}
		}
	}
	expires := a.clock.Now().Add(7 * 24 * time.Hour)
	return a.Access.CreateKey(ctx, owner, name, []string{"*"}, nil, &expires)
}

// demoProject finds the demo project, or opens it. A catalogue that a crash kept from being loaded is
// loaded now: loading is one transaction, and CatalogVersion reports whether it happened.
func (a *App) demoProject(ctx context.Context, owner *account.Account) (*project.Project, error) {
	p, err := a.storefront.BySlug(ctx, project.DemoSlug)
	if fault.KindOf(err) == fault.NotFound {
		p, err = a.openDemo(ctx, owner)
	}
	if err != nil || p.CatalogVersion > 0 {
		return p, err
	}
	lines, err := feed.New(demo.Catalogue(), "demo.ndjson", p.Settings.Currency)
	if err != nil {
		return nil, err
	}
	summary, err := a.load(ctx, p, lines, nil)
	if err == nil && summary.Failed > 0 {
		err = fmt.Errorf("%d of the demo's products were refused: %v", summary.Failed, summary.Problems)
	}
	if err != nil {
		return nil, err
	}
	return a.storefront.BySlug(ctx, project.DemoSlug)
}

func (a *App) openDemo(ctx context.Context, owner *account.Account) (*project.Project, error) {
	p, err := a.Projects.Open(ctx, owner.ID, project.Draft{
		Name:        "Haggle Demo Shop",
		Slug:        project.DemoSlug,
		Description: "A general store to try agentic commerce on.",
		Demo:        true,
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
			{Country: "US", State: "CA", Rate: 7250}, {Country: "US", State: "NY", Rate: 4000},
			{Country: "US", State: "TX", Rate: 6250}, {Country: "CA", Rate: 5000},
		}),
	})
	return opened.After, err
}

// tryOn finds a product to haggle over.
func (a *App) tryOn(ctx context.Context, shop DemoShop, p *project.Project) (DemoShop, error) {
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
