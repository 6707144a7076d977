package catalogs

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Outcome is the result of a line.
type Outcome struct{ name string }

var (
	Created = Outcome{"created"}
	Updated = Outcome{"updated"}
	Failed  = Outcome{"failed"}
	// Unchanged products were not written. Only imports have this outcome.
	Unchanged = Outcome{"unchanged"}
)

func (o Outcome) String() string { return o.name }

// Upserted is the result of a line. Err is the reason of a failure, in addition to the line's own problems.
type Upserted struct {
	SKU     string
	Product id.Product
	Outcome Outcome
	Err     error
}

// Upsert creates the products whose sku is new and updates the others. A line that fails changes nothing and does not stop the
// others. Of two lines with the same sku the later one wins. If Upsert returns an error, some lines may be stored, and it is safe
// to send all of them again.
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

// untilRepeat returns the number of lines before the first repeated sku, because a transaction writes each product once.
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

// upsert stores lines of different skus. same, unless nil, reports whether a write would change nothing, given the line and the
// stored product. begin is called before the first call of same. The transaction, and with it both, may run more than once.
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

// write returns the write of a line and its result. known is the stored product with the line's sku, or nil.
func (s *Service) write(p *project.Project, l Line, known *catalog.Product) (ports.ProductWrite, Upserted) {
	var product *catalog.Product
	var stock []catalog.Stock
	var err error
	outcome := Updated
	switch sku, _ := l.Draft.SKU.Value(); {
	case len(l.Problems) > 0 && sku == "": // the problems are the reason of the failure
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
