package syncing_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// ExternalRecords is the contract of ports.ExternalRecords, ports.CopyReader and ports.IntegrationFigures.
func ExternalRecords(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"copies come back as they were stored":        copyRoundTrip,
		"what was read is the reader's":               copyAliasing,
		"a copy is stored in place of the one before": copyReplaced,
		"of copies given twice the last is stored":    copyTwice,
		"many copies":                                    copyMany,
		"copies are found by the platform's ids":         copyFind,
		"copies are found by our ids, if they are there": copyOf,
		"what a full run did not see":                    copyNotSeen,
		"lists are in the order of the platform's ids":   copyList,
		"text that can't be stored leaves no trace":      copyText,
		"racing to store the same copies":                copyRace,
		"a customer is known by e-mail":                  copyCustomer,
		"customers of what is disconnected do not count": copyCustomerGone,
		"figures of integrations":                        copyFigures,
		"copies go with their project":                   copyDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

// recorded identifies the records of a resource of an integration of the shop.
func recorded(s *porttest.Shop, i id.Integration, resource syncrun.Resource) ports.RecordSet {
	return ports.RecordSet{
		Project:     s.Project.ID,
		Integration: i,
		Resource:    resource,
	}
}

// copied returns n records, not stored yet, in the order of the platform's ids.
func copied(of ports.RecordSet, n int) []*syncrun.ExternalRecord {
	list := make([]*syncrun.ExternalRecord, n)
	for i := range list {
		list[i] = &syncrun.ExternalRecord{
			Project:     of.Project,
			Integration: of.Integration,
			Resource:    of.Resource,
			Remote:      fmt.Sprintf("remote-%04d", i),
			Local:       fmt.Sprintf("local-%04d", i),
			Digest:      "digest",
			UpdatedAt:   porttest.Noon,
		}
	}
	return list
}

// saveRecords stores records.
func saveRecords(s *porttest.Shop, list ...*syncrun.ExternalRecord) {
	s.T.Helper()
	s.Must(s.Copies.Save(s.Ctx, list))
}

// storedRecords returns all records, removed ones too.
func storedRecords(s *porttest.Shop, of ports.RecordSet) []*syncrun.ExternalRecord {
	s.T.Helper()
	list, _, err := s.CopyReader.List(s.Ctx, of, ports.Page{Limit: 10_000})
	s.Must(err)
	return list
}

func remotesOf(list []*syncrun.ExternalRecord) []string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Remote
	}
	return names
}

func localsOf(list []*syncrun.ExternalRecord) []string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Local
	}
	return names
}

// sameRecords names the first difference only.
func sameRecords(t testing.TB, got, want []*syncrun.ExternalRecord) {
	t.Helper()
	porttest.Same(t, "number of copies", len(got), len(want))
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("copy %d:\n got %+v\nwant %+v", i, *got[i], *want[i])
			return
		}
	}
}

func byRemote(list []*syncrun.ExternalRecord) []*syncrun.ExternalRecord {
	return slices.SortedFunc(slices.Values(list), func(a, b *syncrun.ExternalRecord) int { return cmp.Compare(a.Remote, b.Remote) })
}

