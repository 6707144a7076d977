package porttest

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
)

// Vectors is the contract of ports.Vectors and ports.EmbeddingQueue, which hands out those of all projects.
func Vectors(t *testing.T, open Open) {
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
			test(&embedder{openShop(t, open(t)), "small"})
		})
	}
}

// embedder works for a model.
type embedder struct {
	*shop
	model string
}

const (
	embeddingLease = 30 * time.Second
	day            = 24 * time.Hour
)

func textHash(text string) ports.TextHash {
	sum := sha256.Sum256([]byte(text))
	return ports.TextHash(hex.EncodeToString(sum[:]))
}

// claim takes the project that has waited longest; no pass over the whole catalogue is older than a week.
func (e *embedder) claim(now time.Time) *ports.EmbeddingTask {
	e.t.Helper()
	e.SetClock(now)
	task, err := e.claimOne(7 * day)
	e.must(err)
	return task
}

func (e *embedder) claimOne(age time.Duration) (*ports.EmbeddingTask, error) {
	q := e.Embeddings.Behind(e.model, age)
	groups, err := q.Waiting(e.ctx)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	claimed, err := q.Claim(e.ctx, embeddingLease, []ports.Share{{Group: groups[0], Most: 1}})
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	return claimed[0].Item, nil
}

// begun is the task of a project with a product.
func (e *embedder) begun(now time.Time) *ports.EmbeddingTask {
	e.t.Helper()
	e.product(1)
	task := e.claim(now)
	if task == nil {
		e.t.Fatal("there is no task")
	}
	return task
}

// stored stores a vector for each text.
func (e *embedder) stored(task *ports.EmbeddingTask, now time.Time, list ...string) {
	e.t.Helper()
	vectors := make(map[ports.TextHash][]float32)
	for i, text := range list {
		vectors[textHash(text)] = []float32{float32(i), 1}
	}
	e.must(e.Embeddings.Save(e.ctx, task, vectors, now, now.Add(embeddingLease)))
}

func (e *embedder) known(now time.Time, list ...string) int {
	e.t.Helper()
	known, err := e.Vectors.Known(e.ctx, e.project.ID, e.model, hashes(list), now)
	e.must(err)
	return len(known)
}

func (e *embedder) vectors(list ...string) map[ports.TextHash][]float32 {
	e.t.Helper()
	got, err := e.Vectors.Get(e.ctx, e.project.ID, e.model, hashes(list))
	e.must(err)
	return got
}

func hashes(list []string) (all []ports.TextHash) {
	for _, text := range list {
		all = append(all, textHash(text))
	}
	return all
}

func (e *embedder) progress() ports.EmbeddingProgress {
	e.t.Helper()
	all, err := e.Vectors.Progress(e.ctx, e.model, []id.Project{e.project.ID, random[id.Project]()})
	e.must(err)
	if len(all) > 1 {
		e.t.Errorf("there is progress of unknown projects: %v", all)
	}
	return all[e.project.ID]
}

func (e *embedder) forget(before time.Time, n int) int {
	e.t.Helper()
	removed, err := e.Vectors.Forget(e.ctx, e.model, before, n)
	e.must(err)
	return removed
}

func vectorsRoundTrip(e *embedder) {
	task := e.begun(noon)
	want := map[ports.TextHash][]float32{
		textHash("a"): {0, 1, -1}, textHash("b"): {math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1))},
		textHash("c"): {0.1, 1.0 / 3, -2e-30},
	}
	e.must(e.Embeddings.Save(e.ctx, task, want, noon, noon.Add(time.Minute)))
	got := e.vectors("a", "b", "c", "d")
	same(e.t, "vectors", got, want)
	same(e.t, "minus nothing", math.Signbit(float64(got[textHash("b")][2])), true)
	known, err := e.Vectors.Known(e.ctx, e.project.ID, e.model, hashes([]string{"d", "a", "c"}), noon)
	e.must(err)
	same(e.t, "known", known, map[ports.TextHash]bool{textHash("a"): true, textHash("c"): true})
	same(e.t, "known of none", e.known(noon), 0)
	same(e.t, "stored", e.progress().Stored, int64(3))
	same(e.t, "in hand until", task.Lease, noon.Add(time.Minute))
	same(e.t, "due", e.progress().DueAt, noon.Add(time.Minute))
}

func vectorsApart(e *embedder) {
	e.stored(e.begun(noon), noon, "a")
	for _, other := range []*embedder{{openShop(e.t, e.Stores), e.model}, {e.shop, "large"}} {
		same(e.t, "known elsewhere", other.known(noon, "a"), 0)
		same(e.t, "vectors elsewhere", len(other.vectors("a")), 0)
		same(e.t, "progress elsewhere", other.progress(), ports.EmbeddingProgress{})
		other.stored(other.begun(noon), noon, "b", "a")
	}
	same(e.t, "vectors", e.vectors("a", "b"), map[ports.TextHash][]float32{textHash("a"): {0, 1}})
}

