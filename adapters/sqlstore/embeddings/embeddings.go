// Package embeddings stores the vectors of texts, and leases projects whose texts need vectors. It neither computes nor
// compares vectors.
package embeddings

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Embeddings stores the vectors of texts and the progress of computing them.
type Embeddings struct{ Store *db.DB }

var (
	_ ports.Vectors        = Embeddings{}
	_ ports.EmbeddingQueue = Embeddings{}
)

// usedDaily is how old the stored time of a vector's last use may be, because it is not written with every use.
const usedDaily = 24 * time.Hour

const (
	ofModel = `
WHERE project_id = $1
  AND model = $2`

	insertEmbeddings = `
INSERT INTO embeddings (project_id, model, hash, used_at, vector)
VALUES `

	embeddingKnown = `
ON CONFLICT (project_id, model, hash) DO UPDATE SET used_at = excluded.used_at`

	selectProgress = `
SELECT project_id, version, stored, due_at, attempts, last_error AS error
FROM embedding_progress
WHERE model = $1
  AND project_id IN `

	// selectBehind finds projects whose catalogue is ahead of the model, or whose last pass over the whole catalogue is
	// too old. It is completed by the database's clock.
	selectBehind = `
SELECT projects.id
FROM projects
LEFT JOIN embedding_progress AS progress ON progress.project_id = projects.id AND progress.model = $1
WHERE projects.catalog_version > 0
  AND projects.status = 'active'
  AND coalesce(progress.due_at, 0) <= %[1]s
  AND (projects.catalog_version > coalesce(progress.version, 0) OR coalesce(progress.whole_at, 0) < %[1]s - $2)
ORDER BY coalesce(progress.due_at, 0), projects.id
LIMIT 1000`

	beginProgress = `
INSERT INTO embedding_progress (project_id, model, version, whole_at, stored, due_at, attempts, last_error)
VALUES ($1, $2, 0, 0, 0, 0, 0, '')
ON CONFLICT (project_id, model) DO NOTHING`

	// selectIdle is completed by the database's clock and what counts the row's failures.
	selectIdle = `
SELECT version, whole_at, attempts, %[1]s AS now, %[2]s AS set_aside
FROM embedding_progress` + ofModel + `
  AND due_at <= %[1]s`

	// heldTask begins statements that take effect only while the caller holds a task's lease.
	heldTask = ofModel + `
  AND due_at = $3`

	setProgress = `
UPDATE embedding_progress
SET `

	forgetModels = `
DELETE FROM embedding_progress
WHERE model <> $1
  AND whole_at < $2`

	// oldVectors are vectors that no product used in the last pass over the whole catalogue.
	oldVectors = `
WITH old AS MATERIALIZED (
  SELECT project_id, model, hash
  FROM embeddings
  WHERE used_at < $1
    AND NOT EXISTS (
      SELECT 1
      FROM embedding_progress AS progress
      WHERE progress.project_id = embeddings.project_id
        AND progress.model = embeddings.model
        AND progress.whole_at - $3 <= embeddings.used_at
    )
  LIMIT $2
)
DELETE FROM embeddings
WHERE used_at < $1
  AND (project_id, model, hash) IN (SELECT project_id, model, hash FROM old)`
)

func embeddingTaken() *fault.Error {
	return fault.New(fault.Conflict, "embedding_taken", "Another server embeds the products of the project now.")
}

