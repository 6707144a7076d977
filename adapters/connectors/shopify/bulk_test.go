package shopify_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

var allProducts = ports.PageRequest{Resource: syncrun.Products, Full: true}

// bulk makes the shop run an operation for products with the given file.
func (s *fakeShop) bulk(file string) { s.bulkOf("products", file) }

// bulkOf makes the shop run an operation for one connection with the given file.
func (s *fakeShop) bulkOf(connection, file string) {
	s.file, s.fileURL = []byte(file), s.url+"/file/result.jsonl?X-Goog-Signature=a:b%2F&c"
	s.on("BulkRun", func(variables map[string]any) (int, string) {
		query := strings.Fields(variables["query"].(string))
		if query[1] != connection || variables["grouped"] != (connection == "products") {
			return 400, ""
		}
		return 200, `{"data": {"bulkOperationRunQuery": {"bulkOperation": {"id": "gid://shopify/BulkOperation/720918", "status": "CREATED"}, "userErrors": []}}}`
	})
	s.state("COMPLETED", s.fileURL)
}

func (s *fakeShop) state(status, address string) {
	s.on("Bulk", func(variables map[string]any) (int, string) {
		if variables["id"] != "gid://shopify/BulkOperation/720918" {
			return 200, `{"data": {"node": null}}`
		}
		return 200, fmt.Sprintf(`{"data": {"node": {"id": %q, "status": %q, "url": %q, "objectCount": "19", "rootObjectCount": "2"}}}`, variables["id"], status, address)
	})
}

// lines returns the lines of a product with variants and images.
func lines(id, variants, images int, filler string) string {
	var b strings.Builder
	parent := fmt.Sprintf(`"__parentId": "gid://shopify/Product/%d"}`, id)
	fmt.Fprintf(&b, `{"id": "gid://shopify/Product/%d", "handle": "p%d", "title": "P%d", "status": "ACTIVE", "tags": [], "vendor": %q, "updatedAt": "2026-03-01T12:00:00Z", "publishedAt": "2026-01-01T00:00:00Z"}`+"\n", id, id, id, filler)
	for n := range variants {
		fmt.Fprintf(&b, `{"id": "gid://shopify/ProductVariant/%d", "sku": "S%d-%d", "price": "1.%02d", "selectedOptions": [{"name": "Size", "value": "%d"}], "inventoryItem": {"id": "gid://shopify/InventoryItem/%d"}, %s`+"\n",
			id*1000+n, id, n, n, n, id*1000+n, parent)
	}
	for n := range images {
		fmt.Fprintf(&b, `{"id": "gid://shopify/MediaImage/%d", "image": {"url": "https://cdn.example/%d.png", "altText": null}, %s`+"\n", n, n, parent)
	}
	b.WriteString(`{` + parent + "\n") // a video
	return b.String()
}

// readRest reads all pages of products after a cursor, and returns the records and the cursors.
func readRest(t *testing.T, c *shopify.Connector, conn ports.Connection, cursor string) (records []syncrun.Record, cursors []string) {
	t.Helper()
	return readRestOf(t, c, conn, allProducts, cursor)
}

func readRestOf(t *testing.T, c *shopify.Connector, conn ports.Connection, r ports.PageRequest, cursor string) (records []syncrun.Record, cursors []string) {
	t.Helper()
	for r.Cursor = cursor; len(cursors) < 1000; {
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
		if err != nil {
			t.Fatalf("at %q: %v", r.Cursor, err)
		}
		records = append(records, page.Records...)
		if r.Cursor = page.Next; page.Next == "" {
			return records, cursors
		}
		cursors = append(cursors, page.Next)
	}
	t.Fatal("there is no end")
	return nil, nil
}

