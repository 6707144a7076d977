package exposure

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// Requests that an unknown address may send at once, and per minute.
const strangersBurst, strangersRate = 150, 100

// A flood of unknown keys is refused by address, and then costs no lookups. A client with a valid key at the same address is
// not affected.
func TestAFloodOfUnknownKeysCostsFewLookups(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		database := engine.URL(t)
		most := 0
		t.Run("flood", func(t *testing.T) { most = flood(t, boottest.Start(t, database).URL()) })
		if engine.Name != "postgres" {
			return
		}
		// Closed connections have reported their statistics. A lookup takes two scans.
		if scans := scansOf(t, database, "api_keys"); scans == 0 || scans > 2*most {
			t.Errorf("%d scans of the keys, want at most %d", scans, 2*most)
		}
	})
}

// flood sends invalid keys while a merchant works, and returns how many lookups that may cost.
func flood(t *testing.T, url string) (most int) {
	const junk, senders = 2000, 16
	merchant := call(t, url)
	merchant.send("GET", "/v1/account", "").is(t, 200, "")
	start := time.Now()
	over, merchants := make(chan struct{}), sync.WaitGroup{}
	served := 0
	merchants.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			if r, err := merchant.try("GET", "/v1/account", ""); err != nil || r.status != 200 {
				t.Errorf("a merchant in the flood: %v, %d %s", err, r.status, r.body)
			}
			served++
		}
	})
	var all sync.WaitGroup
	var mu sync.Mutex
	met := map[string]int{}
	for sender := range senders {
		all.Go(func() {
			for n := range junk / senders {
				r, err := merchant.key(fmt.Sprintf("hk_test_%020d%020d", sender, n)).try("GET", "/v1/account", "")
				if err != nil || r.header.Get("RateLimit-Limit") != strconv.Itoa(strangersBurst) {
					t.Errorf("%v, %d %v", err, r.status, r.header)
				}
				mu.Lock()
				met[strconv.Itoa(r.status)+" "+r.code()]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	close(over)
	merchants.Wait()
	most = strangersBurst + int(took*strangersRate/time.Minute) + 1
	if unauthenticated := met["401 unauthenticated"]; unauthenticated > most || unauthenticated < strangersBurst || met["429 rate_limited"] != junk-unauthenticated {
		t.Errorf("%v, want at most %d told that their key is unknown", met, most)
	}
	t.Logf("%v in %v, a merchant was served %d times meanwhile", met, took, served)
	// One sender's request may come between another's check and count, and the merchant's key is reloaded every second.
	return most + senders*(2+int(took/time.Second)) + 4*(1+int(took/time.Second))
}

// scansOf returns how often a table was read, after all other connections have closed.
func scansOf(t *testing.T, databaseURL, table string) int {
	t.Helper()
	sql := func(statement string) int {
		out, err := boottest.PSQL(t, databaseURL, statement)
		number, notNumber := strconv.Atoi(strings.TrimSpace(out))
		if err != nil || notNumber != nil {
			t.Fatal(out, err, notNumber)
		}
		return number
	}
	for start := time.Now(); sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()") > 1; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the server's connections do not end")
		}
	}
	return sql("SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = '" + table + "'")
}

// limitedBuyers sets a rate limit for buyers and trusts X-Forwarded-For.
func limitedBuyers(rate string) func(*boot.Config) {
	return func(c *boot.Config) { c.ACPRate, c.TrustedProxies = rate, "127.0.0.0/8" }
}

// Unknown slugs have no rate limit of their own, and are limited too.
func TestInventedShopsAreNoWayAroundTheRate(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		url := boottest.Start(t, engine.URL(t), limitedBuyers("1/5")).URL()
		openShop(call(t, url), "shop")
		start, buyer := time.Now(), caller{t, url, map[string]string{"X-Forwarded-For": "198.51.100.7"}}
		shop, limit := "/p/shop/.well-known/acp/manifest.json", func(r reply) string { return r.header.Get("RateLimit-Limit") }
		for range 5 {
			if r := buyer.send("GET", shop, "").is(t, 200, ""); limit(r) != "5" {
				t.Errorf("a rate of %s", limit(r))
			}
		}
		buyer.send("GET", shop, "").is(t, 429, "rate_limited")
		if r := spend(t, start, 50-6, 10, func(n int) reply { // six were in the shop
			return buyer.send("GET", fmt.Sprintf("/p/invented-%d/.well-known/acp/manifest.json", n), "")
		}); limit(r) != "50" || r.header.Get("Retry-After") == "" {
			t.Errorf("%v", r.header)
		}
		buyer.send("GET", shop, "").is(t, 429, "rate_limited")
		buyer.with("X-Forwarded-For", "198.51.100.8").send("GET", shop, "").is(t, 200, "")
	})
}

