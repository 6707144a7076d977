package accounts

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

type ProjectRow struct {
	ID             string
	AccountID      string `db:"account_id"`
	Slug           string
	Name           string
	Description    string
	Currency       string
	Settings       string
	Storefront     string
	Routes         string
	CatalogVersion int64 `db:"catalog_version"`
	AgentRevision  int64 `db:"agent_revision"`
	Status         string
	CreatedAt      int64 `db:"created_at"`
	UpdatedAt      int64 `db:"updated_at"`
}

var (
	settingsFormat   = stored.JSON[project.Settings](stored.Tags{"Settings.Currency": "-"}) // a column
	storefrontFormat = stored.JSON[project.Storefront](stored.Tags{"Storefront.FreeShippingThreshold": "free_shipping_from"})
	routesFormat     = stored.JSON[map[project.PaymentMethod]project.PaymentRoute](nil)
)

// ReadSettings reads a project's settings but its currency. What is missing of the retention, as in settings of earlier
// releases, is the default.
func ReadSettings(text string) (project.Settings, error) {
	s := project.Settings{Retention: project.DefaultRetention()}
	err := settingsFormat.Read(text, &s, money.Currency{})
	return s, err
}

// RoutesText is what is stored of a project's routes.
func RoutesText(routes map[project.PaymentMethod]project.PaymentRoute) (string, error) {
	if len(routes) == 0 {
		return "{}", nil
	}
	return routesFormat.Text(routes)
}

func toProjectRow(d db.Dialect, p *project.Project) (ProjectRow, error) {
	kept := p.Settings
	kept.ChatWebhook = d.SealAddress(kept.ChatWebhook, db.ChatAddress(p.ID.String()))
	settings, err := settingsFormat.Text(kept)
	if err != nil {
		return ProjectRow{}, err
	}
	storefront, err := storefrontFormat.Text(p.Storefront)
	if err != nil {
		return ProjectRow{}, err
	}
	routes, err := RoutesText(p.Routes)
	if err != nil {
		return ProjectRow{}, err
	}
	return ProjectRow{
		ID: p.ID.String(), AccountID: p.Account.String(), Slug: p.Slug, Name: p.Name, Description: p.Description,
		Currency: p.Settings.Currency.Code(), Settings: settings, Storefront: storefront, Routes: routes,
		CatalogVersion: p.CatalogVersion, CreatedAt: db.Millis(p.CreatedAt), UpdatedAt: db.Millis(p.UpdatedAt),
	}, nil
}

func FromProjectRow(d db.Dialect, r ProjectRow) (*project.Project, error) {
	p := &project.Project{
		ID:             id.Stored[id.Project](r.ID),
		Account:        id.Stored[id.Account](r.AccountID),
		Name:           r.Name,
		Slug:           r.Slug,
		Description:    r.Description,
		Status:         project.Statuses[r.Status],
		CreatedAt:      db.Time(r.CreatedAt),
		UpdatedAt:      db.Time(r.UpdatedAt),
		CatalogVersion: r.CatalogVersion,
		AgentRevision:  r.AgentRevision,
	}
	currency, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	if p.Settings, err = ReadSettings(r.Settings); err != nil {
		return nil, err
	}
	p.Settings.Currency = currency
	p.Settings.ChatWebhook = d.OpenAddress(p.Settings.ChatWebhook, db.ChatAddress(r.ID))
	if err := storefrontFormat.Read(r.Storefront, &p.Storefront, currency); err != nil || r.Routes == "{}" {
		return p, err
	}
	return p, routesFormat.Read(r.Routes, &p.Routes, currency)
}
