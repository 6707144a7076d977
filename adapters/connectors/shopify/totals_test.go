package shopify_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// totals returns the totals of all pages.
func totals(t *testing.T, c *shopify.Connector, conn ports.Connection, r ports.PageRequest) (list []syncrun.Total) {
	t.Helper()
	for {
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, page.Total)
		if r.Cursor = page.Next; r.Cursor == "" {
			return list
		}
	}
}

// The first page has the total, which takes no additional request.
func TestRead_total(t *testing.T) {
	s, c, conn := connect(t)
	s.fill(syncrun.Orders, 600, noon)
	for precision, atLeast := range map[string]bool{"EXACT": false, "AT_LEAST": true} {
		s.mu.Lock()
		s.total, s.asked = `{"count": 600, "precision": "`+precision+`"}`, nil
		s.mu.Unlock()
		got := totals(t, c, conn, ports.PageRequest{Resource: syncrun.Orders})
		porttest.Same(t, "totals", got, []syncrun.Total{{Count: 600, AtLeast: atLeast}, {}, {}})
		porttest.Same(t, "requests", len(s.asked), 3)
	}
}

// An app that may read, but not count, reads without totals.
func TestRead_totalRefused(t *testing.T) {
	s, c, conn := connect(t)
	s.fill(syncrun.Orders, 300, noon)
	s.total = "refused"
	porttest.Same(t, "totals", totals(t, c, conn, ports.PageRequest{Resource: syncrun.Orders}), []syncrun.Total{{}, {}})
	if s.count("Orders") != 3 {
		t.Errorf("asked %s", strings.Join(s.asked, "; "))
	}
}

// The total of a bulk operation is the number of objects at the root: the products.
func TestBulk_total(t *testing.T) {
	s, c, conn := connect(t)
	s.bulk(lines(5, 2, 12, "Acme") + lines(6, 0, 0, ""))
	porttest.Same(t, "totals", totals(t, c, conn, allProducts), []syncrun.Total{{}, {Count: 2}})
	porttest.Same(t, "requests", s.count("BulkRun")+s.count("Bulk"), 2)
}
