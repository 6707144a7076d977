package porttest

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
)

// Copies is the contract of ports.Copies, ports.CopyReader and ports.IntegrationFigures.
func Copies(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, stores))
		})
	}
}

// recorded are the copies of a resource of an integration of the shop's.
func (s *shop) recorded(i id.Integration, resource syncrun.Resource) ports.CopiesOf {
	return ports.CopiesOf{Project: s.project.ID, Integration: i, Resource: resource}
}

// copied are n copies, not stored yet, in the order of the platform's ids.
func copied(of ports.CopiesOf, n int) []*syncrun.Copy {
	list := make([]*syncrun.Copy, n)
	for i := range list {
		list[i] = &syncrun.Copy{
			Project: of.Project, Integration: of.Integration, Resource: of.Resource, Remote: fmt.Sprintf("remote-%04d", i),
			Local: fmt.Sprintf("local-%04d", i), Digest: "digest", UpdatedAt: noon,
		}
	}
	return list
}

// keepCopies stores copies.
func (s *shop) keepCopies(list ...*syncrun.Copy) {
	s.t.Helper()
	s.must(s.Copies.Save(s.ctx, list))
}

// copies are all there are, removed ones too.
func (s *shop) copies(of ports.CopiesOf) []*syncrun.Copy {
	s.t.Helper()
	list, _, err := s.CopyReader.List(s.ctx, of, ports.Page{Limit: 10_000})
	s.must(err)
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
	same(t, "number of copies", len(got), len(want))
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

func copyRoundTrip(s *shop) {
	i := s.connect(integration.Shopify, noon)
	prints := syncrun.Prints{1, 2, 1 << 63, 1<<64 - 1}
	order := &syncrun.Order{
		Number: "#1001", Email: "Ada@Example.com", Status: "paid", Total: "12.50", Currency: "USD", Items: 3, PlacedAt: noon,
		Reference: "ord_1", Shipment: &syncrun.Shipment{
			Carrier: "ups", Number: "1Z", TrackingURL: "https://ups.example/1Z", ShippedAt: noon, Delivered: true, Voided: true,
		},
	}
	customer := &syncrun.Customer{Email: "ada@example.com", Name: "Ægir \x00 \"\\'", Tier: "gold", Purchases: 12}
	for resource, c := range map[syncrun.Resource]syncrun.Copy{
		syncrun.Products:  {Remote: "1", Local: "prod_1", Prints: prints, At: noon.Add(-time.Hour), Removed: true},
		syncrun.Inventory: {Remote: "1:2", Local: "var_1", Quantity: -5_000_000_000, Seen: random[id.Sync]()},
		syncrun.Items:     {Remote: "1", Local: "var_1", SKU: "TENT-1"},
		syncrun.Orders:    {Remote: "gid://shopify/Order/1", Email: "ada@example.com", Order: order},
		syncrun.Customers: {Remote: "ünicode \\'", Email: "ada@example.com", Customer: customer},
	} {
		c.Project, c.Integration, c.Resource, c.Digest, c.UpdatedAt = s.project.ID, i.ID, resource, "digest", noon
		bare := &syncrun.Copy{Project: s.project.ID, Integration: i.ID, Resource: resource, Remote: "~", UpdatedAt: noon}
		sparse := &syncrun.Copy{
			Project: s.project.ID, Integration: i.ID, Resource: resource, Remote: "~~", UpdatedAt: noon,
			Order: &syncrun.Order{Shipment: &syncrun.Shipment{}}, Customer: &syncrun.Customer{},
		}
		s.keepCopies(&c, bare, sparse)
		sameCopies(s.t, s.copies(s.recorded(i.ID, resource)), byRemote([]*syncrun.Copy{&c, bare, sparse}))
	}
}

func copyAliasing(s *shop) {
	of := s.recorded(s.connect(integration.HubSpot, noon).ID, syncrun.Customers)
	c := copied(of, 1)[0]
	c.Customer = &syncrun.Customer{Name: "Ada"}
	s.keepCopies(c)
	c.Customer.Name = "mine"
	s.copies(of)[0].Customer.Name = "mine"
	same(s.t, "name", s.copies(of)[0].Customer.Name, "Ada")
}

func copyReplaced(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Orders)
	list := copied(of, 3)
	s.keepCopies(list...)
	next := &syncrun.Copy{
		Project: of.Project, Integration: of.Integration, Resource: of.Resource, Remote: list[1].Remote, Local: "other", SKU: "sku",
		Digest: "other", Prints: syncrun.Prints{1}, Quantity: 2, At: noon, Seen: random[id.Sync](), Removed: true, Email: "b@c.d",
		Order: &syncrun.Order{Number: "2"}, UpdatedAt: noon.Add(time.Hour),
	}
	s.keepCopies(next)
	sameCopies(s.t, s.copies(of), []*syncrun.Copy{list[0], next, list[2]})
	s.keepCopies(list[1])
	sameCopies(s.t, s.copies(of), list)
}

