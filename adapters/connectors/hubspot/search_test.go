package hubspot_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/hubspot"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// readAll returns the records of a search by id.
func readAll(t *testing.T, s *hubspot.Connector, c ports.Connection, since time.Time, between func()) map[string]syncrun.Record {
	t.Helper()
	found := map[string]syncrun.Record{}
	r := ports.PageRequest{Resource: syncrun.Customers, Since: since}
	for range 1000 {
		page, err := s.Read(ports.NewOutbound(t.Context()), c, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Records {
			if _, twice := found[record.Remote]; twice {
				t.Fatalf("%s came twice", record.Remote)
			}
			found[record.Remote] = record
		}
		if r.Cursor = page.Next; r.Cursor == "" {
			return found
		}
		between()
	}
	t.Fatal("the pages do not end")
	return nil
}

// An import in HubSpot gives all records the same time of change, and HubSpot's search has at most 10,000 results.
func TestRead_searchBeyond10000(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	const n = 10_750
	h.fill(t, syncrun.Customers, n, changed)
	for i := range h.objects["contacts"] {
		h.objects["contacts"][i].modified = changed
	}
	pages := 0
	if found := readAll(t, s, c, changed, func() { pages++ }); len(found) != n || pages != n/200 {
		t.Errorf("%d contacts after %d pages, want %d", len(found), pages, n)
	}
	if found := readAll(t, s, c, changed.Add(time.Millisecond), func() {}); len(found) != 0 {
		t.Errorf("%d contacts changed later", len(found))
	}
}

// The latest change may be of the lowest id. The first, full read finds all records, also those without a time of change.
func TestRead_changedInAnyOrder(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	h.fill(t, syncrun.Customers, 700, changed)
	for i := range h.objects["contacts"] {
		h.objects["contacts"][i].modified = changed.Add(-time.Duration(i) * time.Second)
	}
	if found := readAll(t, s, c, changed.Add(-449*time.Second), func() {}); len(found) != 450 {
		t.Errorf("%d contacts, want 450", len(found))
	}
	searches := len(h.queries)
	if found := readAll(t, s, c, time.Time{}, func() {}); len(found) != 700 || len(h.queries) != searches {
		t.Errorf("%d contacts by %d searches, want 700 by a list", len(found), len(h.queries)-searches)
	}
}

// Contacts change while they are read, before and after the next page. This search or the next one returns the last
// state of each.
func TestRead_changesDuringSearch(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	names := h.fill(t, syncrun.Customers, 1200, changed)
	read := 0
	change := func(i int, at time.Time) {
		h.objects["contacts"][i].modified, h.objects["contacts"][i].properties = at, map[string]any{"email": "new@example.com"}
	}
	first := readAll(t, s, c, changed, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if read += 200; read < 1200 {
			change(read-1, time.Now().Add(time.Hour))
			change(read, time.Now().Add(time.Hour))
			change(read+100, time.Now().Add(2*time.Hour))
		}
	})
	var high time.Time
	for _, r := range first {
		if r.At.After(high) {
			high = r.At
		}
	}
	h.mu.Lock()
	for i, o := range h.objects["contacts"] { // the times in the future have come
		if o.modified.After(time.Now()) {
			h.objects["contacts"][i].modified = time.Now()
		}
	}
	h.mu.Unlock()
	next := readAll(t, s, c, high.Add(-syncrun.Overlap), func() {})
	for i, name := range names {
		last, again := next[name]
		if !again {
			last = first[name]
		}
		if last.Customer == nil || last.Customer.Email != h.objects["contacts"][i].properties["email"] {
			t.Errorf("contact %d: %+v", i, last)
		}
	}
}

// The total is that of the first page of a search, because those of later pages count the rest only.
func TestRead_total(t *testing.T) {
	t.Parallel()
	h, _, s, c := connect(t)
	h.fill(t, syncrun.Customers, 450, changed)
	r := ports.PageRequest{Resource: syncrun.Customers, Since: changed}
	for _, want := range []int{450, 0, 0} {
		page, err := s.Read(ports.NewOutbound(t.Context()), c, r)
		if err != nil || page.Total.Count != want {
			t.Errorf("%+v, want %d, %v", page.Total, want, err)
		}
		r.Cursor = page.Next
	}
}
