package boot_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

func pooled(c *boot.Config) { c.Pooler = "transaction" }

// A server behind PgBouncer, which has two sessions of PostgreSQL for twenty connections, sells to many at once, and
// everything adds up.
func TestServerBehindPgBouncer(t *testing.T) {
	t.Parallel()
	direct := boottest.Engines[1].URL(t)
	url := pgbouncer.Start(t, direct).URL(direct)
	app := boottest.Start(t, url, pooled)
	shops := []boughtAt{openPooledShop(t, app, "one"), openPooledShop(t, app, "two")}
	const buyers, journeys = 6, 2
	var all sync.WaitGroup
	for b := range buyers {
		all.Go(func() {
			for range journeys {
				shops[b%2].journey()
			}
		})
	}
	all.Wait()
	for _, s := range shops {
		orders := s.owner.call(http.StatusOK, "GET", "/v1/orders?limit=50", "", s.project)["data"].([]any)
		left := s.owner.call(http.StatusOK, "GET", "/v1/catalog/products/"+s.product, "", s.project)["quantity"]
		if len(orders) != buyers*journeys/2 || fmt.Sprint(left) != fmt.Sprint(100-len(orders)) {
			t.Errorf("%d orders, %v pieces are left", len(orders), left)
		}
	}
	get(t, app.OpsURL()+"/readyz").expect(t, http.StatusOK)
	found, err := boot.Verify(t.Context(), boot.Config{DatabaseURL: url, Pooler: "transaction", Env: "sandbox"}, "", 0)
	if err != nil || found.Undecided > 0 || len(found.Violations()) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// boughtAt is a shop that buyers come to.
type boughtAt struct {
	owner, buyer     merchant
	project, product string
}

func openPooledShop(t *testing.T, app *boot.App, slug string) boughtAt {
	t.Helper()
	owner := merchant{t, app.URL(), boottest.Key}
	project := "X-Project-ID: " + owner.openShop(slug, false)
	product := owner.call(http.StatusCreated, "POST", "/v1/catalog/products", `{"name": "Tent", "sku": "T-1", "price": 200, "quantity": 100}`, project)
	return boughtAt{
		owner:   owner,
		buyer:   merchant{t, app.URL() + "/p/" + slug, ""},
		project: project,
		product: fmt.Sprint(product["id"]),
	}
}

// journey is a whole one: search, product, quote, checkout, payment.
func (s boughtAt) journey() {
	s.buyer.Helper()
	if found := fmt.Sprint(s.buyer.call(http.StatusOK, "POST", "/acp/search", `{"query": "tent"}`)["results"]); !strings.Contains(found, s.product) {
		s.buyer.Errorf("%s is not in %s", s.product, found)
	}
	s.buyer.call(http.StatusOK, "GET", "/acp/products/"+s.product, "")
	quote := s.buyer.call(http.StatusOK, "POST", "/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 200}`, s.product))
	opened := s.buyer.call(http.StatusOK, "POST", "/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "checkout_token": %q,
		"items": [{"product_id": %q, "quantity": 1}], "shipping_address": {"name": "A. Buyer", "line1": "1 Main St", "city": "Springfield",
		"state": "CA", "postal_code": "90001", "country": "US"}}`, quote["session_id"], quote["checkout_token"], s.product))
	paid := s.buyer.call(http.StatusOK, "POST", "/acp/checkout/finalize", fmt.Sprintf(`{"checkout_id": %q,
		"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, opened["checkout_id"]))
	if paid["status"] != "success" {
		s.buyer.Errorf("finalize answered %v", paid)
	}
}

// What does not start behind PgBouncer names the variable, and the doctor does before.
func TestPoolerThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	server := pgserver.Shared(t)
	direct, fresh := boottest.Engines[1].URL(t), server.Database(t, "")
	bouncer := pgbouncer.Start(t, direct)
	for _, c := range []struct{ name, url, pooler, about string }{
		{"no pooler expected", bouncer.URL(direct), "", "database"},
		{"an old schema", bouncer.URL(fresh), "transaction", "schema"},
	} {
		config := boot.Config{Addr: "127.0.0.1:0", OpsAddr: "127.0.0.1:0", DatabaseURL: c.url, Pooler: c.pooler, Env: "sandbox"}
		app, err := boot.New(t.Context(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			_ = app.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "HAGGLE_DATABASE_POOLER") {
			t.Errorf("%s: started with %v", c.name, err)
		}
		warned := false
		for _, f := range boot.Diagnose(t.Context(), config) {
			warned = warned || f.Verdict == boot.Trouble && f.About == c.about && strings.Contains(f.Says+f.Remedy, "HAGGLE_DATABASE_POOLER")
		}
		if !warned {
			t.Errorf("%s: the doctor finds no fault", c.name)
		}
	}
}