func copyTwice(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Products)
	first, last := copied(of, 1)[0], copied(of, 1)[0]
	last.Digest = "last"
	s.keepCopies(first, last)
	sameCopies(s.t, s.copies(of), []*syncrun.Copy{last})
}

func copyMany(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Products)
	list := copied(of, 1234)
	for range 2 { // created, then updated
		s.keepCopies(list...)
		sameCopies(s.t, s.copies(of), list)
	}
	found, err := s.Copies.Find(s.ctx, of, remotesOf(list))
	s.must(err)
	sameCopies(s.t, byRemote(found), list)
	found, err = s.Copies.Of(s.ctx, of, localsOf(list))
	s.must(err)
	sameCopies(s.t, byRemote(found), list)
	run := random[id.Sync]()
	s.must(s.Copies.See(s.ctx, of, run, remotesOf(list)[:1200]))
	_, unseen, all, err := s.Copies.Unseen(s.ctx, of, run, 1)
	s.must(err)
	same(s.t, "unseen and all", [2]int{unseen, all}, [2]int{34, 1234})
	s.keepCopies()
}

func copyFind(s *shop) {
	i, other := s.connect(integration.Shopify, noon), s.connect(integration.Custom, noon)
	of := s.recorded(i.ID, syncrun.Products)
	list := copied(of, 4)
	list[1].Removed = true
	s.keepCopies(list...)
	s.keepCopies(copied(s.recorded(i.ID, syncrun.Orders), 4)...)
	s.keepCopies(copied(s.recorded(other.ID, syncrun.Products), 4)...)
	neighbour := openShop(s.t, s.Stores)
	foreign := neighbour.recorded(neighbour.connect(integration.Shopify, noon).ID, syncrun.Products)
	neighbour.keepCopies(copied(foreign, 4)...)
	got, err := s.Copies.Find(s.ctx, of, []string{"remote-0002", "remote-0001", "nothing", "remote-0001"})
	s.must(err)
	sameCopies(s.t, byRemote(got), list[1:3])
	for _, nothing := range []ports.CopiesOf{
		s.recorded(foreign.Integration, syncrun.Products), s.recorded(random[id.Integration](), syncrun.Products), s.recorded(i.ID, syncrun.Customers),
	} {
		got, err := s.Copies.Find(s.ctx, nothing, remotesOf(list))
		s.must(err)
		same(s.t, "found", len(got), 0)
	}
	got, err = s.Copies.Find(s.ctx, of, nil)
	s.must(err)
	same(s.t, "found of none", len(got), 0)
}

func copyOf(s *shop) {
	i := s.connect(integration.Shopify, noon)
	of := s.recorded(i.ID, syncrun.Products)
	list := copied(of, 4)
	list[1].Removed, list[3].Local = true, list[2].Local
	s.keepCopies(list...)
	s.keepCopies(copied(s.recorded(i.ID, syncrun.Items), 4)...)
	got, err := s.Copies.Of(s.ctx, of, []string{"local-0002", "local-0001", "nothing"})
	s.must(err)
	sameCopies(s.t, byRemote(got), list[2:])
	got, err = s.Copies.Of(s.ctx, of, nil)
	s.must(err)
	same(s.t, "found of none", len(got), 0)
}

