package shopify_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

var allStock = ports.PageRequest{Resource: syncrun.Inventory, Full: true}

// stockLevel is an item's level at a location. Without quantities it has no record.
type stockLevel struct {
	item, location int
	sku, quantity  string
	at             time.Time
}

// manyLevels returns levels of items at one location, at several, and at none.
func manyLevels(items int) (list []stockLevel) {
	for n := range items {
		item := 9007199254740993 + n
		for _, location := range [][]int{{7}, {3, 7}, {}, {7, 12, 3}}[n%4] {
			l := stockLevel{item, location, fmt.Sprintf(`"S%d"`, n), fmt.Sprintf(`{"name": "on_hand", "quantity": 9}, {"name": "available", "quantity": %d}`, n%50-5), noon}
			switch n % 11 {
			case 3:
				l.sku = "null"
			case 5:
				l.sku = `" padded\u00e9 "`
			case 7:
				l.at = noon.Add(time.Duration(n) * time.Millisecond)
			case 9:
				l.quantity = ""
			}
			list = append(list, l)
		}
	}
	return list
}

func (l stockLevel) node() string {
	return fmt.Sprintf(`{"updatedAt": %q, "item": {"id": "gid://shopify/InventoryItem/%d", "sku": %s}, "quantities": [%s]}`, stamp(l.at), l.item, l.sku, l.quantity)
}

// line returns the level's line in a file, in which ids have escaped slashes.
func (l stockLevel) line() string {
	return fmt.Sprintf(`{"id":"gid:\/\/shopify\/InventoryLevel\/%d?inventory_item_id=%d","updatedAt":%q,"item":{"id":"gid:\/\/shopify\/InventoryItem\/%d","sku":%s},`+
		`"location":{"id":"gid:\/\/shopify\/Location\/%d"},"quantities":[%s],"__parentId":"gid:\/\/shopify\/InventoryItem\/%d"}`+"\n",
		l.location*1000, l.item, stamp(l.at), l.item, l.sku, l.location, l.quantity, l.item)
}

// stockFile returns a file with all items first, because levels need not follow their item.
func stockFile(items int, levels []stockLevel) string {
	var b strings.Builder
	for n := range items {
		fmt.Fprintf(&b, `{"id":"gid:\/\/shopify\/InventoryItem\/%d"}`+"\n", 9007199254740993+n)
	}
	for _, l := range levels {
		b.WriteString(l.line())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// stock makes the shop answer requests for levels by pages.
func (s *fakeShop) stock(levels []stockLevel) {
	s.locations = locations(3, 7, 12)
	s.on("Levels", func(variables map[string]any) (int, string) {
		here := map[string]any{"first": variables["first"], "after": variables["after"], "query": variables["query"]}
		s.mu.Lock()
		s.data["inventoryLevels"] = nil
		for _, l := range levels {
			if fmt.Sprintf("gid://shopify/Location/%d", l.location) == variables["location"] {
				s.data["inventoryLevels"] = append(s.data["inventoryLevels"], record{l.at, l.node()})
			}
		}
		s.mu.Unlock()
		status, body := s.page("inventoryLevels", here)
		return status, strings.Replace(strings.TrimSuffix(body, "}"), `"data": `, `"data": {"location": `, 1) + "}}"
	})
}

func byName(list []syncrun.Record) []syncrun.Record {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b syncrun.Record) int { return strings.Compare(a.Remote, b.Remote) })
	return list
}

// The records of levels are the same from pages and from a bulk operation.
func TestReadBulk_levels(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	levels := manyLevels(2000)
	s.stock(levels)
	paged, _ := readRestOf(t, c, conn, allStock, "page:")
	if s.count("BulkRun") != 0 || len(paged) < 2500 {
		t.Fatalf("%d records by pages", len(paged))
	}
	asked := s.count("Levels")
	s.bulkOf("inventoryItems", stockFile(2000, levels))
	for name, r := range map[string]ports.PageRequest{"full": allStock, "first": {Resource: syncrun.Inventory}} {
		records, cursors := readRestOf(t, c, conn, r, "")
		if cursors[0] != "bulk:inventory:720918" || s.count("Levels") != asked || s.count("Shop") != 0 {
			t.Errorf("%s: by %v, asked %d times for levels", name, cursors, s.count("Levels")-asked)
		}
		want(t, name, byName(records), byName(paged)...)
		for i, r := range byName(records) {
			if r.Digest() != byName(paged)[i].Digest() {
				t.Errorf("%s: the digest of %s differs", name, r.Remote)
			}
		}
		// After a restart, the read continues in the middle of the file.
		for _, at := range []int{1, len(cursors) / 2, len(cursors) - 1} {
			after, _ := readRestOf(t, s.connector(), conn, r, cursors[at])
			if n := len(after); n == 0 || n > len(records) || !reflect.DeepEqual(after, records[len(records)-n:]) {
				t.Errorf("after %s: %d records", cursors[at], n)
			}
		}
	}
	if _, cursors := readRestOf(t, c, conn, ports.PageRequest{Resource: syncrun.Inventory, Since: noon}, ""); strings.HasPrefix(cursors[0], "bulk:") {
		t.Error("what changed was read by a bulk operation")
	}
}

