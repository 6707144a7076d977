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

// slowTokenEndpoint wraps HubSpot's token endpoint. Access tokens of a code expire after a minute, and the first refresh waits
// until release is closed.
type slowTokenEndpoint struct {
	refreshes        atomic.Int64
	canceled         atomic.Int64 // refreshes that the replica canceled, as it does after 8 s on a slow machine and then retries
	reached, release chan struct{}
}

func (k *slowTokenEndpoint) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
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
		close(k.reached)
		select {
		case <-k.release:
		case <-r.Context().Done():
			k.canceled.Add(1)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Code)
	_, _ = io.WriteString(w, text)
}

// When several replicas want to refresh a token, one does. The others use the old token while it is valid, and then the new one.
func TestRefreshTokens_oneReplica(t *testing.T) {
	t.Parallel()
	o := startFakePlatforms(t, platforms.Config{
		Customers:     3,
		Orders:        -1,
		HubSpotPer10s: 1000,
	})
	hubspot := &slowTokenEndpoint{reached: make(chan struct{}), release: make(chan struct{})}
	o.setIntercept(hubspot.serve)
	database := boottest.Engines[1].URL(t)
	first := boottest.Start(t, database, o.config)
	k := apiClient{t, first.URL(), boottest.Key}.openProject("shop")
	waitForRun(t, first.OpsURL(), "refresh tokens") // there is none yet, and it does not run again for a minute
	second, start := newServer(t, database, o.config)
	third, startToo := newServer(t, database, o.config)
	crm := k.connectByConsent("hubspot")
	start() // runs the loop at once
	<-hubspot.reached
	startToo()
	waitForRun(t, third.OpsURL(), "refresh tokens")
	k.expectSync(k.startSync(crm, `{"resources":["customers"]}`), "customers", 3)
	close(hubspot.release)
	waitForRun(t, second.OpsURL(), "refresh tokens")
	if now := k.ask(200, "GET", crm, ""); now["status"] != "connected" || now["last_error"] != nil {
		t.Errorf("%v", now)
	}
	k.expectAnotherSync(crm)
	if n, cut := hubspot.refreshes.Load(), hubspot.canceled.Load(); n != 1+cut {
		t.Errorf("three replicas refreshed the token %d times, %d of which were cut off", n, cut)
	}
}

// expectAnotherSync starts another sync and expects it to complete.
func (k projectClient) expectAnotherSync(integration string) {
	k.Helper()
	if run := k.waitForSync(k.startSync(integration, `{"full_sync":true}`)); run["status"] != "completed" {
		k.Errorf("%v", run)
	}
}

// pageLog counts the requests for each page of a merchant's own system.
type pageLog struct {
	mu    sync.Mutex
	asked map[string]int // by resource and cursor
	hold  func(*http.Request)
}

func (p *pageLog) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
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

// notReadOnce returns the pages that were not requested exactly once by each of so many runs.
func (p *pageLog) notReadOnce(runs int) (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for page, n := range p.asked {
		if n != runs {
			list = append(list, fmt.Sprint(page, ": ", n))
		}
	}
	return list
}

// Each sync run is claimed by one replica: no page is read twice and no record is imported twice.
func TestWorkers_syncsSharedByReplicas(t *testing.T) {
	t.Parallel()
	const runs, products = 8, 1100
	o := startFakePlatforms(t, platforms.Config{
		Products:  products,
		Customers: 300,
		Orders:    -1,
	})
	p := &pageLog{asked: map[string]int{}}
	o.setIntercept(p.serve)
	database := boottest.Engines[1].URL(t)
	here := apiClient{t, boottest.Start(t, database, o.config).URL(), boottest.Key}
	there := apiClient{t, boottest.Start(t, database, o.config).URL(), boottest.Key}
	var shops []projectClient
	var begun []string
	for i := range runs {
		k := here.openProject(fmt.Sprint("shop-", i))
		if i%2 == 1 {
			k.apiClient = there
		}
		shops, begun = append(shops, k), append(begun, k.startSync(k.connectCustom(o), `{"resources":["products","customers"]}`))
	}
	for i, k := range shops {
		k.expectSync(begun[i], "products", products)
		k.expectSync(begun[i], "customers", 300)
		if total := k.ask(200, "GET", "/v1/catalog/products?limit=1", "")["meta"].(map[string]any)["total"]; total != float64(products) {
			t.Errorf("there are %v products", total)
		}
	}
	if list := p.notReadOnce(runs); len(list) > 0 {
		t.Errorf("%d runs read these pages more or less often than once each: %q", runs, list)
	}
}

// A server that stops releases its sync run, and another replica continues it where it was.
func TestWorkers_syncContinuedByAnotherReplica(t *testing.T) {
	t.Parallel()
	const products = 1500
	o := startFakePlatforms(t, platforms.Config{
		Products:  products,
		Customers: -1,
		Orders:    -1,
	})
	p := &pageLog{asked: map[string]int{}}
	met, held := make(chan struct{}), atomic.Bool{}
	p.hold = func(r *http.Request) { // holds the fourth page until its client cancels
		p.mu.Lock()
		n := len(p.asked)
		p.mu.Unlock()
		if n == 4 && held.CompareAndSwap(false, true) {
			close(met)
			<-r.Context().Done()
		}
	}
	o.setIntercept(p.serve)
	database := boottest.Engines[1].URL(t)
	address, stop := runServer(t, database, o.config)
	k := apiClient{t, address, boottest.Key}.openProject("shop")
	run := k.startSync(k.connectCustom(o), `{"resources":["products"]}`)
	<-met
	began := time.Now()
	stop()
	k.url = boottest.Start(t, database, o.config).URL()
	k.expectSync(run, "products", products)
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
	if again < 1 || again > 2 { // the page that was held, and the one that was read but not yet imported
		t.Errorf("%d pages were read again: %v", again, p.asked)
	}
}