func vectorsMany(e *embedder) {
	var list []string
	for i := range 1203 {
		list = append(list, fmt.Sprint("text ", i))
	}
	e.stored(e.begun(noon), noon, list[:1200]...)
	for _, now := range []time.Time{noon, noon.Add(2 * day), noon.Add(3 * day)} {
		same(e.t, "known", e.known(now, list...), 1200)
	}
	got := e.vectors(list...)
	same(e.t, "vectors", len(got), 1200)
	same(e.t, "one", got[textHash("text 1100")], []float32{1100, 1})
}

func vectorsOnce(e *embedder) {
	task := e.begun(noon)
	e.stored(task, noon, "a", "b")
	e.stored(task, noon, "b", "c")
	same(e.t, "vectors", e.vectors("a", "b", "c"), map[ports.TextHash][]float32{
		textHash("a"): {0, 1}, textHash("b"): {1, 1}, textHash("c"): {1, 1},
	})
}

func vectorsLength(e *embedder) {
	task := e.begun(noon)
	uneven := map[ports.TextHash][]float32{textHash("a"): {1}, textHash("b"): {1, 2}, textHash("c"): {3}}
	wantFault(e.t, e.Embeddings.Save(e.ctx, task, uneven, noon, noon.Add(time.Hour)), fault.Conflict, "vector_length")
	e.stored(task, noon, "d")
	before := *task
	longer := map[ports.TextHash][]float32{textHash("a"): {1, 2, 3}}
	wantFault(e.t, e.Embeddings.Save(e.ctx, task, longer, noon, noon.Add(time.Hour)), fault.Conflict, "vector_length")
	same(e.t, "the task", *task, before)
	same(e.t, "known", e.known(noon, "a", "b", "c", "d"), 1)
	same(e.t, "stored", e.progress().Stored, int64(1))
	same(e.t, "in hand", e.progress().DueAt, task.Lease)
	e.model = "large"
	e.must(e.Embeddings.Save(e.ctx, e.claim(noon), longer, noon, noon.Add(time.Hour)))
}

func embeddingOrder(e *embedder) {
	same(e.t, "without products", e.claim(noon) == nil, true)
	e.product(1)
	other := &embedder{openShop(e.t, e.Stores), e.model}
	other.product(1)
	for _, project := range []id.Project{e.claim(noon).Project, e.claim(noon).Project} {
		if project != e.project.ID && project != other.project.ID {
			e.t.Errorf("%s was claimed", project)
		}
	}
	same(e.t, "in hand", e.claim(noon) == nil, true)
	same(e.t, "before the lease ends", e.claim(noon.Add(embeddingLease-time.Millisecond)) == nil, true)
	first, second := e.claim(noon.Add(embeddingLease)), e.claim(noon.Add(embeddingLease))
	e.must(e.Embeddings.Postpone(e.ctx, first, noon.Add(time.Hour), ""))
	e.must(e.Embeddings.Postpone(e.ctx, second, noon.Add(time.Minute), ""))
	same(e.t, "the longest waiting", e.claim(noon.Add(2*time.Hour)).Project, second.Project)
	got := e.claim(noon.Add(2 * time.Hour))
	same(e.t, "the next", got, &ports.EmbeddingTask{
		Project: first.Project, Model: e.model, Begun: noon.Add(2 * time.Hour), Lease: noon.Add(2*time.Hour + embeddingLease),
	})
}

func embeddingRace(e *embedder) {
	for range 4 {
		openShop(e.t, e.Stores).product(1)
	}
	tasks := make([]*ports.EmbeddingTask, racers)
	e.SetClock(noon)
	e.must(atOnce(racers, func(n int) (err error) {
		tasks[n], err = e.claimOne(day)
		return err
	}))
	claimed := make(map[id.Project]int)
	for _, task := range append(tasks, e.claim(noon), e.claim(noon), e.claim(noon), e.claim(noon)) {
		if task != nil {
			claimed[task.Project]++
		}
	}
	same(e.t, "claims", slices.Collect(maps.Values(claimed)), []int{1, 1, 1, 1})
}

func embeddingFinish(e *embedder) {
	task := e.begun(noon)
	same(e.t, "from the beginning", task.Since, int64(0))
	e.must(e.Embeddings.Finish(e.ctx, task, 1, noon.Add(time.Second)))
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{Version: 1, DueAt: noon.Add(time.Second)})
	same(e.t, "nothing to do", e.claim(noon.Add(time.Hour)) == nil, true)
	wantFault(e.t, e.Embeddings.Finish(e.ctx, task, 2, noon), fault.Conflict, "embedding_taken")
	again := e.begun(noon.Add(time.Hour))
	same(e.t, "since", again.Since, int64(1))
	e.must(e.Embeddings.Finish(e.ctx, again, 2, noon.Add(time.Hour)))
	same(e.t, "version", e.progress().Version, int64(2))
}

