package journey

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// lived is how many journeys the history is copied from.
const lived = 50

// pastDays is how far the history goes back.
const pastDays = 90

// past lists the tables of a shop's history in the order in which they are filled, with the columns that differ in a copy. A
// copy is at least two days older than its original, and copies are spread over ninety days. Quotes are not redeemed and
// checkouts not paid, so that orders, charges and money are only those of the benchmark's own journeys. Decisions are sealed
// outside of the chain, which continues from its end, so haggle verify does not check them.
var past = []struct {
	table     string
	different map[string]string
}{
	{"sessions", map[string]string{"id": "", "created_at": "", "last_activity": "", "expires_at": ""}},
	{"quotes", map[string]string{
		"id": "", "session_id": "", "created_at": "", "valid_until": "", "token_hash": "md5(t.token_hash || n)", "claimed_by": "''", "redeemed_by": "''",
	}},
	{"decisions", map[string]string{
		"id": "", "session_id": "", "negotiation_id": "", "quote_id": "", "at": "", "client": "md5(t.client || n)", "position": "1000000000 + t.position * 10000000 + n",
	}},
	{"checkouts", map[string]string{
		"id": "", "session_id": "", "created_at": "", "valid_until": "", "status": "'expired'", "claimed_at": "NULL", "lease_until": "NULL",
		"abandoned_at": "0", "attempt": "0", "taken": "'[]'", "payment": "'{}'", "client": "''",
	}},
}

// live gives the shop a history of n sessions.
func (s *server) live(b *testing.B, n int) {
	b.Helper()
	must(b, s.buyer.run(lived, min(lived, clients)))
	for deadline := time.Now().Add(20 * time.Second); s.ask(b, "journey", "SELECT count(*) FROM decisions WHERE position IS NULL") > 0; {
		if time.Now().After(deadline) {
			b.Fatal("decisions were not sealed")
		}
		time.Sleep(100 * time.Millisecond)
	}
	repeats := (n + lived - 1) / lived
	for _, p := range past {
		names, err := s.cluster.PSQL("journey", fmt.Sprintf(
			"SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped", p.table))
		must(b, err)
		var values []string
		for _, column := range strings.Fields(names) {
			values = append(values, copied(column, p.different, pastDays*24*time.Hour/time.Duration(repeats)))
		}
		_, err = s.cluster.PSQL("journey", fmt.Sprintf(`SET session_replication_role = replica;
INSERT INTO %[1]s (%[2]s)
SELECT %[3]s
FROM (SELECT * FROM %[1]s ORDER BY id LIMIT %[4]d) AS t
CROSS JOIN generate_series(CAST(1 AS BIGINT), %[5]d) AS n`, p.table, strings.Join(strings.Fields(names), ", "), strings.Join(values, ", "), lived, repeats))
		must(b, err)
	}
	for _, statement := range []string{"VACUUM ANALYZE", "UPDATE retention SET due_at = 0"} {
		_, err := s.cluster.PSQL("journey", statement)
		must(b, err)
	}
	for deadline := time.Now().Add(5 * time.Minute); s.ask(b, "journey", "SELECT coalesce(sum(sessions), 0) FROM analytics_slots") < n; {
		if time.Now().After(deadline) {
			b.Fatal("sessions were not counted")
		}
		time.Sleep(time.Second)
	}
}

// copied returns the expression of a copy's column: the original's, unless it is in different. Ids get another suffix, and
// times another day.
func copied(column string, different map[string]string, apart time.Duration) string {
	value, ok := different[column]
	switch {
	case !ok:
		return "t." + column
	case value != "":
		return value
	case strings.HasSuffix(column, "id"):
		return fmt.Sprintf("left(t.%[1]s, length(t.%[1]s) - 7) || lpad(CAST(n AS TEXT), 7, '0')", column)
	}
	return fmt.Sprintf("t.%s - 172800000 - %d * n", column, apart.Milliseconds())
}
