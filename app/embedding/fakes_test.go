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

// fixture is a worker and a refresher with in-memory ports. It has one project and one model.
type fixture struct {
	t         *testing.T
	project   id.Project
	now       time.Time
	worker    *embedding.Worker
	refresher *embedding.Refresher

	products []*catalog.Product
	version  int64
	changed  map[id.Product]int64

	// The store.
	vectors  map[ports.TextHash][]float32
	progress ports.EmbeddingProgress
	wholeAt  time.Time
	read     int // vectors that were requested
	claimed  *ports.EmbeddingTask

	// The endpoint.
	batches [][]string
	answer  func([]string) error

	claimLimit int // how many tasks may be claimed
	aside      int // how often the project was set aside

	// The index.
	indexed        int64
	embedded       map[id.Product][]float32
	ignoresVectors bool // the index ignores vectors
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{
		t:        t,
		project:  id.New[id.Project]([16]byte{1}),
		now:      noon,
		changed:  map[id.Product]int64{},
		vectors:  map[ports.TextHash][]float32{},
		embedded: map[id.Product][]float32{},
		answer:   func([]string) error { return nil },
	}
	f.worker = &embedding.Worker{
		Embedder: fakeEmbedder{f},
		Queue:    fakeQueue{f},
		Vectors:  fakeVectors{f},
		Catalog:  fakeCatalog{f},
		Clock:    fakeClock{f},
		Log:      slog.New(slog.DiscardHandler),
	}
	f.refresher = &embedding.Refresher{
		Index:   fakeIndex{f},
		Vectors: fakeVectors{f},
		Model:   "fake",
		Clock:   fakeClock{f},
	}
	return f
}

func (f *fixture) write(p *catalog.Product) {
	f.version++
	f.indexed = f.version
	if _, known := f.changed[p.ID]; !known {
		f.products = append(f.products, p)
	}
	f.changed[p.ID] = f.version
	delete(f.embedded, p.ID)
}

// addProducts writes n products, numbered upwards from the first argument.
func (f *fixture) addProducts(from, n int) {
	for i := from; i < from+n; i++ {
		f.write(product(i))
	}
}

func product(i int) *catalog.Product {
	return &catalog.Product{
		ID:     id.New[id.Product]([16]byte{byte(i >> 8), byte(i), 1}),
		Name:   "Product " + string(rune('一'+i)),
		Status: catalog.Active,
	}
}

// runOnce works on the project once. It reports whether there was something to do.
func (f *fixture) runOnce() (bool, error) { return f.run(f.t.Context()) }

func (f *fixture) run(ctx context.Context) (worked bool, err error) {
	f.claimLimit = 1
	_, err = jobs.NewWorker(f.worker.Job()).Once(ctx)
	return f.claimLimit == 0, err
}

