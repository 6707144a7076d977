package exposure

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// timed is a response and how long it took.
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

// lockTable blocks all writes to a table until unlock is called.
func lockTable(t *testing.T, databaseURL, table string) (unlock func()) {
	t.Helper()
	sql := func(statement string) string {
		out, err := boottest.PSQL(t, databaseURL, statement)
		if err != nil {
			t.Error(err)
		}
		return out
	}
	var holder sync.WaitGroup
	holder.Go(func() { // unlock terminates the session, so psql returns an error
		_, _ = boottest.PSQL(t, databaseURL, "BEGIN; LOCK TABLE "+table+" IN EXCLUSIVE MODE; SELECT pg_sleep(60)")
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

// limitedAsServed returns a database URL without the longer timeouts of tests.
func limitedAsServed(t *testing.T, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("lock_timeout")
	query.Del("statement_timeout")
	u.RawQuery = query.Encode()
	return u.String()
}

// checkoutOf takes a buyer to a checkout in a shop that sells mugs, and returns the request that pays it.
func checkoutOf(t *testing.T, buyer caller, product string) (finalize string) {
	t.Helper()
	init := `{"items":[{"product_id":"` + product + `","quantity":1}],` +
		`"shipping_address":{"name":"A","line1":"1 St","city":"X","state":"CA","postal_code":"9","country":"US"}}`
	session := buyer.send("POST", "/acp/search", `{"query":"mug"}`).is(t, 200, "").field("session_id")
	init = `{"session_id":"` + session + `",` + init[1:]
	id := buyer.send("POST", "/acp/checkout/init", init).is(t, 200, "").field("checkout_id")
	return `{"checkout_id":"` + id + `","payment":{"method":"psp_spt","token":"spt_sandbox_ok"},"buyer_email":"a@example.com"}`
}

// metric returns the value of a line of the metrics page, or 0 if there is none.
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

// All writes of merchants wait for a lock. The server quickly sheds what it cannot take with a proper error, continues to sell,
// and recovers when the lock is released.
func TestAnOverloadedServerShedsAndRecovers(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	app := boottest.Start(t, limitedAsServed(t, database))
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
	var crowd sync.WaitGroup
	answers := make([]timed, 400)
	for i := range answers {
		crowd.Go(func() {
			answers[i] = admin.timed("POST", "/v1/projects", `{"name":"Crowd","slug":"crowd-`+strconv.Itoa(i)+`"}`)
		})
	}
	const shed = `haggle_shed_total{lane="management"}`
	for start := time.Now(); metric(t, app.OpsURL(), shed) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("nothing was shed")
		}
	}
	ops := caller{t: t, url: app.OpsURL()}
	var others sync.WaitGroup
	for range 20 { // one may be accepted and another one shed
		others.Go(func() { servedOrShed(t, "a read", admin.timed("GET", "/v1/projects/"+shop, "")) })
		others.Go(func() { servedOrShed(t, "a search", buyer.timed("POST", "/acp/search", `{"query":"mug"}`)) })
	}
	goesOn(t, "under overload", map[string]func() timed{
		"finalize": func() timed { return buyer.timed("POST", "/acp/checkout/finalize", payments[0]) },
		"livez":    func() timed { return ops.timed("GET", "/livez", "") },
		"readyz":   func() timed { return ops.timed("GET", "/readyz", "") },
	})
	others.Wait()
	unlock()
	crowd.Wait()
	if shedCount := countShed(t, answers); float64(shedCount) > metric(t, app.OpsURL(), shed) || shedCount < len(answers)/3 {
		t.Errorf("%d of %d were turned away, %v are counted", shedCount, len(answers), metric(t, app.OpsURL(), shed))
	}
	goesOn(t, "afterwards", map[string]func() timed{
		"a merchant's write": func() timed { return admin.timed("PATCH", "/v1/projects/"+shop, `{"name":"After"}`) },
		"finalize":           func() timed { return buyer.timed("POST", "/acp/checkout/finalize", payments[1]) },
		"readyz":             func() timed { return ops.timed("GET", "/readyz", "") },
	})
}

// atMost is the maximum time of a fast response on a busy machine.
const atMost = 10 * time.Second

// goesOn makes all calls concurrently and expects each to succeed fast.
func goesOn(t *testing.T, when string, calls map[string]func() timed) {
	t.Helper()
	var all sync.WaitGroup
	for name, send := range calls {
		all.Go(func() {
			if r := send(); r.err != nil || r.status != 200 || r.took > atMost {
				t.Errorf("%s, %s: %v, %d %.200s after %v", when, name, r.err, r.status, r.body, r.took)
			}
		})
	}
	all.Wait()
}

// servedOrShed expects a fast response, which may say that the server is overloaded.
func servedOrShed(t *testing.T, what string, r timed) {
	t.Helper()
	if r.err != nil || r.took > atMost || r.status != 200 && !r.shed() {
		t.Errorf("%s under overload: %v, %d %.200s after %v", what, r.err, r.status, r.body, r.took)
	}
}

// shed reports whether the response is the error overloaded, in the format of its API.
func (r timed) shed() bool {
	if r.status != 503 || r.code() != "overloaded" || r.header.Get("Retry-After") != "1" {
		return false
	}
	return r.field("error.request_id") != "" || r.field("status") == "error" && r.field("retry_after") == "1"
}

// countShed counts the responses with the error overloaded, and checks that all others are expected.
func countShed(t *testing.T, answers []timed) (n int) {
	t.Helper()
	met := map[string]int{}
	slowest := map[string]time.Duration{}
	for _, a := range answers {
		what := strconv.Itoa(a.status) + " " + a.code()
		met[what]++
		slowest[what] = max(slowest[what], a.took)
		switch what {
		case "503 overloaded":
			if n++; a.took > atMost || !a.shed() {
				t.Errorf("turned away after %v: %v %s", a.took, a.header, a.body)
			}
		case "503 storage_unavailable":
			if after := a.header.Get("Retry-After"); after != "1" {
				t.Errorf("%s with Retry-After %q", what, after)
			}
		case "201 ":
		default:
			t.Errorf("%v: %s %.200s after %v", a.err, what, a.body, a.took)
		}
	}
	t.Logf("%v, the slowest %v", met, slowest)
	return n
}

// The timeout for a request's body does not limit its work: a write that waits for a lock longer than a body may take succeeds,
// and so does the next request on its connection.
func TestWorkMayTakeLongerThanBodies(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[1].URL(t)
	admin := call(t, boottest.Start(t, database).URL())
	unlock := lockTable(t, database, "audit_events")
	timer := time.AfterFunc(6*time.Second, unlock)
	defer timer.Stop()
	answers := atOnce(t, 2, func(i int) (reply, error) {
		slug := "patient-" + strconv.Itoa(i)
		return admin.with(keyHeader, []string{"", slug}[i]).try("POST", "/v1/projects", `{"name":"Patient","slug":"`+slug+`"}`)
	})
	for i, r := range answers {
		if r.status != 201 {
			t.Errorf("%d: %d %s", i, r.status, r.body)
		}
	}
	for range 2 { // on the kept-alive connections
		if r := admin.send("GET", "/v1/projects", ""); r.status != 200 {
			t.Errorf("the next request of the connection: %d %s", r.status, r.body)
		}
	}
}
