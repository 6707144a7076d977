package catalogs

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Summary counts what became of a file's lines. Problems are those of the first failed lines.
type Summary struct {
	Created, Updated, Failed int
	Problems                 []Problem
}

// Problem says, in words for people, why a line was skipped.
type Problem struct {
	Line int
	Err  error
}

const (
	chunk        = 500  // lines to a transaction
	mostProblems = 1000 // kept of an import
)

// Import upserts lines as they come, a chunk at a time, and skips those that cannot be a product. On
// an error the chunks before it are stored and counted; importing the file again is safe. progress,
// unless nil, is called after each chunk.
func (s *Service) Import(ctx context.Context, p *project.Project, lines iter.Seq[Line], progress func()) (Summary, error) {
	var sum Summary
	pending := make([]Line, 0, chunk)
	flush := func() error {
		err := s.importChunk(ctx, p, pending, &sum)
		pending = pending[:0]
		if progress != nil {
			progress()
		}
		return err
	}
	for l := range lines {
		if pending = append(pending, l); len(pending) < chunk {
			continue
		}
		if err := flush(); err != nil {
			return sum, err
		}
	}
	return sum, flush()
}

func (s *Service) importChunk(ctx context.Context, p *project.Project, lines []Line, sum *Summary) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	results, err := s.Upsert(ctx, p, lines)
	if err != nil {
		return err
	}
	for i, r := range results {
		switch r.Outcome {
		case Created:
			sum.Created++
		case Updated:
			sum.Updated++
		default:
			sum.Failed++
			if len(sum.Problems) < mostProblems {
				sum.Problems = append(sum.Problems, Problem{lines[i].Number, inWords(r)})
			}
		}
	}
	return nil
}

// inWords says what is wrong with a line: "sku T-1: price must be more than zero".
func inWords(r Upserted) error {
	text := r.Err.Error()
	if known, ok := errors.AsType[*fault.Error](r.Err); ok {
		text = known.Description()
	}
	if r.SKU == "" {
		return errors.New(text)
	}
	return fmt.Errorf("sku %s: %s", r.SKU, text)
}
