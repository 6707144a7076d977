// Package searcheval measures the quality of search results: it indexes a catalogue from a file, runs queries whose relevant
// products people have judged, and computes NDCG, recall and latency. It uses no database and no server.
package searcheval

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

// Config says what to measure. Files may be gzipped.
type Config struct {
	Products    string // a feed, in a format of adapters/feed
	Queries     string // "": nothing is measured, a query is explained only
	Judgements  string // required with Queries
	Paraphrases string // other words for the same needs, by the ids of the queries; "": none
	Synonyms    string // the merchant's; "": none
	Worst       int    // how many of the worst queries to report
	Explain     string // a query to explain; "": none

	// Open returns a new, empty index.
	Open func() ports.Index
	// Progress is called with how far a stage is. total is 0 if it is unknown.
	Progress func(stage string, done, total int64)
}

// settler is an index that continues to work after Apply has returned.
type settler interface {
	// Settle waits until the index has finished its background work.
	Settle(context.Context) error
}

// InputError is an error in a file. Line is 0 if it concerns the whole file.
type InputError struct {
	File string
	Line int
	Err  error
}

func (e *InputError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s: line %d: %v", e.File, e.Line, e.Err)
}

func (e *InputError) Unwrap() error { return e.Err }

// Run reads the files, builds the index and measures. It returns an InputError for an invalid file.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Progress == nil {
		c.Progress = func(string, int64, int64) {}
	}
	asked, err := readQuestions(c)
	if err != nil {
		return nil, err
	}
	s, err := readShop(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Products: len(s.items),
		Refused:  s.refused,
		Why:      s.why,
	}
	index, err := build(ctx, c, s, asked.synonyms, r)
	if err != nil {
		return nil, err
	}
	e := evaluation{
		index:    index,
		shop:     s,
		judged:   asked.judged,
		progress: c.Progress,
	}
	if c.Queries != "" {
		if err := e.measure(ctx, c, asked, r); err != nil {
			return nil, err
		}
	}
	if c.Explain != "" {
		r.Explained, err = e.explain(ctx, c.Explain)
	}
	return r, err
}

// build puts the shop into a new index. The index's memory is the growth of the heap; the products were allocated before and
// are shared.
func build(ctx context.Context, c Config, s *shop, synonyms []catalog.Synonym, r *Report) (ports.Index, error) {
	changes := s.changes()
	if c.Synonyms != "" {
		changes.Synonyms, r.Synonyms = &synonyms, len(synonyms)
	}
	c.Progress("indexing", 0, 0)
	before := heap()
	began := time.Now()
	index := c.Open()
	index.Apply(s.project, changes)
	r.Build.Searchable = Time(time.Since(began))
	if working, ok := index.(settler); ok {
		if err := working.Settle(ctx); err != nil {
			return nil, fmt.Errorf("cannot build the index: %w", err)
		}
	}
	r.Build.Done = Time(time.Since(began))
	r.IndexBytes = max(0, heap()-before)
	runtime.KeepAlive(changes)
	return index, ctx.Err()
}

// heap returns the bytes in use, after two collections, because the contents of a sync.Pool survive the first one.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

var errNothingJudged = errors.New("no query has a judgement with a gain above 0")
