package merchant_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// seen is the request that the server received.
type seen struct {
	line, body string
	header     http.Header
}

// answering returns a client of a server that gives one answer to all requests, and the latest request.
func answering(t *testing.T, status int, answer string) (*merchant.Client, *seen) {
	t.Helper()
	got := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*got = seen{r.Method + " " + r.URL.RequestURI(), string(body), r.Header}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return merchant.New(exchange.NewClient(exchange.Config{URL: server.URL}), "hk_test_1", "proj_1"), got
}

// sent is a call and the request that it should send.
type sent struct {
	send       func(c *merchant.Client) error
	line, body string
}

func eachSends(t *testing.T, cases map[string]sent) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, got := answering(t, 200, `{"id": "x", "price": 1, "data": [], "meta": {"total": 0}}`)
			if err := c.send(client); err != nil {
				t.Fatal(err)
			}
			if got.line != c.line || !sameJSON(got.body, c.body) {
				t.Errorf("sent %s %s\nwant %s %s", got.line, got.body, c.line, c.body)
			}
			if got.header.Get("Authorization") != "Bearer hk_test_1" || got.header.Get("X-Project-Id") != "proj_1" {
				t.Errorf("header %v", got.header)
			}
		})
	}
}

func TestClient_projectRequests(t *testing.T) {
	t.Parallel()
	ctx, price, yes := context.Background(), decimal.MustParse("19.90"), true
	eachSends(t, map[string]sent{
		"create a project": {func(c *merchant.Client) error {
			settings := &merchant.ProjectSettings{DefaultCurrency: "EUR", NegotiationEnabled: &yes}
			_, err := c.CreateProject(ctx, merchant.NewProject{
				Name:     "Shop",
				Slug:     "shop",
				Settings: settings,
			})
			return err
		}, "POST /v1/projects", `{"name":"Shop","slug":"shop","settings":{"default_currency":"EUR","negotiation_enabled":true}}`},
		"list projects": {func(c *merchant.Client) error {
			_, err := c.Projects(ctx, merchant.Page{Limit: 5, Offset: 10})
			return err
		},
			"GET /v1/projects?limit=5&offset=10", ""},
		"read a project": {func(c *merchant.Client) error { _, err := c.Project(ctx, "proj_1"); return err }, "GET /v1/projects/proj_1", ""},
		"patch a project": {func(c *merchant.Client) error {
			_, err := c.PatchProject(ctx, "proj_1", merchant.Patch{"name": "New"})
			return err
		}, "PATCH /v1/projects/proj_1", `{"name":"New"}`},
		"delete a project": {func(c *merchant.Client) error { return c.DeleteProject(ctx, "proj_1") }, "DELETE /v1/projects/proj_1", ""},
		"read settings": {func(c *merchant.Client) error { _, err := c.Settings(ctx, "proj_1"); return err },
			"GET /v1/projects/proj_1/settings", ""},
		"restore a setting": {func(c *merchant.Client) error {
			_, err := c.PatchSettings(ctx, "proj_1", merchant.Patch{"agents": merchant.Patch{"temperature": nil}})
			return err
		}, "PATCH /v1/projects/proj_1/settings", `{"agents":{"temperature":null}}`},
		"read the storefront": {func(c *merchant.Client) error { _, err := c.Storefront(ctx, "proj_1"); return err },
			"GET /v1/projects/proj_1/storefront", ""},
		"patch the storefront": {func(c *merchant.Client) error {
			_, err := c.PatchStorefront(ctx, "proj_1", merchant.Patch{"free_shipping_threshold": price})
			return err
		}, "PATCH /v1/projects/proj_1/storefront", `{"free_shipping_threshold":19.9}`},
	})
}

