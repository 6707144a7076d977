package embeddings_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Vectors is the contract of ports.Vectors and ports.EmbeddingQueue, which hands out those of all projects.
func Vectors(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*embedder){
		"vectors come back as they were stored":             vectorsRoundTrip,
		"texts are a project's and a model's":               vectorsApart,
		"many texts":                                        vectorsMany,
		"a text has one vector":                             vectorsOnce,
		"vectors of a model have one length":                vectorsLength,
		"who has waited longest is claimed first, once":     embeddingOrder,
		"one of sixteen claims a project":                   embeddingRace,
		"a catalogue is done until it changes":              embeddingFinish,
		"whose lease is over writes nothing":                embeddingTaken,
		"a failed attempt is kept until one succeeds":       embeddingFailed,
		"letting go is no failure":                          embeddingLetGo,
		"the whole catalogue is gone through again":         embeddingWhole,
		"what no product uses is forgotten":                 vectorsForget,
		"what is used is not forgotten":                     vectorsUsed,
		"nothing is forgotten before all was gone through":  vectorsForgetLate,
		"a model that is not used any more is forgotten":    vectorsForgetModel,
		"vectors and progress go with their project":        vectorsDelete,
		"a project that is deleted meanwhile leaves no row": embeddingDeleteRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&embedder{porttest.OpenShop(t, open(t)), "small"})
		})
	}
}

// embedder works for a model.
type embedder struct {
	*porttest.Shop
	model string
}

func textHash(text string) ports.TextHash {
	sum := sha256.Sum256([]byte(text))
	return ports.TextHash(hex.EncodeToString(sum[:]))
}

// claim takes the project that has waited longest; no pass over the whole catalogue is older than a week.
func (e *embedder) claim(now time.Time) *ports.EmbeddingTask {
	e.T.Helper()
	e.SetClock(now)
	task, err := e.claimOne(7 * porttest.Day)
	e.Must(err)
	return task
}

func (e *embedder) claimOne(age time.Duration) (*ports.EmbeddingTask, error) {
	q := e.Embeddings.Behind(e.model, age)
	groups, err := q.Waiting(e.Ctx)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	claimed, err := q.Claim(e.Ctx, porttest.EmbeddingLease, []ports.Share{{Group: groups[0], Most: 1}})
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	return claimed[0].Item, nil
}

// begun is the task of a project with a product.
func (e *embedder) begun(now time.Time) *ports.EmbeddingTask {
	e.T.Helper()
	e.Product(1)
	task := e.claim(now)
	if task == nil {
		e.T.Fatal("there is no task")
	}
	return task
}

// stored stores a vector for each text.
func (e *embedder) stored(task *ports.EmbeddingTask, now time.Time, list ...string) {
	e.T.Helper()
	vectors := make(map[ports.TextHash][]float32)
	for i, text := range list {
		vectors[textHash(text)] = []float32{float32(i), 1}
	}
	e.Must(e.Embeddings.Save(e.Ctx, task, vectors, now, now.Add(porttest.EmbeddingLease)))
}

func (e *embedder) known(now time.Time, list ...string) int {
	e.T.Helper()
	known, err := e.Vectors.Known(e.Ctx, e.Project.ID, e.model, hashes(list), now)
	e.Must(err)
	return len(known)
}

func (e *embedder) vectors(list ...string) map[ports.TextHash][]float32 {
	e.T.Helper()
	got, err := e.Vectors.Get(e.Ctx, e.Project.ID, e.model, hashes(list))
	e.Must(err)
	return got
}

func hashes(list []string) (all []ports.TextHash) {
	for _, text := range list {
		all = append(all, textHash(text))
	}
	return all
}

func (e *embedder) progress() ports.EmbeddingProgress {
	e.T.Helper()
	all, err := e.Vectors.Progress(e.Ctx, e.model, []id.Project{e.Project.ID, porttest.Random[id.Project]()})
	e.Must(err)
	if len(all) > 1 {
		e.T.Errorf("there is progress of unknown projects: %v", all)
	}
	return all[e.Project.ID]
}

func (e *embedder) forget(before time.Time, n int) int {
	e.T.Helper()
	removed, err := e.Vectors.Forget(e.Ctx, e.model, before, n)
	e.Must(err)
	return removed
}