func copyUnseen(s *shop) {
	i := s.connect(integration.Shopify, noon)
	of, run := s.recorded(i.ID, syncrun.Products), random[id.Sync]()
	list := copied(of, 9)
	list[2].Removed, list[3].Seen, list[4].Seen = true, random[id.Sync](), run
	s.keepCopies(list...)
	s.keepCopies(copied(s.recorded(i.ID, syncrun.Items), 9)...)
	s.must(s.Copies.See(s.ctx, of, run, []string{"remote-0000", "remote-0008", "nothing"}))
	s.must(s.Copies.See(s.ctx, of, run, nil))
	for _, n := range []int{2, 9} {
		got, unseen, all, err := s.Copies.Unseen(s.ctx, of, run, n)
		s.must(err)
		want := []*syncrun.Copy{list[1], list[3], list[5], list[6], list[7]}
		sameCopies(s.t, byRemote(got), want[:min(n, len(want))])
		same(s.t, "unseen and all", [2]int{unseen, all}, [2]int{5, 8})
	}
	list[0].Seen, list[8].Seen = run, run
	sameCopies(s.t, s.copies(of), list)
}

func copyList(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Orders)
	list := copied(of, 5)
	list[0].Remote, list[1].Remote, list[2].Removed = "A", "a", true
	want := byRemote(list)
	s.keepCopies(list...)
	got, total, err := s.CopyReader.List(s.ctx, of, ports.Page{Limit: 2, Offset: 1})
	s.must(err)
	sameCopies(s.t, got, want[1:3])
	same(s.t, "total", total, 5)
	sameCopies(s.t, s.copies(of), want)
}

func copyText(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Products)
	list := copied(of, 3)
	list[1].Remote = "a\x00b"
	wantFault(s.t, s.Copies.Save(s.ctx, list), fault.Invalid, "validation_error")
	same(s.t, "stored", len(s.copies(of)), 0)
}

// Half of the racers bring the copies in one order, half in the other.
func copyRace(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Products)
	s.must(atOnce(racers, func(n int) error {
		list := copied(of, 40)
		if n%2 == 0 {
			slices.Reverse(list)
		}
		return s.Copies.Save(s.ctx, list)
	}))
	sameCopies(s.t, s.copies(of), copied(of, 40))
}

// customer stores one, known by its purchases.
func (s *shop) customer(i *integration.Integration, remote, email string, purchases int) *syncrun.Copy {
	s.t.Helper()
	c := copied(s.recorded(i.ID, syncrun.Customers), 1)[0]
	c.Remote, c.Local, c.Email = remote, "", email
	c.Customer = &syncrun.Customer{Email: email, Name: remote, Tier: "gold", Purchases: purchases}
	s.keepCopies(c)
	return c
}

func (s *shop) known(email string) *syncrun.Customer {
	s.t.Helper()
	got, err := s.CopyReader.Customer(s.ctx, s.project.ID, email)
	s.must(err)
	return got
}

func copyCustomer(s *shop) {
	const email = "ada@example.com"
	crm, shopify, own := s.connect(integration.HubSpot, noon), s.connect(integration.Shopify, noon), s.connect(integration.Custom, noon)
	carrier := s.connect(integration.ShipStation, noon)
	neighbour := openShop(s.t, s.Stores)
	neighbour.customer(neighbour.connect(integration.HubSpot, noon), "1", email, 99)
	s.customer(carrier, "1", email, 98)
	s.customer(crm, "1", "", 97)
	order := copied(s.recorded(shopify.ID, syncrun.Orders), 1)[0]
	order.Email, order.Order = email, &syncrun.Order{}
	s.keepCopies(order)
	same(s.t, "nobody", s.known(email), (*syncrun.Customer)(nil))
	first := s.customer(crm, "2", email, 3)
	same(s.t, "of the CRM", s.known(email), first.Customer)
	second := s.customer(shopify, "1", email, 7)
	s.customer(shopify, "2", email, 5)
	same(s.t, "with the most purchases", s.known(email), second.Customer)
	third := s.customer(own, "1", email, 8)
	same(s.t, "of an own system", s.known(email), third.Customer)
	third.Removed = true
	s.keepCopies(third)
	same(s.t, "once it is removed", s.known(email), second.Customer)
	same(s.t, "of no address", s.known(""), (*syncrun.Customer)(nil))
}

