package porttest

import (
	"github.com/haggle-commerce/haggle/ports"
)

func (s *Shop) Unit(work func(ports.SyncStores) error) error {
	return s.SyncUnit.InTx(s.Ctx, s.Project.ID, work)
}
