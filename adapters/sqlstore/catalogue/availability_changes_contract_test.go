package catalogue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// AvailabilityChanges is the contract of ports.AvailabilityChanges. Each test has a database of its own, because changes are deleted in all
// projects.
func AvailabilityChanges(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
		"a new product with stock":             newsCreated,
		"a sale of the last piece":             newsSold,
		"a cancellation brings stock back":     newsBack,
		"adjusted, set, and shifted":           newsMoved,
		"stock that stays above zero":          newsNone,
		"totals are of all locations":          newsTotals,
		"nothing is left of what goes":         newsDropped,
		"a failed write is no news":            newsFailed,
		"back and forth at one moment":         newsBackAndForth,
		"racing turns of one variant":          newsRace,
		"a turn is committed after a reading":  newsLate,
		"turns are asked for from a moment on": newsSince,
		"news belong to their project":         newsForeign,
		"a project goes with its turns":        newsProjectGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

// news are the totals of variants.
type news = map[id.Variant]int

// changesSince returns the availability changes since a moment, and when they were read.
func changesSince(s *porttest.Shop, since time.Time) (news, time.Time) {
	s.T.Helper()
	totals, upTo, err := s.AvailabilityChanges.ChangedSince(s.Ctx, s.Project.ID, since, false)
	s.Must(err)
	return totals, upTo
}

// wantChanges checks the availability changes since the last quiet.
func wantChanges(s *porttest.Shop, what string, want news) {
	s.T.Helper()
	got, _ := changesSince(s, time.Time{})
	porttest.Same(s.T, what, got, want)
}

// quiet deletes the availability changes so far.
func quiet(s *porttest.Shop) {
	s.T.Helper()
	_, now := changesSince(s, time.Time{})
	s.Must(s.AvailabilityChanges.PruneBefore(s.Ctx, now.Add(time.Second)))
	wantChanges(s, "a quiet shop", news{})
}

func newsCreated(s *porttest.Shop) {
	p := s.Product(2, 0, 3)
	wantChanges(s, "a new product", news{p.Variants[0].ID: 2, p.Variants[2].ID: 3})
}

func newsSold(s *porttest.Shop) {
	p, other := s.Product(3), s.Product(3)
	quiet(s)
	s.Sold(p, 2)
	s.Sold(other, 2)
	wantChanges(s, "a piece is left", news{})
	s.Sold(p, 1)
	wantChanges(s, "the last piece is sold", news{p.Variants[0].ID: 0})
}

func newsBack(s *porttest.Shop) {
	p := s.Product(3)
	o := s.Sold(p, 3)
	quiet(s)
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.Cancel(porttest.Random[id.Refund](), "", porttest.Random[id.Event](), porttest.Noon)
	})
	wantChanges(s, "canceled", news{p.Variants[0].ID: 3})
}

func newsMoved(s *porttest.Shop) {
	p := s.Product(3)
	v := p.Variants[0].ID
	for _, step := range []struct {
		what  string
		move  func()
		total int
	}{
		{"adjusted down", func() { s.Move(p, -3) }, 0},
		{"adjusted up", func() { s.Move(p, 2) }, 2},
		{"set to none", func() { s.Keep(p, "main", 0) }, 0},
		{"set to some", func() { s.Keep(p, "main", 4) }, 4},
		{"shifted below", func() { s.Shift(porttest.At(p, "main", -9)) }, 0},
		{"shifted up", func() { s.Shift(porttest.At(p, "main", 1)) }, 1},
		{"set elsewhere", func() { s.Keep(p, "north", 5) }, 6},
		{"shifted elsewhere", func() { s.Shift(porttest.At(p, "south", 1)) }, 7},
	} {
		quiet(s)
		step.move()
		wantChanges(s, step.what, news{v: step.total})
	}
}

func newsNone(s *porttest.Shop) {
	p, none := s.Product(3), s.Product(0)
	quiet(s)
	s.Move(p, 2)
	s.Move(p, -4)
	s.Keep(p, "main", 7)
	s.Keep(p, "north", 0)
	s.Keep(none, "main", 0)
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	wantChanges(s, "no turn", news{})
}

func newsTotals(s *porttest.Shop) {
	p := s.Product(3)
	s.Keep(p, "north", 4)
	quiet(s)
	s.Move(p, -3)
	s.Keep(p, "north", 5)
	wantChanges(s, "none at one location", news{p.Variants[0].ID: 5})
}

