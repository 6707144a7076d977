package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// SigningKeys keeps the keys with which projects sign.
type SigningKeys interface {
	// Keys are those of a project, by the database's time now. A set that has not begun is empty.
	Keys(ctx context.Context, project id.Project) (set signing.Set, now time.Time, err error)
	// Change loads a project's keys for exclusive use, runs change on them with the database's time, and stores them if
	// it returns nil, without the removed ones. change does no I/O and may run more than once. Unknown project:
	// NotFound.
	Change(ctx context.Context, project id.Project, change func(s *signing.Set, now time.Time) error) error
}
