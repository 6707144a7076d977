package porttest

import (
	"github.com/haggle-commerce/haggle/ports"
)

func (s *Shop) Changes(since int64) ports.CatalogChanges {
	s.T.Helper()
	c, err := s.Catalog.Changes(s.Ctx, s.Project.ID, since)
	s.Must(err)
	return c
}
