package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// TextHash names a text by its SHA-256, in hex: whoever has the same text has the same vector.
type TextHash string

// Vectors keeps what embedding models made of texts, by project and model: no text is paid for twice.
type Vectors interface {
	// Known are those of some texts that have a vector. That they are used is noted, to the day.
	Known(ctx context.Context, project id.Project, model string, texts []TextHash, now time.Time) (map[TextHash]bool, error)
	// Get reads the vectors of those texts that have one.
	Get(ctx context.Context, project id.Project, model string, texts []TextHash) (map[TextHash][]float32, error)
	// Progress is how far a model has come with each of some projects; those it has not begun with are left out.
	Progress(ctx context.Context, model string, projects []id.Project) (map[id.Project]EmbeddingProgress, error)
	// Forget removes vectors, up to n, that were last used before a time, and tells how many. Those of the
	// model that products may still use stay: it takes a pass over the whole catalogue since then to know. Other
	// models that have had no such pass since before begin anew when they are used again.
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

// EmbeddingTask is a claimed project whose products' texts are to get vectors.
type EmbeddingTask struct {
	Project  id.Project
	Model    string
	Since    int64     // the catalogue version to begin after; 0 is a pass over the whole catalogue
	Attempts int       // that failed before
	Begun    time.Time // when it was claimed
	Lease    time.Time // its end
}

// EmbeddingQueue leases projects whose catalogue is ahead of a model. Writing for a task whose lease somebody
// else has taken over: Conflict embedding_taken, and nothing is written.
type EmbeddingQueue interface {
	// Behind leases projects, each a group of its own, whose catalogue is ahead of a model, or whose last pass
	// over the whole catalogue began longer ago than age.
	Behind(model string, age time.Duration) Queue[*EmbeddingTask]
	// Save stores vectors, none of which may be empty, and holds the task until a time. It forgives failed
	// attempts. Vectors of another length than the project's others of the model: Conflict vector_length, and
	// nothing is written.
	Save(ctx context.Context, task *EmbeddingTask, vectors map[TextHash][]float32, now, until time.Time) error
	// Finish notes that the catalogue up to a version is done.
	Finish(ctx context.Context, task *EmbeddingTask, version int64, now time.Time) error
	// Postpone lets go of a task, which is due again at a time. Unless the reason is empty, an attempt has failed.
	Postpone(ctx context.Context, task *EmbeddingTask, due time.Time, reason string) error
}
