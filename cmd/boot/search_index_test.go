package boot_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

// A started server is ready at once. Its indexes are built by the first search, and reading their status builds none. The status
// of failed embeddings has the endpoint's response status and no secret.
func TestApp_indexBuiltByFirstSearch(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database := engine.URL(t)
			project := writeShop(t, database)
			e := boottest.Embeddings(t, embeddings.Config{Key: "secret"})
			app := boottest.Start(t, database, func(c *boot.Config) { c.EmbeddingsURL, c.EmbeddingsKey = e.URL+"/v1", "guessed" })
			get(t, app.OpsURL()+"/readyz").expect(t, 200)
			k := projectClient{apiClient{t, app.URL(), boottest.Key}, project}
			for range 2 {
				k.expectIndex("idle", 0, 0)
			}
			if found := mugs(t, app.URL()); len(found) != 10 {
				t.Errorf("found %d", len(found))
			}
			k.expectIndex("ready", 100, 100)
			get(t, app.OpsURL()+"/readyz").expect(t, 200)
			var said any
			eventually(t, "the merchant reads that embedding fails", func() bool {
				said = k.ask(200, "GET", "/v1/catalog/search-index", "")["embedding_error"]
				return said != nil
			})
			if text := fmt.Sprint(said); text != "The embeddings endpoint answered 401." || strings.Contains(text, "guessed") {
				t.Error(text)
			}
		})
	}
}

func (k projectClient) expectIndex(status string, products, pending float64) {
	k.Helper()
	i := k.ask(200, "GET", "/v1/catalog/search-index", "")
	if i["status"] != status || i["products"] != products || i["vectors"].(map[string]any)["pending"] != pending {
		k.Errorf("%v, want %s with %v products, %v pending", i, status, products, pending)
	}
}

// writeShop starts a server, creates a shop with a hundred products, and stops the server.
func writeShop(t *testing.T, database string) (project string) {
	t.Helper()
	app, err := boot.New(t.Context(), boot.Config{
		Addr:         "127.0.0.1:0",
		OpsAddr:      "127.0.0.1:0",
		DatabaseURL:  database,
		Env:          "sandbox",
		BootstrapKey: boottest.Key,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx) }()
	k := apiClient{t, app.URL(), boottest.Key}.openProject("shop")
	k.ask(200, "POST", "/v1/catalog/products/batch", hundredProducts())
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	return k.project
}
