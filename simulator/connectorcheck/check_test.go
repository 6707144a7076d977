package connectorcheck_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/connectorcheck"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

type object = map[string]any

// defect changes a request or the answer to it.
type defect struct {
	before func(r *http.Request)
	after  func(r *http.Request, status int, body object) int
}

// serve starts a simulated merchant's system with a defect.
func serve(t *testing.T, d defect) string {
	t.Helper()
	p := platforms.Open(platforms.Config{
		Products:  70,
		Customers: 50,
		Orders:    50,
	})
	t.Cleanup(p.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.before != nil {
			d.before(r)
		}
		written := httptest.NewRecorder()
		p.ServeHTTP(written, r)
		body, status := object{}, written.Code
		_ = json.Unmarshal(written.Body.Bytes(), &body)
		if d.after != nil {
			status = d.after(r, status, body)
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/custom"
}

func failed(t *testing.T, d defect) (names []string) {
	t.Helper()
	results := connectorcheck.Run(t.Context(), connectorcheck.Config{
		URL:  serve(t, d),
		Key:  "custom-key",
		Hook: "https://haggle.example/hooks/wh_1",
	})
	for _, r := range results {
		if r.Problem != "" {
			names = append(names, r.Check)
		}
		if r.Remedy == "" {
			t.Errorf("%s has no remedy", r.Check)
		}
	}
	if len(results) < 2 && len(names) == 0 {
		t.Errorf("%v", results)
	}
	return names
}

// The merchant's system that package platforms simulates keeps the contract.
func TestRun_noDefect(t *testing.T) {
	t.Parallel()
	if names := failed(t, defect{}); len(names) > 0 {
		t.Errorf("%v", names)
	}
}

// records changes the records of a resource.
func records(resource string, change func(r object)) defect {
	return defect{after: func(r *http.Request, status int, body object) int {
		if data, ok := body["data"].([]any); ok && strings.HasSuffix(r.URL.Path, "/"+resource) {
			for _, one := range data {
				change(one.(object))
			}
		}
		return status
	}}
}

// pages changes the pages of products.
func pages(change func(r *http.Request, body object)) defect {
	return defect{after: func(r *http.Request, status int, body object) int {
		if strings.HasSuffix(r.URL.Path, "/products") {
			change(r, body)
		}
		return status
	}}
}

// requires_shipping must be true or false, in products and in variants.
func TestFlag_requiresShipping(t *testing.T) {
	t.Parallel()
	ofVariants := func(r object) {
		list, _ := r["variants"].([]any)
		for _, v := range list {
			v.(object)["requires_shipping"] = 1
		}
	}
	for name, change := range map[string]func(object){
		"a product's": func(r object) { r["requires_shipping"] = "no" },
		"a variant's": ofVariants,
	} {
		if names := failed(t, records("products", change)); !slices.Equal(names, []string{"products records"}) {
			t.Errorf("%s flag is found by %v", name, names)
		}
	}
}

// Each defect is found by its own check, and by no other.
func TestRun_defects(t *testing.T) {
	t.Parallel()
	asked := 0
	for want, d := range map[string]defect{
		"account": {after: func(r *http.Request, status int, body object) int {
			if strings.HasSuffix(r.URL.Path, "/account") {
				delete(body, "id")
			}
			return status
		}},
		"authorization": {before: func(r *http.Request) { r.Header.Set("Authorization", "Bearer custom-key") }},
		"products page": pages(func(_ *http.Request, body object) { delete(body, "data") }),
		"products paging": pages(func(r *http.Request, body object) {
			if r.URL.Query().Has("cursor") {
				body["next_cursor"] = r.URL.Query().Get("cursor")
			}
		}),
		"products cursor": pages(func(r *http.Request, body object) {
			if data := body["data"].([]any); r.URL.Query().Has("cursor") && !r.URL.Query().Has("updated_since") && len(data) > 1 {
				asked++
				body["data"] = data[asked%2:]
			}
		}),
		"products records":  records("products", func(r object) { r["price"] = "a lot" }),
		"inventory records": records("inventory", func(r object) { delete(r, "quantity") }),
		"customers records": records("customers", func(r object) { r["updated_at"] = "2026-03-04 05:06:07" }),
		"orders records": records("orders", func(r object) {
			if r["id"] == "o-1004" {
				r["id"] = object{}
			}
		}),
		"products updated_since": pages(func(r *http.Request, body object) {
			if r.URL.Query().Has("updated_since") {
				body["data"], body["next_cursor"] = []any{}, nil
			}
		}),
		"webhooks registration": {after: func(r *http.Request, status int, body object) int {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/webhooks") {
				delete(body, "id")
			}
			return status
		}},
		"webhooks repetition": {after: func(r *http.Request, status int, body object) int {
			if r.Method == http.MethodPost && status == http.StatusOK && strings.HasSuffix(r.URL.Path, "/webhooks") {
				body["id"] = "another"
			}
			return status
		}},
		"webhooks removal": {after: func(r *http.Request, status int, _ object) int {
			if r.Method == http.MethodDelete && status == http.StatusNotFound {
				return http.StatusInternalServerError
			}
			return status
		}},
	} {
		if names := failed(t, d); !slices.Equal(names, []string{want}) {
			t.Errorf("%s is found by %v", want, names)
		}
	}
}
