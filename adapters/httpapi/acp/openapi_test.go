package acp_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (s fakeCatalog) First(context.Context, id.Project, int) ([]*catalog.Product, error) {
	return s.first, nil
}

// The OpenAPI document of a shop has the operations at the shop's address, and products of the shop in the examples.
func TestDocument_ofShop(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.first = []*catalog.Product{s.products[mug], s.products[jacket]}
	s.products[mug].Negotiable = false
	a := s.send(httptest.NewRequest("GET", "/p/demo/acp/openapi.json", nil))
	if a.status != 200 || a.header.Get("Content-Type") != "application/openapi+json" || a.header.Get("Cache-Control") != "public, max-age=60" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	var doc struct {
		Info    struct{ Title string }
		Servers []struct{ URL string }
	}
	if err := json.Unmarshal([]byte(a.text), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Info.Title != "Rainy <b>Days</b>: the buyers' API" || len(doc.Servers) != 1 || doc.Servers[0].URL != "https://shops.example.com/p/demo" {
		t.Errorf("%+v", doc)
	}
	for text, times := range map[string]int{
		`"` + jacket.String() + `"`: 9, `"` + mug.String() + `"`: 0, `"offer_price":100.00`: 1, `"offer_price":90.00`: 1,
		`"spt_sandbox_ok"`: 2, "{slug}": 0, `"@`: 0, "/v1/": 0,
	} {
		if got := strings.Count(a.text, text); got != times {
			t.Errorf("%s stands there %d times, want %d", text, got, times)
		}
	}
	s.first = nil
	if empty := s.send(httptest.NewRequest("GET", "/p/demo/acp/openapi.json", nil)); empty.header.Get("ETag") != a.header.Get("ETag") {
		t.Error("the sample was read again although the catalogue is the same")
	}
	s.shop.CatalogVersion++
	empty := s.send(httptest.NewRequest("GET", "/p/demo/acp/openapi.json", nil))
	if empty.status != 200 || !json.Valid([]byte(empty.text)) || strings.Contains(empty.text, `"@`) {
		t.Errorf("a shop that sells nothing: %d %s", empty.status, empty.text)
	}
}

func TestDocument_production(t *testing.T) {
	t.Parallel()
	s := openShop(t, func(s *commerce.Services) { s.Sandbox = false })
	a := s.send(httptest.NewRequest("GET", "/p/demo/acp/openapi.json", nil))
	if a.status != 200 || strings.Contains(a.text, "ba_sandbox_ok") || !strings.Contains(a.text, `"A payment token of the buyer"`) {
		t.Errorf("%d %s", a.status, a.text)
	}
}

// The manifest names the address of every operation, and of no other.
func TestManifest_urls(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	var manifest struct {
		URLs map[string]string `json:"urls"`
	}
	if err := json.Unmarshal([]byte(s.ok("GET", "/.well-known/acp/manifest.json", "").text), &manifest); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, address := range manifest.URLs {
		path, ok := strings.CutPrefix(address, "https://shops.example.com/p/demo")
		if !ok {
			t.Errorf("%s is not absolute", address)
		}
		named["/p/{slug}"+path] = true
	}
	served := map[string]bool{}
	for path := range s.schema.paths {
		if path != "/p/{slug}/acp/orders/{id}/receipt/{code}" { // whose address finalize answers
			served[path] = true
		}
	}
	if !maps.Equal(named, served) {
		t.Errorf("named %q\nserved %q", slices.Sorted(maps.Keys(named)), slices.Sorted(maps.Keys(served)))
	}
}
