// Package projects opens, lists, changes and closes merchants' shops, and caches them for buyers' requests. The rules of settings
// are in domain/project.
package projects

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages projects. Each call is about one account.
type Service struct {
	*ports.Stores

	Clock     ports.Clock
	Entropy   ports.Entropy
	Addresses ports.Addresses
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Open creates a project.
func (s *Service) Open(ctx context.Context, account id.Account, d project.Draft) (*project.Project, error) {
	p, err := project.Open(id.New[id.Project](s.Entropy.IDBits()), account, d, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	return p, s.Projects.Create(ctx, p)
}

// statisticsPeriod is the period of orders_30d and revenue_30d (features/MANAGEMENT.md#projects).
const statisticsPeriod = 30 * 24 * time.Hour

// Overview is a project with its figures, and its newest integrations.
type Overview struct {
	Project      *project.Project
	Statistics   ports.Statistics
	Integrations []*integration.Integration
}

// maxIntegrations is how many integrations an overview has at most.
const maxIntegrations = 100

// Overview returns a project's figures and its newest integrations.
func (s *Service) Overview(ctx context.Context, p *project.Project) (Overview, error) {
	figures, err := s.Statistics.Statistics(ctx, p, s.Clock.Now().Add(-statisticsPeriod))
	if err != nil {
		return Overview{}, err
	}
	connected, _, err := s.Integrations.List(ctx, p.ID, ports.Page{Limit: maxIntegrations})
	return Overview{p, figures, connected}, err
}

// List returns the active projects, or those that are closing or closed, newest first. A key that is bound to projects sees only
// those.
func (s *Service) List(ctx context.Context, account id.Account, bound []id.Project, closed bool, page ports.Page) ([]*project.Project, int, error) {
	if len(bound) == 0 {
		return s.Projects.List(ctx, account, closed, page)
	}
	var list []*project.Project
	for _, wanted := range bound {
		p, err := s.Projects.ByID(ctx, account, wanted)
		switch {
		case fault.KindOf(err) == fault.NotFound: // it was deleted
		case err != nil:
			return nil, 0, err
		case (p.Status != project.Active) == closed:
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *project.Project) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	start := min(page.Offset, len(list))
	return list[start:min(start+page.Limit, len(list))], len(list), nil
}

// Changed is a project before and after a change.
type Changed struct{ Before, After *project.Project }

// change loads a project for exclusive use, calls change on it and stores the result.
func (s *Service) change(ctx context.Context, account id.Account, p id.Project, change func(*project.Project) error) (Changed, error) {
	var before project.Project
	after, err := s.Projects.Update(ctx, account, p, func(current *project.Project) error {
		before = *current
		return change(current)
	})
	return Changed{&before, after}, err
}

// Change changes a project or its settings. It refuses an IP allowlist that would lock out from, the caller's address
// (features/MANAGEMENT.md#keys).
func (s *Service) Change(ctx context.Context, account id.Account, p id.Project, c project.Change, from netip.Addr) (Changed, error) {
	webhook, _ := c.Settings.ChatWebhook.Value()
	private := s.Addresses.LeadsInside(webhook)
	return s.change(ctx, account, p, func(current *project.Project) error {
		err := current.Change(c, s.Clock.Now())
		if err == nil && c.Settings.IPAllowlist.Given() && !Admits(current.Settings, from) {
			err = fault.Field("security.ip_allowlist", "would lock you out: it must contain your own address "+from.String())
		}
		if private {
			err = fault.AddField(err, "notifications.chat_webhook", "must not lead to a private address")
		}
		return err
	})
}

// Admits reports whether the project's IP allowlist permits Management calls from an address.
func Admits(s project.Settings, from netip.Addr) bool {
	if len(s.IPAllowlist) == 0 {
		return true
	}
	from = from.Unmap()
	return slices.ContainsFunc(s.IPAllowlist, func(entry string) bool {
		if network, err := netip.ParsePrefix(entry); err == nil {
			return network.Contains(from)
		}
		single, err := netip.ParseAddr(entry)
		return err == nil && single.Unmap() == from
	})
}

// ChangeStorefront changes the storefront that buyers see.
func (s *Service) ChangeStorefront(ctx context.Context, account id.Account, p id.Project, c project.StorefrontPatch) (Changed, error) {
	return s.change(ctx, account, p, func(current *project.Project) error {
		if err := current.Storefront.Change(c, current.Settings); err != nil {
			return err
		}
		current.UpdatedAt = s.Clock.Now()
		return checkPlaces(c.Personalization)
	})
}

// checkPlaces checks that the regions with rules of their own exist. A typing error would leave the intended region without its rule.
func checkPlaces(rules personalization.Patch) error {
	check := fault.NewCheck()
	regions, _ := rules.Regions.Value()
	for _, of := range regions {
		known := of.Region == personalization.EU || checkout.KnownPlace(of.Region)
		check.In("personalization").In("regions").That(known, of.Region, of.Region+" is not the ISO 3166 code of a country or of a part of one")
	}
	return check.Err()
}

// Delete makes a project unreachable; Closer does the rest later. The confirmation must be the project's id.
func (s *Service) Delete(ctx context.Context, account id.Account, p id.Project, confirmation string) error {
	if confirmation != p.String() {
		return fault.New(fault.Malformed, "confirmation_required", "The header X-Confirm-Delete must be the project's id.")
	}
	return s.Projects.Delete(ctx, account, p, s.Clock.Now())
}
