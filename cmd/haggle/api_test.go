package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// client runs commands against a server's API with a key.
type client struct{ url, database, key string }

func startDemo(t *testing.T) client {
	t.Helper()
	database := "sqlite://" + filepath.Join(t.TempDir(), "demo.db")
	return client{serve(t, database, "--demo").url, database, boottest.Key}
}

func (c client) run(t *testing.T, args ...string) (out, said string, code int) {
	t.Helper()
	cmd := command(t, c.database, args...)
	cmd.Env = append(cmd.Env, "HAGGLE_API_KEY="+c.key, "HAGGLE_URL="+c.url)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // callers check the exit code
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func (c client) works(t *testing.T, args ...string) string {
	t.Helper()
	out, said, code := c.run(t, args...)
	if code != 0 {
		t.Fatalf("haggle %v: %d, %s", args, code, said)
	}
	return out
}

func TestAPICmd_Run(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	pretty := c.works(t, "api", "/v1/orders", "-f", "limit=1", "--project=demo")
	if !strings.HasPrefix(pretty, "{\n  \"data\": [\n") || !strings.HasSuffix(pretty, "}\n") {
		t.Errorf("not pretty: %s", pretty)
	}
	if got := c.works(t, "api", "get", "v1/orders?limit=1", "--project=demo"); got != pretty {
		t.Errorf("with a method: %s", got)
	}
	total := strings.TrimSpace(c.works(t, "api", "/v1/orders", "--project=demo", "--jq=.meta.total"))
	orders := c.works(t, "api", "/v1/orders", "--project=demo", "--paginate", "-f", "limit=50", "--jq=.data[].id")
	seen := map[string]bool{}
	for _, line := range strings.Fields(orders) {
		seen[line] = true
	}
	if n := len(strings.Fields(orders)); total != jsonNumber(n) || len(seen) != n || n <= 50 {
		t.Errorf("%d orders, %d different, want %s and more than a page", n, len(seen), total)
	}
	// A list with offsets.
	total = strings.TrimSpace(c.works(t, "api", "/v1/events", "--project=demo", "--jq=.meta.total"))
	if n := len(strings.Fields(c.works(t, "api", "/v1/events", "--project=demo", "--paginate", "-f", "limit=100", "--jq=.data[].id"))); total != jsonNumber(n) {
		t.Errorf("%d events, want %s", n, total)
	}
	made := c.works(t, "api", "post", "/v1/projects", "-f", "name=Ada's", "-f", "slug=ada", "-F", "settings.max_discount_percent=12.5", "--jq=.id")
	project := strings.TrimSpace(made)
	if got := c.works(t, "api", "/v1/projects/"+project, "--jq=.name"); got != "Ada's\n" {
		t.Errorf("the project is %s", got)
	}
	file := filepath.Join(t.TempDir(), "product.json")
	if err := os.WriteFile(file, []byte(`{"sku": "A-1", "name": "Notebook", "price": 19.90, "category": "office"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	csv := filepath.Join(t.TempDir(), "products.csv")
	if err := os.WriteFile(csv, []byte("sku,name,price,category,quantity\nB-1,Pen,2,office,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{"ada", project} { // commands on the database take either as well
		c.works(t, "agents", "list", "--project", named)
		c.works(t, "import", csv, "--project", named)
	}
	// The same request by slug and by id has the same idempotency key.
	for _, named := range []string{"ada", project} {
		c.works(t, "api", "post", "/v1/catalog/products", "--input", file, "--project", named, "--idempotency-key=once")
	}
	if got := c.works(t, "api", "/v1/catalog/products", "--project=ada", "--jq=.meta.total"); !strings.HasPrefix(got, "2\n") {
		t.Errorf("the products are %q", got)
	}
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestAPICmd_Run_errors(t *testing.T) {
	t.Parallel()
	c := startDemo(t)
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"api", "/v1/orders/ord_x", "--project=demo"}, 1, "order_not_found"},
		{[]string{"api", "/v1/orders", "--project=nowhere"}, 1, "project_not_found"},
		{[]string{"api", "post", "/v1/projects", "-f", "name=X", "-f", "slug=!"}, 1, "slug must have 3 to 63"},
		{[]string{"api", "/v1/orders", "--key=hk_test_wrong"}, 1, "("},
		{[]string{"api", "/v1/orders", "--url=http://127.0.0.1:1"}, 1, "cannot connect to the server at http://127.0.0.1:1: connection refused"},
		{[]string{"api", "fetch", "/v1/orders"}, 2, `"fetch" must be get, post`},
		{[]string{"api", "get", "post", "/v1/orders"}, 2, "expected one path"},
		{[]string{"api", "http://other.example/v1/orders"}, 2, "must be a path"},
		{[]string{"api", "post", "/v1/x", "-f", "name"}, 2, "must be NAME=VALUE"},
		{[]string{"api", "post", "/v1/x", "-f", "a=1", "-f", "a.b=1"}, 2, "a already has a value"},
		{[]string{"api", "/v1/orders", "--jq=.["}, 2, "--jq"},
		{[]string{"api", "post", "/v1/x", "--paginate"}, 2, "--paginate works only with GET"},
	} {
		out, said, code := c.run(t, test.args...)
		if out != "" || code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%v: %d, %q, %q, want %d, %s", test.args, code, out, said, test.code, test.says)
		}
	}
	stranger := c
	stranger.key = strings.TrimSpace(c.works(t, "keys", "create", "--new-account=Other"))
	if _, said, code := stranger.run(t, "api", "/v1/orders", "--project=demo"); code != 1 || !strings.Contains(said, "project_not_found") {
		t.Errorf("another account's project by its slug: %d, %s", code, said)
	}
}

// The default address comes from HAGGLE_ADDR.
func TestAtServer_address(t *testing.T) {
	for addr, want := range map[string]string{
		"":               defaultURL,
		"127.0.0.1:9090": "http://127.0.0.1:9090",
		"0.0.0.0:9090":   "http://127.0.0.1:9090",
		":9090":          "http://127.0.0.1:9090",
		"shop.lan:80":    "http://shop.lan:80",
	} {
		t.Setenv("HAGGLE_ADDR", addr)
		if got := (atServer{}).address(); got != want {
			t.Errorf("HAGGLE_ADDR=%s: %s, want %s", addr, got, want)
		}
	}
	if got := (atServer{URL: "https://shops.example.com/"}).address(); got != "https://shops.example.com" {
		t.Errorf("with --url: %s", got)
	}
}