func embeddingTaken(e *embedder) {
	mine := e.begun(noon)
	later := noon.Add(embeddingLease)
	theirs := e.claim(later)
	vectors := map[ports.TextHash][]float32{textHash("a"): {1}}
	for _, err := range []error{
		e.Embeddings.Save(e.ctx, mine, vectors, later, later.Add(time.Hour)),
		e.Embeddings.Finish(e.ctx, mine, 9, later),
		e.Embeddings.Postpone(e.ctx, mine, later, "Lost."),
	} {
		wantFault(e.t, err, fault.Conflict, "embedding_taken")
	}
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{DueAt: theirs.Lease})
	same(e.t, "known", e.known(noon, "a"), 0)
	e.must(e.Embeddings.Save(e.ctx, theirs, vectors, later, later.Add(time.Hour)))
	e.must(e.Embeddings.Save(e.ctx, theirs, nil, later, later.Add(2*time.Hour)))
	same(e.t, "in hand", e.progress().DueAt, later.Add(2*time.Hour))
}

func embeddingFailed(e *embedder) {
	task := e.begun(noon)
	for n := range 3 {
		due := noon.Add(time.Duration(n+1) * time.Minute)
		same(e.t, "attempts before", task.Attempts, n)
		e.must(e.Embeddings.Postpone(e.ctx, task, due, "It said \xff and \x00."))
		same(e.t, "progress", e.progress(), ports.EmbeddingProgress{Attempts: n + 1, Error: "It said \uFFFD and \uFFFD.", DueAt: due})
		same(e.t, "not due", e.claim(due.Add(-time.Millisecond)) == nil, true)
		task = e.claim(due)
	}
	now := noon.Add(time.Hour)
	e.stored(task, now, "a")
	same(e.t, "attempts", task.Attempts, 0)
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{Stored: 1, DueAt: now.Add(embeddingLease)})
	e.must(e.Embeddings.Postpone(e.ctx, task, now, "Again."))
	e.must(e.Embeddings.Finish(e.ctx, e.claim(now), 1, now))
	same(e.t, "finished", e.progress(), ports.EmbeddingProgress{Version: 1, Stored: 1, DueAt: now})
}

func embeddingLetGo(e *embedder) {
	task := e.begun(noon)
	e.must(e.Embeddings.Postpone(e.ctx, task, noon, "Down."))
	task = e.claim(noon)
	e.must(e.Embeddings.Postpone(e.ctx, task, noon, ""))
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{Attempts: 1, Error: "Down.", DueAt: noon})
}

func embeddingWhole(e *embedder) {
	e.must(e.Embeddings.Finish(e.ctx, e.begun(noon), 1, noon.Add(time.Hour)))
	same(e.t, "a week later", e.claim(noon.Add(7*day)) == nil, true)
	now := noon.Add(7*day + time.Millisecond)
	task := e.claim(now)
	same(e.t, "since", task.Since, int64(0))
	same(e.t, "its version stays until then", e.progress().Version, int64(1))
	e.must(e.Embeddings.Finish(e.ctx, task, 1, now))
	same(e.t, "done", e.claim(now.Add(day)) == nil, true)
}

func vectorsForget(e *embedder) {
	task := e.begun(noon)
	e.stored(task, noon, "a", "b", "c")
	e.must(e.Embeddings.Finish(e.ctx, task, 1, noon))
	later := noon.Add(40 * day)
	task = e.claim(later)
	same(e.t, "used", e.known(later, "a"), 1)
	e.must(e.Embeddings.Finish(e.ctx, task, 1, later))
	for _, c := range []struct {
		before time.Time
		want   int
	}{{noon, 0}, {later.Add(-30 * day), 1}, {later.Add(-30 * day), 1}, {later.Add(-30 * day), 0}} {
		same(e.t, "forgotten", e.forget(c.before, 1), c.want)
	}
	same(e.t, "left", len(e.vectors("a", "b", "c")), 1)
	same(e.t, "progress", e.progress().Version, int64(1))
}

func vectorsUsed(e *embedder) {
	task := e.begun(noon)
	e.stored(task, noon, "a", "b")
	e.must(e.Embeddings.Finish(e.ctx, task, 1, noon))
	for n := range 10 { // each time on the edge of what is noted
		now := noon.Add(time.Duration(n+1) * (day - time.Millisecond))
		same(e.t, "known", e.known(now, "a"), 1)
		e.SetClock(now)
		task, err := e.claimOne(0)
		e.must(err)
		e.must(e.Embeddings.Finish(e.ctx, task, 1, now))
		same(e.t, "forgotten", e.forget(now.Add(-2*day), 9) <= 1, true)
		same(e.t, "kept", len(e.vectors("a")), 1)
	}
	same(e.t, "the other", len(e.vectors("b")), 0)
}
