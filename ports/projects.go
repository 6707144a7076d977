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
	// Create stores a new project. A slug in use anywhere in the installation, or released by another account less than
	// project.SlugKept ago: Conflict slug_taken. More than the account's plan allows: Conflict limit_reached.
	Create(ctx context.Context, p *project.Project) error
	// ByID finds a project in any status but Deleting.
	ByID(ctx context.Context, account id.Account, project id.Project) (*project.Project, error)
	// List is newest first: the active projects, or those that are closing or closed.
	List(ctx context.Context, account id.Account, closed bool, page Page) ([]*project.Project, int, error)
	// Update loads the active project for exclusive use, runs change on it, stores it if change returns nil,
	// and returns it. change does no I/O and may run more than once. A change of currency once orders
	// exist, or while products are priced in the old one: Conflict currency_in_use. Slug: as Create.
	Update(ctx context.Context, account id.Account, project id.Project, change func(*project.Project) error) (*project.Project, error)
	// Delete makes the project unreachable at once, by its method Close, and leaves its data to ProjectClosings. While
	// a checkout of it is processing at a provider that moves real money: Conflict payment_unresolved. Its slug stays
	// with the account for project.SlugKept.
	Delete(ctx context.Context, account id.Account, project id.Project, now time.Time) error
}

// ProjectClosings finishes what Projects.Delete began, a bounded number of rows at a time. Every method may be
// repeated, and called by several processes at once.
type ProjectClosings interface {
	// Unfinished lists projects that are closing or being deleted since quiet ago at least, by the database's
	// clock, the oldest first. Until then, requests that began before may still be running.
	Unfinished(ctx context.Context, quiet time.Duration, limit int) ([]id.Project, error)
	// Settle reports whether a project's books stay or are deleted, and whether it is ready for that: no payment
	// attempt and no refund of it is under way.
	Settle(ctx context.Context, project id.Project) (Settled, error)
	// Step removes or erases some rows, and reports whether it was the last step: the project is gone or closed. While
	// another process makes a step, it does nothing.
	Step(ctx context.Context, project id.Project) (last bool, err error)
	// CredentialsDue lists closed projects whose payment credentials may have expired by the database's clock, the
	// oldest first.
	CredentialsDue(ctx context.Context, limit int) ([]id.Project, error)
	// ExpireCredentials reports whether a closed project took its last charge, an orphaned one included, kept ago or
	// earlier, and no payment, refund or dispute of it is open. CredentialsDue lists the project again when it may be
	// so, or a day later, until CredentialsErased.
	ExpireCredentials(ctx context.Context, project id.Project, kept time.Duration) (expired bool, err error)
	// CredentialsErased notes that a closed project has no payment credentials any more.
	CredentialsErased(ctx context.Context, project id.Project) error
}

// Settled is how far the payments of a closing project are.
type Settled struct {
	Books bool // it took real money: personal data is erased, and the books stay
	Ready bool
}

// ProjectChanged is the code of the fault, a Conflict, of a write that was prepared with another Version of its project
// than the current one. Nothing is stored: read the project again and repeat the work.
const ProjectChanged = "project_changed"

// Storefronts finds projects for buyers: every ACP request begins with it. A project may be shared with other requests,
// so callers must not change it.
type Storefronts interface {
	// ProjectFinder finds a project in any status, as it is now: payments are decided also after it was closed.
	ProjectFinder
	// BySlug finds an active project, which may be as it was up to 250 ms ago, unless this process wrote it.
	BySlug(ctx context.Context, slug string) (*project.Project, error)
}

// ProjectFinder finds the project of background work.
type ProjectFinder interface {
	ByProject(ctx context.Context, project id.Project) (*project.Project, error)
}

// Statistics of a project (features/MANAGEMENT.md#projects).
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
