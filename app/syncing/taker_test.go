package syncing

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

var full = ports.Taking{Run: id.New[id.Sync]([16]byte{7}), Full: true}

// fully takes records as a full run would.
func (l *lab) fully(t *testing.T, records ...syncrun.Record) ports.Taken {
	t.Helper()
	w := full
	w.Project = l.Project
	taken, err := l.take(t, w, records...)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func verdicts(taken ports.Taken) (list []string) {
	for _, o := range taken.Outcomes {
		list = append(list, o.Verdict.String())
	}
	return list
}

func wantVerdicts(t *testing.T, what string, taken ports.Taken, want ...string) {
	t.Helper()
	if got := verdicts(taken); !slices.Equal(got, want) {
		t.Errorf("%s: %v %+v, want %v", what, got, taken.Problems, want)
	}
	if taken.Total() != len(want) {
		t.Errorf("%s: %d of %d are counted", what, taken.Total(), len(want))
	}
}

// edit changes a product as a merchant would.
func (l *lab) edit(t *testing.T, sku string, d catalog.Draft) {
	t.Helper()
	next, _, err := l.Product(sku).Update(d, ids{l.entropy}, l.Now())
	if err != nil {
		t.Fatal(err)
	}
	l.Put(next)
}

func gone(r syncrun.Record, at time.Time) syncrun.Record {
	return syncrun.Record{Resource: r.Resource, Remote: r.Remote, At: at, Deleted: true}
}

func renamed(r syncrun.Record, name string, at time.Time) syncrun.Record {
	p := *r.Product
	p.Name, r.Product, r.At = name, &p, at
	return r
}

func TestWhatARecordDoesToAProduct(t *testing.T) {
	t.Parallel()
	one, later := tent(1, early), early.Add(time.Hour)
	archivedThere := renamed(one, "Tent 1", later)
	archivedThere.Product.Archived = true
	for name, c := range map[string]struct {
		before  []syncrun.Record
		record  syncrun.Record
		verdict string
		name    string // "": there is no product
		status  catalog.Status
	}{
		"new":                        {nil, one, "created", "Tent 1", catalog.Active},
		"known":                      {[]syncrun.Record{one}, one, "unchanged", "Tent 1", catalog.Active},
		"changed":                    {[]syncrun.Record{one}, renamed(one, "B", later), "updated", "B", catalog.Active},
		"older":                      {[]syncrun.Record{renamed(one, "B", later)}, one, "unchanged", "B", catalog.Active},
		"older than it was touched":  {[]syncrun.Record{one, renamed(one, "Tent 1", later)}, renamed(one, "old", early.Add(time.Minute)), "unchanged", "Tent 1", catalog.Active},
		"without a time":             {[]syncrun.Record{one}, renamed(one, "B", time.Time{}), "updated", "B", catalog.Active},
		"archived there":             {[]syncrun.Record{one}, archivedThere, "updated", "Tent 1", catalog.Archived},
		"deleted":                    {[]syncrun.Record{one}, gone(one, later), "updated", "Tent 1", catalog.Archived},
		"deleted, told late":         {[]syncrun.Record{renamed(one, "B", later)}, gone(one, early), "unchanged", "B", catalog.Active},
		"deleted, unknown":           {nil, gone(one, later), "unchanged", "", catalog.Status{}},
		"deleted twice":              {[]syncrun.Record{one, gone(one, later)}, gone(one, later), "unchanged", "Tent 1", catalog.Archived},
		"back":                       {[]syncrun.Record{one, gone(one, later)}, renamed(one, "Tent 1", later.Add(1)), "updated", "Tent 1", catalog.Active},
		"what was before its end":    {[]syncrun.Record{gone(one, later)}, one, "unchanged", "", catalog.Status{}},
		"no price":                   {nil, syncrun.Record{Resource: syncrun.Products, Remote: "p1", Product: &syncrun.Product{SKU: "T-1", Name: "x"}}, "failed", "", catalog.Status{}},
		"another currency":           {nil, syncrun.Record{Resource: syncrun.Products, Remote: "p1", Product: &syncrun.Product{SKU: "T-1", Name: "x", Price: "1", Currency: "JPY"}}, "failed", "", catalog.Status{}},
		"unreadable":                 {[]syncrun.Record{one}, syncrun.Record{Resource: syncrun.Products, Remote: "p1", Problem: "?"}, "failed", "Tent 1", catalog.Active},
		"saying nothing":             {[]syncrun.Record{one}, syncrun.Record{Resource: syncrun.Products, Remote: "p1"}, "failed", "Tent 1", catalog.Active},
		"a name that cannot be kept": {nil, syncrun.Record{Resource: syncrun.Products, Remote: "a\x00b", Product: one.Product}, "failed", "", catalog.Status{}},
	} {
		l := newLab()
		for _, r := range c.before {
			l.tell(t, r)
		}
		wantVerdicts(t, name, l.tell(t, c.record), c.verdict)
		switch p := l.Product("T-1"); {
		case p == nil && c.name != "", p != nil && (p.Name != c.name || p.Status != c.status):
			t.Errorf("%s: it is %+v", name, p)
		}
	}
}

func TestFieldsEditedHereAreKept(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, early))
	l.edit(t, "T-1", catalog.Draft{Name: patch.To("Ours")})
	changed := renamed(tent(1, early), "Theirs", early.Add(time.Minute))
	changed.Product.Brand = "B"
	wantVerdicts(t, "changed", l.tell(t, changed), "updated")
	if p := l.Product("T-1"); p.Name != "Ours" || p.Brand != "B" {
		t.Fatalf("it is %+v", p)
	}
	again := renamed(changed, "Theirs again", early.Add(2*time.Minute))
	wantVerdicts(t, "changed again", l.tell(t, again), "unchanged")
	wantVerdicts(t, "in full", l.fully(t, again), "updated")
	if p := l.Product("T-1"); p.Name != "Theirs again" {
		t.Errorf("a full run leaves %q", p.Name)
	}
	l.Upserts = 0
	wantVerdicts(t, "in full once more", l.fully(t, again), "unchanged")
	if c, _ := l.Copy(syncrun.Products, "p1"); c.Seen != full.Run {
		t.Error("the run did not see it")
	}
	stale := renamed(tent(1, early), "stale", early)
	wantVerdicts(t, "an older page of a full run", l.fully(t, stale), "unchanged")
}

