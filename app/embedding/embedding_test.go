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

// Each text is asked for once, 64 at a time, however many products have it; archived products are not.
func TestWorkerCatchesUp(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 150)
	same := product(500)
	same.Name = product(3).Name
	gone := product(501)
	gone.Status = catalog.Archived
	d.write(same)
	d.write(gone)
	if worked, err := d.runOnce(); !worked || err != nil {
		t.Fatal(worked, err)
	}
	sizes := []int{}
	for _, b := range d.batches {
		sizes = append(sizes, len(b))
	}
	if !slices.Equal(sizes, []int{64, 64, 22}) || d.progress.Version != 152 || len(d.vectors) != 150 {
		t.Errorf("batches of %v, %+v", sizes, d.progress)
	}
	if worked, err := d.runOnce(); worked || err != nil {
		t.Error(worked, err)
	}
	d.sell(200, 1)
	d.write(d.products[0]) // as when its price changes
	if worked, err := d.runOnce(); !worked || err != nil || d.asked() != 151 {
		t.Errorf("%v %v, %d texts", worked, err, d.asked())
	}
}

// What was stored before a failure is not asked for again; pauses double, and the error is kept to be read.
func TestWorkerBacksOff(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 100)
	down := fault.New(fault.Unavailable, "embeddings_unavailable", "The embeddings endpoint answered 500.")
	d.answer = func([]string) error {
		if len(d.batches) == 1 {
			return nil
		}
		return down
	}
	for n, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		if worked, err := d.runOnce(); !worked || !errors.Is(err, down) {
			t.Fatal(worked, err)
		}
		if wait := d.progress.DueAt.Sub(d.now); wait != pause*time.Second || d.progress.Error != down.Message || d.progress.Attempts != n+1 {
			t.Errorf("attempt %d: %s, %+v", n+1, wait, d.progress)
		}
		d.now = d.progress.DueAt
	}
	d.answer = func([]string) error { return nil }
	before := d.asked()
	if worked, err := d.runOnce(); !worked || err != nil || d.asked()-before != 36 || d.progress.Error != "" {
		t.Errorf("%v %v, %d texts, %+v", worked, err, d.asked()-before, d.progress)
	}
}

// An endpoint that says when to come again is heard, within reason.
func TestWorkerWaitsAsTold(t *testing.T) {
	t.Parallel()
	for told, want := range map[time.Duration]time.Duration{40 * time.Second: 40 * time.Second, time.Millisecond: time.Second, time.Hour: 5 * time.Minute} {
		d := open(t)
		d.sell(0, 1)
		d.answer = func([]string) error {
			return fault.New(fault.Unavailable, "embeddings_unavailable", "Wait.").After(told)
		}
		_, _ = d.runOnce()
		if wait := d.progress.DueAt.Sub(d.now); wait != want {
			t.Errorf("told %s: waits %s", told, wait)
		}
	}
}

// A text that the endpoint does not take keeps no other one waiting; when it takes none, nothing is done.
func TestWorkerPassesOverRefusedTexts(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 70)
	bad := product(7).Name
	refused := fault.New(fault.Invalid, "embeddings_refused", "No.")
	d.answer = func(texts []string) error {
		if slices.Contains(texts, bad) {
			return refused
		}
		return nil
	}
	if worked, err := d.runOnce(); !worked || err != nil || len(d.vectors) != 69 || d.progress.Version != 70 {
		t.Errorf("%v %v, %d vectors, %+v", worked, err, len(d.vectors), d.progress)
	}
	d.answer = func([]string) error { return refused }
	d.sell(100, 3)
	if worked, err := d.runOnce(); !worked || !errors.Is(err, refused) || d.progress.Version != 70 || d.progress.Error != "No." {
		t.Errorf("%v %v, %+v", worked, err, d.progress)
	}
}

// A worker that is told to stop keeps what it has paid for, and lets go of the rest at once.
func TestWorkerStops(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 200)
	ctx, stop := context.WithCancel(t.Context())
	d.answer = func([]string) error {
		if len(d.batches) == 2 {
			stop()
			return ctx.Err()
		}
		return nil
	}
	if _, err := d.run(ctx); !errors.Is(err, context.Canceled) || len(d.vectors) != 64 {
		t.Errorf("%v, %d vectors", err, len(d.vectors))
	}
	if d.progress.Attempts != 0 || !d.progress.DueAt.Equal(d.now) {
		t.Errorf("%+v", d.progress)
	}
}

