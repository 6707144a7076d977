package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Run is one that is not stored yet.
func (s *Shop) Run(i id.Integration, at time.Time) *syncrun.Run {
	return syncrun.Start(Random[id.Sync](), s.Project.ID, i, syncrun.Resources, false, nil, at)
}

// Started stores a run.
func (s *Shop) Started(i id.Integration, at time.Time) *syncrun.Run {
	s.T.Helper()
	r := s.Run(i, at)
	s.Must(s.SyncRuns.Start(s.Ctx, r))
	return r
}
