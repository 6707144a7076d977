package catalogs

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Outcome is what became of a line.
type Outcome struct{ name string }

var (
	Created = Outcome{"created"}
	Updated = Outcome{"updated"}
	Failed  = Outcome{"failed"}
	// Unchanged products were not written. Only imports have them.
	Unchanged = Outcome{"unchanged"}
)

func (o Outcome) String() string { return o.name }

// Upserted is the result of a line. Err says why it failed, beside the line's own problems.
type Upserted struct {
	SKU     string
	Product id.Product
	Outcome Outcome
	Err     error
}

// Upsert creates the products whose sku is new and updates the others. A line that fails changes
// nothing and stops none of the others. Of two lines with one sku the later counts. An error is for
// lines that nobody knows about: a part of them may be stored, and all may be sent again.
func (s *Service) Upsert(ctx context.Context, p *project.Project, lines []Line) ([]Upserted, error) {
	results := make([]Upserted, len(lines))
	for start := 0; start < len(lines); {
		end := start + untilRepeat(lines[start:])
		if err := s.upsert(ctx, p, lines[start:end], results[start:end], func() {}, nil); err != nil {
			return nil, err
		}
		start = end
	}
	s.refresh(ctx, p.ID)
	return results, nil
}

// untilRepeat is how many lines come before one whose sku was there already: products are written once
// in a transaction.
func untilRepeat(lines []Line) int {
	seen := make(map[string]bool, len(lines))
	for i, l := range lines {
		sku, _ := l.Draft.SKU.Value()
		if seen[sku] && sku != "" {
			return i
		}
		seen[sku] = true
	}
	return len(lines)
}

// upsert stores lines of different skus. same, unless nil, reports of a write, given the line and the product there is,
// that nothing is to be written; begin is called before the first one, which may be more than once.
func (s *Service) upsert(ctx context.Context, p *project.Project, lines []Line, results []Upserted,
	begin func(), same func(line int, known *catalog.Product, w ports.ProductWrite) bool) error {
	var skus []string
	for i, l := range lines {
		results[i].SKU, _ = l.Draft.SKU.Value()
		if results[i].SKU != "" {
			skus = append(skus, results[i].SKU)
		}
	}
	var written []int // the line of each write
	failed, err := s.BulkProducts.Upsert(ctx, p.ID, ports.ProductKeys{SKUs: skus}, func(known ports.KnownProducts) []ports.ProductWrite {
		begin()
		written = written[:0]
		var writes []ports.ProductWrite
		for i, l := range lines {
			there := known.BySKU[results[i].SKU]
			write, result := s.write(p, l, there)
			result.SKU = results[i].SKU
			switch {
			case result.Outcome == Failed:
			case same != nil && same(i, there, write):
				result.Outcome = Unchanged
			default:
				writes, written = append(writes, write), append(written, i)
			}
			results[i] = result
		}
		return writes
	})
	if err != nil {
		return err
	}
	for i, err := range failed {
		results[written[i]].Outcome, results[written[i]].Err = Failed, err
		results[written[i]].Product = id.Product{}
	}
	return nil
}

// write is what storing a line means, given the product that has its sku, if any.
func (s *Service) write(p *project.Project, l Line, known *catalog.Product) (ports.ProductWrite, Upserted) {
	var product *catalog.Product
	var stock []catalog.Stock
	var err error
	outcome := Updated
	switch sku, _ := l.Draft.SKU.Value(); {
	case len(l.Problems) > 0 && sku == "": // that is the reason
	case sku == "":
		err = fault.Field("sku", "is required")
	case known == nil:
		outcome = Created
		product, stock, err = catalog.Create(p.ID, l.Draft, p.Settings.Currency, ids{s.Entropy}, s.Clock.Now())
	default:
		product, stock, err = known.Update(l.Draft, ids{s.Entropy}, s.Clock.Now())
	}
	if err := allProblems(l.Err, err); err != nil || len(l.Problems) > 0 {
		return ports.ProductWrite{}, Upserted{Outcome: Failed, Err: err}
	}
	return ports.ProductWrite{Product: product, Stock: stock}, Upserted{Product: product.ID, Outcome: outcome}
}
