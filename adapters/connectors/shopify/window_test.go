package shopify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// A shop has more objects than Shopify pages through. Full and incremental reads find all of them.
func TestWindow_moreThanPagedObjects(t *testing.T) {
	t.Parallel()
	for resource, since := range map[syncrun.Resource]time.Time{syncrun.Orders: {}, syncrun.Customers: noon, syncrun.Products: {}, syncrun.Inventory: noon} {
		s, c, conn := connect(t)
		s.fail("BulkRun", `[{"message": "Access denied", "path": ["bulkOperationRunQuery"], "extensions": {"code": "ACCESS_DENIED"}}]`)
		names := s.fill(resource, paged+700, noon)
		records, _ := readRestOf(t, c, conn, ports.PageRequest{Resource: resource, Since: since}, "")
		var got []string
		for _, r := range records {
			got = append(got, r.Remote)
		}
		if !slices.Equal(got, names) {
			t.Errorf("%s since %v: %d of %d", resource, since, len(got), len(names))
		}
	}
}

// Levels that are not in the order of their items cannot be read beyond the number that Shopify pages through.
func TestNextLevels_unordered(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.fill(syncrun.Inventory, paged+1, noon)
	list := s.data["inventoryLevels"]
	list[300], list[400] = list[400], list[300]
	r := ports.PageRequest{Resource: syncrun.Inventory, Since: noon}
	for {
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
		if err != nil {
			if !refused(err) || !strings.Contains(err.Error(), "bulk queries") {
				t.Error(err)
			}
			return
		}
		if r.Cursor = page.Next; page.Next == "" {
			t.Fatal("it came to an end")
		}
	}
}

// A field for which the app has no approval or scope is left out, and a notice names it.
func TestRead_deniedFields(t *testing.T) {
	t.Parallel()
	const denied = `{"message": "This app is not approved to use the email field.", "path": ["orders", "nodes", 0, "email"], "extensions": {"code": "ACCESS_DENIED"}}`
	const data = `"data": {"orders": {"pageInfo": {"hasNextPage": false}, "nodes": [{"id": "gid://shopify/Order/5", "name": "#1", "email": null, "updatedAt": "2026-03-01T12:00:00Z"}]}}`
	const whole = `{"message": "Access denied for orders field.", "path": ["orders"], "extensions": {"code": "ACCESS_DENIED"}}`
	for name, test := range map[string]struct {
		errors string
		taken  bool
	}{
		"one field":            {denied, true},
		"a field of each node": {denied + "," + denied, true},
		"all of it":            {whole, false},
		"another error too":    {denied + `, {"message": "Something else"}`, false},
	} {
		s, c, conn := connect(t)
		s.on("Orders", func(map[string]any) (int, string) { return 200, `{"errors": [` + test.errors + `], ` + data + `}` })
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Orders})
		if !test.taken {
			if !refused(err) {
				t.Errorf("%s: %+v, %v", name, page, err)
			}
			continue
		}
		want := syncrun.Notice{
			Code: syncrun.FieldDenied, Resource: syncrun.Orders,
			Message: "Shopify does not show the app email of orders: This app is not approved to use the email field.",
		}
		if err != nil || len(page.Records) != 1 || page.Records[0].Order.Number != "#1" || !slices.Equal(page.Notices, []syncrun.Notice{want}) {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
}

// An app without access to bulk operations reads pages, and a notice says which access is missing.
func TestRead_bulkDenied(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.fill(syncrun.Products, 3, noon)
	s.fail("BulkRun", `[{"message": "Access denied", "path": ["bulkOperationRunQuery"], "extensions": {"code": "ACCESS_DENIED"}}]`)
	page, err := c.Read(ports.NewOutbound(t.Context()), conn, allProducts)
	if err != nil || len(page.Records) != 3 || len(page.Notices) != 1 || page.Notices[0].Code != syncrun.BulkDenied ||
		!strings.Contains(page.Notices[0].Message, "API access requests") {
		t.Errorf("%+v, %v", page, err)
	}
	s.say("Bulk", `{"node": {"id": "gid://shopify/BulkOperation/720918", "status": "FAILED", "errorCode": "ACCESS_DENIED", "url": null}}`)
	r := allProducts
	r.Cursor = "bulk:products:720918"
	if page, err := c.Read(ports.NewOutbound(t.Context()), conn, r); err != nil || page.Next != "page:" || len(page.Notices) != 1 {
		t.Errorf("it failed for that: %+v, %v", page, err)
	}
	s.on("BulkRun", func(map[string]any) (int, string) {
		return 200, `{"data": {"bulkOperationRunQuery": {"bulkOperation": null, "userErrors": [{"message": "A bulk query operation is already in progress."}]}}}`
	})
	if page, err := c.Read(ports.NewOutbound(t.Context()), conn, allProducts); err != nil || len(page.Notices) != 0 {
		t.Errorf("another one runs: %+v, %v", page.Notices, err)
	}
}
