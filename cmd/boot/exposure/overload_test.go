package exposure

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// timed is an answer and how long it took.
type timed struct {
	reply
	err  error
	took time.Duration
}

func (c caller) timed(method, path, body string) timed {
	start := time.Now()
	r, err := c.try(method, path, body)
	return timed{r, err, time.Since(start)}
}

// lockTable keeps everybody from writing to a table until unlock.
func lockTable(t *testing.T, databaseURL, table string) (unlock func()) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	server, database := pgserver.Shared(t), strings.TrimPrefix(u.Path, "/")
	sql := func(statement string) string {
		out, err := server.PSQL(database, statement)
		if err != nil {
			t.Error(err)
		}
		return out
	}
	var holder sync.WaitGroup
	holder.Go(func() { // ends with an error, for it is ended
		_, _ = server.PSQL(database, "BEGIN; LOCK TABLE "+table+" IN EXCLUSIVE MODE; SELECT pg_sleep(60)")
	})
	const held = "FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' AND relation = '"
	for sql("SELECT count(*) "+held+table+"'::regclass") == "0" {
		time.Sleep(10 * time.Millisecond)
	}
	unlock = sync.OnceFunc(func() {
		sql("SELECT pg_terminate_backend(pid) " + held + table + "'::regclass")
		holder.Wait()
	})
	t.Cleanup(unlock)
	return unlock
}

// checkoutOf brings a buyer to the checkout of a shop that sells mugs, and returns what pays it.
func checkoutOf(t *testing.T, buyer caller, product string) (finalize string) {
	t.Helper()
	init := `{"items":[{"product_id":"` + product + `","quantity":1}],` +
		`"shipping_address":{"name":"A","line1":"1 St","city":"X","state":"CA","postal_code":"9","country":"US"}}`
	session := buyer.send("POST", "/acp/search", `{"query":"mug"}`).is(t, 200, "").field("session_id")
	init = `{"session_id":"` + session + `",` + init[1:]
	id := buyer.send("POST", "/acp/checkout/init", init).is(t, 200, "").field("checkout_id")
	return `{"checkout_id":"` + id + `","payment":{"method":"psp_spt","token":"spt_sandbox_ok"},"buyer_email":"a@example.com"}`
}

// metric is a line's value on the page of metrics; 0 if there is none.
func metric(t *testing.T, opsURL, line string) float64 {
	t.Helper()
	page := caller{t: t, url: opsURL}.send("GET", "/metrics", "").is(t, 200, "").body
	for text := range strings.Lines(page) {
		if value, found := strings.CutPrefix(strings.TrimSpace(text), line+" "); found {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
	}
	return 0
}

// All writes of merchants wait for a lock. The server turns away what it cannot take, soon and in
// words, goes on selling, and is well when the lock is gone.
func TestAnOverloadedServerShedsAndRecovers(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, database)
	admin := call(t, app.URL())
	shop := openShop(admin, "shop")
	product := admin.with("X-Project-ID", shop).send("POST", "/v1/catalog/products",
		`{"name":"Mug","sku":"mug","price":100,"category":"Kitchen","quantity":50}`).is(t, 201, "").field("id")
	buyer := caller{t, admin.url + "/p/shop", nil}
	payments := make([]string, 3)
	for i := range payments {
		payments[i] = checkoutOf(t, buyer, product)
	}

	unlock := lockTable(t, database, "audit_events")
	var clients sync.WaitGroup
	answers := make([]timed, 400)
	for i := range answers {
		clients.Go(func() {
			answers[i] = admin.timed("POST", "/v1/projects", `{"name":"Crowd","slug":"crowd-`+strconv.Itoa(i)+`"}`)
		})
	}
	for start := time.Now(); metric(t, app.OpsURL(), `haggle_shed_total{lane="operations"}`) == 0; {
		if time.Since(start) > 10*time.Second {
			t.Fatal("nothing was shed")
		}
		time.Sleep(20 * time.Millisecond)
	}
	probe := func(name string, r timed) {
		t.Logf("%s: %v %d %.100s after %v", name, r.err, r.status, r.body, r.took)
	}
	var probes sync.WaitGroup
	for name, send := range map[string]func() timed{
		"write on account": func() timed { return admin.timed("POST", "/v1/projects", `{"name":"Late","slug":"late"}`) },
		"write on project": func() timed { return admin.timed("PATCH", "/v1/projects/"+shop, `{"name":"Late"}`) },
		"read":             func() timed { return admin.timed("GET", "/v1/projects/"+shop, "") },
		"search":           func() timed { return buyer.timed("POST", "/acp/search", `{"query":"mug"}`) },
		"finalize":         func() timed { return buyer.timed("POST", "/acp/checkout/finalize", payments[0]) },
		"livez":            func() timed { return caller{t: t, url: app.OpsURL()}.timed("GET", "/livez", "") },
		"readyz":           func() timed { return caller{t: t, url: app.OpsURL()}.timed("GET", "/readyz", "") },
	} {
		probes.Go(func() { probe(name, send()) })
	}
	probes.Wait()
	unlock()
	clients.Wait()
	codes := map[string]int{}
	slowest := map[string]time.Duration{}
	for _, a := range answers {
		key := strconv.Itoa(a.status) + a.code()
		codes[key]++
		slowest[key] = max(slowest[key], a.took)
	}
	t.Log(codes, slowest)
	for range 3 {
		probe("after", admin.timed("PATCH", "/v1/projects/"+shop, `{"name":"After"}`))
	}
	probe("after", buyer.timed("POST", "/acp/checkout/finalize", payments[1]))
}
