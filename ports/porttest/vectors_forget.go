package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

func vectorsForgetLate(e *embedder) {
	task := e.begun(noon)
	e.stored(task, noon, "a")
	e.must(e.Embeddings.Finish(e.ctx, task, 1, noon))
	same(e.t, "forgotten", e.forget(noon.Add(40*day), 9), 0)
	same(e.t, "left", len(e.vectors("a")), 1)
}

func vectorsForgetModel(e *embedder) {
	task := e.begun(noon)
	e.stored(task, noon, "a", "b")
	e.must(e.Embeddings.Finish(e.ctx, task, 1, noon))
	old := e.model
	e.model = "large"
	same(e.t, "too early", e.forget(noon, 9), 0)
	same(e.t, "forgotten", e.forget(noon.Add(time.Millisecond), 9), 2)
	e.model = old
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{})
	same(e.t, "from the beginning", e.claim(noon.Add(time.Hour)).Since, int64(0))
}

func vectorsDelete(e *embedder) {
	task := e.begun(noon)
	e.stored(task, noon, "a")
	e.deleteProject()
	same(e.t, "vectors", len(e.vectors("a")), 0)
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{})
	vectors := map[ports.TextHash][]float32{textHash("b"): {0, 1}}
	wantFault(e.t, e.Embeddings.Save(e.ctx, task, vectors, noon, noon.Add(time.Hour)), fault.Conflict, "embedding_taken")
	same(e.t, "vectors", len(e.vectors("b")), 0)
	same(e.t, "tasks", e.claim(noon.Add(time.Hour)) == nil, true)
}

func embeddingDeleteRace(e *embedder) {
	e.product(1)
	e.must(atOnce(racers, func(n int) error {
		if n == racers/2 {
			return e.Projects.Delete(e.ctx, e.project.Account, e.project.ID, noon)
		}
		now := noon.Add(time.Duration(n) * time.Hour)
		e.SetClock(now)
		task, err := e.claimOne(0)
		if err != nil || task == nil {
			return err
		}
		err = e.Embeddings.Save(e.ctx, task, map[ports.TextHash][]float32{textHash("a"): {1}}, now, now.Add(embeddingLease))
		if fault.Is(err, "embedding_taken") {
			return nil
		}
		return err
	}))
	e.finishClosing()
	same(e.t, "vectors", len(e.vectors("a")), 0)
	same(e.t, "progress", e.progress(), ports.EmbeddingProgress{})
}
