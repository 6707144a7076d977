package catalogs

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Summary counts the results of a file's products.
type Summary struct {
	Read      int // the sum of the next four
	Created   int
	Updated   int
	Unchanged int // equal to the file, so that they were not written
	Refused   int
	Problems  catalog.ProblemList // of refused products
	Warnings  catalog.ProblemList // of the others
}

// chunkSize is how many products one transaction stores.
const chunkSize = 500

// Import describes an import of a file's products.
type Import struct {
	Lines iter.Seq[Line]
	// DryRun means to check everything and store nothing.
	DryRun bool
	// Skip is how many products an earlier attempt has handled.
	Skip int
	// Done, unless nil, is called after each chunk, with the stores of its transaction and the counts so far. It may be called
	// more than once for a chunk. In a dry run that transaction has been rolled back, and the stores are not bound to it.
	Done func(ctx context.Context, stores *ports.Stores, sum Summary, c Chunk) error
	// Refused, unless nil, is called for each product that was refused, after its chunk is stored.
	Refused func(Refusal) error
	// Progress, unless nil, is called after each chunk.
	Progress func(Summary)
}

// Chunk has the refusals and warnings of the products of one transaction.
type Chunk struct {
	Refused  []Refusal
	Warnings []catalog.LineProblem
}

// Refusal is a refused product of a file, with all its problems.
type Refusal struct {
	Line     Line
	Problems []catalog.LineProblem
}

// Transaction runs work with the stores of one transaction, and commits it if work returns nil, else rolls it back. work may run
// more than once.
type Transaction func(ctx context.Context, work func(*ports.Stores) error) error

// errDryRun rolls back the transaction of a chunk in a dry run.
var errDryRun = errors.New("nothing is stored in a dry run")

// Import stores a file's products, 500 in one transaction, and refuses those that cannot be stored. After an error the earlier
// chunks are stored and counted, and importing the file again is safe. start has the counts of an earlier attempt.
func (s *Service) Import(ctx context.Context, p *project.Project, from Import, start Summary) (Summary, error) {
	run := &importRun{
		Service: s,
		from:    from,
		project: p,
		sum:     start,
		seen:    map[string]int{},
	}
	pending := make([]Line, 0, chunkSize)
	n := 0
	for l := range from.Lines {
		run.findRepeated(&l)
		if n++; n <= from.Skip {
			continue
		}
		if pending = append(pending, l); len(pending) < chunkSize {
			continue
		}
		if err := run.chunk(ctx, pending); err != nil {
			return run.sum, err
		}
		pending = pending[:0]
	}
	if len(pending) == 0 {
		return run.sum, nil
	}
	return run.sum, run.chunk(ctx, pending)
}

// importRun is one call of Import.
type importRun struct {
	*Service
	from    Import
	project *project.Project
	sum     Summary
	seen    map[string]int // the line of each sku
}

// findRepeated adds a problem to a product whose sku, or a variant's, occurs on an earlier line.
func (i *importRun) findRepeated(l *Line) {
	own := map[string]string{l.SKU: "sku"}
	variants, _ := l.Draft.Variants.Value()
	for n, v := range variants {
		if v.SKU != l.SKU {
			own[v.SKU] = fmt.Sprintf("variants.%d.sku", n)
		}
	}
	delete(own, "")
	for sku, field := range own {
		first, twice := i.seen[sku]
		if !twice {
			i.seen[sku] = l.Number
			continue
		}
		problem := catalog.LineProblem{
			Line:    l.Number,
			SKU:     l.SKU,
			Field:   field,
			Message: fmt.Sprintf("is also on line %d", first),
		}
		if l.At != nil {
			problem.Line, problem.Field, problem.Value = l.At(field)
		}
		l.Problems = append(l.Problems, problem)
	}
}

// chunk stores some lines, and updates the counts once they are stored.
func (i *importRun) chunk(ctx context.Context, lines []Line) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var next Summary
	var c Chunk
	err := i.transact(ctx, func(stores *ports.Stores) error {
		results, err := i.In(stores).store(ctx, i.project, lines)
		if err != nil {
			return err
		}
		next, c = i.sum.plus(lines, results)
		if i.from.DryRun {
			return errDryRun
		}
		return i.done(ctx, stores, next, c)
	})
	if errors.Is(err, errDryRun) {
		err = i.done(ctx, i.Stores, next, c)
	}
	if err != nil {
		return err
	}
	i.sum = next
	for _, r := range c.Refused {
		for _, p := range r.Problems {
			i.sum.Problems.Add(p)
		}
		if i.from.Refused != nil {
			if err := i.from.Refused(r); err != nil {
				return err
			}
		}
	}
	for _, w := range c.Warnings {
		i.sum.Warnings.Add(w)
	}
	if i.from.Progress != nil {
		i.from.Progress(i.sum)
	}
	return nil
}

func (i *importRun) done(ctx context.Context, stores *ports.Stores, next Summary, c Chunk) error {
	if i.from.Done == nil {
		return nil
	}
	return i.from.Done(ctx, stores, next, c)
}