func vectorsRoundTrip(e *embedder) {
	task := e.begun(porttest.Noon)
	want := map[ports.TextHash][]float32{
		textHash("a"): {0, 1, -1}, textHash("b"): {math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1))},
		textHash("c"): {0.1, 1.0 / 3, -2e-30},
	}
	e.Must(e.Embeddings.Save(e.Ctx, task, want, porttest.Noon, porttest.Noon.Add(time.Minute)))
	got := e.vectors("a", "b", "c", "d")
	porttest.Same(e.T, "vectors", got, want)
	porttest.Same(e.T, "minus nothing", math.Signbit(float64(got[textHash("b")][2])), true)
	known, err := e.Vectors.Known(e.Ctx, e.Project.ID, e.model, hashes([]string{"d", "a", "c"}), porttest.Noon)
	e.Must(err)
	porttest.Same(e.T, "known", known, map[ports.TextHash]bool{textHash("a"): true, textHash("c"): true})
	porttest.Same(e.T, "known of none", e.known(porttest.Noon), 0)
	porttest.Same(e.T, "stored", e.progress().Stored, int64(3))
	porttest.Same(e.T, "in hand until", task.Lease, porttest.Noon.Add(time.Minute))
	porttest.Same(e.T, "due", e.progress().DueAt, porttest.Noon.Add(time.Minute))
}

func vectorsApart(e *embedder) {
	e.stored(e.begun(porttest.Noon), porttest.Noon, "a")
	for _, other := range []*embedder{{porttest.OpenShop(e.T, e.Stores), e.model}, {e.Shop, "large"}} {
		porttest.Same(e.T, "known elsewhere", other.known(porttest.Noon, "a"), 0)
		porttest.Same(e.T, "vectors elsewhere", len(other.vectors("a")), 0)
		porttest.Same(e.T, "progress elsewhere", other.progress(), ports.EmbeddingProgress{})
		other.stored(other.begun(porttest.Noon), porttest.Noon, "b", "a")
	}
	porttest.Same(e.T, "vectors", e.vectors("a", "b"), map[ports.TextHash][]float32{textHash("a"): {0, 1}})
}

func vectorsMany(e *embedder) {
	var list []string
	for i := range 1203 {
		list = append(list, fmt.Sprint("text ", i))
	}
	e.stored(e.begun(porttest.Noon), porttest.Noon, list[:1200]...)
	for _, now := range []time.Time{porttest.Noon, porttest.Noon.Add(2 * porttest.Day), porttest.Noon.Add(3 * porttest.Day)} {
		porttest.Same(e.T, "known", e.known(now, list...), 1200)
	}
	got := e.vectors(list...)
	porttest.Same(e.T, "vectors", len(got), 1200)
	porttest.Same(e.T, "one", got[textHash("text 1100")], []float32{1100, 1})
}

func vectorsOnce(e *embedder) {
	task := e.begun(porttest.Noon)
	e.stored(task, porttest.Noon, "a", "b")
	e.stored(task, porttest.Noon, "b", "c")
	porttest.Same(e.T, "vectors", e.vectors("a", "b", "c"), map[ports.TextHash][]float32{
		textHash("a"): {0, 1}, textHash("b"): {1, 1}, textHash("c"): {1, 1},
	})
}

func vectorsLength(e *embedder) {
	task := e.begun(porttest.Noon)
	uneven := map[ports.TextHash][]float32{textHash("a"): {1}, textHash("b"): {1, 2}, textHash("c"): {3}}
	porttest.WantFault(e.T, e.Embeddings.Save(e.Ctx, task, uneven, porttest.Noon, porttest.Noon.Add(time.Hour)), fault.Conflict, "vector_length")
	e.stored(task, porttest.Noon, "d")
	before := *task
	longer := map[ports.TextHash][]float32{textHash("a"): {1, 2, 3}}
	porttest.WantFault(e.T, e.Embeddings.Save(e.Ctx, task, longer, porttest.Noon, porttest.Noon.Add(time.Hour)), fault.Conflict, "vector_length")
	porttest.Same(e.T, "the task", *task, before)
	porttest.Same(e.T, "known", e.known(porttest.Noon, "a", "b", "c", "d"), 1)
	porttest.Same(e.T, "stored", e.progress().Stored, int64(1))
	porttest.Same(e.T, "in hand", e.progress().DueAt, task.Lease)
	e.model = "large"
	e.Must(e.Embeddings.Save(e.Ctx, e.claim(porttest.Noon), longer, porttest.Noon, porttest.Noon.Add(time.Hour)))
}

