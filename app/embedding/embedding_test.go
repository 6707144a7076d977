package embedding_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/embedding"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

func TestText(t *testing.T) {
	t.Parallel()
	p := &catalog.Product{
		Name:        "Trail Tent",
		Brand:       "Acme",
		Category:    "outdoor/tents",
		Tags:        []string{"light", "two people"},
		Attributes:  map[string]string{"weight": "2 kg", "colour": "green"},
		Description: "Stands in any wind.",
		Price:       money.Of(5, money.USD),
	}
	const want = "Trail Tent\nAcme\noutdoor > tents\nlight, two people\ncolour: green\nweight: 2 kg\nStands in any wind."
	if got := embedding.Text(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Price, p.Negotiable, p.Related = money.Of(7, money.USD), true, []string{"x"}
	if got := embedding.Text(p); got != want {
		t.Errorf("after a change of price: %q", got)
	}
	p.Description = strings.Repeat("ö", 5000)
	if got := []rune(embedding.Text(p)); len(got) != 2000 {
		t.Errorf("%d characters", len(got))
	}
	if got := embedding.Text(&catalog.Product{Name: "Mug", Tags: []string{""}}); got != "Mug" {
		t.Errorf("%q", got)
	}
}

// Each text is requested once, 64 at a time, even if several products have it. Archived products are not embedded.
func TestWorker_catchUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 150)
	same := product(500)
	same.Name = product(3).Name
	gone := product(501)
	gone.Status = catalog.Archived
	f.write(same)
	f.write(gone)
	if worked, err := f.runOnce(); !worked || err != nil {
		t.Fatal(worked, err)
	}
	sizes := []int{}
	for _, b := range f.batches {
		sizes = append(sizes, len(b))
	}
	if !slices.Equal(sizes, []int{64, 64, 22}) || f.progress.Version != 152 || len(f.vectors) != 150 {
		t.Errorf("batches of %v, %+v", sizes, f.progress)
	}
	if worked, err := f.runOnce(); worked || err != nil {
		t.Error(worked, err)
	}
	f.addProducts(200, 1)
	f.write(f.products[0]) // as if its price had changed
	if worked, err := f.runOnce(); !worked || err != nil || f.requestedTexts() != 151 {
		t.Errorf("%v %v, %d texts", worked, err, f.requestedTexts())
	}
}

// Texts that were stored before a failure are not requested again. Pauses double, and the error is stored for the merchant.
func TestWorker_backoff(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 100)
	down := fault.New(fault.Unavailable, "embeddings_unavailable", "The embeddings endpoint answered 500.")
	f.answer = func([]string) error {
		if len(f.batches) == 1 {
			return nil
		}
		return down
	}
	for n, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		if worked, err := f.runOnce(); !worked || !errors.Is(err, down) {
			t.Fatal(worked, err)
		}
		if wait := f.progress.DueAt.Sub(f.now); wait != pause*time.Second || f.progress.Error != down.Message || f.progress.Attempts != n+1 {
			t.Errorf("attempt %d: %s, %+v", n+1, wait, f.progress)
		}
		f.now = f.progress.DueAt
	}
	f.answer = func([]string) error { return nil }
	before := f.requestedTexts()
	if worked, err := f.runOnce(); !worked || err != nil || f.requestedTexts()-before != 36 || f.progress.Error != "" {
		t.Errorf("%v %v, %d texts, %+v", worked, err, f.requestedTexts()-before, f.progress)
	}
}

// The worker waits as long as the endpoint asks for, within limits.
func TestWorker_retryAfter(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{40 * time.Second: 40 * time.Second, time.Millisecond: time.Second, time.Hour: 5 * time.Minute} {
		f := newFixture(t)
		f.addProducts(0, 1)
		f.answer = func([]string) error {
			return fault.New(fault.Unavailable, "embeddings_unavailable", "Wait.").After(asked)
		}
		_, _ = f.runOnce()
		if wait := f.progress.DueAt.Sub(f.now); wait != want {
			t.Errorf("told %s: waits %s", asked, wait)
		}
	}
}

// A text that the endpoint refuses does not delay the others. If the endpoint refuses all texts, the worker makes no progress.
func TestWorker_refusedTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 70)
	bad := product(7).Name
	refused := fault.New(fault.Invalid, "embeddings_refused", "No.")
	f.answer = func(texts []string) error {
		if slices.Contains(texts, bad) {
			return refused
		}
		return nil
	}
	if worked, err := f.runOnce(); !worked || err != nil || len(f.vectors) != 69 || f.progress.Version != 70 {
		t.Errorf("%v %v, %d vectors, %+v", worked, err, len(f.vectors), f.progress)
	}
	f.answer = func([]string) error { return refused }
	f.addProducts(100, 3)
	if worked, err := f.runOnce(); !worked || !errors.Is(err, refused) || f.progress.Version != 70 || f.progress.Error != "No." {
		t.Errorf("%v %v, %+v", worked, err, f.progress)
	}
}