func TestProductsAreMatchedBySKU(t *testing.T) {
	t.Parallel()
	l := newLab()
	ours, _, err := catalog.Create(l.Project.ID, catalog.Draft{
		SKU: patch.To("T-1"), Name: patch.To("Ours"), Price: patch.To(money.Of(500, l.Project.Settings.Currency)),
	}, l.Project.Settings.Currency, ids{l.entropy}, l.Now())
	if err != nil {
		t.Fatal(err)
	}
	l.Put(ours)
	wantVerdicts(t, "a product that was here", l.tell(t, tent(1, early)), "updated")
	if p := l.Product("T-1"); p.ID != ours.ID || p.Name != "Tent 1" || l.Products() != 1 {
		t.Fatalf("it is %+v", p)
	}
	other := tent(1, early)
	other.Remote = "other"
	taken := l.tell(t, other)
	wantVerdicts(t, "another record of the sku", taken, "unknown")
	if taken.Problems[0].Reason != "The sku T-1 is record p1's already." {
		t.Errorf("because %q", taken.Problems[0].Reason)
	}
	l.tell(t, gone(tent(1, early), early.Add(time.Minute)))
	wantVerdicts(t, "once that is gone", l.tell(t, other), "updated")
	if p := l.Product("T-1"); p.ID != ours.ID || p.Status != catalog.Active {
		t.Errorf("it is %+v", p)
	}
}

func TestDuplicatesWithinAPage(t *testing.T) {
	t.Parallel()
	l := newLab()
	stranger := tent(1, early)
	stranger.Remote = "stranger"
	taken := l.tell(t,
		renamed(tent(1, early), "first", early), renamed(tent(1, early), "last", early.Add(time.Minute)),
		renamed(tent(1, early), "older", early.Add(-time.Minute)), stranger, tent(2, early),
	)
	wantVerdicts(t, "a page", taken, "unchanged", "created", "unchanged", "failed", "created")
	if l.Product("T-1").Name != "last" || l.Products() != 2 || taken.Problems[0].Reason != "The sku T-1 is record p1's already." {
		t.Errorf("T-1 is %q, %d products, %+v", l.Product("T-1").Name, l.Products(), taken.Problems)
	}
	clash := tent(3, early)
	clash.Product.Variants = []syncrun.Variant{{SKU: "T-2", Size: "M"}}
	taken = l.tell(t, clash, tent(4, early))
	wantVerdicts(t, "a variant's sku", taken, "failed", "created")
	if _, kept := l.Copy(syncrun.Products, "p3"); kept {
		t.Error("a record that was not taken is known")
	}
}

