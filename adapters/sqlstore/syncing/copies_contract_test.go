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

// Copies is the contract of ports.Copies, ports.CopyReader and ports.IntegrationFigures.
func Copies(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"copies come back as they were stored":        copyRoundTrip,
		"what was read is the reader's":               copyAliasing,
		"a copy is stored in place of the one before": copyReplaced,
		"of copies given twice the last is stored":    copyTwice,
		"many copies":                                    copyMany,
		"copies are found by the platform's ids":         copyFind,
		"copies are found by our ids, if they are there": copyOf,
		"what a full run did not see":                    copyUnseen,
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

// recorded are the copies of a resource of an integration of the shop's.
func recorded(s *porttest.Shop, i id.Integration, resource syncrun.Resource) ports.CopiesOf {
	return ports.CopiesOf{Project: s.Project.ID, Integration: i, Resource: resource}
}

// copied are n copies, not stored yet, in the order of the platform's ids.
func copied(of ports.CopiesOf, n int) []*syncrun.Copy {
	list := make([]*syncrun.Copy, n)
	for i := range list {
		list[i] = &syncrun.Copy{
			Project: of.Project, Integration: of.Integration, Resource: of.Resource, Remote: fmt.Sprintf("remote-%04d", i),
			Local: fmt.Sprintf("local-%04d", i), Digest: "digest", UpdatedAt: porttest.Noon,
		}
	}
	return list
}

// keepCopies stores copies.
func keepCopies(s *porttest.Shop, list ...*syncrun.Copy) {
	s.T.Helper()
	s.Must(s.Copies.Save(s.Ctx, list))
}

// copies are all there are, removed ones too.
func copies(s *porttest.Shop, of ports.CopiesOf) []*syncrun.Copy {
	s.T.Helper()
	list, _, err := s.CopyReader.List(s.Ctx, of, ports.Page{Limit: 10_000})
	s.Must(err)
	return list
}

func remotesOf(list []*syncrun.Copy) []string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Remote
	}
	return names
}

func localsOf(list []*syncrun.Copy) []string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Local
	}
	return names
}

// sameCopies names the first difference only.
func sameCopies(t testing.TB, got, want []*syncrun.Copy) {
	t.Helper()
	porttest.Same(t, "number of copies", len(got), len(want))
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("copy %d:\n got %+v\nwant %+v", i, *got[i], *want[i])
			return
		}
	}
}

func byRemote(list []*syncrun.Copy) []*syncrun.Copy {
	return slices.SortedFunc(slices.Values(list), func(a, b *syncrun.Copy) int { return cmp.Compare(a.Remote, b.Remote) })
}

func copyRoundTrip(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	prints := syncrun.Prints{1, 2, 1 << 63, 1<<64 - 1}
	order := &syncrun.Order{
		Number: "#1001", Email: "Ada@Example.com", Status: "paid", Total: "12.50", Currency: "USD", Items: 3, PlacedAt: porttest.Noon,
		Reference: "ord_1", Shipment: &syncrun.Shipment{
			Carrier: "ups", Number: "1Z", TrackingURL: "https://ups.example/1Z", ShippedAt: porttest.Noon, Delivered: true, Voided: true,
		},
	}
	customer := &syncrun.Customer{Email: "ada@example.com", Name: "Ægir \x00 \"\\'", Tier: "gold", Purchases: 12}
	for resource, c := range map[syncrun.Resource]syncrun.Copy{
		syncrun.Products:  {Remote: "1", Local: "prod_1", Prints: prints, At: porttest.Noon.Add(-time.Hour), Removed: true},
		syncrun.Inventory: {Remote: "1:2", Local: "var_1", Quantity: -5_000_000_000, Seen: porttest.Random[id.Sync]()},
		syncrun.Items:     {Remote: "1", Local: "var_1", SKU: "TENT-1"},
		syncrun.Orders:    {Remote: "gid://shopify/Order/1", Email: "ada@example.com", Order: order},
		syncrun.Customers: {Remote: "ünicode \\'", Email: "ada@example.com", Customer: customer},
	} {
		c.Project, c.Integration, c.Resource, c.Digest, c.UpdatedAt = s.Project.ID, i.ID, resource, "digest", porttest.Noon
		bare := &syncrun.Copy{Project: s.Project.ID, Integration: i.ID, Resource: resource, Remote: "~", UpdatedAt: porttest.Noon}
		sparse := &syncrun.Copy{
			Project: s.Project.ID, Integration: i.ID, Resource: resource, Remote: "~~", UpdatedAt: porttest.Noon,
			Order: &syncrun.Order{Shipment: &syncrun.Shipment{}}, Customer: &syncrun.Customer{},
		}
		keepCopies(s, &c, bare, sparse)
		sameCopies(s.T, copies(s, recorded(s, i.ID, resource)), byRemote([]*syncrun.Copy{&c, bare, sparse}))
	}
}