func (f *fixture) refresh() {
	f.t.Helper()
	if err := f.refresher.Refresh(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) requestedTexts() (n int) {
	for _, b := range f.batches {
		n += len(b)
	}
	return n
}

type fakeClock struct{ *fixture }

func (c fakeClock) Now() time.Time { return c.now }

type fakeEmbedder struct{ *fixture }

func (fakeEmbedder) Model() string { return "fake" }

func (e fakeEmbedder) Embed(ctx ports.Outbound, texts []string) ([][]float32, error) {
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

type fakeCatalog struct{ *fixture }

func (r fakeCatalog) Changes(_ context.Context, _ id.Project, since int64) (ports.CatalogChanges, error) {
	changes := ports.CatalogChanges{Version: r.version}
	for _, p := range r.products {
		if r.changed[p.ID] > since {
			changes.Changed = append(changes.Changed, p)
		}
	}
	return changes, nil
}

func (fakeCatalog) Categories(context.Context, id.Project) ([]catalog.Category, error) {
	return nil, nil
}
func (fakeCatalog) Named(context.Context, id.Project, []string) (ports.NamedProducts, error) {
	return ports.NamedProducts{}, nil
}
func (fakeCatalog) First(context.Context, id.Project, int) ([]*catalog.Product, error) {
	return nil, nil
}
func (fakeCatalog) Active(context.Context, id.Project, []id.Product) ([]*catalog.Product, error) {
	return nil, nil
}

type fakeVectors struct{ *fixture }

func (s fakeVectors) Known(_ context.Context, _ id.Project, _ string, texts []ports.TextHash, _ time.Time) (map[ports.TextHash]bool, error) {
	known := map[ports.TextHash]bool{}
	for _, text := range texts {
		known[text] = s.vectors[text] != nil
	}
	return known, nil
}

func (s fakeVectors) Get(_ context.Context, _ id.Project, _ string, texts []ports.TextHash) (map[ports.TextHash][]float32, error) {
	s.read += len(texts)
	found := map[ports.TextHash][]float32{}
	for _, text := range texts {
		if v := s.vectors[text]; v != nil {
			found[text] = v
		}
	}
	return found, nil
}

func (s fakeVectors) Progress(context.Context, string, []id.Project) (map[id.Project]ports.EmbeddingProgress, error) {
	return map[id.Project]ports.EmbeddingProgress{s.project: s.progress}, nil
}

func (s fakeVectors) Forget(_ context.Context, _ string, _ time.Time, n int) (int, error) {
	removed := 0
	for hash := range s.vectors {
		if removed < n {
			delete(s.vectors, hash)
			removed++
		}
	}
	return removed, nil
}

type fakeQueue struct{ *fixture }

func (q fakeQueue) Behind(model string, age time.Duration) ports.Queue[*ports.EmbeddingTask] {
	return fakeBehindQueue{q.fixture, model, age}
}

type fakeBehindQueue struct {
	*fixture
	model string
	age   time.Duration
}

func (q fakeBehindQueue) Waiting(context.Context) ([]string, error) {
	if q.claimLimit == 0 || q.now.Before(q.progress.DueAt) || q.version == q.progress.Version && !q.again() {
		return nil, nil
	}
	return []string{q.project.String()}, nil
}

func (q fakeBehindQueue) again() bool { return q.wholeAt.Before(q.now.Add(-q.age)) }

func (q fakeBehindQueue) Claim(_ context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[*ports.EmbeddingTask], error) {
	q.claimLimit--
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

func (q fakeBehindQueue) SetAside(_ context.Context, held ports.Held, _ string) error {
	if q.progress.DueAt.Equal(held.Until) {
		q.progress.DueAt = q.now.Add(held.Pause())
		q.aside++
	}
	return nil
}

func (q fakeBehindQueue) Restore(context.Context, ports.Held) error { return nil }

func (q fakeQueue) Save(_ context.Context, task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32, _, until time.Time) error {
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

func (q fakeQueue) Finish(_ context.Context, task *ports.EmbeddingTask, version int64, now time.Time) error {
	if task.Since == 0 {
		q.wholeAt = task.Begun
	}
	q.progress.Version, q.progress.DueAt = version, now
	return nil
}

func (q fakeQueue) Postpone(_ context.Context, _ *ports.EmbeddingTask, due time.Time, reason string) error {
	if q.progress.DueAt = due; reason != "" {
		q.progress.Attempts++
		q.progress.Error = reason
	}
	return nil
}

type fakeIndex struct{ *fixture }

func (i fakeIndex) Loaded() []id.Project     { return []id.Project{i.project} }
func (i fakeIndex) Version(id.Project) int64 { return i.indexed }
func (i fakeIndex) Embed(_ id.Project, _ string, vectors map[id.Product][]float32) {
	for p, v := range vectors {
		if !i.ignoresVectors {
			i.embedded[p] = v
		}
	}
}

func (i fakeIndex) Unembedded(_ id.Project, _ string, limit int) (list []*catalog.Product) {
	for _, p := range i.products {
		if i.embedded[p.ID] == nil && p.Status == catalog.Active && len(list) < limit {
			list = append(list, p)
		}
	}
	return list
}