func TestStockMovesAsThePlatformsDoes(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, early))
	l.Set("T-1", "main", 3)
	minute := func(n int) time.Time { return early.Add(time.Duration(n) * time.Minute) }
	for n, step := range []struct {
		sold, quantity int
		at             time.Time
		verdict        string
		left           int
	}{
		{0, 10, minute(1), "created", 10}, // the platform's figure counts
		{2, 10, minute(2), "unchanged", 8},
		{0, 7, minute(3), "updated", 5},
		{0, 12, minute(2), "unchanged", 5}, // told late
		{0, -4, minute(4), "updated", 0},   // two are owed: they were sold here
		{0, 6, minute(5), "updated", 4},
		{1, 6, minute(5), "unchanged", 3},
	} {
		l.Set("T-1", "main", l.Stock("T-1", "main")-step.sold)
		wantVerdicts(t, "level", l.tell(t, level(1, step.quantity, step.at)), step.verdict)
		if got := l.Stock("T-1", "main"); got != step.left {
			t.Fatalf("step %d leaves %d, want %d", n, got, step.left)
		}
	}
	wantVerdicts(t, "in full", l.fully(t, level(1, 6, minute(5))), "unchanged")
	if got := l.Stock("T-1", "main"); got != 3 {
		t.Errorf("a full run puts what was sold on sale again: %d", got)
	}
}

// What payment attempts hold lies on the shelf: the platform counts it, and it is not for sale.
func TestStockThatAttemptsHold(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, early))
	l.Set("T-1", "main", 3)
	l.Hold("T-1", "main", 2)
	for n, step := range []struct{ quantity, left int }{{10, 8}, {7, 5}, {1, 0}, {4, 2}} {
		l.tell(t, level(1, step.quantity, early.Add(time.Duration(n+1)*time.Minute)))
		if got := l.Stock("T-1", "main"); got != step.left {
			t.Errorf("of %d, %d are for sale, want %d", step.quantity, got, step.left)
		}
	}
	l.Hold("T-1", "main", -2)
	if got := l.Stock("T-1", "main"); got != 4 {
		t.Errorf("%d are for sale once none is held, want 4", got)
	}
}

// A platform lets variants share a sku. Here the second one has a name of its own, and stock of its own.
func TestStockOfVariantsThatShareASKUIsKeptApart(t *testing.T) {
	t.Parallel()
	shirt := tent(1, early)
	shirt.Product.Item, shirt.Product.Variants = "", []syncrun.Variant{{SKU: "A", Size: "S", Item: "i1"}, {SKU: "own-2", Size: "M", Item: "i2"}}
	first, second := level(1, 0, early), level(2, 50, early)
	first.Level.SKU, second.Level.SKU = "A", "A"
	l := newLab()
	l.tell(t, shirt, first, second)
	if l.Stock("A", "main") != 0 || l.Stock("own-2", "main") != 50 {
		t.Errorf("%d and %d, want 0 and 50", l.Stock("A", "main"), l.Stock("own-2", "main"))
	}
}

// What a level was of may be another variant since: its product was removed here and has come again, or the
// platform has given the item another sku. That one has not moved, and so the platform's figure counts.
func TestStockOfAnotherVariantIsThePlatforms(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, early), level(1, 10, early))
	other := tent(1, early.Add(time.Minute))
	other.Product.SKU = "T-1-NEW"
	other.Product.Variants = []syncrun.Variant{{SKU: "T-1-RED", Color: "red", Item: "i1"}}
	wantVerdicts(t, "another sku", l.tell(t, other), "updated")
	wantVerdicts(t, "its level", l.tell(t, level(1, 9, early.Add(time.Hour))), "updated")
	if got := l.Stock("T-1-RED", "main"); got != 9 {
		t.Errorf("%d of 9 are there", got)
	}
	l.Set("T-1-RED", "main", 7) // two are sold
	l.tell(t, level(1, 8, early.Add(2*time.Hour)))
	if got := l.Stock("T-1-RED", "main"); got != 6 {
		t.Errorf("%d are left of 8, after two that were sold here", got)
	}
}

