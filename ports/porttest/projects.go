package porttest

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (s *Shop) ByID(p id.Project) *project.Project {
	s.T.Helper()
	got, err := s.Projects.ByID(s.Ctx, s.Project.Account, p)
	s.Must(err)
	return got
}

func (s *Shop) Change(change func(*project.Project) error) (*project.Project, error) {
	return s.Projects.Update(s.Ctx, s.Project.Account, s.Project.ID, change)
}

// Reread reads the project's version after a write of the project. Later sales use it.
func (s *Shop) Reread() {
	s.T.Helper()
	p, err := s.Storefronts.ByProject(s.Ctx, s.Project.ID)
	s.Must(err)
	s.Project.Version = p.Version
}

// Part is a page of a whole list.
func Part[T any](list []T, page ports.Page) []T {
	from := min(page.Offset, len(list))
	return append([]T{}, list[from:min(from+page.Limit, len(list))]...)
}