func copyRoundTrip(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	prints := syncrun.Fingerprints{1, 2, 1 << 63, 1<<64 - 1}
	order := &syncrun.Order{
		Number:    "#1001",
		Email:     "Ada@Example.com",
		Status:    "paid",
		Total:     "12.50",
		Currency:  "USD",
		Items:     3,
		PlacedAt:  porttest.Noon,
		Reference: "ord_1",
		Shipment: &syncrun.Shipment{
			Carrier:     "ups",
			Number:      "1Z",
			TrackingURL: "https://ups.example/1Z",
			ShippedAt:   porttest.Noon,
			Delivered:   true,
			Voided:      true,
		},
	}
	customer := &syncrun.Customer{
		Email:     "ada@example.com",
		Name:      "Ægir \x00 \"\\'",
		Tier:      "gold",
		Purchases: 12,
	}
	for resource, c := range map[syncrun.Resource]syncrun.ExternalRecord{
		syncrun.Products:  {Remote: "1", Local: "prod_1", Prints: prints, At: porttest.Noon.Add(-time.Hour), Removed: true},
		syncrun.Inventory: {Remote: "1:2", Local: "var_1", Quantity: -5_000_000_000, Seen: porttest.Random[id.Sync]()},
		syncrun.Items:     {Remote: "1", Local: "var_1", SKU: "TENT-1"},
		syncrun.Orders:    {Remote: "gid://shopify/Order/1", Email: "ada@example.com", Order: order},
		syncrun.Customers: {Remote: "ünicode \\'", Email: "ada@example.com", Customer: customer},
	} {
		c.Project, c.Integration, c.Resource, c.Digest, c.UpdatedAt = s.Project.ID, i.ID, resource, "digest", porttest.Noon
		bare := &syncrun.ExternalRecord{
			Project:     s.Project.ID,
			Integration: i.ID,
			Resource:    resource,
			Remote:      "~",
			UpdatedAt:   porttest.Noon,
		}
		sparse := &syncrun.ExternalRecord{
			Project:     s.Project.ID,
			Integration: i.ID,
			Resource:    resource,
			Remote:      "~~",
			UpdatedAt:   porttest.Noon,
			Order:       &syncrun.Order{Shipment: &syncrun.Shipment{}},
			Customer:    &syncrun.Customer{},
		}
		saveRecords(s, &c, bare, sparse)
		sameRecords(s.T, storedRecords(s, recorded(s, i.ID, resource)), byRemote([]*syncrun.ExternalRecord{&c, bare, sparse}))
	}
}

func copyAliasing(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.HubSpot, porttest.Noon).ID, syncrun.Customers)
	c := copied(of, 1)[0]
	c.Customer = &syncrun.Customer{Name: "Ada"}
	saveRecords(s, c)
	c.Customer.Name = "mine"
	storedRecords(s, of)[0].Customer.Name = "mine"
	porttest.Same(s.T, "name", storedRecords(s, of)[0].Customer.Name, "Ada")
}

func copyReplaced(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Orders)
	list := copied(of, 3)
	saveRecords(s, list...)
	next := &syncrun.ExternalRecord{
		Project:     of.Project,
		Integration: of.Integration,
		Resource:    of.Resource,
		Remote:      list[1].Remote,
		Local:       "other",
		SKU:         "sku",
		Digest:      "other",
		Prints:      syncrun.Fingerprints{1},
		Quantity:    2,
		At:          porttest.Noon,
		Seen:        porttest.Random[id.Sync](),
		Removed:     true,
		Email:       "b@c.d",
		Order:       &syncrun.Order{Number: "2"},
		UpdatedAt:   porttest.Noon.Add(time.Hour),
	}
	saveRecords(s, next)
	sameRecords(s.T, storedRecords(s, of), []*syncrun.ExternalRecord{list[0], next, list[2]})
	saveRecords(s, list[1])
	sameRecords(s.T, storedRecords(s, of), list)
}

func copyTwice(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	first, last := copied(of, 1)[0], copied(of, 1)[0]
	last.Digest = "last"
	saveRecords(s, first, last)
	sameRecords(s.T, storedRecords(s, of), []*syncrun.ExternalRecord{last})
}

func copyMany(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	list := copied(of, 1234)
	for range 2 { // created, then updated
		saveRecords(s, list...)
		sameRecords(s.T, storedRecords(s, of), list)
	}
	found, err := s.Copies.Find(s.Ctx, of, remotesOf(list))
	s.Must(err)
	sameRecords(s.T, byRemote(found), list)
	found, err = s.Copies.Of(s.Ctx, of, localsOf(list))
	s.Must(err)
	sameRecords(s.T, byRemote(found), list)
	run := porttest.Random[id.Sync]()
	s.Must(s.Copies.MarkSeen(s.Ctx, of, run, remotesOf(list)[:1200]))
	_, notSeen, all, err := s.Copies.NotSeenIn(s.Ctx, of, run, 1)
	s.Must(err)
	porttest.Same(s.T, "unseen and all", [2]int{notSeen, all}, [2]int{34, 1234})
	saveRecords(s)
}

