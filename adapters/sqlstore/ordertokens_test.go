package sqlstore_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// Events of earlier releases contained the session, whose id grants access to the order. A migration removes it.
func TestMigrations_eventsWithoutSessions(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		engine := "sqlite"
		if s.DB.Dialect.OneTrip {
			engine = "postgres"
		}
		script, err := fs.ReadFile(storetest.MigrationsOf(engine), "00049_events_without_sessions.sql")
		if err != nil {
			t.Fatal(err)
		}
		_, update, _ := strings.Cut(string(script), "UPDATE")
		insert := func(kind, data string) string {
			return `INSERT INTO outbox (project_id, id, type, payload, created_at, attempts) VALUES ('` + p.ID.String() + `', '` + kind + `', '` + kind +
				`', '{"type":"` + kind + `","data":{` + data + `}}', 1, 0)`
		}
		const session = `"session_id":"sess_0000000000000000000000000a",`
		if err := written(t.Context(), s,
			insert("order.completed", `"checkout_id":"chk_1",`+session+`"total":95.00,"notes":"session_id"`),
			insert("quote.accepted", `"quote_id":"quote_1",`+session+`"final_price":95.10`),
			"UPDATE"+update,
		); err != nil {
			t.Fatal(err)
		}
		rows := storetest.Events(t, s, p.ID)
		if want := `{"type":"order.completed","data":{"checkout_id":"chk_1","total":95.00,"notes":"session_id"}}`; rows[0].Payload != want {
			t.Errorf("%s, want %s", rows[0].Payload, want)
		}
		if want := `{"type":"quote.accepted","data":{"quote_id":"quote_1","final_price":95.10}}`; rows[1].Payload != want {
			t.Errorf("%s, want %s", rows[1].Payload, want)
		}
	})
}