// Known stores uses in a transaction of its own, and only if the stored use is not from today. Vectors that Forget
// removes meanwhile are not known.
func (v Embeddings) Known(ctx context.Context, project id.Project, model string, texts []ports.TextHash, now time.Time) (map[ports.TextHash]bool, error) {
	type usedRow struct {
		Hash   string
		UsedAt time.Time
	}
	known := make(map[ports.TextHash]bool, len(texts))
	var stale []string
	err := eachOf(ctx, v.Store, project, model, texts, "hash, used_at", func(r usedRow) {
		if r.UsedAt.After(now.Add(-usedDaily)) {
			known[ports.TextHash(r.Hash)] = true
		} else {
			stale = append(stale, r.Hash)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(stale) // concurrent calls with the same uses wait for each other
	for some := range slices.Chunk(stale, db.Listed) {
		used, err := v.use(ctx, project, model, some, now)
		if err != nil {
			return nil, err
		}
		for _, hash := range used {
			known[ports.TextHash(hash)] = true
		}
	}
	return known, nil
}

// use stores the use of texts, and returns those that still exist.
func (v Embeddings) use(ctx context.Context, project id.Project, model string, hashes []string, now time.Time) ([]string, error) {
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) ([]string, error) {
		args := db.Args{project, model, now}
		list, err := t.Dialect.In(&args, hashes)
		if err != nil {
			return nil, err
		}
		return db.All[string](ctx, t, "UPDATE embeddings\nSET used_at = $3"+ofModel+"\n  AND hash IN "+list+"\nRETURNING hash", args...)
	})
}

// eachOf calls do with the row of each text that has one.
func eachOf[R any](ctx context.Context, s *db.DB, project id.Project, model string, texts []ports.TextHash, columns string, do func(R)) error {
	for some := range slices.Chunk(texts, db.Listed) {
		hashes := make([]string, len(some))
		for i, text := range some {
			hashes[i] = string(text)
		}
		args := db.Args{project, model}
		list, err := s.Dialect.In(&args, hashes)
		if err != nil {
			return err
		}
		rows, err := db.All[R](ctx, s.Read(project), "SELECT "+columns+"\nFROM embeddings"+ofModel+"\n  AND hash IN "+list, args...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			do(r)
		}
	}
	return nil
}

func (v Embeddings) Get(ctx context.Context, project id.Project, model string, texts []ports.TextHash) (map[ports.TextHash][]float32, error) {
	type vectorRow struct {
		Hash   string
		Vector []byte
	}
	vectors := make(map[ports.TextHash][]float32, len(texts))
	err := eachOf(ctx, v.Store, project, model, texts, "hash, vector", func(r vectorRow) {
		vectors[ports.TextHash(r.Hash)] = fromVector(r.Vector)
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

func (v Embeddings) Progress(ctx context.Context, model string, projects []id.Project) (map[id.Project]ports.EmbeddingProgress, error) {
	type progressRow struct {
		Project id.Project
		ports.EmbeddingProgress
	}
	all := make(map[id.Project]ports.EmbeddingProgress, len(projects))
	for some := range slices.Chunk(db.Strings(projects), db.Listed) {
		args := db.Args{model}
		list, err := v.Store.Dialect.In(&args, some)
		if err != nil {
			return nil, err
		}
		rows, err := db.All[progressRow](ctx, v.Store.Read(db.AnyProject), selectProgress+list, args...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.Project] = r.EmbeddingProgress
		}
	}
	return all, nil
}

// Forget takes a day off the last pass: uses noted on the day before it were not noted again.
func (v Embeddings) Forget(ctx context.Context, model string, before time.Time, n int) (int, error) {
	removed, err := db.InTx(ctx, v.Store, db.AnyProject, func(t *db.Tx) (int64, error) {
		if _, err := t.Exec(ctx, forgetModels, model, before); err != nil {
			return 0, err
		}
		return t.Exec(ctx, oldVectors, before, n, usedDaily.Milliseconds())
	})
	return int(removed), err
}

func (v Embeddings) Save(ctx context.Context, task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32, now, until time.Time) error {
	rows, size := toVectorRows(task, vectors, now)
	err := v.Store.InTx(ctx, task.Project, func(t *db.Tx) error {
		err := hold(ctx, t, task, "due_at = $4, stored = stored + $5, attempts = 0, last_error = ''", until, len(rows))
		if err != nil {
			return err
		}
		var stored int
		there, err := t.Get(ctx, &stored, "SELECT length(vector)\nFROM embeddings"+ofModel+"\nLIMIT 1", task.Project, task.Model)
		if err != nil {
			return err
		}
		if size < 0 || there && len(rows) > 0 && size != stored {
			return vectorLength(size, stored)
		}
		return t.Insert(ctx, insertEmbeddings, rows, embeddingKnown)
	})
	if err == nil {
		task.Lease, task.Attempts = until, 0
	}
	return err
}

func (v Embeddings) Finish(ctx context.Context, task *ports.EmbeddingTask, version int64, now time.Time) error {
	set, args := "due_at = $4, version = $5, attempts = 0, last_error = ''", []any{now, version}
	if task.Since == 0 {
		set, args = set+", whole_at = $6", append(args, task.Begun)
	}
	return v.Store.InTx(ctx, task.Project, func(t *db.Tx) error { return hold(ctx, t, task, set, args...) })
}

func (v Embeddings) Postpone(ctx context.Context, task *ports.EmbeddingTask, due time.Time, reason string) error {
	set, args := "due_at = $4", []any{due}
	if reason != "" {
		set, args = set+", attempts = attempts + 1, last_error = $5", append(args, db.Printable(reason))
	}
	return v.Store.InTx(ctx, task.Project, func(t *db.Tx) error { return hold(ctx, t, task, set, args...) })
}

// hold writes a task's progress, from $4 on, if the caller still holds its lease.
func hold(ctx context.Context, t *db.Tx, task *ports.EmbeddingTask, set string, args ...any) error {
	args = append([]any{task.Project, task.Model, task.Lease}, args...)
	rows, err := t.Exec(ctx, setProgress+set+heldTask, args...)
	if err == nil && rows == 0 {
		return embeddingTaken()
	}
	return err
}

// toVectorRows returns vectors' rows and the number of bytes of each vector; -1: they differ.
func toVectorRows(task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32, now time.Time) (rows [][]any, size int) {
	for _, hash := range slices.Sorted(maps.Keys(vectors)) {
		vector := toVector(vectors[hash])
		switch {
		case len(rows) == 0:
			size = len(vector)
		case size != len(vector):
			size = -1
		}
		rows = append(rows, []any{task.Project, task.Model, string(hash), now, vector})
	}
	return rows, size
}

func vectorLength(size, stored int) *fault.Error {
	message := "The model's vectors have different lengths."
	if size >= 0 {
		message = fmt.Sprintf("The model made vectors of %d numbers, and earlier ones of %d. Another model needs another name.", size/4, stored/4)
	}
	return fault.New(fault.Conflict, "vector_length", message)
}

// A vector is stored as 32-bit floats, little-endian.

func toVector(vector []float32) []byte {
	stored := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		stored = binary.LittleEndian.AppendUint32(stored, math.Float32bits(x))
	}
	return stored
}

func fromVector(stored []byte) []float32 {
	vector := make([]float32, len(stored)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(stored[4*i:]))
	}
	return vector
}
