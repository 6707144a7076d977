package boot_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// Requests of one tenant wait in PostgreSQL for rows that somebody has locked, and the other tenants' requests are all
// served.

// rowLock is a transaction that has locked rows.
type rowLock struct {
	*testing.T
	past *sql.DB
	tx   *sql.Tx
}

// lockRows locks what a query finds until release.
func lockRows(t *testing.T, database, query string, args ...any) rowLock {
	t.Helper()
	past := inspect(t, database)
	tx, err := past.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if found, err := tx.Exec(query+" FOR UPDATE", args...); err != nil {
		t.Fatal(err)
	} else if n, err := found.RowsAffected(); err != nil || n == 0 {
		t.Fatal(n, "rows locked", err)
	}
	return rowLock{t, past, tx}
}

// waiting is how many transactions wait for a lock.
func (l rowLock) waiting() (n int) {
	l.Helper()
	const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
	if err := l.past.QueryRow(query).Scan(&n); err != nil {
		l.Fatal(err)
	}
	return n
}

func (l rowLock) release() {
	l.Helper()
	if err := l.tx.Rollback(); err != nil {
		l.Fatal(err)
	}
}

// id is the project's.
func (s stand) id() string {
	_, id, _ := strings.Cut(s.project, ": ")
	return id
}

// haggler sends offers in one session, each of which changes what the session says of the buyer.
func (s stand) haggler() (session string, offer func(i int) *http.Request) {
	s.Helper()
	session = fmt.Sprint(merchant{s.T, s.acp, ""}.call(200, "POST", "/acp/search", `{"query": "lantern"}`)["session_id"])
	return session, func(i int) *http.Request {
		return request(s.T, "POST", s.acp+"/acp/quote", fmt.Sprintf(
			`{"session_id": %q, "product_id": %q, "quantity": 1, "offer_price": %d.%02d, "buyer_context": {"location": "Place %d"}}`,
			session, s.product, 70+i, i, i))
	}
}

func (s stand) buys(checkout string) {
	s.Helper()
	neighbour(s.T, 1, 200, func(int) *http.Request { return s.finalize(checkout, "spt_sandbox_ok") })
}

// Buyers of one product leave connections to other shops.
func TestALockedRowCostsNobodyElse(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, database, proxied, func(c *boot.Config) { c.Connections = 10 })
	first, second := standAt(t, app, "first"), standAt(t, app, "second")
	checkouts := make([]string, 20)
	for i := range checkouts {
		checkouts[i] = first.checkout()
	}
	stock := lockRows(t, database, "SELECT FROM stock WHERE project_id = $1", first.id())
	buyers := gather(t, len(checkouts), func(i int) *http.Request { return from(i, first.finalize(checkouts[i], "spt_sandbox_ok")) })
	const share = 6 // the most of 10 connections that one project gets
	eventually(t, "payments that wait for a lock and for connections", func() bool {
		return stock.waiting() >= share && metric(t, app, `haggle_database_waiting{db_name="postgres"}`) > 0
	})
	neighbour(t, 19, 200, second.offer)
	second.buys(second.checkout())
	if n := stock.waiting(); n != share {
		t.Errorf("when the other merchant has its answers, %d payments wait for the lock; want %d of 10 connections", n, share)
	}
	stock.release()
	buyers.all.Wait()
	if buyers.count(200) != len(checkouts) {
		t.Errorf("the buyers of the locked product: %v", buyers.statuses)
	}
}

// A shop whose requests would take all places of a lane leaves some to others.
func TestACrowdLeavesPlacesToOtherShops(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, database)
	first, second := standAt(t, app, "first"), standAt(t, app, "second")
	session, offer := first.haggler()
	checkout, other := first.checkout(), second.checkout()

	lock := lockRows(t, database, "SELECT FROM sessions WHERE id = $1", session)
	gather(t, 40, offer)
	shedding(t, app, "acp")
	neighbour(t, 19, 200, second.offer)
	lock.release()

	lock = lockRows(t, database, "SELECT FROM checkouts WHERE id = $1", checkout)
	gather(t, 320, func(int) *http.Request { return first.finalize(checkout, "spt_sandbox_ok") })
	shedding(t, app, "payments")
	second.buys(other)
	if lock.waiting() == 0 {
		t.Error("nobody waits for the lock any more")
	}
	lock.release()
}

// metric is a whole number on the page of metrics.
func metric(t *testing.T, app *boot.App, name string) int {
	t.Helper()
	_, after, _ := strings.Cut(get(t, app.OpsURL()+"/metrics").body, name+" ")
	count, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.Atoi(count) // no line: none
	return n
}

// shedding waits until a lane is so full that it turns requests away.
func shedding(t *testing.T, app *boot.App, lane string) {
	t.Helper()
	eventually(t, "requests that find no place among "+lane, func() bool {
		return metric(t, app, fmt.Sprintf("haggle_shed_total{lane=%q}", lane)) > 0
	})
}

// Two merchants or two shops may fill their lane, and the other lane goes on.
func TestMerchantsAndBuyersCostEachOtherNothing(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, database)
	made, err := app.IssueKey(t.Context(), boot.KeyRequest{
		Name:       "other",
		Scopes:     []string{"*"},
		NewAccount: "Other",
	})
	if err != nil {
		t.Fatal(err)
	}
	first, second := standAt(t, app, "first"), standOf(merchant{t, app.URL(), made.Secret}, "second")
	third := standAt(t, app, "third")
	both := []stand{first, second}
	ask := func(s stand, method, path, body string) *http.Request {
		r := request(t, method, app.URL()+path, body)
		r.Header.Set("Authorization", "Bearer "+s.key)
		r.Header.Set("X-Project-ID", s.id())
		return r
	}

	lock := lockRows(t, database, "SELECT FROM products WHERE id IN ($1, $2)", first.product, second.product)
	gather(t, 40, func(i int) *http.Request {
		return ask(both[i%2], "PATCH", "/v1/catalog/products/"+both[i%2].product, fmt.Sprintf(`{"name": "Lantern %d"}`, i))
	})
	shedding(t, app, "management")
	neighbour(t, 19, 200, third.offer)
	lock.release()

	ours, offer := first.haggler()
	theirs, bid := second.haggler()
	lock = lockRows(t, database, "SELECT FROM sessions WHERE id IN ($1, $2)", ours, theirs)
	gather(t, 80, func(i int) *http.Request { return []func(int) *http.Request{offer, bid}[i%2](i / 2) })
	shedding(t, app, "acp")
	neighbour(t, 19, 200, func(int) *http.Request { return ask(third, "GET", "/v1/projects/"+third.id(), "") })
	lock.release()
}
