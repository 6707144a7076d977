package platforms_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

type object = map[string]any

func start(t *testing.T, c platforms.Config) *platforms.Server {
	t.Helper()
	s, err := platforms.Start("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// reply is a response with its body.
type reply struct {
	*http.Response
	text []byte
}

func (r reply) object(t *testing.T) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(r.text, &o); err != nil {
		t.Fatalf("%d %.200s: %v", r.StatusCode, r.text, err)
	}
	return o
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: 20 * time.Second}

// send sends a body: text unchanged, url.Values as a form, everything else as JSON.
func send(t *testing.T, method, address string, body any, headers ...string) (reply, error) {
	t.Helper()
	var reader io.Reader
	kind := ""
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case url.Values:
		reader, kind = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	default:
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader, kind = bytes.NewReader(text), "application/json"
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, reader)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for n := 0; n+1 < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	response, err := noRedirects.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return reply{response, text}, err
}

// do sends a request, which must be answered with any status.
func do(t *testing.T, method, address string, body any, headers ...string) reply {
	t.Helper()
	r, err := send(t, method, address, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func is[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// at returns the value at a path of names and indexes in decoded JSON.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			o, ok := value.(object)
			if !ok {
				t.Fatalf("no %v in %v (of %v)", s, value, path)
			}
			value = o[s]
		case int:
			list, ok := value.([]any)
			if !ok || s >= len(list) {
				t.Fatalf("no %v in %v (of %v)", s, value, path)
			}
			value = list[s]
		}
	}
	return value
}

func TestPlatforms_Records_sameSeed(t *testing.T) {
	records := func(seed uint64, platform, resource string) []any {
		list, err := platforms.Open(platforms.Config{Seed: seed, Products: 60}).Records(platform, resource)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for platform, resources := range map[string][]string{
		platforms.Shopify: {"products", "inventory", "customers", "orders"}, platforms.Custom: {"products", "inventory", "customers", "orders"},
		platforms.HubSpot: {"customers", "orders"}, platforms.ShipStation: {"orders", "shipments"},
	} {
		for _, resource := range resources {
			first := records(7, platform, resource)
			if len(first) == 0 || !reflect.DeepEqual(first, records(7, platform, resource)) {
				t.Errorf("%s %s: %d records, or others by the same seed", platform, resource, len(first))
			}
			if reflect.DeepEqual(first, records(8, platform, resource)) {
				t.Errorf("%s %s: the same records by another seed", platform, resource)
			}
		}
	}
	if reflect.DeepEqual(records(7, platforms.Shopify, "products"), records(7, platforms.Custom, "products")) {
		t.Error("two platforms hold the same products")
	}
}

func TestOpen_fiftyThousandProducts(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	p := platforms.Open(platforms.Config{Products: 50_000})
	state := p.State()
	took := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
	t.Logf("%v, %d MB: %v", took, used, state["platforms"])
	if took > 20*time.Second || used > 100 {
		t.Errorf("50,000 products at two platforms took %v and %d MB", took, used)
	}
	runtime.KeepAlive(p)
}

func TestPlatforms_independentInstances(t *testing.T) {
	one, other := start(t, platforms.Config{}), start(t, platforms.Config{})
	before, _ := other.Records(platforms.Custom, "products")
	if _, err := one.Change(platforms.Change{
		Platform: platforms.Custom,
		N:        20,
		Seed:     3,
	}); err != nil {
		t.Fatal(err)
	}
	if err := one.Fault(platforms.Fault{Platform: platforms.Custom, Kind: "error"}); err != nil {
		t.Fatal(err)
	}
	is(t, "the other's answer", do(t, "GET", other.URL+"/custom/account", nil, "Authorization", "Bearer custom-key").StatusCode, 200)
	is(t, "the one's answer", do(t, "GET", one.URL+"/custom/account", nil, "Authorization", "Bearer custom-key").StatusCode, 500)
	after, _ := other.Records(platforms.Custom, "products")
	if !reflect.DeepEqual(before, after) {
		t.Error("a change of one instance shows in the other")
	}
}

func TestPlatforms_Change_sameSeed(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	make := func() ([]platforms.Changed, []any) {
		p := platforms.Open(platforms.Config{Now: func() time.Time { return now }})
		list, err := p.Change(platforms.Change{
			Platform: platforms.Shopify,
			N:        40,
			Seed:     5,
		})
		if err != nil {
			t.Fatal(err)
		}
		records, _ := p.Records(platforms.Shopify, "products")
		return list, records
	}
	first, records := make()
	second, again := make()
	is(t, "changes", len(first), 40)
	if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(records, again) {
		t.Error("the same seed changed other things")
	}
	newer := 0
	for _, record := range records {
		if fmt.Sprint(at(t, record, "updated_at")) >= "2026-03-01T12:00:00" {
			newer++
		}
	}
	if newer == 0 {
		t.Error("no product is newer than before the changes")
	}
}

func TestPlatforms_control(t *testing.T) {
	s := start(t, platforms.Config{Products: 12})
	do(t, "GET", s.URL+"/custom/account", nil, "Authorization", "Bearer custom-key")
	state := do(t, "GET", s.URL+"/control/state", nil).object(t)
	is(t, "products", at(t, state, "platforms", "custom", "products"), any(12.0))
	is(t, "requests", at(t, state, "requests", "GET /custom/account"), any(1.0))
	is(t, "by resource", s.Requests("custom:account"), 1)
	list := do(t, "GET", s.URL+"/control/state/custom/products", nil).object(t)
	is(t, "records", len(list["data"].([]any)), 12)
	changed := do(t, "POST", s.URL+"/control/change", `{"platform":"custom","n":3,"seed":2}`).object(t)
	is(t, "changes", len(changed["data"].([]any)), 3)
	for path, body := range map[string]string{
		"/control/faults":   `{"platform":"ebay","kind":"error"}`,
		"/control/change":   `{"platform":"custom","n":1,"topics":["carts/update"]}`,
		"/control/webhooks": `{"platform":"hubspot","count":1}`,
		"/control/revoke":   `{"platform":"custom"}`,
	} {
		is(t, path, do(t, "POST", s.URL+path, body).StatusCode, 422)
	}
	is(t, "webhooks without any", do(t, "POST", s.URL+"/control/webhooks", `{"platform":"custom","count":1}`).StatusCode, 409)
	is(t, "no such resource", do(t, "GET", s.URL+"/control/state/hubspot/labels", nil).StatusCode, 422)
}

func TestPlatforms_Change_concurrentReaders(t *testing.T) {
	s := start(t, platforms.Config{Products: 80, ShipStationRate: 1e6})
	done := make(chan error, 1)
	go func() {
		defer close(done)
		for n := range 30 {
			for _, platform := range []string{platforms.Custom, platforms.Shopify} {
				if _, err := s.Change(platforms.Change{
					Platform: platform,
					N:        5,
					Seed:     uint64(n + 1),
				}); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	for range 10 {
		walk(t, s, "products", "")
		ship(t, s, "GET", "/shipments", nil)
		do(t, "GET", s.URL+"/control/state", nil)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
