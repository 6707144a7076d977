package porttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// StockNews is the contract of ports.StockNews. Each test has a database of its own, for turns are
// forgotten in all projects.
func StockNews(t *testing.T, open Open) {
	for name, test := range map[string]func(*shop){
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
			test(openShop(t, open(t)))
		})
	}
}

// news are the totals of variants.
type news = map[id.Variant]int

// turned is what turned since a moment, and when that was read.
func (s *shop) turned(since time.Time) (news, time.Time) {
	s.t.Helper()
	totals, upTo, err := s.StockNews.Turned(s.ctx, s.project.ID, since)
	s.must(err)
	return totals, upTo
}

// heard checks what turned since the last quiet.
func (s *shop) heard(what string, want news) {
	s.t.Helper()
	got, _ := s.turned(time.Time{})
	same(s.t, what, got, want)
}

// quiet forgets what turned so far.
func (s *shop) quiet() {
	s.t.Helper()
	_, now := s.turned(time.Time{})
	s.must(s.StockNews.ForgetTurns(s.ctx, now.Add(time.Second)))
	s.heard("a quiet shop", news{})
}

func newsCreated(s *shop) {
	p := s.product(2, 0, 3)
	s.heard("a new product", news{p.Variants[0].ID: 2, p.Variants[2].ID: 3})
}

func newsSold(s *shop) {
	p, other := s.product(3), s.product(3)
	s.quiet()
	s.sold(p, 2)
	s.sold(other, 2)
	s.heard("a piece is left", news{})
	s.sold(p, 1)
	s.heard("the last piece is sold", news{p.Variants[0].ID: 0})
}

func newsBack(s *shop) {
	p := s.product(3)
	o := s.sold(p, 3)
	s.quiet()
	s.carryOn(o.ID, func(c *order.Case) error { return c.Cancel(random[id.Refund](), "", random[id.Event](), noon) })
	s.heard("canceled", news{p.Variants[0].ID: 3})
}

func newsMoved(s *shop) {
	p := s.product(3)
	v := p.Variants[0].ID
	for _, step := range []struct {
		what  string
		move  func()
		total int
	}{
		{"adjusted down", func() { s.move(p, -3) }, 0},
		{"adjusted up", func() { s.move(p, 2) }, 2},
		{"set to none", func() { s.keep(p, "main", 0) }, 0},
		{"set to some", func() { s.keep(p, "main", 4) }, 4},
		{"shifted below", func() { s.shift(at(p, "main", -9)) }, 0},
		{"shifted up", func() { s.shift(at(p, "main", 1)) }, 1},
		{"set elsewhere", func() { s.keep(p, "north", 5) }, 6},
		{"shifted elsewhere", func() { s.shift(at(p, "south", 1)) }, 7},
	} {
		s.quiet()
		step.move()
		s.heard(step.what, news{v: step.total})
	}
}

// move adjusts the stock of the product's first variant.
func (s *shop) move(p *catalog.Product, delta int) {
	s.t.Helper()
	_, err := s.adjust(ports.StockMove{SKU: p.Variants[0].SKU, Location: "main", Delta: delta})
	s.must(err)
}

func newsNone(s *shop) {
	p, none := s.product(3), s.product(0)
	s.quiet()
	s.move(p, 2)
	s.move(p, -4)
	s.keep(p, "main", 7)
	s.keep(p, "north", 0)
	s.keep(none, "main", 0)
	s.must(s.updateTo(ports.ProductWrite{Product: p}))
	s.heard("no turn", news{})
}

func newsTotals(s *shop) {
	p := s.product(3)
	s.keep(p, "north", 4)
	s.quiet()
	s.move(p, -3)
	s.keep(p, "north", 5)
	s.heard("none at one location", news{p.Variants[0].ID: 5})
}

// What goes is no turn of its own. What turned before it went has nothing left.
func newsDropped(s *shop) {
	p, gone := s.product(0, 0), s.product(3)
	_, err := s.Inventory.Set(s.ctx, s.project.ID, []ports.StockSet{{SKU: p.Variants[1].SKU, Location: "main", Quantity: 2}})
	s.must(err)
	dropped := p.Variants[1].ID
	p.Variants = p.Variants[:1]
	s.must(s.updateTo(ports.ProductWrite{Product: p}))
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	s.heard("a dropped variant and a deleted product", news{dropped: 0, gone.Variants[0].ID: 0})
}

func newsFailed(s *shop) {
	p := s.product(1)
	s.quiet()
	same(s.t, "error", s.unit(func(to ports.SyncStores) error {
		_, err := to.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{at(p, "main", -1)})
		s.must(err)
		return errPlain
	}), errPlain)
	s.heard("after a failure", news{})
}

func newsBackAndForth(s *shop) {
	p := s.product(1)
	s.quiet()
	s.must(s.unit(func(to ports.SyncStores) error {
		for i := range 20 {
			delta := i%2*2 - 1
			if _, err := to.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{at(p, "main", delta), at(p, "north", -delta)}); err != nil {
				return err
			}
		}
		return nil
	}))
	s.heard("back and forth", news{p.Variants[0].ID: 1})
}

// All racers turn the same variant, each at a place of its own and at one that all share.
func newsRace(s *shop) {
	p := s.product(0)
	s.quiet()
	s.must(atOnce(racers, func(i int) error {
		_, err := s.adjust(
			ports.StockMove{SKU: p.SKU, Location: fmt.Sprint("place-", i), Delta: 1},
			ports.StockMove{SKU: p.SKU, Location: "main", Delta: 1},
		)
		return err
	}))
	s.heard("after a race", news{p.Variants[0].ID: 2 * racers})
}

// A turn is of the moment when it was written. Its transaction commits after a reading that is later and
// cannot have seen it: the next reading does.
func newsLate(s *shop) {
	p := s.product(1)
	s.quiet()
	var upTo time.Time
	s.must(s.unit(func(to ports.SyncStores) error {
		_, err := to.StockRoom.Shift(s.ctx, s.project.ID, []ports.StockShift{at(p, "main", -1)})
		_, written := s.turned(time.Time{})
		for upTo = written; upTo.Sub(written) < 5*time.Millisecond; {
			var seen news
			seen, upTo = s.turned(written)
			same(s.t, "seen before the commit", seen, news{})
		}
		return err
	}))
	got, _ := s.turned(upTo)
	same(s.t, "seen after the commit", got, news{p.Variants[0].ID: 0})
}

func newsSince(s *shop) {
	p := s.product(1)
	_, upTo := s.turned(time.Time{})
	for _, ask := range []struct {
		since time.Time
		want  news
	}{
		{upTo, news{p.Variants[0].ID: 1}}, // once more
		{upTo.Add(-time.Hour), news{p.Variants[0].ID: 1}},
		{upTo.Add(time.Hour), news{}},
	} {
		got, _ := s.turned(ask.since)
		same(s.t, "turned since "+ask.since.Sub(upTo).String(), got, ask.want)
	}
	s.must(s.StockNews.ForgetTurns(s.ctx, upTo.Add(-time.Hour)))
	s.heard("what is remembered", news{p.Variants[0].ID: 1})
}

func newsForeign(s *shop) {
	p, foreign := s.product(1), openShop(s.t, s.Stores)
	foreign.heard("another project", news{})
	theirs := foreign.product(2)
	s.heard("our own", news{p.Variants[0].ID: 1})
	foreign.heard("theirs", news{theirs.Variants[0].ID: 2})
}

func newsProjectGone(s *shop) {
	s.product(1)
	s.deleteProject()
	s.heard("of a project that is gone", news{})
}