func embeddingOrder(e *embedder) {
	porttest.Same(e.T, "without products", e.claim(porttest.Noon) == nil, true)
	e.Product(1)
	other := &embedder{porttest.OpenShop(e.T, e.Stores), e.model}
	other.Product(1)
	for _, project := range []id.Project{e.claim(porttest.Noon).Project, e.claim(porttest.Noon).Project} {
		if project != e.Project.ID && project != other.Project.ID {
			e.T.Errorf("%s was claimed", project)
		}
	}
	porttest.Same(e.T, "in hand", e.claim(porttest.Noon) == nil, true)
	porttest.Same(e.T, "before the lease ends", e.claim(porttest.Noon.Add(porttest.EmbeddingLease-time.Millisecond)) == nil, true)
	first, second := e.claim(porttest.Noon.Add(porttest.EmbeddingLease)), e.claim(porttest.Noon.Add(porttest.EmbeddingLease))
	e.Must(e.Embeddings.Postpone(e.Ctx, first, porttest.Noon.Add(time.Hour), ""))
	e.Must(e.Embeddings.Postpone(e.Ctx, second, porttest.Noon.Add(time.Minute), ""))
	porttest.Same(e.T, "the longest waiting", e.claim(porttest.Noon.Add(2*time.Hour)).Project, second.Project)
	got := e.claim(porttest.Noon.Add(2 * time.Hour))
	porttest.Same(e.T, "the next", got, &ports.EmbeddingTask{
		Project: first.Project,
		Model:   e.model,
		Begun:   porttest.Noon.Add(2 * time.Hour),
		Lease:   porttest.Noon.Add(2*time.Hour + porttest.EmbeddingLease),
	})
}

func embeddingRace(e *embedder) {
	for range 4 {
		porttest.OpenShop(e.T, e.Stores).Product(1)
	}
	tasks := make([]*ports.EmbeddingTask, porttest.Racers)
	e.SetClock(porttest.Noon)
	e.Must(porttest.AtOnce(porttest.Racers, func(n int) (err error) {
		tasks[n], err = e.claimOne(porttest.Day)
		return err
	}))
	claimed := make(map[id.Project]int)
	for _, task := range append(tasks, e.claim(porttest.Noon), e.claim(porttest.Noon), e.claim(porttest.Noon), e.claim(porttest.Noon)) {
		if task != nil {
			claimed[task.Project]++
		}
	}
	porttest.Same(e.T, "claims", slices.Collect(maps.Values(claimed)), []int{1, 1, 1, 1})
}

func embeddingFinish(e *embedder) {
	task := e.begun(porttest.Noon)
	porttest.Same(e.T, "from the beginning", task.Since, int64(0))
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, porttest.Noon.Add(time.Second)))
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{Version: 1, DueAt: porttest.Noon.Add(time.Second)})
	porttest.Same(e.T, "nothing to do", e.claim(porttest.Noon.Add(time.Hour)) == nil, true)
	porttest.WantFault(e.T, e.Embeddings.Finish(e.Ctx, task, 2, porttest.Noon), fault.Conflict, "embedding_taken")
	again := e.begun(porttest.Noon.Add(time.Hour))
	porttest.Same(e.T, "since", again.Since, int64(1))
	e.Must(e.Embeddings.Finish(e.Ctx, again, 2, porttest.Noon.Add(time.Hour)))
	porttest.Same(e.T, "version", e.progress().Version, int64(2))
}

func embeddingTaken(e *embedder) {
	mine := e.begun(porttest.Noon)
	later := porttest.Noon.Add(porttest.EmbeddingLease)
	theirs := e.claim(later)
	vectors := map[ports.TextHash][]float32{textHash("a"): {1}}
	for _, err := range []error{
		e.Embeddings.Save(e.Ctx, mine, vectors, later, later.Add(time.Hour)),
		e.Embeddings.Finish(e.Ctx, mine, 9, later),
		e.Embeddings.Postpone(e.Ctx, mine, later, "Lost."),
	} {
		porttest.WantFault(e.T, err, fault.Conflict, "embedding_taken")
	}
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{DueAt: theirs.Lease})
	porttest.Same(e.T, "known", e.known(porttest.Noon, "a"), 0)
	e.Must(e.Embeddings.Save(e.Ctx, theirs, vectors, later, later.Add(time.Hour)))
	e.Must(e.Embeddings.Save(e.Ctx, theirs, nil, later, later.Add(2*time.Hour)))
	porttest.Same(e.T, "in hand", e.progress().DueAt, later.Add(2*time.Hour))
}