// A worker that is stopped stores the finished batches, and releases the task at once.
func TestWorker_stop(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 200)
	ctx, stop := context.WithCancel(t.Context())
	f.answer = func([]string) error {
		if len(f.batches) == 2 {
			stop()
			return ctx.Err()
		}
		return nil
	}
	if _, err := f.run(ctx); !errors.Is(err, context.Canceled) || len(f.vectors) != 64 {
		t.Errorf("%v, %d vectors", err, len(f.vectors))
	}
	if f.progress.Attempts != 0 || !f.progress.DueAt.Equal(f.now) {
		t.Errorf("%+v", f.progress)
	}
}

// A project that causes a panic after its first batch is set aside, under its renewed lease.
func TestWorker_panic(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 100)
	f.answer = func([]string) error {
		if len(f.batches) == 2 {
			panic("of all texts")
		}
		f.now = f.now.Add(time.Second)
		return nil
	}
	if worked, err := f.runOnce(); !worked || !errors.Is(err, fault.ErrPanic) || f.aside != 1 || !f.progress.DueAt.Equal(f.now.Add(time.Minute)) {
		t.Errorf("%v %v, set aside %d times, due in %s", worked, err, f.aside, f.progress.DueAt.Sub(f.now))
	}
}

// A large catalog is embedded in several time slices, each of which continues where the last one ended.
func TestWorker_timeSlice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 300)
	f.answer = func([]string) error {
		f.now = f.now.Add(11 * time.Second)
		return nil
	}
	for n, want := range []int{128, 256, 300} {
		if worked, err := f.runOnce(); !worked || err != nil || f.requestedTexts() != want || (f.progress.Version == 300) != (n == 2) {
			t.Errorf("turn %d: %v %v, %d texts, %+v", n, worked, err, f.requestedTexts(), f.progress)
		}
	}
}

// Once a week the worker goes over the whole catalog. It requests no text that has a vector. Forget removes unused vectors.
func TestWorker_wholeCatalog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 10)
	_, _ = f.runOnce()
	f.now = f.now.Add(8 * 24 * time.Hour)
	if worked, err := f.runOnce(); !worked || err != nil || f.claimed.Since != 0 || f.requestedTexts() != 10 {
		t.Errorf("%v %v, %+v, %d texts", worked, err, f.claimed, f.requestedTexts())
	}
	f.vectors["unused"] = []float32{1}
	if err := f.worker.Forget(t.Context()); err != nil || len(f.vectors) != 0 {
		t.Errorf("%v, %d vectors", err, len(f.vectors))
	}
}

// The index gets all stored vectors, in any number of rounds, and nothing is read if nothing has changed.
func TestRefresher_Refresh(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 3000)
	f.refresh()
	if len(f.embedded) != 0 {
		t.Fatal("vectors from nowhere")
	}
	_, _ = f.runOnce()
	f.refresh()
	if len(f.embedded) != 3000 {
		t.Fatalf("%d of 3000", len(f.embedded))
	}
	was := f.read
	f.refresh()
	f.refresh()
	if f.read != was {
		t.Errorf("%d vectors were looked for again", f.read-was)
	}
	f.addProducts(4000, 1)
	_, _ = f.runOnce()
	f.refresh()
	if len(f.embedded) != 3001 || f.read-was > 10 {
		t.Errorf("%d vectors, %d looked for", len(f.embedded), f.read-was)
	}
	clear(f.embedded) // the index was dropped and loaded again
	f.refresh()
	f.now = f.now.Add(10 * time.Second)
	f.refresh()
	if len(f.embedded) != 3001 {
		t.Errorf("%d vectors after the index was read anew", len(f.embedded))
	}
}

// While most products have no vector, the stored vectors of the others are found.
func TestRefresher_Refresh_mostMissing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 5000)
	for _, p := range slices.Backward(f.products) { // the last ones that the index returns
		if len(f.vectors) < 100 {
			hidden := newFixture(t)
			hidden.write(p)
			_, _ = hidden.runOnce()
			for hash, v := range hidden.vectors {
				f.vectors[hash] = v
			}
		}
	}
	f.progress.Stored = 100
	f.refresh()
	if len(f.embedded) != 100 {
		t.Errorf("%d of 100", len(f.embedded))
	}
	was := f.read
	f.refresh()
	if f.read != was {
		t.Errorf("%d vectors were looked for again", f.read-was)
	}
}

// An index that ignores vectors, for example because of their length, is not offered them again and again.
func TestRefresher_Refresh_ignoredVectors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.addProducts(0, 700)
	_, _ = f.runOnce()
	f.ignoresVectors = true
	f.refresh()
	f.ignoresVectors = false
	f.addProducts(1000, 1)
	f.refresh()
	if len(f.embedded) != 700 {
		t.Errorf("%d of 700", len(f.embedded))
	}
}
