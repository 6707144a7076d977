package sqlstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Loops that read a list in pages go on after a page whose rows are all unreadable.
func TestStore_unreadableRows(t *testing.T) {
	const part = 2
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for range 2*part + 1 {
			porttest.NewSale(t, storetest.Views(s))
		}
		var agents, projects []string
		if err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
			if err := x.Select(t.Context(), &agents, "SELECT id FROM agents ORDER BY id"); err != nil {
				return err
			}
			return x.Select(t.Context(), &projects, "SELECT id FROM projects ORDER BY id")
		}); err != nil {
			t.Fatal(err)
		}
		last := len(agents) - 1
		storetest.Change(t, s, fmt.Sprintf("UPDATE agents SET automatic = TRUE, handlers = CASE WHEN id = '%s' THEN handlers ELSE '{' END", agents[last]))
		due, err := s.Agents().SelfTuning(t.Context(), time.Now().Add(time.Hour), id.Agent{}, part)
		if len(due) != 1 || due[0].ID.String() != agents[last] {
			t.Errorf("agents that tune themselves: %v, %v", due, err)
		}
		if err == nil || strings.Count(err.Error(), "agent ") < last {
			t.Errorf("%v names not all of %d agents that cannot be read", err, last)
		}

		for n, project := range projects {
			storetest.Change(t, s, fmt.Sprintf(`
INSERT INTO integrations (project_id, id, type, name, status, account, live, webhook_id, webhook_remote, webhook_status,
  sealed, expires_at, wanted, last_error, created_at, updated_at)
VALUES ('%[1]s', 'int_%[1]s', '%[2]s', '', 'connected', '', FALSE, '%[1]s', '', 'none', CAST('x' AS %[3]s), %[4]d, 'products', '', 1, 1)`,
				project, map[bool]string{true: "shopify", false: "unknown"}[n == last], storetest.Blob(s), n+1))
		}
		queue := s.SyncQueue()
		for name, list := range map[string]func() ([]*integration.Integration, error){
			"expiring": func() ([]*integration.Integration, error) {
				return queue.Expiring(t.Context(), time.Now(), time.Now(), part)
			},
			"wanting": func() ([]*integration.Integration, error) { return queue.Wanting(t.Context(), part) },
		} {
			found, err := list()
			if len(found) != 1 || found[0].Project.String() != projects[last] || err == nil {
				t.Errorf("%s: %v, %v", name, found, err)
			}
		}
	})
}