func embeddingFailed(e *embedder) {
	task := e.begun(porttest.Noon)
	for n := range 3 {
		due := porttest.Noon.Add(time.Duration(n+1) * time.Minute)
		porttest.Same(e.T, "attempts before", task.Attempts, n)
		e.Must(e.Embeddings.Postpone(e.Ctx, task, due, "It said \xff and \x00."))
		porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{
			Attempts: n + 1,
			Error:    "It said \uFFFD and \uFFFD.",
			DueAt:    due,
		})
		porttest.Same(e.T, "not due", e.claim(due.Add(-time.Millisecond)) == nil, true)
		task = e.claim(due)
	}
	now := porttest.Noon.Add(time.Hour)
	e.stored(task, now, "a")
	porttest.Same(e.T, "attempts", task.Attempts, 0)
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{Stored: 1, DueAt: now.Add(porttest.EmbeddingLease)})
	e.Must(e.Embeddings.Postpone(e.Ctx, task, now, "Again."))
	e.Must(e.Embeddings.Finish(e.Ctx, e.claim(now), 1, now))
	porttest.Same(e.T, "finished", e.progress(), ports.EmbeddingProgress{
		Version: 1,
		Stored:  1,
		DueAt:   now,
	})
}

func embeddingLetGo(e *embedder) {
	task := e.begun(porttest.Noon)
	e.Must(e.Embeddings.Postpone(e.Ctx, task, porttest.Noon, "Down."))
	task = e.claim(porttest.Noon)
	e.Must(e.Embeddings.Postpone(e.Ctx, task, porttest.Noon, ""))
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{
		Attempts: 1,
		Error:    "Down.",
		DueAt:    porttest.Noon,
	})
}

func embeddingWhole(e *embedder) {
	e.Must(e.Embeddings.Finish(e.Ctx, e.begun(porttest.Noon), 1, porttest.Noon.Add(time.Hour)))
	porttest.Same(e.T, "a week later", e.claim(porttest.Noon.Add(7*porttest.Day)) == nil, true)
	now := porttest.Noon.Add(7*porttest.Day + time.Millisecond)
	task := e.claim(now)
	porttest.Same(e.T, "since", task.Since, int64(0))
	porttest.Same(e.T, "its version stays until then", e.progress().Version, int64(1))
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, now))
	porttest.Same(e.T, "done", e.claim(now.Add(porttest.Day)) == nil, true)
}

func vectorsForget(e *embedder) {
	task := e.begun(porttest.Noon)
	e.stored(task, porttest.Noon, "a", "b", "c")
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, porttest.Noon))
	later := porttest.Noon.Add(40 * porttest.Day)
	task = e.claim(later)
	porttest.Same(e.T, "used", e.known(later, "a"), 1)
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, later))
	for _, c := range []struct {
		before time.Time
		want   int
	}{{porttest.Noon, 0}, {later.Add(-30 * porttest.Day), 1}, {later.Add(-30 * porttest.Day), 1}, {later.Add(-30 * porttest.Day), 0}} {
		porttest.Same(e.T, "forgotten", e.forget(c.before, 1), c.want)
	}
	porttest.Same(e.T, "left", len(e.vectors("a", "b", "c")), 1)
	porttest.Same(e.T, "progress", e.progress().Version, int64(1))
}

func vectorsUsed(e *embedder) {
	task := e.begun(porttest.Noon)
	e.stored(task, porttest.Noon, "a", "b")
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, porttest.Noon))
	for n := range 10 { // each time on the edge of what is noted
		now := porttest.Noon.Add(time.Duration(n+1) * (porttest.Day - time.Millisecond))
		porttest.Same(e.T, "known", e.known(now, "a"), 1)
		e.SetClock(now)
		task, err := e.claimOne(0)
		e.Must(err)
		e.Must(e.Embeddings.Finish(e.Ctx, task, 1, now))
		porttest.Same(e.T, "forgotten", e.forget(now.Add(-2*porttest.Day), 9) <= 1, true)
		porttest.Same(e.T, "kept", len(e.vectors("a")), 1)
	}
	porttest.Same(e.T, "the other", len(e.vectors("b")), 0)
}