// A project that makes the program panic after its first batch is set aside under the lease that it has then.
func TestWorkerSetsAPanicAside(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 100)
	d.answer = func([]string) error {
		if len(d.batches) == 2 {
			panic("of all texts")
		}
		d.now = d.now.Add(time.Second)
		return nil
	}
	if worked, err := d.runOnce(); !worked || !errors.Is(err, fault.ErrPanic) || d.aside != 1 || !d.progress.DueAt.Equal(d.now.Add(time.Minute)) {
		t.Errorf("%v %v, set aside %d times, due in %s", worked, err, d.aside, d.progress.DueAt.Sub(d.now))
	}
}

// A large catalogue lets others have its place, and goes on from where it was.
func TestWorkerTakesTurns(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 300)
	d.answer = func([]string) error {
		d.now = d.now.Add(11 * time.Second)
		return nil
	}
	for n, want := range []int{128, 256, 300} {
		if worked, err := d.runOnce(); !worked || err != nil || d.asked() != want || (d.progress.Version == 300) != (n == 2) {
			t.Errorf("turn %d: %v %v, %d texts, %+v", n, worked, err, d.asked(), d.progress)
		}
	}
}

// Every week all of the catalogue is gone through, which asks for nothing that is known.
func TestWorkerGoesThroughAllAgain(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 10)
	_, _ = d.runOnce()
	d.now = d.now.Add(8 * 24 * time.Hour)
	if worked, err := d.runOnce(); !worked || err != nil || d.claimed.Since != 0 || d.asked() != 10 {
		t.Errorf("%v %v, %+v, %d texts", worked, err, d.claimed, d.asked())
	}
	d.vectors["unused"] = []float32{1}
	if err := d.worker.Forget(t.Context()); err != nil || len(d.vectors) != 0 {
		t.Errorf("%v, %d vectors", err, len(d.vectors))
	}
}

// The index gets all that is stored, in however many rounds, and nothing is read when nothing has moved.
func TestRefresh(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 3000)
	d.refresh()
	if len(d.embedded) != 0 {
		t.Fatal("vectors from nowhere")
	}
	_, _ = d.runOnce()
	d.refresh()
	if len(d.embedded) != 3000 {
		t.Fatalf("%d of 3000", len(d.embedded))
	}
	was := d.read
	d.refresh()
	d.refresh()
	if d.read != was {
		t.Errorf("%d vectors were looked for again", d.read-was)
	}
	d.sell(4000, 1)
	_, _ = d.runOnce()
	d.refresh()
	if len(d.embedded) != 3001 || d.read-was > 10 {
		t.Errorf("%d vectors, %d looked for", len(d.embedded), d.read-was)
	}
	clear(d.embedded) // the index was dropped and read anew
	d.refresh()
	d.now = d.now.Add(10 * time.Second)
	d.refresh()
	if len(d.embedded) != 3001 {
		t.Errorf("%d vectors after the index was read anew", len(d.embedded))
	}
}

// While most products have no vector yet, those that have one are found among them.
func TestRefreshWhileMuchIsMissing(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 5000)
	for _, p := range slices.Backward(d.products) { // the last that the index tells of
		if len(d.vectors) < 100 {
			hidden := open(t)
			hidden.write(p)
			_, _ = hidden.runOnce()
			for hash, v := range hidden.vectors {
				d.vectors[hash] = v
			}
		}
	}
	d.progress.Stored = 100
	d.refresh()
	if len(d.embedded) != 100 {
		t.Errorf("%d of 100", len(d.embedded))
	}
	was := d.read
	d.refresh()
	if d.read != was {
		t.Errorf("%d vectors were looked for again", d.read-was)
	}
}

// An index that does not take vectors, as of another length, is not offered them for ever.
func TestRefreshOfADeafIndex(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.sell(0, 700)
	_, _ = d.runOnce()
	d.deaf = true
	d.refresh()
	d.deaf = false
	d.sell(1000, 1)
	d.refresh()
	if len(d.embedded) != 700 {
		t.Errorf("%d of 700", len(d.embedded))
	}
}