// Removing a variant is no availability change. A variant whose availability changed before it was removed has a total
// of 0.
func newsDropped(s *porttest.Shop) {
	p, gone := s.Product(0, 0), s.Product(3)
	_, err := s.Inventory.Set(s.Ctx, s.Project.ID, []ports.StockSet{{SKU: p.Variants[1].SKU, Location: "main", Quantity: 2}})
	s.Must(err)
	dropped := p.Variants[1].ID
	p.Variants = p.Variants[:1]
	s.Must(s.UpdateTo(ports.ProductWrite{Product: p}))
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	wantChanges(s, "a dropped variant and a deleted product", news{dropped: 0, gone.Variants[0].ID: 0})
}

func newsFailed(s *porttest.Shop) {
	p := s.Product(1)
	quiet(s)
	porttest.Same(s.T, "error", s.Unit(func(to ports.SyncStores) error {
		_, err := to.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{porttest.At(p, "main", -1)})
		s.Must(err)
		return porttest.ErrPlain
	}), porttest.ErrPlain)
	wantChanges(s, "after a failure", news{})
}

func newsBackAndForth(s *porttest.Shop) {
	p := s.Product(1)
	quiet(s)
	s.Must(s.Unit(func(to ports.SyncStores) error {
		for i := range 20 {
			delta := i%2*2 - 1
			if _, err := to.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{porttest.At(p, "main", delta), porttest.At(p, "north", -delta)}); err != nil {
				return err
			}
		}
		return nil
	}))
	wantChanges(s, "back and forth", news{p.Variants[0].ID: 1})
}

// All racers change the availability of the same variant, each at a location of its own and at one that all share.
func newsRace(s *porttest.Shop) {
	p := s.Product(0)
	quiet(s)
	s.Must(porttest.AtOnce(porttest.Racers, func(i int) error {
		_, err := s.Adjust(
			ports.StockMove{
				SKU:      p.SKU,
				Location: fmt.Sprint("place-", i),
				Delta:    1,
			},
			ports.StockMove{
				SKU:      p.SKU,
				Location: "main",
				Delta:    1,
			},
		)
		return err
	}))
	wantChanges(s, "after a race", news{p.Variants[0].ID: 2 * porttest.Racers})
}

// An availability change has the time when it was written. If its transaction commits after a later read that cannot
// have seen it, the next read returns it.
func newsLate(s *porttest.Shop) {
	p := s.Product(1)
	quiet(s)
	var upTo time.Time
	s.Must(s.Unit(func(to ports.SyncStores) error {
		_, err := to.StockAdjuster.Shift(s.Ctx, s.Project.ID, []ports.StockShift{porttest.At(p, "main", -1)})
		_, written := changesSince(s, time.Time{})
		for upTo = written; upTo.Sub(written) < 5*time.Millisecond; {
			var seen news
			seen, upTo = changesSince(s, written)
			porttest.Same(s.T, "seen before the commit", seen, news{})
		}
		return err
	}))
	got, _ := changesSince(s, upTo)
	porttest.Same(s.T, "seen after the commit", got, news{p.Variants[0].ID: 0})
}

func newsSince(s *porttest.Shop) {
	p := s.Product(1)
	_, upTo := changesSince(s, time.Time{})
	for _, ask := range []struct {
		since time.Time
		want  news
	}{
		{upTo, news{p.Variants[0].ID: 1}}, // once more
		{upTo.Add(-time.Hour), news{p.Variants[0].ID: 1}},
		{upTo.Add(10 * time.Second), news{}},
	} {
		got, _ := changesSince(s, ask.since)
		porttest.Same(s.T, "turned since "+ask.since.Sub(upTo).String(), got, ask.want)
	}
	for after, want := range map[time.Duration]news{10 * time.Second: {p.Variants[0].ID: 1}, time.Hour: {}} {
		got, _, err := s.AvailabilityChanges.ChangedSince(s.Ctx, s.Project.ID, upTo.Add(after), true)
		s.Must(err)
		porttest.Same(s.T, "turned since "+after.String()+", late ones too", got, want)
	}
	s.Must(s.AvailabilityChanges.PruneBefore(s.Ctx, upTo.Add(-time.Hour)))
	wantChanges(s, "what is remembered", news{p.Variants[0].ID: 1})
}

func newsForeign(s *porttest.Shop) {
	p, foreign := s.Product(1), porttest.OpenShop(s.T, s.Stores)
	wantChanges(foreign, "another project", news{})
	theirs := foreign.Product(2)
	wantChanges(s, "our own", news{p.Variants[0].ID: 1})
	wantChanges(foreign, "theirs", news{theirs.Variants[0].ID: 2})
}

func newsProjectGone(s *porttest.Shop) {
	s.Product(1)
	s.DeleteProject()
	wantChanges(s, "of a project that is gone", news{})
}
