package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// TextHash is the SHA-256 of a text, in hex. Equal texts share one vector.
type TextHash string

// Vectors stores embedding vectors of texts, by project and model, so that no text is paid for twice.
type Vectors interface {
	// Known returns those of some texts that have a vector. It records the day of their use.
	Known(ctx context.Context, project id.Project, model string, texts []TextHash, now time.Time) (map[TextHash]bool, error)
	// Get reads the vectors of those texts that have one.
	Get(ctx context.Context, project id.Project, model string, texts []TextHash) (map[TextHash][]float32, error)
	// Progress returns how far a model has come with each of some projects; projects that it has not begun are left
	// out.
	Progress(ctx context.Context, model string, projects []id.Project) (map[id.Project]EmbeddingProgress, error)
	// Forget removes up to n vectors that were last used before a time, and returns how many. Vectors of the model that
	// products may still use stay: only a pass over the whole catalogue since then shows which these are. Other models
	// without a pass since before begin anew when they are used again.
	Forget(ctx context.Context, model string, before time.Time, n int) (int, error)
}

// EmbeddingProgress is how far a model has come with a project.
type EmbeddingProgress struct {
	Version  int64 // of the catalogue, up to which all products' texts have vectors
	Stored   int64 // vectors that were stored, ever
	Attempts int   // that failed since the last one that did not
	Error    string
	DueAt    time.Time
}

// EmbeddingTask is a leased project whose products' texts need vectors.
type EmbeddingTask struct {
	Project  id.Project
	Model    string
	Since    int64     // the catalogue version to begin after; 0 is a pass over the whole catalogue
	Attempts int       // that failed before
	Begun    time.Time // when it was claimed
	Lease    time.Time // its end
}

// EmbeddingQueue leases projects whose catalogue is ahead of a model. Writing for a task that another process has
// leased since: Conflict embedding_taken, and nothing is written.
type EmbeddingQueue interface {
	// Behind leases projects, each a group of its own, whose catalogue is ahead of a model, or whose last pass
	// over the whole catalogue began longer ago than age.
	Behind(model string, age time.Duration) Queue[*EmbeddingTask]
	// Save stores vectors, which may not be empty, and holds the task until a time. It resets the count of failed
	// attempts. Vectors of another length than the project's others of the model: Conflict vector_length, and nothing
	// is written.
	Save(ctx context.Context, task *EmbeddingTask, vectors map[TextHash][]float32, now, until time.Time) error
	// Finish notes that the catalogue up to a version is done.
	Finish(ctx context.Context, task *EmbeddingTask, version int64, now time.Time) error
	// Postpone ends the lease of a task and makes it due at a time. Unless the reason is empty, it counts a failed
	// attempt.
	Postpone(ctx context.Context, task *EmbeddingTask, due time.Time, reason string) error
}
