package embedding_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/embedding"
	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// desk is a worker and a refresher over memory: one project, one model.
type desk struct {
	t       *testing.T
	project id.Project
	now     time.Time
	worker  *embedding.Worker
	fresh   *embedding.Refresher

	products []*catalog.Product
	version  int64
	changed  map[id.Product]int64

	// What is stored.
	vectors  map[ports.TextHash][]float32
	progress ports.EmbeddingProgress
	whole    time.Time
	read     int // vectors that were looked for
	claimed  *ports.EmbeddingTask

	// The endpoint.
	batches [][]string
	answer  func([]string) error

	turns int // that are claimed at most
	aside int // times that the project was set aside

	// The index.
	indexed  int64
	embedded map[id.Product][]float32
	deaf     bool // to vectors
}

func open(t *testing.T) *desk {
	d := &desk{
		t:        t,
		project:  id.New[id.Project]([16]byte{1}),
		now:      noon,
		changed:  map[id.Product]int64{},
		vectors:  map[ports.TextHash][]float32{},
		embedded: map[id.Product][]float32{},
		answer:   func([]string) error { return nil },
	}
	d.worker = &embedding.Worker{
		Embedder: endpoint{d},
		Queue:    queue{d},
		Vectors:  shelf{d},
		Catalog:  reader{d},
		Clock:    clock{d},
		Log:      slog.New(slog.DiscardHandler),
	}
	d.fresh = &embedding.Refresher{
		Index:   index{d},
		Vectors: shelf{d},
		Model:   "fake",
		Clock:   clock{d},
	}
	return d
}

func (d *desk) write(p *catalog.Product) {
	d.version++
	d.indexed = d.version
	if _, known := d.changed[p.ID]; !known {
		d.products = append(d.products, p)
	}
	d.changed[p.ID] = d.version
	delete(d.embedded, p.ID)
}

// sell writes so many products, beginning at a number.
func (d *desk) sell(from, n int) {
	for i := from; i < from+n; i++ {
		d.write(product(i))
	}
}

func product(i int) *catalog.Product {
	return &catalog.Product{
		ID:     id.New[id.Product]([16]byte{byte(i >> 8), byte(i), 1}),
		Name:   "Product " + string(rune('一'+i)),
		Status: catalog.Active,
	}
}

// runOnce works on the project once, and reports whether there was something to do.
func (d *desk) runOnce() (bool, error) { return d.run(d.t.Context()) }

func (d *desk) run(ctx context.Context) (worked bool, err error) {
	d.turns = 1
	_, err = jobs.NewWorker(d.worker.Job()).Once(ctx)
	return d.turns == 0, err
}

func (d *desk) refresh() {
	d.t.Helper()
	if err := d.fresh.Refresh(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) asked() (n int) {
	for _, b := range d.batches {
		n += len(b)
	}
	return n
}

type clock struct{ *desk }

func (c clock) Now() time.Time { return c.now }

type endpoint struct{ *desk }

func (endpoint) Model() string { return "fake" }

func (e endpoint) Embed(ctx ports.Outbound, texts []string) ([][]float32, error) {
	e.batches = append(e.batches, slices.Clone(texts))
	if err := e.answer(texts); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = []float32{float32([]rune(text)[len([]rune(text))-1])}
	}
	return vectors, ctx.Err()
}

type reader struct{ *desk }

func (r reader) Changes(_ context.Context, _ id.Project, since int64) (ports.CatalogChanges, error) {
	changes := ports.CatalogChanges{Version: r.version}
	for _, p := range r.products {
		if r.changed[p.ID] > since {
			changes.Changed = append(changes.Changed, p)
		}
	}
	return changes, nil
}

func (reader) Categories(context.Context, id.Project) ([]catalog.Category, error) { return nil, nil }
func (reader) Named(context.Context, id.Project, []string) (ports.NamedProducts, error) {
	return ports.NamedProducts{}, nil
}
func (reader) First(context.Context, id.Project, int) ([]*catalog.Product, error) { return nil, nil }
func (reader) Active(context.Context, id.Project, []id.Product) ([]*catalog.Product, error) {
	return nil, nil
}

type shelf struct{ *desk }

