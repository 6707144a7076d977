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
	// poll is how often the worker looks for projects whose catalog has changed.
	poll = 500 * time.Millisecond
	// lease is renewed with each batch.
	lease = requestTimeout + 15*time.Second
	// requestTimeout bounds a request.
	requestTimeout = 30 * time.Second
	// batchSize is how many texts one request has. A process that is killed loses at most as many vectors.
	batchSize = 64
	// timeSlice is how long a project may keep its worker while it has more to embed.
	timeSlice = 20 * time.Second
	// writeTimeout bounds a write after the worker was asked to stop.
	writeTimeout = 5 * time.Second
	// wholeInterval is how often a pass goes over a whole catalog, to find out which vectors are still used.
	wholeInterval = 7 * 24 * time.Hour
	// unusedAfter is the age at which vectors that no product uses are deleted.
	unusedAfter = 30 * 24 * time.Hour
	// forgetBatch is how many vectors one transaction deletes.
	forgetBatch = 500

	firstPause, longestPause = time.Second, 5 * time.Minute
)

// Worker embeds the texts of changed products. The caller runs its Job.
type Worker struct {
	Embedder ports.Embedder // one with a long timeout
	Queue    ports.EmbeddingQueue
	Vectors  ports.Vectors
	Catalog  ports.CatalogReader
	Clock    ports.Clock
	Log      *slog.Logger
}

// limits give a large catalog one worker, and leave the other one to the rest. All projects share the endpoint.
var limits = jobs.Limits{
	Slots: 2,
	Slow:  1,
	Each:  1,
	Long:  timeSlice / 2,
}

// Job works on projects whose catalog has changed. When it is stopped, other replicas continue.
func (w *Worker) Job() jobs.Job[*ports.EmbeddingTask] {
	return jobs.Job[*ports.EmbeddingTask]{
		Name:   "embed products",
		Queue:  w.Queue.Behind(w.Embedder.Model(), wholeInterval),
		Work:   w.work,
		Limits: limits,
		Lease:  lease,
		Poll:   poll,
		Clock:  w.Clock,
		Log:    w.Log,
	}
}

// work works on a project. If its texts cannot be embedded now, work postpones the project, for longer after each failure.
func (w *Worker) work(ctx ports.Outbound, t jobs.Task[*ports.EmbeddingTask]) error {
	at, task := *w, t.Item()
	at.Clock = t.Clock
	defer func() { t.Extended(task.Lease) }()
	err := at.catchUp(ctx, task)
	switch {
	case err == nil, errors.Is(err, fault.ErrUnreadable):
		return err
	case fault.Is(err, "embedding_taken") || fault.KindOf(err) == fault.NotFound:
		return nil // a deleted project has no task
	}
	return errors.Join(err, at.postpone(ctx, task, err))
}

// postpone releases a task that failed. If the worker was asked to stop, that is not counted as a failure.
func (w *Worker) postpone(ctx context.Context, task *ports.EmbeddingTask, why error) error {
	due, reason := w.Clock.Now(), ""
	if ctx.Err() == nil {
		due, reason = due.Add(pause(task.Attempts, why)), publicMessage(why)
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return w.Queue.Postpone(bounded, task, due, reason)
}

// pause returns the pause after a failed attempt. It doubles with each attempt, and is at least as long as the endpoint asks for,
// up to longestPause.
func pause(attempts int, why error) time.Duration {
	wait := firstPause << min(attempts, 20)
	var f *fault.Error
	if errors.As(why, &f) {
		wait = max(wait, f.RetryAfter)
	}
	return min(wait, longestPause)
}

// publicMessage returns an error as the merchant may read it. The log has the full error.
func publicMessage(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Message
	}
	return "The products' texts could not be embedded."
}

// catchUp embeds what has changed, and then advances the project's progress. If its time slice ends first, the rest waits for the
// next one.
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
	for chunk := range slices.Chunk(unknown, batchSize) {
		if w.Clock.Now().Sub(task.Begun) > timeSlice {
			return w.Queue.Postpone(ctx, task, w.Clock.Now(), "")
		}
		if err := w.embed(ctx, task, chunk); err != nil {
			return err
		}
	}
	return w.Queue.Finish(ctx, task, changes.Version, w.Clock.Now())
}

type text struct {
	hash ports.TextHash
	text string
}

// textsOf returns the distinct texts of products on sale.
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

// embed requests the vectors of a batch and stores them. If the endpoint refuses the batch, embed requests each text alone; texts
// that are refused while others are accepted get no vector.
func (w *Worker) embed(ctx ports.Outbound, task *ports.EmbeddingTask, batch []text) error {
	vectors, err := w.ask(ctx, batch)
	if fault.Is(err, "embeddings_refused") && len(batch) > 1 {
		return w.embedEach(ctx, task, batch, err)
	}
	if err != nil {
		return err
	}
	return w.save(ctx, task, vectors)
}

func (w *Worker) embedEach(ctx ports.Outbound, task *ports.EmbeddingTask, batch []text, refused error) error {
	taken := 0
	for _, one := range batch {
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

func (w *Worker) ask(ctx ports.Outbound, batch []text) (map[ports.TextHash][]float32, error) {
	ctx, cancel := ctx.WithTimeout(requestTimeout)
	defer cancel()
	texts := make([]string, len(batch))
	for i, t := range batch {
		texts[i] = t.text
	}
	made, err := w.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	vectors := make(map[ports.TextHash][]float32, len(batch))
	for i, t := range batch {
		vectors[t.hash] = made[i]
	}
	return vectors, nil
}

// save stores vectors that have been paid for, even if the worker was asked to stop.
func (w *Worker) save(ctx context.Context, task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	now := w.Clock.Now()
	return w.Queue.Save(bounded, task, vectors, now, now.Add(lease))
}

// Forget removes vectors that no product has used for 30 days.
func (w *Worker) Forget(ctx context.Context) error {
	before := w.Clock.Now().Add(-unusedAfter)
	for {
		n, err := w.Vectors.Forget(ctx, w.Embedder.Model(), before, forgetBatch)
		if err != nil || n < forgetBatch {
			return err
		}
	}
}