func TestClient_catalogRequests(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	product := merchant.Product{
		Name:     "Hammer",
		SKU:      "H1",
		Price:    decimal.MustParse("19.90"),
		Category: "tools",
	}
	const productJSON = `{"name":"Hammer","sku":"H1","price":19.9,"category":"tools"}`
	eachSends(t, map[string]sent{
		"create a product": {func(c *merchant.Client) error { _, err := c.CreateProduct(ctx, product); return err },
			"POST /v1/catalog/products", productJSON},
		"list products": {func(c *merchant.Client) error {
			_, err := c.Products(ctx, merchant.ProductQuery{Text: "hammer", Category: "tools/hand"})
			return err
		}, "GET /v1/catalog/products?category=tools%2Fhand&q=hammer", ""},
		"read a product": {func(c *merchant.Client) error { _, err := c.Product(ctx, "prod_1"); return err }, "GET /v1/catalog/products/prod_1", ""},
		"patch a product": {func(c *merchant.Client) error {
			_, err := c.PatchProduct(ctx, "prod_1", merchant.Patch{"cost": nil})
			return err
		}, "PATCH /v1/catalog/products/prod_1", `{"cost":null}`},
		"delete a product": {func(c *merchant.Client) error { return c.DeleteProduct(ctx, "prod_1") }, "DELETE /v1/catalog/products/prod_1", ""},
		"send a batch": {func(c *merchant.Client) error {
			_, err := c.BatchProducts(ctx, []merchant.Product{product})
			return err
		}, "POST /v1/catalog/products/batch", `{"products":[` + productJSON + `]}`},
		"list categories": {func(c *merchant.Client) error { _, err := c.Categories(ctx, merchant.Page{}); return err }, "GET /v1/catalog/categories", ""},
		"read stock": {func(c *merchant.Client) error { _, err := c.Inventory(ctx, "H1", merchant.Page{Limit: 1}); return err },
			"GET /v1/catalog/inventory?limit=1&sku=H1", ""},
		"set stock": {func(c *merchant.Client) error {
			_, err := c.SetInventory(ctx, []merchant.Level{{SKU: "H1", Location: "main"}})
			return err
		}, "PUT /v1/catalog/inventory", `{"levels":[{"sku":"H1","location":"main","quantity":0}]}`},
		"adjust stock": {func(c *merchant.Client) error {
			_, err := c.AdjustInventory(ctx, []merchant.Adjustment{{SKU: "H1", Location: "main", Delta: -2, Reason: "broken"}})
			return err
		}, "POST /v1/catalog/inventory/adjust", `{"adjustments":[{"sku":"H1","location":"main","delta":-2,"reason":"broken"}]}`},
	})
}

func sameJSON(a, b string) bool {
	var x, y any
	_, _ = json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)
	return fmt.Sprint(x) == fmt.Sprint(y) && (a == "") == (b == "")
}

func TestClient_headers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	client, got := answering(t, 204, "")
	if err := client.DeleteProject(ctx, "proj_2", merchant.IdempotencyKey("k1")); err != nil {
		t.Fatal(err)
	}
	if got.header.Get("X-Confirm-Delete") != "proj_2" || got.header.Get("Idempotency-Key") != "k1" {
		t.Errorf("header %v", got.header)
	}
	if err := client.DeleteProject(ctx, "proj_2", merchant.Header("X-Confirm-Delete", "")); err != nil {
		t.Fatal(err)
	}
	if _, there := got.header["X-Confirm-Delete"]; there {
		t.Error("the confirmation was sent")
	}
	if _, err := client.In("proj_9").As("").Do(ctx, "GET", "/v1/x", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got.header.Get("X-Project-Id") != "proj_9" || got.header.Get("Authorization") != "" {
		t.Errorf("header %v", got.header)
	}
}

func TestErrorOf_refusals(t *testing.T) {
	t.Parallel()
	client, _ := answering(t, 422,
		`{"error": {"code": "validation_error", "message": "no", "details": [{"field": "name", "message": "too long"}], "request_id": "r1"}}`)
	_, err := client.Project(context.Background(), "x")
	var problem *merchant.Error
	if !errors.As(err, &problem) || merchant.CodeOf(err) != "validation_error" || problem.HTTPStatus != 422 ||
		problem.Field("name") != "too long" || problem.Field("slug") != "" || problem.RequestID != "r1" {
		t.Errorf("%+v", err)
	}
	broken, _ := answering(t, 500, `oops`)
	if _, err := broken.Project(context.Background(), "x"); !errors.As(err, &problem) || problem.HTTPStatus != 500 {
		t.Errorf("%+v", err)
	}
}