// given returns how many requests the rate may have allowed since start, plus one in progress.
func given(start time.Time, perMinute int) int {
	return int(time.Since(start)*time.Duration(perMinute)/time.Minute) + 1
}

// spend sends requests until one is refused, and returns the refusal. It expects the refusal after burst requests plus those
// that the rate has allowed meanwhile.
func spend(t *testing.T, start time.Time, burst, perMinute int, ask func(n int) reply) reply {
	t.Helper()
	for n := 0; ; n++ {
		r := ask(n)
		most := burst + given(start, perMinute)
		if r.status == 429 && n >= burst && n <= most {
			return r.is(t, 429, "rate_limited")
		}
		if r.is(t, 404, "project_not_found"); n > most {
			t.Fatalf("%d requests were not refused, want %d at most", n, most)
		}
	}
}

// Many addresses of one IPv6 network count as one client.
func TestAnIPv6SiteHasARate(t *testing.T) {
	t.Parallel()
	url := boottest.Start(t, boottest.Engines[0].URL(t), limitedBuyers("1/1")).URL()
	buyer := caller{t, url, nil}
	from := func(format string, n int) caller { return buyer.with("X-Forwarded-For", fmt.Sprintf(format, n)) }
	spend(t, time.Now(), 100, 100, func(n int) reply {
		return from("2001:db8:1:%x::1", n).send("GET", "/p/invented/.well-known/acp/manifest.json", "")
	})
	from("2001:db8:%x::1", 2).send("GET", "/p/invented/.well-known/acp/manifest.json", "").is(t, 404, "project_not_found")
}

// Without a rate limit for buyers there are neither refusals nor headers.
func TestTheRateOfBuyersCanBeOff(t *testing.T) {
	t.Parallel()
	buyer := caller{t, boottest.Start(t, boottest.Engines[0].URL(t)).URL(), nil}
	for range 100 {
		if r := buyer.send("GET", "/p/invented/.well-known/acp/manifest.json", "").is(t, 404, "project_not_found"); r.header.Get("RateLimit-Limit") != "" {
			t.Fatalf("%v", r.header)
		}
	}
}

// Requests to unknown routes count towards the limit, even without a key.
func TestUnknownRoutesAreCounted(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t), func(c *boot.Config) { c.EnterpriseRate = "1/12" })
	merchant := call(t, app.URL())
	start, left, rates := time.Now(), map[string]int{"12": 12, "150": strangersBurst}, map[string]int{"12": 1, "150": strangersRate}
	for _, c := range []struct {
		caller
		limit string
	}{{merchant, "12"}, {merchant.with("Authorization", ""), "150"}, {merchant.key("hk_test_" + strings.Repeat("x", 40)), "150"}} {
		for _, route := range []struct {
			method, path, code, allow string
			status                    int
		}{
			{"GET", "/v1/nothing", "route_not_found", "", 404},
			{"GET", "/v1", "route_not_found", "", 404},
			{"POST", "/v1/", "route_not_found", "", 404},
			{"PUT", "/v1/projects", "method_not_allowed", "GET, HEAD, POST", 405},
		} {
			left[c.limit]--
			r := c.send(route.method, route.path, "").is(t, route.status, route.code)
			remaining, err := strconv.Atoi(r.header.Get("RateLimit-Remaining"))
			if err != nil || remaining < left[c.limit] || remaining >= left[c.limit]+given(start, rates[c.limit]) ||
				r.header.Get("RateLimit-Limit") != c.limit || r.header.Get("RateLimit-Reset") == "" || r.header.Get("Allow") != route.allow {
				t.Errorf("%s %s: %v, want %d left of %s", route.method, route.path, r.header, left[c.limit], c.limit)
			}
		}
	}
	for range left["12"] {
		merchant.send("GET", "/v1/nothing", "").is(t, 404, "route_not_found")
	}
	for _, method := range []string{"GET", "PUT"} {
		merchant.send(method, "/v1/projects", "").is(t, 429, "rate_limited")
	}
	merchant.send("GET", "/p/nothing/nowhere", "").is(t, 404, "route_not_found")
}
