package boot

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// ProductFile is a file of products to import.
type ProductFile struct {
	Path    string
	Project string // its slug or id
	Format  feed.Format
	// DryRun validates the file and stores nothing.
	DryRun bool
	// Refused, if not nil, receives the refused products as CSV, so that they can be corrected and imported again.
	Refused io.Writer
	// Progress is called with the summary so far, the bytes read, and the size of the file.
	Progress func(so catalogs.Summary, read, size int64)
}

// Import loads a product file.
func (a *App) Import(ctx context.Context, f ProductFile) (catalogs.Summary, error) {
	p, err := a.projectNamed(ctx, f.Project)
	if err != nil {
		return catalogs.Summary{}, err
	}
	file, err := feed.Open(f.Path, feed.Options{Format: f.Format, Currency: p.Settings.Currency})
	if err != nil {
		return catalogs.Summary{}, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	do := catalogs.Import{
		DryRun:   f.DryRun,
		Progress: func(so catalogs.Summary) { f.Progress(so, file.Read(), file.Size()) },
	}
	if f.Refused == nil {
		return a.load(ctx, p, file, do)
	}
	table := csv.NewWriter(f.Refused)
	if err := table.Write(catalogs.RefusalColumns(file.Columns())); err != nil {
		return catalogs.Summary{}, err
	}
	do.Refused = func(r catalogs.Refusal) error { return table.WriteAll(r.Table(file.Columns())) }
	sum, err := a.load(ctx, p, file, do)
	table.Flush()
	return sum, errors.Join(err, table.Error())
}

// load imports a feed. If reading fails, the products before the failure stay imported.
func (a *App) load(ctx context.Context, p *project.Project, from *feed.Reader, do catalogs.Import) (catalogs.Summary, error) {
	var broken error
	do.Lines = lines(from, &broken)
	summary, err := a.Catalogs.Import(ctx, p, do, catalogs.Summary{})
	if do.DryRun {
		return summary, errors.Join(err, broken)
	}
	return summary, errors.Join(err, broken, a.store.Analyze(ctx))
}

func lines(from *feed.Reader, broken *error) iter.Seq[catalogs.Line] {
	return func(yield func(catalogs.Line) bool) {
		for line, err := range from.All() {
			var bad *fault.Error
			if err != nil && !errors.As(err, &bad) {
				*broken = fmt.Errorf("after line %d: %w", line.Number, err)
				return
			}
			if !yield(fromFeed(line)) {
				return
			}
		}
	}
}

func fromFeed(l feed.Line) catalogs.Line {
	return catalogs.Line{
		Number:   l.Number,
		Draft:    l.Draft,
		SKU:      l.SKU,
		Problems: l.Problems,
		Rows:     l.Rows,
		At:       l.At,
	}
}

// inTx runs work on the stores of one transaction, and applies its writes to the index after the commit.
func (a *App) inTx(ctx context.Context, work func(*ports.Stores) error) error {
	var index *pendingIndex
	err := a.store.Within(ctx, nil, func(view *sqlstore.Store) error {
		index = &pendingIndex{Index: a.index}
		return work(storesOn(view, index))
	})
	if err == nil {
		index.flush()
	}
	return err
}

// projectNamed finds an active project by its slug or its id.
func (a *App) projectNamed(ctx context.Context, named string) (p *project.Project, err error) {
	if known, wrong := id.Parse[id.Project](named); wrong == nil {
		p, err = a.store.ActiveProjects().ByProject(ctx, known)
	} else {
		p, err = a.storefront.BySlug(ctx, named)
	}
	if fault.KindOf(err) == fault.NotFound {
		err = fmt.Errorf("no project has the slug or id %s", named)
	}
	return p, err
}
