package boot

import (
	"context"
	"errors"
	"iter"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Import loads a product file into the project with the slug. progress hears how much of the file is
// read, in bytes.
func (a *App) Import(ctx context.Context, slug, path string, progress func(read, size int64)) (catalogs.Summary, error) {
	p, err := a.storefront.BySlug(ctx, slug)
	if err != nil {
		return catalogs.Summary{}, err
	}
	file, err := feed.Open(path, p.Settings.Currency)
	if err != nil {
		return catalogs.Summary{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return a.load(ctx, p, file, func() { progress(file.Read(), file.Size()) })
}

// load imports a feed. What ends its reading early ends the import, after the products before it.
func (a *App) load(ctx context.Context, p *project.Project, from *feed.Reader, progress func()) (catalogs.Summary, error) {
	var broken error
	summary, err := a.Catalogs.Import(ctx, p, lines(from, &broken), progress)
	return summary, errors.Join(err, broken, a.store.Analyze(ctx))
}

func lines(from *feed.Reader, broken *error) iter.Seq[catalogs.Line] {
	return func(yield func(catalogs.Line) bool) {
		for line, err := range from.All() {
			var bad *fault.Error
			if err != nil && !errors.As(err, &bad) {
				*broken = err
				return
			}
			if !yield(catalogs.Line{Number: line.Number, Draft: line.Draft, Err: err}) {
				return
			}
		}
	}
}
