package catalogs_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

// fileLine returns a line of a file whose columns have the names of the fields.
func fileLine(number int, sku string, price int64) catalogs.Line {
	l := line(number, sku, price)
	l.SKU = sku
	l.At = func(field string) (int, string, string) { return number, field, "as written" }
	return l
}

func (s fixture) imports(t *testing.T, lines ...catalogs.Line) catalogs.Summary {
	t.Helper()
	sum, err := s.Import(t.Context(), s.project, catalogs.Import{Lines: slices.Values(lines)}, catalogs.Summary{})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func many(n int) iter.Seq[catalogs.Line] {
	return func(yield func(catalogs.Line) bool) {
		for i := range n {
			if !yield(fileLine(i+2, fmt.Sprintf("sku-%d", i), 100)) {
				return
			}
		}
	}
}

func TestService_Import_chunks(t *testing.T) {
	t.Parallel()
	s := newFixture()
	var reported []int
	sum, err := s.Import(t.Context(), s.project, catalogs.Import{
		Lines:    many(1200),
		Progress: func(sum catalogs.Summary) { reported = append(reported, sum.Read) },
	}, catalogs.Summary{})
	if err != nil || sum.Created != 1200 || !slices.Equal(reported, []int{500, 1000, 1200}) {
		t.Fatalf("%+v, reported %v, %v", sum, reported, err)
	}
	if len(s.shelf.transactions) != 3 || len(s.shelf.transactions[0]) != 500 {
		t.Errorf("%d transactions", len(s.shelf.transactions))
	}
}

func TestService_Import_refusals(t *testing.T) {
	t.Parallel()
	s := newFixture()
	torn := catalogs.Line{
		Number:   3,
		SKU:      "B",
		Problems: []catalog.LineProblem{{Line: 3, SKU: "B", Message: "has 2 fields, the header has 3"}},
	}
	unread := fileLine(4, "C", 0)
	unread.Problems = []catalog.LineProblem{{Line: 4, SKU: "C", Field: "price", Value: "x", Message: "is not a decimal number"}}
	unread.Draft.Name = patch.To("")
	var refused []string
	sum, err := s.Import(t.Context(), s.project, catalogs.Import{
		Lines: slices.Values([]catalogs.Line{fileLine(2, "A", 100), torn, unread, fileLine(5, "taken", 100), fileLine(6, "A", 200)}),
		Refused: func(r catalogs.Refusal) error {
			refused = append(refused, r.Line.SKU)
			return nil
		},
	}, catalogs.Summary{})
	if err != nil || sum.Created != 1 || sum.Refused != 4 || sum.Read != 5 || !slices.Equal(refused, []string{"B", "C", "taken", "A"}) {
		t.Errorf("%+v, refused %v, %v", sum, refused, err)
	}
	want := []string{
		"line 3 (sku B) has 2 fields, the header has 3",
		`line 4 (sku C): price "x" is not a decimal number`,
		`line 4 (sku C): name "as written" must not be empty`,
		`line 5 (sku taken): sku "as written" is in use`,
		`line 6 (sku A): sku "as written" is also on line 2`,
	}
	if got := sum.Problems.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if s.shelf.products["A"].Price.Minor() != 100 {
		t.Errorf("A costs %s", s.shelf.products["A"].Price)
	}
}

// A sku may belong to one product or one variant only.
func TestService_Import_skuOfVariantTwice(t *testing.T) {
	t.Parallel()
	s := newFixture()
	shirt, hat := fileLine(2, "A", 100), fileLine(4, "B", 100)
	shirt.Draft.Variants = patch.To([]catalog.VariantDraft{{SKU: "A"}, {SKU: "A-1"}})
	hat.Draft.Variants = patch.To([]catalog.VariantDraft{{SKU: "B-1"}, {SKU: "A-1"}})
	sum := s.imports(t, shirt, hat)
	if got := sum.Problems.Lines(); !slices.Equal(got, []string{`line 4 (sku B): variants.1.sku "as written" is also on line 2`}) {
		t.Errorf("%q", got)
	}
}

func TestService_Import_costAbovePrice(t *testing.T) {
	t.Parallel()
	s := newFixture()
	costly, equal, refused := fileLine(2, "A", 100), fileLine(3, "B", 100), fileLine(4, "taken", 100)
	costly.Draft.Cost, equal.Draft.Cost, refused.Draft.Cost = patch.To(money.Of(101, money.USD)), patch.To(money.Of(100, money.USD)), patch.To(money.Of(101, money.USD))
	sum := s.imports(t, costly, equal, refused)
	if got := sum.Warnings.Lines(); sum.Created != 2 || !slices.Equal(got, []string{`line 2 (sku A): cost "as written" is above the price, 1.00`}) {
		t.Errorf("%+v, %q", sum, got)
	}
}

// A product that is equal to its line is not written, unless its stock differs.
func TestService_Import_unchanged(t *testing.T) {
	t.Parallel()
	s := newFixture()
	s.imports(t, fileLine(2, "A", 100), fileLine(3, "B", 100), fileLine(4, "C", 100), fileLine(5, "D", 100))
	s.stock.counted = map[string]int{}
	s.stock.shelf = s.shelf
	s.stock.counted["B"], s.stock.counted["C"] = 7, 7
	same, restocked, unstocked := fileLine(3, "B", 100), fileLine(4, "C", 100), fileLine(5, "D", 100)
	same.Draft.Quantity, restocked.Draft.Quantity, unstocked.Draft.Quantity = patch.To(7), patch.To(8), patch.To(0)
	s.shelf.transactions = nil
	sum := s.imports(t, fileLine(2, "A", 100), same, restocked, unstocked, fileLine(6, "E", 100))
	if sum.Unchanged != 2 || sum.Updated != 2 || sum.Created != 1 {
		t.Errorf("%+v", sum)
	}
	if got := fmt.Sprint(s.shelf.transactions); got != "[[E] [C D]]" {
		t.Errorf("written: %s", got)
	}
}

// A dry run does the same work and rolls it back.
func TestService_Import_dryRun(t *testing.T) {
	t.Parallel()
	s := newFixture()
	var ends []error
	s.Transact = func(ctx context.Context, work func(*ports.Stores) error) error {
		err := work(s.Stores)
		ends = append(ends, err)
		return err
	}
	sum, err := s.Import(t.Context(), s.project, catalogs.Import{Lines: many(600), DryRun: true}, catalogs.Summary{})
	if err != nil || sum.Created != 600 || len(ends) != 2 || ends[0] == nil || ends[1] == nil {
		t.Errorf("%+v, %v, transactions end with %v", sum, err, ends)
	}
}

// A later attempt skips the products of the earlier one, but finds their skus repeated, and continues its counts.
func TestService_Import_skip(t *testing.T) {
	t.Parallel()
	s := newFixture()
	lines := func(yield func(catalogs.Line) bool) {
		_ = yield(fileLine(2, "A", 100)) && yield(fileLine(3, "B", 100)) && yield(fileLine(4, "A", 100)) && yield(fileLine(5, "C", 100))
	}
	sum, err := s.Import(t.Context(), s.project, catalogs.Import{Lines: lines, Skip: 2}, catalogs.Summary{Read: 2, Created: 2})
	if err != nil || sum.Read != 4 || sum.Created != 3 || sum.Refused != 1 || len(s.shelf.products) != 1 {
		t.Errorf("%+v, %v, %d stored", sum, err, len(s.shelf.products))
	}
}

// If Done fails, the chunk is neither stored nor counted.
func TestService_Import_doneFails(t *testing.T) {
	t.Parallel()
	s := newFixture()
	s.Transact = func(ctx context.Context, work func(*ports.Stores) error) error { return work(s.Stores) }
	away := errors.New("the database is away")
	calls := 0
	sum, err := s.Import(t.Context(), s.project, catalogs.Import{
		Lines: many(1200),
		Done: func(_ context.Context, stores *ports.Stores, sum catalogs.Summary, _ catalogs.Chunk) error {
			if calls++; stores == nil || sum.Read != 500*calls {
				t.Errorf("call %d with %v, %+v", calls, stores, sum)
			}
			if calls == 2 {
				return away
			}
			return nil
		},
	}, catalogs.Summary{})
	if !errors.Is(err, away) || sum.Created != 500 || calls != 2 {
		t.Errorf("%+v, %v, %d calls", sum, err, calls)
	}
}

func TestService_Import_storeFails(t *testing.T) {
	t.Parallel()
	s := newFixture()
	taken := 0
	_, err := s.Import(t.Context(), s.project, catalogs.Import{Lines: func(yield func(catalogs.Line) bool) {
		for taken = 1; yield(fileLine(taken, fmt.Sprint(taken), 1)); taken++ {
			s.shelf.down = taken >= 500
		}
	}}, catalogs.Summary{})
	if err == nil || taken != 1000 {
		t.Errorf("%d lines taken, %v", taken, err)
	}
}