func TestReadBulk_products(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.bulk(lines(5, 2, 12, "Acme") + lines(6, 0, 0, ""))
	s.state("CREATED", "")
	first, err := c.Read(ports.NewOutbound(t.Context()), conn, allProducts)
	if err != nil || len(first.Records) != 0 || first.Next != "bulk:products:720918" {
		t.Fatalf("%+v, %v", first, err)
	}
	r := allProducts
	r.Cursor = first.Next
	pause := 250 * time.Millisecond
	for _, status := range []string{"CREATED", "RUNNING", "CANCELING", "RUNNING", "RUNNING"} {
		s.state(status, "")
		if _, err := c.Read(ports.NewOutbound(t.Context()), conn, r); err != (ports.Throttled{After: pause, Preparing: true}) {
			t.Errorf("%s: %v, want %s", status, err, pause)
		}
		pause = min(2*pause, 2*time.Second)
	}
	s.state("COMPLETED", s.fileURL)
	records, cursors := readRest(t, c, conn, r.Cursor)
	if len(records) != 2 || len(cursors) != 0 || s.count("Products") != 0 || s.count("BulkRun") != 1 {
		t.Fatalf("%+v, %v, asked %v", records, cursors, s.asked)
	}
	if p := records[0].Product; records[0].Remote != "5" || !records[0].At.Equal(noon) || p.SKU != "p5" || p.Brand != "Acme" || p.Currency != "EUR" ||
		len(p.Images) != 10 || !reflect.DeepEqual(p.Variants, []syncrun.Variant{{SKU: "S5-0", Size: "0", Item: "5000"}, {SKU: "S5-1", Size: "1", Price: "1.01", Item: "5001"}}) {
		t.Errorf("%+v", p)
	}
	if records[1].Remote != "6" || records[1].Problem != "It has no variants." {
		t.Errorf("%+v", records[1])
	}
}

// manyLines returns products of all sizes: small, with many variants, and longer than a part of the file.
func manyLines() (file string, names []string) {
	var b strings.Builder
	for id := 1; id <= 1200; id++ {
		filler, variants := "", 1+id%3
		switch {
		case id == 700:
			filler = strings.Repeat("x", 5<<20)
		case id%97 == 0:
			variants = 100
		case id%10 == 0:
			filler = strings.Repeat("y", 20_000)
		}
		b.WriteString(lines(id, variants, 1, filler))
		names = append(names, fmt.Sprint(id))
	}
	return strings.TrimSuffix(b.String(), "\n"), names
}

func TestReadFile_parts(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	file, names := manyLines()
	s.bulk(file)
	records, cursors := readRest(t, c, conn, "")
	var got []string
	for _, r := range records {
		got = append(got, r.Remote)
		if r.Problem != "" || len(r.Product.Images) != 1 {
			t.Errorf("%s: %s, %+v", r.Remote, r.Problem, r.Product)
		}
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%d of %d: %v", len(got), len(names), got)
	}
	if len(cursors) < 6 || len(cursors) > 30 {
		t.Errorf("%d pages", len(cursors))
	}
	// After a restart, the read continues in the middle of the file.
	for _, at := range []int{1, len(cursors) / 2, len(cursors) - 1} {
		after, _ := readRest(t, s.connector(), conn, cursors[at])
		if n := len(after); n == 0 || n >= len(records) || !reflect.DeepEqual(after, records[len(records)-n:]) {
			t.Errorf("after %s: %d records", cursors[at], n)
		}
	}
	for _, asked := range s.ranges {
		if !strings.HasPrefix(asked, "bytes=") {
			t.Fatalf("the file was asked for with %q", asked)
		}
	}
}

