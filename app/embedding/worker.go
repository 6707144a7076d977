package embedding

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// poll is how often projects whose catalogue has changed are looked for.
	poll = 500 * time.Millisecond
	// lease is renewed with each batch.
	lease = patience + 15*time.Second
	// patience bounds a request.
	patience = 30 * time.Second
	// batch is how many texts one request has, and how many a killed process loses.
	batch = 64
	// turn is after how long a project that has more to embed lets others have its place.
	turn = 20 * time.Second
	// finishing bounds what is written once the worker is told to stop.
	finishing = 5 * time.Second
	// whole is how often a pass goes over all of a catalogue, to tell which vectors are still used.
	whole = 7 * 24 * time.Hour
	// unused is after how long vectors that no product uses are forgotten.
	unused = 30 * 24 * time.Hour
	// forgotten are how many go in one transaction.
	forgotten = 500

	firstPause, longestPause = time.Second, 5 * time.Minute
)

// Worker embeds the texts of changed products. Its Job is to be run.
type Worker struct {
	Embedder ports.Embedder // a patient one
	Queue    ports.EmbeddingQueue
	Vectors  ports.Vectors
	Catalog  ports.CatalogReader
	Clock    ports.Clock
	Log      *slog.Logger
}

// limits let a large catalogue have one place, and others the other one. The endpoint is the same for all.
var limits = jobs.Limits{
	Slots: 2,
	Slow:  1,
	Each:  1,
	Long:  turn / 2,
}

// Job works on projects whose catalogue has changed. Told to stop, it leaves them to others.
func (w *Worker) Job() jobs.Job[*ports.EmbeddingTask] {
	return jobs.Job[*ports.EmbeddingTask]{
		Name:   "embed products",
		Queue:  w.Queue.Behind(w.Embedder.Model(), whole),
		Work:   w.work,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Clock:  w.Clock,
		Log:    w.Log,
	}
}

// work works on a project. One whose texts cannot be embedded now is put off, the longer the more often that
// happens.
func (w *Worker) work(ctx ports.Outbound, t jobs.Task[*ports.EmbeddingTask]) error {
	at, task := *w, t.Item()
	at.Clock = t.Clock
	defer func() { t.Extended(task.Lease) }()
	err := at.catchUp(ctx, task)
	switch {
	case err == nil, errors.Is(err, fault.ErrUnreadable):
		return err
	case fault.Is(err, "embedding_taken") || fault.KindOf(err) == fault.NotFound:
		return nil // a project that is gone takes its task along
	}
	return errors.Join(err, at.putOff(ctx, task, err))
}

// putOff lets go of a task that failed. If the worker was told to stop, that is no failure.
func (w *Worker) putOff(ctx context.Context, task *ports.EmbeddingTask, why error) error {
	due, reason := w.Clock.Now(), ""
	if ctx.Err() == nil {
		due, reason = due.Add(pause(task.Attempts, why)), say(why)
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	return w.Queue.Postpone(bounded, task, due, reason)
}

// pause doubles with each failed attempt. It is as long as the endpoint asks for, within reason.
func pause(attempts int, why error) time.Duration {
	wait := firstPause << min(attempts, 20)
	var f *fault.Error
	if errors.As(why, &f) {
		wait = max(wait, f.RetryAfter)
	}
	return min(wait, longestPause)
}

// say is an error as the merchant may read it; the log has all of it.
func say(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Message
	}
	return "The products' texts could not be embedded."
}

// catchUp embeds what has changed, and moves the project's progress up to it. When its turn is over, what is
// left waits for the next.
func (w *Worker) catchUp(ctx ports.Outbound, task *ports.EmbeddingTask) error {
	changes, err := w.Catalog.Changes(ctx, task.Project, task.Since)
	if err != nil {
		return err
	}
	texts := textsOf(changes.Changed)
	hashes := make([]ports.TextHash, len(texts))
	for i, t := range texts {
		hashes[i] = t.hash
	}
	known, err := w.Vectors.Known(ctx, task.Project, task.Model, hashes, w.Clock.Now())
	if err != nil {
		return err
	}
	unknown := slices.DeleteFunc(texts, func(t text) bool { return known[t.hash] })
	for some := range slices.Chunk(unknown, batch) {
		if w.Clock.Now().Sub(task.Begun) > turn {
			return w.Queue.Postpone(ctx, task, w.Clock.Now(), "")
		}
		if err := w.embed(ctx, task, some); err != nil {
			return err
		}
	}
	return w.Queue.Finish(ctx, task, changes.Version, w.Clock.Now())
}

type text struct {
	hash ports.TextHash
	text string
}

// textsOf are the different texts of products on sale.
func textsOf(products []*catalog.Product) []text {
	var texts []text
	for _, p := range products {
		if p.Status == catalog.Active {
			t := Text(p)
			texts = append(texts, text{hashOf(t), t})
		}
	}
	slices.SortFunc(texts, func(a, b text) int { return cmp.Compare(a.hash, b.hash) })
	return slices.CompactFunc(texts, func(a, b text) bool { return a.hash == b.hash })
}

// embed has vectors of a batch made, and stores them. If the endpoint does not take the batch, each text is
// asked for alone: those that are not taken when others are go without.
func (w *Worker) embed(ctx ports.Outbound, task *ports.EmbeddingTask, some []text) error {
	vectors, err := w.ask(ctx, some)
	if fault.Is(err, "embeddings_refused") && len(some) > 1 {
		return w.embedEach(ctx, task, some, err)
	}
	if err != nil {
		return err
	}
	return w.save(ctx, task, vectors)
}

func (w *Worker) embedEach(ctx ports.Outbound, task *ports.EmbeddingTask, some []text, refused error) error {
	taken := 0
	for _, one := range some {
		vectors, err := w.ask(ctx, []text{one})
		if fault.Is(err, "embeddings_refused") {
			continue
		}
		if err == nil {
			err = w.save(ctx, task, vectors)
		}
		if err != nil {
			return err
		}
		taken++
	}
	if taken == 0 {
		return refused
	}
	return nil
}

func (w *Worker) ask(ctx ports.Outbound, some []text) (map[ports.TextHash][]float32, error) {
	ctx, cancel := ctx.WithTimeout(patience)
	defer cancel()
	texts := make([]string, len(some))
	for i, t := range some {
		texts[i] = t.text
	}
	made, err := w.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	vectors := make(map[ports.TextHash][]float32, len(some))
	for i, t := range some {
		vectors[t.hash] = made[i]
	}
	return vectors, nil
}

// save stores what has been paid for, also when the worker is told to stop.
func (w *Worker) save(ctx context.Context, task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	now := w.Clock.Now()
	return w.Queue.Save(bounded, task, vectors, now, now.Add(lease))
}

// Forget removes vectors that no product has used for 30 days.
func (w *Worker) Forget(ctx context.Context) error {
	before := w.Clock.Now().Add(-unused)
	for {
		n, err := w.Vectors.Forget(ctx, w.Embedder.Model(), before, forgotten)
		if err != nil || n < forgotten {
			return err
		}
	}
}