func copyCustomerGone(s *shop) {
	const email = "ada@example.com"
	crm, shopify := s.connect(integration.HubSpot, noon), s.connect(integration.Shopify, noon)
	c, other := s.customer(crm, "1", email, 3), s.customer(shopify, "1", email, 7)
	s.changeIntegration(shopify, func(i *integration.Integration) { i.Failed(i.UpdatedAt, "Refused.", noon) })
	same(s.t, "of one whose credentials were refused", s.known(email), other.Customer)
	s.must(s.disconnect(shopify.ID))
	same(s.t, "of the other", s.known(email), c.Customer)
	s.must(s.disconnect(crm.ID))
	same(s.t, "of none", s.known(email), (*syncrun.Customer)(nil))
}

func copyFigures(s *shop) {
	i, other, idle := s.connect(integration.Shopify, noon), s.connect(integration.Custom, noon), s.connect(integration.HubSpot, noon)
	figures := func(since time.Time) map[id.Integration]ports.IntegrationMetrics {
		s.t.Helper()
		got, err := s.Figures.Metrics(s.ctx, s.project.ID, []id.Integration{i.ID, other.ID, idle.ID}, since)
		s.must(err)
		return got
	}
	products := copied(s.recorded(i.ID, syncrun.Products), 5)
	products[0].Removed, products[1].Local = true, ""
	s.keepCopies(products...)
	orders := copied(s.recorded(i.ID, syncrun.Orders), 4)
	orders[0].Removed, orders[1].Local = true, ""
	s.keepCopies(orders...)
	s.keepCopies(copied(s.recorded(i.ID, syncrun.Customers), 2)...)
	s.keepCopies(copied(s.recorded(other.ID, syncrun.Orders), 1)...)

	failed := s.started(i.ID, noon)
	s.must(s.SyncRuns.Note(s.ctx, s.project.ID, failed.ID, problems(0, 4))) // a second apart
	s.changeRun(failed, func(r *syncrun.Run) error { return r.Fail("Gone.", noon.Add(2*time.Second)) })
	s.ended(i.ID, noon.Add(2*time.Second)) // canceled, which is no error
	s.keepDeliveries(i)
	same(s.t, "of all time", figures(noon), map[id.Integration]ports.IntegrationMetrics{
		i.ID: {Products: 3, Orders: 3, Errors: 6}, other.ID: {Orders: 1}, idle.ID: {},
	})
	same(s.t, "of late", figures(noon.Add(2 * time.Second))[i.ID].Errors, 4)
	same(s.t, "later", figures(noon.Add(time.Hour))[i.ID].Errors, 0)
	neighbour := openShop(s.t, s.Stores)
	got, err := s.Figures.Metrics(s.ctx, neighbour.project.ID, []id.Integration{i.ID}, noon)
	s.must(err)
	same(s.t, "of a foreign one", got, map[id.Integration]ports.IntegrationMetrics{i.ID: {}})
	got, err = s.Figures.Metrics(s.ctx, s.project.ID, nil, noon)
	s.must(err)
	same(s.t, "of none", len(got), 0)
}

// keepDeliveries stores a delivery that was rejected at noon, one that failed two seconds later, and one that
// waits.
func (s *shop) keepDeliveries(i *integration.Integration) {
	s.t.Helper()
	w, err := i.Webhook(random[id.Webhook](), "products/update", nil, noon)
	s.must(err)
	s.must(s.Webhooks.Add(s.ctx, w))
	failed := w.Receive(random[id.WebhookLog](), "1", noon, []byte("{}"), noon.Add(2*time.Second))
	failed.Status, failed.DueAt = integration.Undone, time.Time{}
	s.must(s.Inbox.Keep(s.ctx, []*integration.Delivery{
		w.Reject(random[id.WebhookLog](), "Wrong.", 2, noon), failed, w.Receive(random[id.WebhookLog](), "2", noon, []byte("{}"), noon),
	}))
}

func copyDelete(s *shop) {
	of := s.recorded(s.connect(integration.Shopify, noon).ID, syncrun.Products)
	s.keepCopies(copied(of, 2)...)
	s.deleteProject()
	same(s.t, "stored", len(s.copies(of)), 0)
	wantFault(s.t, s.Copies.Save(s.ctx, copied(of, 1)), fault.NotFound, "project_not_found")
}