// An expired address is replaced by the operation's new one. Without a new one, the read restarts by pages.
func TestReadFile_expired(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	file, _ := manyLines()
	s.bulk(file)
	_, cursors := readRest(t, c, conn, "")
	middle := cursors[3]
	whole, _ := readRest(t, c, conn, middle)

	s.fileURL = s.url + "/file/other.jsonl"
	s.state("COMPLETED", s.fileURL)
	if again, _ := readRest(t, c, conn, middle); !reflect.DeepEqual(again, whole) {
		t.Errorf("%d records, want %d", len(again), len(whole))
	}
	s.fill(syncrun.Products, 3, noon)
	for _, status := range []string{"EXPIRED", "FAILED", "CANCELED", "COMPLETED"} {
		s.state(status, "")
		s.fileURL = "gone"
		if list, next := readRest(t, c, conn, middle); len(list) != 3 || next[0] != "page:" {
			t.Errorf("%s: %d records by %v", status, len(list), next)
		}
		if list, next := readRest(t, c, conn, "bulk:products:720918"); len(list) != 3 || next[0] != "page:" {
			t.Errorf("%s: %d records by %v", status, len(list), next)
		}
	}
	for _, cursor := range []string{
		"bulk:products:1", "bulk:1", "bulk:inventory:720918", "file:", "file:products:", "file:products:1:x:y", "file:products:1:-5:y",
		"file:products:1:2:%zz", strings.Replace(middle, "products", "inventory", 1), "what:5",
	} {
		if list, _ := readRest(t, c, conn, cursor); len(list) != 3 {
			t.Errorf("%s: %d records", cursor, len(list))
		}
	}
}

func TestStartBulk_unavailable(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"one is running": `{"data": {"bulkOperationRunQuery": {"bulkOperation": null, "userErrors": [{"field": null,
			"message": "A bulk query operation for this app and shop is already in progress: gid://shopify/BulkOperation/1."}]}}}`,
		"none is known":   `{"errors": [{"message": "Field 'bulkOperationRunQuery' doesn't exist on type 'Mutation'", "extensions": {"code": "undefinedField"}}]}`,
		"none is allowed": `{"errors": [{"message": "Access denied", "extensions": {"code": "ACCESS_DENIED"}}]}`,
		"nothing is said": `{"data": {"bulkOperationRunQuery": {"bulkOperation": null, "userErrors": []}}}`,
	} {
		s, c, conn := connect(t)
		s.fill(syncrun.Products, 60, noon)
		s.on("BulkRun", func(map[string]any) (int, string) { return 200, body })
		if records, cursors := readRest(t, c, conn, ""); len(records) != 60 || len(cursors) != 1 {
			t.Errorf("%s: %d records by %v", name, len(records), cursors)
		}
	}
	s, c, conn := connect(t)
	s.on("BulkRun", func(map[string]any) (int, string) { return 500, "" })
	if _, err := c.Read(ports.NewOutbound(t.Context()), conn, allProducts); !failed(err) || s.count("Products") != 0 {
		t.Errorf("trouble: %v", err)
	}
}

func TestProductsOf_badLines(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.bulk("\n" + lines(1, 1, 0, "") + `{"id": "gid://shopify/Product/2", "title": 5}` + "\n" + `{"id": "gid://shopify/ProductVariant/9", "price": 7, "__parentId": "gid://shopify/Product/2"}` +
		"\n{broken\n" + lines(3, 1, 0, "") + `{"id": 3, "price": {}, "__parentId": "gid://shopify/Product/3"}` + "\n\n" + lines(4, 1, 0, ""))
	records, _ := readRest(t, c, conn, "")
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s %v", r.Remote, r.Problem == ""))
	}
	if want := "1 true|2 false| false|3 false|4 true"; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
}

// The connector does not connect to another host than Shopify's for a file, and does not send the token with that request.
func TestChunk_untrustedAddress(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.bulk("")
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	for _, address := range []string{other.URL + "/x", "file:///etc/passwd", "/file/x", "http://" + conn.Store + "/x", "gopher://x/"} {
		r := allProducts
		r.Cursor = "file:products:720918:0:" + url.QueryEscape(address)
		if _, err := c.Read(ports.NewOutbound(t.Context()), conn, r); !failed(err) || len(s.ranges) != 0 || reached {
			t.Errorf("%s: %v", address, err)
		}
	}
	s.bulk(strings.Repeat("x", 17<<20)) // one line without an end
	r := allProducts
	r.Cursor = "bulk:products:720918"
	if _, err := c.Read(ports.NewOutbound(t.Context()), conn, r); !failed(err) {
		t.Error(err)
	}
}