// Pages of a file have at most 250 records, like those of the API.
func TestReadFile_levels(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	levels := manyLevels(2000)
	levels[100].sku = `"` + strings.Repeat("x", 1<<20) + `"` // longer than a part
	s.bulkOf("inventoryItems", stockFile(2000, levels))
	r, seen := allStock, 0
	for r.Cursor = "bulk:inventory:720918"; ; {
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
		if err != nil || len(page.Records) > 250 {
			t.Fatalf("%d records, %v", len(page.Records), err)
		}
		seen += len(page.Records)
		if r.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	counted := len(slices.DeleteFunc(levels, func(l stockLevel) bool { return l.quantity == "" }))
	if seen != counted {
		t.Errorf("%d of %d", seen, counted)
	}
}

func TestReadBulk_levelsByPages(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	levels := manyLevels(600)
	s.bulkOf("inventoryItems", stockFile(600, levels))
	_, cursors := readRestOf(t, c, conn, allStock, "bulk:inventory:720918")
	middle := cursors[1]
	s.stock(levels)
	paged, _ := readRestOf(t, c, conn, allStock, "page:")
	again := func(name, cursor string) {
		t.Helper()
		list, _ := readRestOf(t, c, conn, allStock, cursor)
		want(t, name+" at "+cursor, list, paged...)
	}
	for _, cursor := range []string{"bulk:inventory:1", "bulk:products:720918", strings.Replace(middle, "inventory", "products", 1), "file:inventory:1:x:y", "file:", "what:5"} {
		again("another's", cursor)
	}
	s.fileURL = "gone"
	for _, status := range []string{"EXPIRED", "FAILED", "CANCELED", "COMPLETED"} {
		s.state(status, "")
		again(status, middle)
		again(status, "bulk:inventory:720918")
	}
	s.say("BulkRun", `{"bulkOperationRunQuery": {"bulkOperation": null, "userErrors": [{"message": "A bulk query operation for this app and shop is already in progress."}]}}`)
	again("one is running", "")
	s.fail("BulkRun", `[{"message": "Access denied", "extensions": {"code": "ACCESS_DENIED"}}]`)
	again("none is allowed", "")
	before := s.count("Levels")
	s.on("BulkRun", func(map[string]any) (int, string) { return 500, "" })
	if _, err := c.Read(ports.NewOutbound(t.Context()), conn, allStock); !failed(err) || s.count("Levels") != before {
		t.Errorf("trouble: %v", err)
	}
}

// A level without a readable item or location has no id, so that it does not replace another level.
func TestLevelLine_badLines(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	good := stockLevel{5, 7, `"A"`, `{"name": "available", "quantity": 3}`, noon}
	s.bulkOf("inventoryItems", "\n"+`{"id":"gid://shopify/InventoryItem/5"}`+"\n\n"+good.line()+"{broken\n"+
		strings.Replace(good.line(), `"quantity": 3`, `"quantity": "many"`, 1)+
		strings.Replace(good.line(), `Location\/7`, `Location\/none`, 1)+strings.Replace(good.line(), `"location"`, `"place"`, 1)+
		strings.Replace(good.line(), `"item":`, `"thing":`, 1)+strings.Replace(good.line(), `Location\/7`, `Location\/8`, 1))
	records, _ := readRestOf(t, c, conn, allStock, "")
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s %v", r.Remote, r.Problem == ""))
	}
	if want := "5:7 true| false|5:7 false| false| false| false|5:8 true"; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
}