func copyAliasing(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.HubSpot, porttest.Noon).ID, syncrun.Customers)
	c := copied(of, 1)[0]
	c.Customer = &syncrun.Customer{Name: "Ada"}
	keepCopies(s, c)
	c.Customer.Name = "mine"
	copies(s, of)[0].Customer.Name = "mine"
	porttest.Same(s.T, "name", copies(s, of)[0].Customer.Name, "Ada")
}

func copyReplaced(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Orders)
	list := copied(of, 3)
	keepCopies(s, list...)
	next := &syncrun.Copy{
		Project: of.Project, Integration: of.Integration, Resource: of.Resource, Remote: list[1].Remote, Local: "other", SKU: "sku",
		Digest: "other", Prints: syncrun.Prints{1}, Quantity: 2, At: porttest.Noon, Seen: porttest.Random[id.Sync](), Removed: true, Email: "b@c.d",
		Order: &syncrun.Order{Number: "2"}, UpdatedAt: porttest.Noon.Add(time.Hour),
	}
	keepCopies(s, next)
	sameCopies(s.T, copies(s, of), []*syncrun.Copy{list[0], next, list[2]})
	keepCopies(s, list[1])
	sameCopies(s.T, copies(s, of), list)
}

func copyTwice(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	first, last := copied(of, 1)[0], copied(of, 1)[0]
	last.Digest = "last"
	keepCopies(s, first, last)
	sameCopies(s.T, copies(s, of), []*syncrun.Copy{last})
}

func copyMany(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	list := copied(of, 1234)
	for range 2 { // created, then updated
		keepCopies(s, list...)
		sameCopies(s.T, copies(s, of), list)
	}
	found, err := s.Copies.Find(s.Ctx, of, remotesOf(list))
	s.Must(err)
	sameCopies(s.T, byRemote(found), list)
	found, err = s.Copies.Of(s.Ctx, of, localsOf(list))
	s.Must(err)
	sameCopies(s.T, byRemote(found), list)
	run := porttest.Random[id.Sync]()
	s.Must(s.Copies.See(s.Ctx, of, run, remotesOf(list)[:1200]))
	_, unseen, all, err := s.Copies.Unseen(s.Ctx, of, run, 1)
	s.Must(err)
	porttest.Same(s.T, "unseen and all", [2]int{unseen, all}, [2]int{34, 1234})
	keepCopies(s)
}

