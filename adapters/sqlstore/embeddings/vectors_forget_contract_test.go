package embeddings_test

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func vectorsForgetLate(e *embedder) {
	task := e.begun(porttest.Noon)
	e.stored(task, porttest.Noon, "a")
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, porttest.Noon))
	porttest.Same(e.T, "forgotten", e.forget(porttest.Noon.Add(40*porttest.Day), 9), 0)
	porttest.Same(e.T, "left", len(e.vectors("a")), 1)
}

func vectorsForgetModel(e *embedder) {
	task := e.begun(porttest.Noon)
	e.stored(task, porttest.Noon, "a", "b")
	e.Must(e.Embeddings.Finish(e.Ctx, task, 1, porttest.Noon))
	old := e.model
	e.model = "large"
	porttest.Same(e.T, "too early", e.forget(porttest.Noon, 9), 0)
	porttest.Same(e.T, "forgotten", e.forget(porttest.Noon.Add(time.Millisecond), 9), 2)
	e.model = old
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{})
	porttest.Same(e.T, "from the beginning", e.claim(porttest.Noon.Add(time.Hour)).Since, int64(0))
}

func vectorsDelete(e *embedder) {
	task := e.begun(porttest.Noon)
	e.stored(task, porttest.Noon, "a")
	e.DeleteProject()
	porttest.Same(e.T, "vectors", len(e.vectors("a")), 0)
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{})
	vectors := map[ports.TextHash][]float32{textHash("b"): {0, 1}}
	porttest.WantFault(e.T, e.Embeddings.Save(e.Ctx, task, vectors, porttest.Noon, porttest.Noon.Add(time.Hour)), fault.Conflict, "embedding_taken")
	porttest.Same(e.T, "vectors", len(e.vectors("b")), 0)
	porttest.Same(e.T, "tasks", e.claim(porttest.Noon.Add(time.Hour)) == nil, true)
}

func embeddingDeleteRace(e *embedder) {
	e.Product(1)
	e.Must(porttest.AtOnce(porttest.Racers, func(n int) error {
		if n == porttest.Racers/2 {
			return e.Projects.Delete(e.Ctx, e.Project.Account, e.Project.ID, porttest.Noon)
		}
		now := porttest.Noon.Add(time.Duration(n) * time.Hour)
		e.SetClock(now)
		task, err := e.claimOne(0)
		if err != nil || task == nil {
			return err
		}
		err = e.Embeddings.Save(e.Ctx, task, map[ports.TextHash][]float32{textHash("a"): {1}}, now, now.Add(porttest.EmbeddingLease))
		if fault.Is(err, "embedding_taken") {
			return nil
		}
		return err
	}))
	e.FinishClosing()
	porttest.Same(e.T, "vectors", len(e.vectors("a")), 0)
	porttest.Same(e.T, "progress", e.progress(), ports.EmbeddingProgress{})
}
