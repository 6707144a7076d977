package boot_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// tokens is HubSpot giving tokens: those of a code live for a minute, and refreshing one takes until it is let go.
type tokens struct {
	refreshes atomic.Int64
	cut       atomic.Int64 // refreshes that the replica gave up, as it does after 8 s on a slow machine: one more follows
	met, goOn chan struct{}
}

func (k *tokens) watch(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/hubspot/oauth/2026-03/token" {
		next.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	next.ServeHTTP(answer, r)
	text := answer.Body.String()
	if !strings.Contains(string(body), "grant_type=refresh_token") {
		text = strings.Replace(text, `"expires_in":1800`, `"expires_in":60`, 1)
	} else if k.refreshes.Add(1) == 1 {
		close(k.met)
		select {
		case <-k.goOn:
		case <-r.Context().Done():
			k.cut.Add(1)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Code)
	_, _ = io.WriteString(w, text)
}

// Of replicas that all want a token refreshed, one does it. The others use the token while it lasts, and then
// what the one got.
func TestOneReplicaRefreshesAToken(t *testing.T) {
	t.Parallel()
	o := openTown(t, platforms.Config{
		Customers:     3,
		Orders:        -1,
		HubSpotPer10s: 1000,
	})
	hubspot := &tokens{met: make(chan struct{}), goOn: make(chan struct{})}
	o.watch(hubspot.watch)
	database := boottest.Engines[1].URL(t)
	first := boottest.Start(t, database, o.config)
	k := merchant{t, first.URL(), boottest.Key}.keep("shop")
	waitForRun(t, first.OpsURL(), "refresh tokens") // nothing, and not again for a minute
	second, start := prepare(t, database, o.config)
	third, startToo := prepare(t, database, o.config)
	crm := k.connectBy("hubspot")
	start() // which looks at once
	<-hubspot.met
	startToo()
	waitForRun(t, third.OpsURL(), "refresh tokens")
	k.completes(k.begin(crm, `{"resources":["customers"]}`), "customers", 3)
	close(hubspot.goOn)
	waitForRun(t, second.OpsURL(), "refresh tokens")
	if now := k.ask(200, "GET", crm, ""); now["status"] != "connected" || now["last_error"] != nil {
		t.Errorf("%v", now)
	}
	k.completesAgain(crm)
	if n, cut := hubspot.refreshes.Load(), hubspot.cut.Load(); n != 1+cut {
		t.Errorf("three replicas refreshed the token %d times, %d of which were cut off", n, cut)
	}
}

// completesAgain wants one more sync to complete.
func (k keeper) completesAgain(integration string) {
	k.Helper()
	if run := k.ended(k.begin(integration, `{"full_sync":true}`)); run["status"] != "completed" {
		k.Errorf("%v", run)
	}
}

// pages notes which pages of a merchant's own system are asked for.
type pages struct {
	mu    sync.Mutex
	asked map[string]int // by resource and cursor
	hold  func(*http.Request)
}

func (p *pages) watch(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if resource, found := strings.CutPrefix(r.URL.Path, "/custom/"); found && r.Method == "GET" && resource != "account" {
		p.mu.Lock()
		p.asked[resource+" "+r.URL.Query().Get("cursor")]++
		p.mu.Unlock()
		if p.hold != nil {
			p.hold(r)
		}
	}
	next.ServeHTTP(w, r)
}

// twice are pages that were asked for more than once for each of so many runs.
func (p *pages) twice(runs int) (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for page, n := range p.asked {
		if n != runs {
			list = append(list, fmt.Sprint(page, ": ", n))
		}
	}
	return list
}

// Runs are claimed by one replica each: no page is read twice, and nothing is taken twice.
func TestReplicasShareSyncs(t *testing.T) {
	t.Parallel()
	const runs, products = 8, 1100
	o := openTown(t, platforms.Config{
		Products:  products,
		Customers: 300,
		Orders:    -1,
	})
	p := &pages{asked: map[string]int{}}
	o.watch(p.watch)
	database := boottest.Engines[1].URL(t)
	here := merchant{t, boottest.Start(t, database, o.config).URL(), boottest.Key}
	there := merchant{t, boottest.Start(t, database, o.config).URL(), boottest.Key}
	var shops []keeper
	var begun []string
	for i := range runs {
		k := here.keep(fmt.Sprint("shop-", i))
		if i%2 == 1 {
			k.merchant = there
		}
		shops, begun = append(shops, k), append(begun, k.begin(k.connectOwn(o), `{"resources":["products","customers"]}`))
	}
	for i, k := range shops {
		k.completes(begun[i], "products", products)
		k.completes(begun[i], "customers", 300)
		if total := k.ask(200, "GET", "/v1/catalog/products?limit=1", "")["meta"].(map[string]any)["total"]; total != float64(products) {
			t.Errorf("there are %v products", total)
		}
	}
	if list := p.twice(runs); len(list) > 0 {
		t.Errorf("%d runs read these pages more or less often than once each: %q", runs, list)
	}
}

// A server that is told to stop lets go of its sync, and another one goes on where it was.
func TestAnotherReplicaGoesOn(t *testing.T) {
	t.Parallel()
	const products = 1500
	o := openTown(t, platforms.Config{
		Products:  products,
		Customers: -1,
		Orders:    -1,
	})
	p := &pages{asked: map[string]int{}}
	met, held := make(chan struct{}), atomic.Bool{}
	p.hold = func(r *http.Request) { // the fourth page, until who asks for it gives up
		p.mu.Lock()
		n := len(p.asked)
		p.mu.Unlock()
		if n == 4 && held.CompareAndSwap(false, true) {
			close(met)
			<-r.Context().Done()
		}
	}
	o.watch(p.watch)
	database := boottest.Engines[1].URL(t)
	address, stop := serve(t, database, o.config)
	k := merchant{t, address, boottest.Key}.keep("shop")
	run := k.begin(k.connectOwn(o), `{"resources":["products"]}`)
	<-met
	began := time.Now()
	stop()
	k.url = boottest.Start(t, database, o.config).URL()
	k.completes(run, "products", products)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s to go on: only after the lease", took)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	again := 0
	for page, n := range p.asked {
		if again += n - 1; n > 1 && page == "products " {
			t.Errorf("it began from the start: %v", p.asked)
		}
	}
	if again < 1 || again > 2 { // the page that was held up, and the one that waited to be taken
		t.Errorf("%d pages were read again: %v", again, p.asked)
	}
}
