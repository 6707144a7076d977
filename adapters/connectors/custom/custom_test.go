package custom_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/custom"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

const apiKey = "key_0123456789abcdef"

type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// fakeSystem is a merchant's system that serves the contract of the package comment.
type fakeSystem struct {
	mu      sync.Mutex
	records map[string][]map[string]any // in the order of their ids
	account string                      // the answer to GET /account
	page    string                      // if set, the answer to every request for data
	circle  bool
	hooks   map[string]map[string]string // by id
	asked   []string
}

func (o *fakeSystem) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /base/account", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(o.account))
	})
	mux.HandleFunc("GET /base/{resource}", o.data)
	mux.HandleFunc("POST /base/webhooks", o.register)
	mux.HandleFunc("DELETE /base/webhooks/{id}", o.unregister)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked = append(o.asked, r.URL.RequestURI())
		if r.Header.Get("Authorization") != "Bearer "+apiKey {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (o *fakeSystem) data(w http.ResponseWriter, r *http.Request) {
	if o.page != "" {
		_, _ = w.Write([]byte(o.page))
		return
	}
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	since, err := time.Parse(time.RFC3339, q.Get("updated_since"))
	if q.Has("updated_since") && err != nil || limit == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	page := map[string]any{}
	data, total := []any{}, 0
	for _, record := range o.records[r.PathValue("resource")] {
		changed, _ := time.Parse(time.RFC3339, record["updated_at"].(string))
		if changed.Before(since) {
			continue
		}
		if total++; record["id"].(string) <= q.Get("cursor") {
			continue
		}
		if len(data) == limit {
			page["next_cursor"] = data[limit-1].(map[string]any)["id"]
			continue
		}
		data = append(data, record)
	}
	if o.circle && q.Has("cursor") {
		page["next_cursor"] = q.Get("cursor")
	}
	page["data"], page["total"] = data, total
	_ = json.NewEncoder(w).Encode(page)
}

func (o *fakeSystem) register(w http.ResponseWriter, r *http.Request) {
	var wanted map[string]string
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil || !strings.HasPrefix(wanted["secret"], "whsec_") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := strconv.Itoa(len(o.hooks) + 1)
	for there, hook := range o.hooks {
		if hook["topic"] == wanted["topic"] && hook["url"] == wanted["url"] {
			id = there
		}
	}
	o.hooks[id] = wanted
	_ = json.NewEncoder(w).Encode(map[string]string{"id": id})
}

func (o *fakeSystem) unregister(w http.ResponseWriter, r *http.Request) {
	if _, there := o.hooks[r.PathValue("id")]; !there {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	delete(o.hooks, r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
}

func (o *fakeSystem) fill(_ *testing.T, r syncrun.Resource, n int, since time.Time) (names []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records[r.String()] = nil
	for i := range n {
		id := fmt.Sprintf("R-%05d", i)
		names = append(names, id)
		o.records[r.String()] = append(o.records[r.String()], map[string]any{
			"id": id, "updated_at": since.Add(time.Duration(i) * time.Second).In(time.FixedZone("", 3600)).Format(time.RFC3339Nano),
			"sku": "SKU-" + id, "name": "Thing " + id, "price": 12.5, "quantity": i,
		})
	}
	return names
}

// connect returns a connector and a new, empty system.
func connect(t *testing.T) (*fakeSystem, *adaptertest.Platform, *custom.Connector, ports.Connection) {
	t.Helper()
	o := &fakeSystem{
		account: `{"id": 4711, "name": "Acme", "currency": "eur"}`,
		records: map[string][]map[string]any{},
		hooks:   map[string]map[string]string{},
	}
	p := adaptertest.NewPlatform(t, o.handler())
	c := ports.Connection{
		Key:         "itg_1",
		BaseURL:     p.URL + "/base/",
		Credentials: integration.Credentials{Key: apiKey},
	}
	return o, p, custom.New(custom.Config{Client: p.Client(), Clock: clock{}}), c
}

func TestConnector(t *testing.T) {
	t.Parallel()
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		o, p, s, c := connect(t)
		return adaptertest.ConnectorWorld{
			Connector:  s,
			Connection: c,
			Platform:   p,
			Resources:  syncrun.Resources,
			Fill:       o.fill,
			Circle: func(syncrun.Resource) {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.circle = true
			},
		}
	})
}

func TestInspect(t *testing.T) {
	t.Parallel()
	_, _, s, c := connect(t)
	got, err := s.Inspect(ports.NewOutbound(t.Context()), c)
	if want := (integration.Config{
		Account:  "4711",
		Currency: "EUR",
		BaseURL:  c.BaseURL,
	}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestInspect_noID(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for _, o.account = range []string{`{}`, `null`, `{"id": null}`, `{"id": ""}`, `{"id": {}}`} {
		got, err := s.Inspect(ports.NewOutbound(t.Context()), c)
		if _, ok := err.(*ports.PlatformFailure); !ok {
			t.Errorf("%s: %+v, %v", o.account, got, err)
		}
	}
}

var changed = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

func TestRead_unreadablePages(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for _, page := range []string{
		`{}`, `[]`, `null`, `{"data": null}`, `{"data": {}}`, `{"data": [], "next_cursor": 5}`, `{"data": []} {"data": []}`, `{"data": [`,
		`{"data": [], "next_cursor": "` + strings.Repeat("x", 2001) + `"}`,
		`{"data": [` + strings.Repeat("{},", 500) + `{}]}`,
	} {
		o.page = page
		got, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Products, Full: true})
		failure, ok := err.(*ports.PlatformFailure)
		if !ok || got.Records != nil || !strings.HasPrefix(failure.Reason, "Your system sent ") {
			t.Errorf("%.40s: %+v, %v", page, got, err)
		}
	}
}

// A full read sends no updated_since.
func TestRead_query(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for _, r := range []ports.PageRequest{
		{Resource: syncrun.Orders, Since: changed},
		{Resource: syncrun.Orders, Since: changed, Full: true, Cursor: "a&b=c"},
	} {
		if _, err := s.Read(ports.NewOutbound(t.Context()), c, r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"/base/orders?limit=250&updated_since=2026-03-04T05%3A06%3A07.089Z", "/base/orders?cursor=a%26b%3Dc&limit=250"}
	if !slices.Equal(o.asked, want) {
		t.Errorf("asked for %q, want %q", o.asked, want)
	}
}

func TestRead_total(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for total, want := range map[string]int{`1200`: 1200, `0`: 0, `null`: 0, `"many"`: 0, `1.5`: 0, `99999999999`: 0} {
		o.page = `{"data": [{"id": 1, "deleted": true}], "total": ` + total + `}`
		page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Products})
		if err != nil || len(page.Records) != 1 || page.Total != (syncrun.Total{Count: want}) {
			t.Errorf("%s: %+v, %v", total, page.Total, err)
		}
	}
}