func (i *importRun) transact(ctx context.Context, work func(*ports.Stores) error) error {
	if i.Transact == nil {
		return work(i.Stores)
	}
	return i.Transact(ctx, work)
}

// plus returns the sum of the counts and those of a chunk, with the chunk's refusals and warnings.
func (s Summary) plus(lines []Line, results []Upserted) (sum Summary, c Chunk) {
	for n, r := range results {
		s.Read++
		switch r.Outcome {
		case Created:
			s.Created++
		case Updated:
			s.Updated++
		case Unchanged:
			s.Unchanged++
		default:
			s.Refused++
			c.Refused = append(c.Refused, Refusal{lines[n], lines[n].problems(r.Err)})
			continue
		}
		if w, costly := lines[n].costAbovePrice(); costly {
			c.Warnings = append(c.Warnings, w)
		}
	}
	return s, c
}

// problems returns the problems of the line and those of refused, with their places in the file.
func (l Line) problems(refused error) []catalog.LineProblem {
	all := l.Problems
	add := func(field, message string) {
		p := catalog.LineProblem{
			Line:    l.Number,
			SKU:     l.SKU,
			Field:   field,
			Message: message,
		}
		if l.At != nil && field != "" {
			p.Line, p.Field, p.Value = l.At(field)
		}
		for _, known := range all {
			if known.Line == p.Line && known.Field == p.Field {
				return
			}
		}
		all = append(all[:len(all):len(all)], p)
	}
	known, _ := errors.AsType[*fault.Error](refused)
	switch {
	case refused == nil:
	case known == nil:
		add("", "is rejected: "+refused.Error())
	case len(known.Details) == 0:
		add("", "is rejected: "+known.Message)
	default:
		for _, d := range known.Details {
			add(d.Field, d.Message)
		}
	}
	return all
}

// costAbovePrice returns a warning if the product's cost is above its price.
func (l Line) costAbovePrice() (catalog.LineProblem, bool) {
	cost, known := l.Draft.Cost.Value()
	price, given := l.Draft.Price.Value()
	if !known || !given || cost.Currency() != price.Currency() || cost.Minor() <= price.Minor() {
		return catalog.LineProblem{}, false
	}
	w := catalog.LineProblem{
		Line:    l.Number,
		SKU:     l.SKU,
		Field:   "cost",
		Value:   cost.String(),
		Message: "is above the price, " + price.String(),
	}
	if l.At != nil {
		w.Line, w.Field, w.Value = l.At("cost")
	}
	return w, true
}

// store upserts lines. It does not write products that are equal to their lines.
func (s *Service) store(ctx context.Context, p *project.Project, lines []Line) ([]Upserted, error) {
	results := make([]Upserted, len(lines))
	var equal []int // lines of products that are equal, apart from their stock
	wanted := map[int][]catalog.Stock{}
	compare := func(n int, known *catalog.Product, w ports.ProductWrite) bool {
		if known == nil || !known.Equal(w.Product) {
			return false
		}
		if len(w.Stock) > 0 {
			equal, wanted[n] = append(equal, n), w.Stock
		}
		return true
	}
	reset := func() { equal, wanted = nil, map[int][]catalog.Stock{} }
	if err := s.upsert(ctx, p, lines, results, reset, compare); err != nil {
		return nil, err
	}
	restocked, err := s.stockDiffers(ctx, p.ID, results, equal, wanted)
	if err != nil || len(restocked) == 0 {
		s.refresh(ctx, p.ID)
		return results, err
	}
	again, outcomes := make([]Line, len(restocked)), make([]Upserted, len(restocked))
	for n, line := range restocked {
		again[n] = lines[line]
	}
	if err := s.upsert(ctx, p, again, outcomes, func() {}, nil); err != nil {
		return nil, err
	}
	for n, line := range restocked {
		results[line] = outcomes[n]
	}
	s.refresh(ctx, p.ID)
	return results, nil
}

// stockDiffers returns the lines whose stock differs from that at the default location.
func (s *Service) stockDiffers(ctx context.Context, of id.Project, results []Upserted, equal []int, wanted map[int][]catalog.Stock) (list []int, err error) {
	if len(equal) == 0 {
		return nil, nil
	}
	products := make([]id.Product, len(equal))
	for n, line := range equal {
		products[n] = results[line].Product
	}
	shelves, err := s.Inventory.ShelvesOf(ctx, of, products)
	if err != nil {
		return nil, err
	}
	counted := map[id.Variant]int{}
	for _, shelf := range shelves {
		if shelf.Location == project.DefaultLocation {
			counted[shelf.Variant] = shelf.Count()
		}
	}
	for _, line := range equal {
		for _, stock := range wanted[line] {
			if n, known := counted[stock.Variant]; !known || n != stock.Quantity {
				list = append(list, line)
				break
			}
		}
	}
	return list, nil
}