func copyFind(s *porttest.Shop) {
	i, other := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon)
	of := recorded(s, i.ID, syncrun.Products)
	list := copied(of, 4)
	list[1].Removed = true
	saveRecords(s, list...)
	saveRecords(s, copied(recorded(s, i.ID, syncrun.Orders), 4)...)
	saveRecords(s, copied(recorded(s, other.ID, syncrun.Products), 4)...)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	foreign := recorded(neighbour, neighbour.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	saveRecords(neighbour, copied(foreign, 4)...)
	got, err := s.Copies.Find(s.Ctx, of, []string{"remote-0002", "remote-0001", "nothing", "remote-0001"})
	s.Must(err)
	sameRecords(s.T, byRemote(got), list[1:3])
	for _, nothing := range []ports.RecordSet{
		recorded(s, foreign.Integration, syncrun.Products), recorded(s, porttest.Random[id.Integration](), syncrun.Products), recorded(s, i.ID, syncrun.Customers),
	} {
		got, err := s.Copies.Find(s.Ctx, nothing, remotesOf(list))
		s.Must(err)
		porttest.Same(s.T, "found", len(got), 0)
	}
	got, err = s.Copies.Find(s.Ctx, of, nil)
	s.Must(err)
	porttest.Same(s.T, "found of none", len(got), 0)
}

func copyOf(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	of := recorded(s, i.ID, syncrun.Products)
	list := copied(of, 4)
	list[1].Removed, list[3].Local = true, list[2].Local
	saveRecords(s, list...)
	saveRecords(s, copied(recorded(s, i.ID, syncrun.Items), 4)...)
	got, err := s.Copies.Of(s.Ctx, of, []string{"local-0002", "local-0001", "nothing"})
	s.Must(err)
	sameRecords(s.T, byRemote(got), list[2:])
	got, err = s.Copies.Of(s.Ctx, of, nil)
	s.Must(err)
	porttest.Same(s.T, "found of none", len(got), 0)
}

func copyNotSeen(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	of, run := recorded(s, i.ID, syncrun.Products), porttest.Random[id.Sync]()
	list := copied(of, 9)
	list[2].Removed, list[3].Seen, list[4].Seen = true, porttest.Random[id.Sync](), run
	saveRecords(s, list...)
	saveRecords(s, copied(recorded(s, i.ID, syncrun.Items), 9)...)
	s.Must(s.Copies.MarkSeen(s.Ctx, of, run, []string{"remote-0000", "remote-0008", "nothing"}))
	s.Must(s.Copies.MarkSeen(s.Ctx, of, run, nil))
	for _, n := range []int{2, 9} {
		got, notSeen, all, err := s.Copies.NotSeenIn(s.Ctx, of, run, n)
		s.Must(err)
		want := []*syncrun.ExternalRecord{list[1], list[3], list[5], list[6], list[7]}
		sameRecords(s.T, byRemote(got), want[:min(n, len(want))])
		porttest.Same(s.T, "unseen and all", [2]int{notSeen, all}, [2]int{5, 8})
	}
	list[0].Seen, list[8].Seen = run, run
	sameRecords(s.T, storedRecords(s, of), list)
}

func copyList(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Orders)
	list := copied(of, 5)
	list[0].Remote, list[1].Remote, list[2].Removed = "A", "a", true
	want := byRemote(list)
	saveRecords(s, list...)
	got, total, err := s.CopyReader.List(s.Ctx, of, ports.Page{Limit: 2, Offset: 1})
	s.Must(err)
	sameRecords(s.T, got, want[1:3])
	porttest.Same(s.T, "total", total, 5)
	sameRecords(s.T, storedRecords(s, of), want)
}

func copyText(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	list := copied(of, 3)
	list[1].Remote = "a\x00b"
	porttest.WantFault(s.T, s.Copies.Save(s.Ctx, list), fault.Invalid, "validation_error")
	porttest.Same(s.T, "stored", len(storedRecords(s, of)), 0)
}

// Half of the racers bring the copies in one order, half in the other.
func copyRace(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	s.Must(porttest.AtOnce(porttest.Racers, func(n int) error {
		list := copied(of, 40)
		if n%2 == 0 {
			slices.Reverse(list)
		}
		return s.Copies.Save(s.Ctx, list)
	}))
	sameRecords(s.T, storedRecords(s, of), copied(of, 40))
}

func copyDelete(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	saveRecords(s, copied(of, 2)...)
	s.DeleteProject()
	porttest.Same(s.T, "stored", len(storedRecords(s, of)), 0)
	porttest.WantFault(s.T, s.Copies.Save(s.Ctx, copied(of, 1)), fault.NotFound, "project_not_found")
}
