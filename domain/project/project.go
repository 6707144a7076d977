// Package project defines a shop: its name, address, payment routes, settings such as retention periods, and the
// storefront with its shipping rates, tax rates and warehouses. It knows the limits of every setting and applies
// partial changes; it does not check who may make them.
package project

import (
	"cmp"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Status of a project:
//
//	active ──Close, with books──▶ closing ──▶ closed
//	active ──Close, without────▶ deleting ──▶ gone
//	deleting ──▶ closing, when a payment that was under way took real money after all
//
// The zero Status is Active. A project that is not active serves no buyers and cannot be changed. One that is closing
// or closed shows its books; one that is being deleted counts as unknown.
type Status struct{ name string }

var (
	Active   = Status{}
	Closing  = Status{"closing"}  // personal data is being erased
	Closed   = Status{"closed"}   // only the books are left
	Deleting = Status{"deleting"} // everything is being deleted
)

// Statuses are all statuses by name.
var Statuses = map[string]Status{"active": Active, "closing": Closing, "closed": Closed, "deleting": Deleting}

func (s Status) String() string { return cmp.Or(s.name, "active") }

// Project is one shop with its own catalogue, settings and ACP address.
type Project struct {
	ID          id.Project
	Account     id.Account
	Name        string
	Slug        string
	Description string
	Settings    Settings
	Storefront  Storefront
	Status      Status
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// Routes are the routes to connected payment providers, by method.
	Routes map[PaymentMethod]PaymentRoute

	// Version counts changes to what a buyer is served with: everything here except the catalogue, and including the
	// agents and their policies. A price agreed or a payment started under another version is stale.
	Version int64

	// CatalogVersion counts catalogue writes, in commit order. A search index compares it with its own to find what it
	// missed.
	CatalogVersion int64

	// AgentRevision counts changes to the project's agents and their policies.
	AgentRevision int64
}

// Close makes the project unavailable. A project with books, which has taken real money, keeps them; any other is
// deleted. Its slug is released and replaced by its ID, which cannot be a slug. Its chat webhook is a credential, so it
// is removed at once.
func (p *Project) Close(books bool, now time.Time) {
	p.Status = Deleting
	if books {
		p.Status = Closing
	}
	p.Slug, p.Settings.ChatWebhook, p.UpdatedAt = p.ID.String(), "", now
}

// Draft has the settings of a new project.
type Draft struct {
	Name        string
	Slug        string
	Description string
	Settings    SettingsPatch
	Demo        bool // the demo project, the only one that may have DemoSlug
}

// Open returns a project with default settings and the draft's changes to them.
func Open(project id.Project, account id.Account, d Draft, now time.Time) (*Project, error) {
	p := &Project{
		ID:          project,
		Account:     account,
		Name:        d.Name,
		Slug:        d.Slug,
		Description: d.Description,
		Settings:    DefaultSettings(),
		CreatedAt:   now,
		UpdatedAt:   now,
	}
	check := fault.NewCheck()
	p.checkIdentity(check, check)
	check.That(!reserved(p.Slug) || d.Demo && p.Slug == DemoSlug, "slug", slugReserved)
	p.Settings.change(d.Settings, check.In("settings"))
	if err := check.Err(); err != nil {
		return nil, err
	}
	p.Storefront = DefaultStorefront(p.Settings)
	return p, nil
}

// Change is a partial change of a project. Name and slug may also come in the general group of the settings; they are
// the same fields.
type Change struct {
	Name        patch.Field[string]
	Slug        patch.Field[string]
	Description patch.Field[string]
	Settings    SettingsPatch
	// Grouped means that the settings came in their groups (PATCH /settings), which determines the paths in errors.
	Grouped bool
}

// Change applies a partial change completely or not at all.
func (p *Project) Change(c Change, now time.Time) error {
	next := *p
	check := fault.NewCheck()
	identity, settings := check, check.In("settings")
	if c.Grouped {
		identity, settings = check.In("general"), check
	}
	identity.That(!c.Name.IsNull(), "name", "must not be null")
	identity.That(!c.Slug.IsNull(), "slug", "must not be null")
	c.Name.Apply(&next.Name, p.Name)
	c.Slug.Apply(&next.Slug, p.Slug)
	c.Description.Apply(&next.Description, "")
	next.checkIdentity(identity, check)
	identity.That(next.Slug == p.Slug || !reserved(next.Slug), "slug", slugReserved)
	if c.Grouped {
		next.Settings.changeGrouped(c.Settings, settings)
	} else {
		next.Settings.change(c.Settings, settings)
	}
	if err := check.Err(); err != nil {
		return err
	}
	if next.Settings.Currency != p.Settings.Currency {
		next.Storefront = next.Storefront.in(next.Settings)
	}
	next.UpdatedAt = now
	*p = next
	return nil
}

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`)

// IsSlug reports whether text has the form of a slug.
func IsSlug(text string) bool { return slugForm.MatchString(text) }

func (p *Project) checkIdentity(identity, root fault.Check) {
	n := utf8.RuneCountInString(p.Name)
	identity.That(strings.TrimSpace(p.Name) != "" && n <= 200, "name", "must have 1 to 200 characters")
	identity.That(IsSlug(p.Slug), "slug",
		"must have 3 to 63 lower-case letters, digits and hyphens, no hyphen at either end")
	root.That(utf8.RuneCountInString(p.Description) <= 5000, "description", "must have at most 5,000 characters")
}
