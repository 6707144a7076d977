package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// Connection is an integration that is not stored yet.
func (s *Shop) Connection(kind integration.Type, at time.Time) *integration.Integration {
	hook := integration.Hook{
		ID:     Random[id.Webhook](),
		Remote: "we_1",
		Status: integration.HookActive,
	}
	i := integration.Connect(Random[id.Integration](), s.Project.ID, integration.Draft{Type: kind, Name: "Ægir's \\ account"},
		integration.Config{Account: "acct_1", Live: true}, hook, at)
	i.Sealed = []byte("sealed \x00\xff")
	return i
}

// Connect stores an integration and its routes.
func (s *Shop) Connect(kind integration.Type, at time.Time) *integration.Integration {
	s.T.Helper()
	i := s.Connection(kind, at)
	s.Must(s.Integrations.Connect(s.Ctx, i, i.Route))
	s.Reread()
	return i
}
