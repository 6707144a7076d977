package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Projects keeps projects with their settings and storefront. Another account's projects are unknown.
type Projects interface {
	// Create stores a new project. A slug in use anywhere in the installation: Conflict slug_taken.
	Create(ctx context.Context, p *project.Project) error
	ByID(ctx context.Context, account id.Account, project id.Project) (*project.Project, error)
	// List is newest first.
	List(ctx context.Context, account id.Account, page Page) ([]*project.Project, int, error)
	// Update loads the project for exclusive use, runs change on it, stores it if change returns nil,
	// and returns it. change does no I/O and may run more than once. A change of currency once orders
	// exist, or while products are priced in the old one: Conflict currency_in_use. Slug: as Create.
	Update(ctx context.Context, account id.Account, project id.Project, change func(*project.Project) error) (*project.Project, error)
	// Delete removes the project and everything in it. While a checkout of it is processing: Conflict
	// payment_unresolved.
	Delete(ctx context.Context, account id.Account, project id.Project) error
}

// Storefronts finds projects for buyers. One round trip: every ACP request begins with it.
type Storefronts interface {
	BySlug(ctx context.Context, slug string) (*project.Project, error)
	ByProject(ctx context.Context, project id.Project) (*project.Project, error)
}

// Statistics of a project (spec 2.1).
type Statistics struct {
	Products int
	Agents   int
	Orders   int          // since a time
	Revenue  money.Amount // of those orders
}

// ProjectStatistics counts what is in a project.
type ProjectStatistics interface {
	Statistics(ctx context.Context, p *project.Project, since time.Time) (Statistics, error)
}