func copyFind(s *porttest.Shop) {
	i, other := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon)
	of := recorded(s, i.ID, syncrun.Products)
	list := copied(of, 4)
	list[1].Removed = true
	keepCopies(s, list...)
	keepCopies(s, copied(recorded(s, i.ID, syncrun.Orders), 4)...)
	keepCopies(s, copied(recorded(s, other.ID, syncrun.Products), 4)...)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	foreign := recorded(neighbour, neighbour.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	keepCopies(neighbour, copied(foreign, 4)...)
	got, err := s.Copies.Find(s.Ctx, of, []string{"remote-0002", "remote-0001", "nothing", "remote-0001"})
	s.Must(err)
	sameCopies(s.T, byRemote(got), list[1:3])
	for _, nothing := range []ports.CopiesOf{
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
	keepCopies(s, list...)
	keepCopies(s, copied(recorded(s, i.ID, syncrun.Items), 4)...)
	got, err := s.Copies.Of(s.Ctx, of, []string{"local-0002", "local-0001", "nothing"})
	s.Must(err)
	sameCopies(s.T, byRemote(got), list[2:])
	got, err = s.Copies.Of(s.Ctx, of, nil)
	s.Must(err)
	porttest.Same(s.T, "found of none", len(got), 0)
}

func copyUnseen(s *porttest.Shop) {
	i := s.Connect(integration.Shopify, porttest.Noon)
	of, run := recorded(s, i.ID, syncrun.Products), porttest.Random[id.Sync]()
	list := copied(of, 9)
	list[2].Removed, list[3].Seen, list[4].Seen = true, porttest.Random[id.Sync](), run
	keepCopies(s, list...)
	keepCopies(s, copied(recorded(s, i.ID, syncrun.Items), 9)...)
	s.Must(s.Copies.See(s.Ctx, of, run, []string{"remote-0000", "remote-0008", "nothing"}))
	s.Must(s.Copies.See(s.Ctx, of, run, nil))
	for _, n := range []int{2, 9} {
		got, unseen, all, err := s.Copies.Unseen(s.Ctx, of, run, n)
		s.Must(err)
		want := []*syncrun.Copy{list[1], list[3], list[5], list[6], list[7]}
		sameCopies(s.T, byRemote(got), want[:min(n, len(want))])
		porttest.Same(s.T, "unseen and all", [2]int{unseen, all}, [2]int{5, 8})
	}
	list[0].Seen, list[8].Seen = run, run
	sameCopies(s.T, copies(s, of), list)
}

func copyList(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Orders)
	list := copied(of, 5)
	list[0].Remote, list[1].Remote, list[2].Removed = "A", "a", true
	want := byRemote(list)
	keepCopies(s, list...)
	got, total, err := s.CopyReader.List(s.Ctx, of, ports.Page{Limit: 2, Offset: 1})
	s.Must(err)
	sameCopies(s.T, got, want[1:3])
	porttest.Same(s.T, "total", total, 5)
	sameCopies(s.T, copies(s, of), want)
}

func copyText(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	list := copied(of, 3)
	list[1].Remote = "a\x00b"
	porttest.WantFault(s.T, s.Copies.Save(s.Ctx, list), fault.Invalid, "validation_error")
	porttest.Same(s.T, "stored", len(copies(s, of)), 0)
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
	sameCopies(s.T, copies(s, of), copied(of, 40))
}

// customer stores one, known by its purchases.
func customer(s *porttest.Shop, i *integration.Integration, remote, email string, purchases int) *syncrun.Copy {
	s.T.Helper()
	c := copied(recorded(s, i.ID, syncrun.Customers), 1)[0]
	c.Remote, c.Local, c.Email = remote, "", email
	c.Customer = &syncrun.Customer{Email: email, Name: remote, Tier: "gold", Purchases: purchases}
	keepCopies(s, c)
	return c
}

func known(s *porttest.Shop, email string) *syncrun.Customer {
	s.T.Helper()
	got, err := s.CopyReader.Customer(s.Ctx, s.Project.ID, email)
	s.Must(err)
	return got
}

func copyCustomer(s *porttest.Shop) {
	const email = "ada@example.com"
	crm, shopify, own := s.Connect(integration.HubSpot, porttest.Noon), s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon)
	carrier := s.Connect(integration.ShipStation, porttest.Noon)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	customer(neighbour, neighbour.Connect(integration.HubSpot, porttest.Noon), "1", email, 99)
	customer(s, carrier, "1", email, 98)
	customer(s, crm, "1", "", 97)
	order := copied(recorded(s, shopify.ID, syncrun.Orders), 1)[0]
	order.Email, order.Order = email, &syncrun.Order{}
	keepCopies(s, order)
	porttest.Same(s.T, "nobody", known(s, email), (*syncrun.Customer)(nil))
	first := customer(s, crm, "2", email, 3)
	porttest.Same(s.T, "of the CRM", known(s, email), first.Customer)
	second := customer(s, shopify, "1", email, 7)
	customer(s, shopify, "2", email, 5)
	porttest.Same(s.T, "with the most purchases", known(s, email), second.Customer)
	third := customer(s, own, "1", email, 8)
	porttest.Same(s.T, "of an own system", known(s, email), third.Customer)
	third.Removed = true
	keepCopies(s, third)
	porttest.Same(s.T, "once it is removed", known(s, email), second.Customer)
	porttest.Same(s.T, "of no address", known(s, ""), (*syncrun.Customer)(nil))
}