func TestLevelsFindTheirVariants(t *testing.T) {
	t.Parallel()
	l := newLab()
	bySKU := level(2, 4, early)
	bySKU.Level.Item, bySKU.Level.SKU, bySKU.Level.Location = "", "T-2", ""
	unknown := bySKU
	unknown.Remote, unknown.Level = "x", &syncrun.Level{SKU: "nobody's"}
	elsewhere := level(1, 1, early)
	elsewhere.Remote, elsewhere.Level.Location = "y", "Not A Location"
	many := level(1, catalog.MaxStock+1, early)
	many.Remote = "z"
	taken := l.tell(t, level(1, 3, early), tent(1, early), tent(2, early), bySKU, unknown, level(9, 1, early), elsewhere, many)
	wantVerdicts(t, "a call", taken, "created", "created", "created", "created", "unknown", "unknown", "failed", "failed")
	if l.Stock("T-1", "main") != 3 || l.Stock("T-2", "main") != 4 || len(taken.Products) != 4 {
		t.Errorf("%d and %d, %d changed", l.Stock("T-1", "main"), l.Stock("T-2", "main"), len(taken.Products))
	}
	l.tell(t, tent(9, early))
	wantVerdicts(t, "once its product is there", l.tell(t, level(9, 1, early)), "created")
}

// An index of addresses takes no more than an address, and a text that cannot be stored would fail a page.
func TestWhatIsNoAddressFindsNobody(t *testing.T) {
	t.Parallel()
	l := newLab()
	for n, c := range []struct{ email, found string }{
		{" Ann@Example.com ", "ann@example.com"}, {strings.Repeat("x", 250) + "@y.zz", ""}, {"a\x00b@example.com", ""},
	} {
		r := syncrun.Record{Resource: syncrun.Customers, Remote: strconv.Itoa(n), At: early, Customer: &syncrun.Customer{Email: c.email}}
		wantVerdicts(t, c.email, l.tell(t, r), "created")
		if got, _ := l.Copy(syncrun.Customers, r.Remote); got.Email != c.found {
			t.Errorf("%q is found by %q", c.email, got.Email)
		}
	}
}

func TestWhatIsTurnedOffIsNotTaken(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.Change(func(i *integration.Integration) { i.Config.Skip.Products = true })
	wantVerdicts(t, "a call", l.tell(t, tent(1, early), level(1, 2, early)), "unchanged", "unchanged")
	if l.Products() != 0 {
		t.Error("it was taken")
	}
}

func shipped(o id.Order, at time.Time, s syncrun.Shipment) syncrun.Record {
	return syncrun.Record{Resource: syncrun.Orders, Remote: "o1", At: at, Order: &syncrun.Order{Number: "1", Email: " Ann@X.org", Reference: o.String(), Shipment: &s}}
}

