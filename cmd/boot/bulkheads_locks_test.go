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

// In these tests requests of one tenant wait in PostgreSQL for locked rows. The other tenants' requests must all be served.

// rowLock is a transaction that holds row locks.
type rowLock struct {
	*testing.T
	db *sql.DB
	tx *sql.Tx
}

// lockRows locks the rows of a query until release is called.
func lockRows(t *testing.T, database, query string, args ...any) rowLock {
	t.Helper()
	db := boottest.Inspect(t, database)
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if found, err := tx.Exec(query+" FOR UPDATE", args...); err != nil {
		t.Fatal(err)
	} else if n, err := found.RowsAffected(); err != nil || n == 0 {
		t.Fatal(n, "rows locked", err)
	}
	return rowLock{t, db, tx}
}

// waiting returns how many transactions wait for a lock.
func (l rowLock) waiting() (n int) {
	l.Helper()
	const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
	if err := l.db.QueryRow(query).Scan(&n); err != nil {
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

// id returns the project's id.
func (s testShop) id() string {
	_, id, _ := strings.Cut(s.project, ": ")
	return id
}

// offersInOneSession returns a new session and offers in it, each of which updates the session's row.
func (s testShop) offersInOneSession() (session string, offer func(i int) *http.Request) {
	s.Helper()
	session = fmt.Sprint(apiClient{s.T, s.acp, ""}.call(200, "POST", "/acp/search", `{"query": "lantern"}`)["session_id"])
	return session, func(i int) *http.Request {
		return request(s.T, "POST", s.acp+"/acp/quote", fmt.Sprintf(
			`{"session_id": %q, "product_id": %q, "quantity": 1, "offer_price": %d.%02d, "buyer_context": {"location": "Place %d"}}`,
			session, s.product, 70+i, i, i))
	}
}

func (s testShop) expectPurchase(checkout string) {
	s.Helper()
	expectAll(s.T, 1, 200, func(int) *http.Request { return s.finalize(checkout, "spt_sandbox_ok") })
}

// Payments for one product that wait for its stock row use only their shop's share of the connections.
func TestApp_connectionsWhileRowLocked(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, database, trustLoopbackProxies, func(c *boot.Config) { c.Connections = 10 })
	first, second := openTestShop(t, app, "first"), openTestShop(t, app, "second")
	checkouts := make([]string, 20)
	for i := range checkouts {
		checkouts[i] = first.checkout()
	}
	stock := lockRows(t, database, "SELECT FROM stock WHERE project_id = $1", first.id())
	buyers := sendAll(t, len(checkouts), func(i int) *http.Request { return fromBuyer(i, first.finalize(checkouts[i], "spt_sandbox_ok")) })
	const share = 6 // the most of 10 connections that one project gets
	eventually(t, "payments that wait for a lock and for connections", func() bool {
		return stock.waiting() >= share && metric(t, app, `haggle_database_waiting{db_name="postgres"}`) > 0
	})
	expectAll(t, 19, 200, second.offer)
	second.expectPurchase(second.checkout())
	if n := stock.waiting(); n != share {
		t.Errorf("when the other merchant has its answers, %d payments wait for the lock; want %d of 10 connections", n, share)
	}
	stock.release()
	buyers.all.Wait()
	if buyers.count(200) != len(checkouts) {
		t.Errorf("the buyers of the locked product: %v", buyers.statuses)
	}
}

// A crowd at one shop fills that shop's share of a lane. The other shop's requests are served.
func TestShare_crowdOfOneShop(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, database)
	first, second := openTestShop(t, app, "first"), openTestShop(t, app, "second")
	session, offer := first.offersInOneSession()
	checkout, other := first.checkout(), second.checkout()

	lock := lockRows(t, database, "SELECT FROM sessions WHERE id = $1", session)
	sendAll(t, 40, offer)
	waitForShedding(t, app, "acp")
	expectAll(t, 19, 200, second.offer)
	lock.release()

	lock = lockRows(t, database, "SELECT FROM checkouts WHERE id = $1", checkout)
	sendAll(t, 320, func(int) *http.Request { return first.finalize(checkout, "spt_sandbox_ok") })
	waitForShedding(t, app, "payments")
	second.expectPurchase(other)
	if lock.waiting() == 0 {
		t.Error("nobody waits for the lock any more")
	}
	lock.release()
}

// metric returns a metric that is a whole number, or 0.
func metric(t *testing.T, app *boot.App, name string) int {
	t.Helper()
	_, after, _ := strings.Cut(get(t, app.OpsURL()+"/metrics").body, name+" ")
	count, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.Atoi(count) // 0 if there is no line
	return n
}

// waitForShedding waits until a lane sheds requests.
func waitForShedding(t *testing.T, app *boot.App, lane string) {
	t.Helper()
	eventually(t, "requests that find no place among "+lane, func() bool {
		return metric(t, app, fmt.Sprintf("haggle_shed_total{lane=%q}", lane)) > 0
	})
}

// Two tenants fill the merchants' lane or the buyers' lane. The other lane still serves requests.
func TestOpenEdge_merchantAndBuyerLanes(t *testing.T) {
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
	first, second := openTestShop(t, app, "first"), openShopOf(apiClient{t, app.URL(), made.Secret}, "second")
	third := openTestShop(t, app, "third")
	both := []testShop{first, second}
	ask := func(s testShop, method, path, body string) *http.Request {
		r := request(t, method, app.URL()+path, body)
		r.Header.Set("Authorization", "Bearer "+s.key)
		r.Header.Set("X-Project-ID", s.id())
		return r
	}

	lock := lockRows(t, database, "SELECT FROM products WHERE id IN ($1, $2)", first.product, second.product)
	sendAll(t, 40, func(i int) *http.Request {
		return ask(both[i%2], "PATCH", "/v1/catalog/products/"+both[i%2].product, fmt.Sprintf(`{"name": "Lantern %d"}`, i))
	})
	waitForShedding(t, app, "management")
	expectAll(t, 19, 200, third.offer)
	lock.release()

	ours, offer := first.offersInOneSession()
	theirs, bid := second.offersInOneSession()
	lock = lockRows(t, database, "SELECT FROM sessions WHERE id IN ($1, $2)", ours, theirs)
	sendAll(t, 80, func(i int) *http.Request { return []func(int) *http.Request{offer, bid}[i%2](i / 2) })
	waitForShedding(t, app, "acp")
	expectAll(t, 19, 200, func(int) *http.Request { return ask(third, "GET", "/v1/projects/"+third.id(), "") })
	lock.release()
}