func copyCustomerGone(s *porttest.Shop) {
	const email = "ada@example.com"
	crm, shopify := s.Connect(integration.HubSpot, porttest.Noon), s.Connect(integration.Shopify, porttest.Noon)
	c, other := customer(s, crm, "1", email, 3), customer(s, shopify, "1", email, 7)
	changeIntegration(s, shopify, func(i *integration.Integration) { i.Failed(i.UpdatedAt, "Refused.", porttest.Noon) })
	porttest.Same(s.T, "of one whose credentials were refused", known(s, email), other.Customer)
	s.Must(disconnect(s, shopify.ID))
	porttest.Same(s.T, "of the other", known(s, email), c.Customer)
	s.Must(disconnect(s, crm.ID))
	porttest.Same(s.T, "of none", known(s, email), (*syncrun.Customer)(nil))
}

func copyFigures(s *porttest.Shop) {
	i, other, idle := s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon), s.Connect(integration.HubSpot, porttest.Noon)
	figures := func(since time.Time) map[id.Integration]ports.IntegrationMetrics {
		s.T.Helper()
		got, err := s.Figures.Metrics(s.Ctx, s.Project.ID, []id.Integration{i.ID, other.ID, idle.ID}, since)
		s.Must(err)
		return got
	}
	products := copied(recorded(s, i.ID, syncrun.Products), 5)
	products[0].Removed, products[1].Local = true, ""
	keepCopies(s, products...)
	orders := copied(recorded(s, i.ID, syncrun.Orders), 4)
	orders[0].Removed, orders[1].Local = true, ""
	keepCopies(s, orders...)
	keepCopies(s, copied(recorded(s, i.ID, syncrun.Customers), 2)...)
	keepCopies(s, copied(recorded(s, other.ID, syncrun.Orders), 1)...)

	failed := s.Started(i.ID, porttest.Noon)
	s.Must(s.SyncRuns.Note(s.Ctx, s.Project.ID, failed.ID, problems(0, 4))) // a second apart
	changeRun(s, failed, func(r *syncrun.Run) error { return r.Fail("Gone.", porttest.Noon.Add(2*time.Second)) })
	ended(s, i.ID, porttest.Noon.Add(2*time.Second)) // canceled, which is no error
	keepDeliveries(s, i)
	porttest.Same(s.T, "of all time", figures(porttest.Noon), map[id.Integration]ports.IntegrationMetrics{
		i.ID: {Products: 3, Orders: 3, Errors: 6}, other.ID: {Orders: 1}, idle.ID: {},
	})
	porttest.Same(s.T, "of late", figures(porttest.Noon.Add(2 * time.Second))[i.ID].Errors, 4)
	porttest.Same(s.T, "later", figures(porttest.Noon.Add(time.Hour))[i.ID].Errors, 0)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	got, err := s.Figures.Metrics(s.Ctx, neighbour.Project.ID, []id.Integration{i.ID}, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "of a foreign one", got, map[id.Integration]ports.IntegrationMetrics{i.ID: {}})
	got, err = s.Figures.Metrics(s.Ctx, s.Project.ID, nil, porttest.Noon)
	s.Must(err)
	porttest.Same(s.T, "of none", len(got), 0)
}

// keepDeliveries stores a delivery that was rejected at noon, one that failed two seconds later, and one that
// waits.
func keepDeliveries(s *porttest.Shop, i *integration.Integration) {
	s.T.Helper()
	w, err := i.Webhook(porttest.Random[id.Webhook](), "products/update", nil, porttest.Noon)
	s.Must(err)
	s.Must(s.Webhooks.Add(s.Ctx, w))
	failed := w.Receive(porttest.Random[id.WebhookLog](), "1", porttest.Noon, []byte("{}"), porttest.Noon.Add(2*time.Second))
	failed.Status, failed.DueAt = integration.Undone, time.Time{}
	s.Must(s.Inbox.Keep(s.Ctx, []*integration.Delivery{
		w.Reject(porttest.Random[id.WebhookLog](), "Wrong.", 2, porttest.Noon), failed, w.Receive(porttest.Random[id.WebhookLog](), "2", porttest.Noon, []byte("{}"), porttest.Noon),
	}))
}

func copyDelete(s *porttest.Shop) {
	of := recorded(s, s.Connect(integration.Shopify, porttest.Noon).ID, syncrun.Products)
	keepCopies(s, copied(of, 2)...)
	s.DeleteProject()
	porttest.Same(s.T, "stored", len(copies(s, of)), 0)
	porttest.WantFault(s.T, s.Copies.Save(s.Ctx, copied(of, 1)), fault.NotFound, "project_not_found")
}
