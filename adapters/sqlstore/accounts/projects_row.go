package accounts

import (
	"cmp"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

// ProjectRow is a project as it is stored. FromProjectRow decodes its texts, so that a project that cannot be read does
// not keep others of a list from being read.
type ProjectRow struct {
	Project         project.Project
	Currency        string
	Settings        string
	Storefront      string
	Personalization string
	Routes          string
}

var (
	projects = db.NewTable[ProjectRow]("projects", db.Columns{
		"Project.Settings":      "-",
		"Project.Storefront":    "-",
		"Project.Routes":        "-",
		"Project.Status":        ",read",
		"Project.AgentRevision": ",read",
		"Project.Version":       ",read",
	})

	SelectProject = "\nSELECT " + projects.Columns() + ", " + readColumns + "\nFROM projects"

	// readColumns are written by triggers or by statements of their own.
	readColumns = "status, agent_revision, version"

	settingsFormat   = stored.JSON[project.Settings](stored.Tags{"Settings.Currency": "-", "Protocols.OAIACP": "oai_acp"}) // the currency is a column
	storefrontFormat = stored.JSON[project.Storefront](stored.Tags{
		"Storefront.FreeShippingThreshold": "free_shipping_from",
		"Storefront.Personalization":       "-", // a column
	})
	personalizationFormat = stored.JSON[personalization.Rules](nil)
	RoutesFormat          = stored.JSON[map[project.PaymentMethod]project.PaymentRoute](nil)
)

// ReadSettings reads a project's settings except its currency. Retention periods that are missing or 0, as in settings
// of earlier releases, have their defaults, and so do missing protocols.
func ReadSettings(text string) (project.Settings, error) {
	s := project.Settings{Protocols: project.DefaultProtocols()}
	err := settingsFormat.Read(text, &s, money.Currency{})
	d := project.DefaultRetention()
	s.Retention = project.Retention{
		Messages:   cmp.Or(s.Retention.Messages, d.Messages),
		Sessions:   cmp.Or(s.Retention.Sessions, d.Sessions),
		Decisions:  cmp.Or(s.Retention.Decisions, d.Decisions),
		Events:     cmp.Or(s.Retention.Events, d.Events),
		Deliveries: cmp.Or(s.Retention.Deliveries, d.Deliveries),
		Logs:       cmp.Or(s.Retention.Logs, d.Logs),
	}
	return s, err
}

func toProjectRow(d db.Dialect, p *project.Project) (r ProjectRow, err error) {
	r = ProjectRow{Project: *p, Currency: p.Settings.Currency.Code()}
	kept := p.Settings
	kept.ChatWebhook = d.SealAddress(kept.ChatWebhook, db.ChatAddress(p.ID.String()))
	if r.Settings, err = settingsFormat.Text(kept); err != nil {
		return r, err
	}
	if r.Storefront, err = storefrontFormat.Text(p.Storefront); err != nil {
		return r, err
	}
	if r.Personalization, err = personalizationFormat.Text(p.Storefront.Personalization); err != nil {
		return r, err
	}
	r.Routes, err = RoutesFormat.Text(p.Routes)
	return r, err
}

func FromProjectRow(d db.Dialect, r ProjectRow) (*project.Project, error) {
	p := &r.Project
	currency, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	if p.Settings, err = ReadSettings(r.Settings); err != nil {
		return nil, err
	}
	p.Settings.Currency = currency
	p.Settings.ChatWebhook = d.OpenAddress(p.Settings.ChatWebhook, db.ChatAddress(p.ID.String()))
	if err := storefrontFormat.Read(r.Storefront, &p.Storefront, currency); err != nil {
		return nil, err
	}
	if p.Storefront.Personalization, err = readRules(r.Personalization); err != nil {
		return nil, err
	}
	return p, RoutesFormat.Read(r.Routes, &p.Routes, currency)
}

// readRules reads the rules for personal signals: the default ones of a project that an earlier release has made.
func readRules(text string) (r personalization.Rules, err error) {
	if text == "" {
		return personalization.DefaultRules(), nil
	}
	err = personalizationFormat.Read(text, &r, money.Currency{})
	return r, err
}