func TestNewsOfAnOrderOfOurs(t *testing.T) {
	t.Parallel()
	ours := id.New[id.Order]([16]byte{5})
	way := syncrun.Shipment{Carrier: "UPS", Number: "1Z", TrackingURL: "https://ups.example/1Z"}
	arrived, voided, odd := way, way, way
	arrived.Delivered, voided.Voided, odd.TrackingURL, odd.Carrier = true, true, "javascript:x", strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		before   order.FulfillmentStatus
		shipment syncrun.Shipment
		verdict  string
		after    order.FulfillmentStatus
		number   string
	}{
		"on its way":             {order.FulfillmentProcessing, way, "created", order.Shipped, "1Z"},
		"arrived at once":        {order.FulfillmentProcessing, arrived, "created", order.Delivered, "1Z"},
		"arrived":                {order.Shipped, arrived, "created", order.Delivered, "1Z"},
		"a mistake":              {order.FulfillmentProcessing, voided, "unchanged", order.FulfillmentProcessing, ""},
		"canceled before":        {order.FulfillmentCanceled, way, "created", order.FulfillmentCanceled, ""},
		"delivered before":       {order.Delivered, way, "created", order.Delivered, ""},
		"an address to distrust": {order.FulfillmentProcessing, odd, "created", order.Shipped, "1Z"},
	} {
		l := newLab()
		l.Order(order.Case{Order: &order.Order{ID: ours, Project: l.Project.ID, CreatedAt: early, Fulfillment: order.Fulfillment{Status: c.before}}})
		wantVerdicts(t, name, l.tell(t, shipped(ours, early, c.shipment)), c.verdict)
		f := l.Ordered(ours).Fulfillment
		if f.Status != c.after || f.TrackingNumber != c.number || strings.HasPrefix(f.TrackingURL, "j") {
			t.Errorf("%s: %+v", name, f)
		}
		wantVerdicts(t, name+", told again", l.tell(t, shipped(ours, early, c.shipment)), "unchanged")
		if k, _ := l.Copy(syncrun.Orders, "o1"); k.Email != "ann@x.org" || k.Order == nil {
			t.Errorf("%s: kept as %+v", name, k)
		}
	}
	l := newLab()
	l.Order(order.Case{Order: &order.Order{ID: ours, Project: l.Project.ID, CreatedAt: early, Fulfillment: order.Fulfillment{Status: order.FulfillmentProcessing}}})
	l.Label(&order.Label{Order: ours, TrackingNumber: "1Z", BoughtAt: early, VoidedAt: early})
	wantVerdicts(t, "read before its label was voided", l.tell(t, shipped(ours, early, way)), "unchanged")
	if f := l.Ordered(ours).Fulfillment; f.Status != order.FulfillmentProcessing {
		t.Errorf("%+v", f)
	}
	if n := l.LabelReads(); n != 1 {
		t.Errorf("a page reads labels %d times", n)
	}
	l = newLab()
	wantVerdicts(t, "of an order of nobody's", l.tell(t, shipped(ours, early, way)), "created")
}

func TestManyProductsAreWrittenAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tents(250)...)
	if l.Upserts != 1 {
		t.Errorf("new ones take %d writes", l.Upserts)
	}
	l.Upserts = 0
	l.tell(t, tents(250)...)
	if l.Upserts != 0 {
		t.Errorf("known ones take %d writes", l.Upserts)
	}
}

func TestTheHighMarkIsNotInTheFuture(t *testing.T) {
	t.Parallel()
	l := newLab()
	taken := l.tell(t, tent(1, l.Now().Add(time.Hour)), tent(2, early))
	if !taken.High.Equal(l.Now()) {
		t.Errorf("it is %v", taken.High)
	}
}

var _ ports.SyncUnit = (*synctest.Replica)(nil)

// A record that is dated ahead keeps no later one out.
func TestRecordsOfTheFuture(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, l.Now()), level(1, 44, l.Now().AddDate(900, 0, 0)))
	l.Pass(time.Minute)
	wantVerdicts(t, "a later level", l.tell(t, level(1, 4, l.Now())), "updated")
	if got := l.Stock("T-1", "main"); got != 4 {
		t.Errorf("%d are there", got)
	}
}

// A product that is made again at the platform is told of before the old one's end, or after: it is on sale in
// the end.
func TestAProductThatIsMadeAgain(t *testing.T) {
	t.Parallel()
	gone := gone(tent(1, early), early.Add(time.Minute))
	again := tent(2, early.Add(time.Minute))
	again.Product.SKU, again.Product.Item = "T-1", "i2"
	for name, told := range map[string][][]syncrun.Record{
		"the end first":          {{gone}, {again}},
		"at once, the end first": {{gone, again}},
		"at once, the end last":  {{again, gone}},
		"the end last":           {{again}, {gone}, {again}}, // the first is unknown, and comes again
	} {
		l := newLab()
		l.tell(t, tent(1, early))
		for n, records := range told {
			outcomes := l.tell(t, records...)
			if name == "the end last" && n == 0 {
				wantVerdicts(t, name, outcomes, "unknown")
			}
		}
		if p := l.Product("T-1"); p == nil || p.Status != catalog.Active || p.Name != "Tent 2" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
