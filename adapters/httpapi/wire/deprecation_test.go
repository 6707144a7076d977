package wire_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

var (
	since  = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	notice = wire.Deprecation{
		Since: since, Sunset: since.Add(wire.MigrationPeriod),
		Successor: "/v2/offers", Guide: "https://example.com/v2",
	}
)

// newDeprecatingServer has /v1/old deprecated beside /v1/offers.
func newDeprecatingServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{Title: "Test", Version: "1"})
	mount, old := mountOf(api, wire.Plain), postTo("old", "/v1/old")
	old.Description, old.Deprecated = "Makes an offer.", &notice
	wire.AddReadOnly(mount, old, echoed)
	wire.AddReadOnly(mount, postTo("new", "/v1/offers"), echoed)
	server := httptest.NewServer(wire.Handler(mux, wire.Watch{Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestDeprecation_headers(t *testing.T) {
	t.Parallel()
	url := newDeprecatingServer(t)
	want := map[string]string{
		"Deprecation": "@1769817600",
		"Sunset":      "Thu, 30 Jul 2026 00:00:00 GMT",
		"Link":        `<https://example.com/v2>; rel="deprecation", </v2/offers>; rel="successor-version"`,
	}
	for _, c := range []struct {
		name, query, contentType, body string
		status                         int
	}{
		{"answer", "", "application/json", `{"offer_price":1}`, 200},
		{"fault of a handler", "", "application/json", `{"offer_price":1,"note":"busy"}`, 503},
		{"failure of ours", "", "application/json", `{"offer_price":1,"note":"plain"}`, 500},
		{"panic", "", "application/json", `{"offer_price":1,"note":"panic"}`, 500},
		{"refused value", "", "application/json", `{}`, 422},
		{"refused body", "", "application/json", `{`, 400},
		{"refused parameter", "?limit=0", "application/json", `{"offer_price":1}`, 400},
		{"refused media type", "", "text/plain", `{"offer_price":1}`, 400},
		{"refused address", "?q=%00", "application/json", `{"offer_price":1}`, 400},
	} {
		old := post(t, url+"/v1/old"+c.query, c.contentType, c.body)
		if old.status != c.status {
			t.Errorf("%s: %d, want %d", c.name, old.status, c.status)
		}
		current := post(t, url+"/v1/offers"+c.query, c.contentType, c.body)
		for name, value := range want {
			if got := old.header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s: %q, want %q", c.name, name, got, value)
			}
			if got := current.header.Get(name); got != "" {
				t.Errorf("%s: %s: %s on an operation that is not deprecated", c.name, name, got)
			}
		}
	}
}

func TestDeprecation_document(t *testing.T) {
	t.Parallel()
	response, err := http.Get(newDeprecatingServer(t) + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	type header struct {
		Ref                  string `json:"$ref"`
		Description, Example string
	}
	type operation struct {
		Deprecated  bool
		Description string
		Responses   map[string]struct{ Headers map[string]header }
	}
	var doc struct {
		Paths      map[string]struct{ Post operation }
		Components struct{ Headers map[string]header }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	old, current := doc.Paths["/v1/old"].Post, doc.Paths["/v1/offers"].Post
	want := "Makes an offer.\n\nDeprecated since 2026-01-31; works until 2026-07-30 at least. " +
		"Use /v2/offers instead. See https://example.com/v2."
	if !old.Deprecated || old.Description != want {
		t.Errorf("%v, %q", old.Deprecated, old.Description)
	}
	for _, status := range []string{"200", "422", "500", "default"} {
		for _, name := range []string{"Deprecation", "Sunset", "Link"} {
			h := old.Responses[status].Headers[name]
			if shared, ok := strings.CutPrefix(h.Ref, "#/components/headers/"); ok {
				h = doc.Components.Headers[shared]
			}
			if h.Description == "" || h.Example == "" {
				t.Errorf("%s of %s: %+v", name, status, h)
			}
			if _, there := current.Responses[status].Headers[name]; there || current.Deprecated {
				t.Errorf("%s of %s: on an operation that is not deprecated", name, status)
			}
		}
	}
}

func TestDeprecation_invalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(*wire.Deprecation)
		mistake string
	}{
		"as short as may be": {func(*wire.Deprecation) {}, ""},
		"without addresses":  {func(d *wire.Deprecation) { d.Successor, d.Guide = "", "" }, ""},
		"too short":          {func(d *wire.Deprecation) { d.Sunset = d.Sunset.Add(-time.Second) }, "less than 180 days"},
		"no beginning":       {func(d *wire.Deprecation) { d.Since = time.Time{} }, "less than 180 days"},
		"no end":             {func(d *wire.Deprecation) { d.Sunset = time.Time{} }, "less than 180 days"},
		"no address":         {func(d *wire.Deprecation) { d.Successor = `/v2>; rel="x"` }, "is no address"},
	} {
		t.Run(name, func(t *testing.T) {
			d := notice
			c.change(&d)
			api := wire.NewAPI(http.NewServeMux(), wire.Config{Title: "Test", Version: "1"})
			defer func() {
				said, _ := recover().(string)
				if (said == "") != (c.mistake == "") || !strings.Contains(said, c.mistake) {
					t.Errorf("panic %q, want %q", said, c.mistake)
				}
			}()
			op := postTo("old", "/v1/old")
			op.Deprecated = &d
			wire.AddReadOnly(mountOf(api, wire.Plain), op, echoed)
		})
	}
}