func (s shelf) Known(_ context.Context, _ id.Project, _ string, texts []ports.TextHash, _ time.Time) (map[ports.TextHash]bool, error) {
	known := map[ports.TextHash]bool{}
	for _, text := range texts {
		known[text] = s.vectors[text] != nil
	}
	return known, nil
}

func (s shelf) Get(_ context.Context, _ id.Project, _ string, texts []ports.TextHash) (map[ports.TextHash][]float32, error) {
	s.read += len(texts)
	found := map[ports.TextHash][]float32{}
	for _, text := range texts {
		if v := s.vectors[text]; v != nil {
			found[text] = v
		}
	}
	return found, nil
}

func (s shelf) Progress(context.Context, string, []id.Project) (map[id.Project]ports.EmbeddingProgress, error) {
	return map[id.Project]ports.EmbeddingProgress{s.project: s.progress}, nil
}

func (s shelf) Forget(_ context.Context, _ string, _ time.Time, n int) (int, error) {
	removed := 0
	for hash := range s.vectors {
		if removed < n {
			delete(s.vectors, hash)
			removed++
		}
	}
	return removed, nil
}

type queue struct{ *desk }

func (q queue) Behind(model string, age time.Duration) ports.Queue[*ports.EmbeddingTask] {
	return behind{q.desk, model, age}
}

type behind struct {
	*desk
	model string
	age   time.Duration
}

func (q behind) Waiting(context.Context) ([]string, error) {
	if q.turns == 0 || q.now.Before(q.progress.DueAt) || q.version == q.progress.Version && !q.again() {
		return nil, nil
	}
	return []string{q.project.String()}, nil
}

func (q behind) again() bool { return q.whole.Before(q.now.Add(-q.age)) }

func (q behind) Claim(_ context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[*ports.EmbeddingTask], error) {
	q.turns--
	until := q.now.Add(lease)
	q.progress.DueAt = until
	q.claimed = &ports.EmbeddingTask{
		Project:  q.project,
		Model:    q.model,
		Since:    q.progress.Version,
		Attempts: q.progress.Attempts,
		Begun:    q.now,
		Lease:    until,
	}
	if q.again() {
		q.claimed.Since = 0
	}
	held := ports.Held{
		Project: q.project,
		Key:     q.model,
		Group:   shares[0].Group,
		Until:   until,
	}
	return []ports.Leased[*ports.EmbeddingTask]{{Held: held, Item: q.claimed}}, nil
}

func (q behind) SetAside(_ context.Context, held ports.Held, _ string) error {
	if q.progress.DueAt.Equal(held.Until) {
		q.progress.DueAt = q.now.Add(held.Pause())
		q.aside++
	}
	return nil
}

func (q behind) Restore(context.Context, ports.Held) error { return nil }

func (q queue) Save(_ context.Context, task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32, _, until time.Time) error {
	if q.claimed != task {
		return fault.New(fault.Conflict, "embedding_taken", "Taken.")
	}
	for hash, v := range vectors {
		q.vectors[hash] = v
	}
	q.progress.Stored += int64(len(vectors))
	q.progress.Attempts, q.progress.Error, q.progress.DueAt = 0, "", until
	task.Attempts, task.Lease = 0, until
	return nil
}

func (q queue) Finish(_ context.Context, task *ports.EmbeddingTask, version int64, now time.Time) error {
	if task.Since == 0 {
		q.whole = task.Begun
	}
	q.progress.Version, q.progress.DueAt = version, now
	return nil
}

func (q queue) Postpone(_ context.Context, _ *ports.EmbeddingTask, due time.Time, reason string) error {
	if q.progress.DueAt = due; reason != "" {
		q.progress.Attempts++
		q.progress.Error = reason
	}
	return nil
}

type index struct{ *desk }

func (i index) Loaded() []id.Project     { return []id.Project{i.project} }
func (i index) Version(id.Project) int64 { return i.indexed }
func (i index) Embed(_ id.Project, _ string, vectors map[id.Product][]float32) {
	for p, v := range vectors {
		if !i.deaf {
			i.embedded[p] = v
		}
	}
}

func (i index) Unembedded(_ id.Project, _ string, limit int) (list []*catalog.Product) {
	for _, p := range i.products {
		if i.embedded[p.ID] == nil && p.Status == catalog.Active && len(list) < limit {
			list = append(list, p)
		}
	}
	return list
}
