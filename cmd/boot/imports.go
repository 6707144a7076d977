package boot

import (
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/imports"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/project"
)

// fileLines reads the products of a file that a job imports.
type fileLines struct {
	from   *feed.Reader
	broken error
}

// openImport reads the header of a file that a job imports.
func openImport(file io.Reader, r job.ImportRequest, p *project.Project) (imports.Products, error) {
	name := "file.csv"
	if r.NDJSON {
		name = "file.ndjson"
	}
	read, err := feed.New(file, feed.Options{
		Name:     name,
		Format:   feed.Formats[r.Format],
		Currency: p.Settings.Currency,
		Unpacked: job.MostUnpackedBytes,
	})
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), name+": "))
	}
	return &fileLines{from: read}, nil
}

// Lines implements imports.Products.
func (f *fileLines) Lines() iter.Seq[catalogs.Line] {
	return func(yield func(catalogs.Line) bool) {
		n := 0
		for l := range lines(f.from, &f.broken) {
			if n++; n > job.MostFileProducts {
				f.broken = errors.New("has more than 500,000 products")
				return
			}
			if !yield(l) {
				return
			}
		}
	}
}

// Err implements imports.Products.
func (f *fileLines) Err() error { return f.broken }

// Columns implements imports.Products.
func (f *fileLines) Columns() []string { return f.from.Columns() }
