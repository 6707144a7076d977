package embeddings

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// behind leases projects whose catalogue is ahead of a model. A project has a row in embedding_progress only
// once the model has begun with it.
type behind struct {
	queue.Queue[idleRow, *ports.EmbeddingTask]
	model string
	age   time.Duration
}

var _ ports.Queue[*ports.EmbeddingTask] = behind{}

func (v Embeddings) Behind(model string, age time.Duration) ports.Queue[*ports.EmbeddingTask] {
	q := behind{model: model, age: age}
	q.Store, q.Table = v.Store, embeddingTasks
	return q
}

var embeddingTasks = queue.Table{
	Name:  "embeddings",
	Table: "embedding_progress",
	Key:   "model",
	Lease: "due_at",
	Retry: "due_at",
}

type idleRow struct {
	Version  int64
	WholeAt  time.Time
	Attempts int
	Now      time.Time
	SetAside int
}

func (q behind) Waiting(ctx context.Context) ([]string, error) {
	query := fmt.Sprintf(selectBehind, q.Store.Dialect.Moment())
	return db.All[string](ctx, q.Store.Read(db.AnyProject), query, q.model, q.age.Milliseconds())
}

func (q behind) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) (list []ports.Leased[*ports.EmbeddingTask], err error) {
	for _, share := range shares {
		claimed, err := q.take(ctx, id.Stored[id.Project](share.Group), lease)
		if err != nil {
			return nil, err
		}
		if claimed != nil {
			list = append(list, *claimed)
		}
	}
	return list, nil
}

// take locks the project's row, so that no progress is left behind when the project is deleted.
func (q behind) take(ctx context.Context, project id.Project, lease time.Duration) (*ports.Leased[*ports.EmbeddingTask], error) {
	return db.InTx(ctx, q.Store, project, func(t *db.Tx) (*ports.Leased[*ports.EmbeddingTask], error) {
		version, err := db.First[int64](ctx, t, "SELECT catalog_version\nFROM projects\nWHERE id = $1"+db.ActiveOnly+t.Dialect.ForKeyShare, project)
		if err != nil || version == nil {
			return nil, err
		}
		if _, err := t.Exec(ctx, beginProgress, project, q.model); err != nil {
			return nil, err
		}
		query := fmt.Sprintf(selectIdle, t.Dialect.Moment(), q.Table.TimesSetAside()) + t.Dialect.SkipLocked
		row, err := db.First[idleRow](ctx, t, query, project, q.model)
		if err != nil || row == nil {
			return nil, err
		}
		again := row.WholeAt.Before(row.Now.Add(-q.age))
		if row.Version >= *version && !again {
			return nil, nil
		}
		until := row.Now.Add(lease)
		task := &ports.EmbeddingTask{
			Project:  project,
			Model:    q.model,
			Since:    row.Version,
			Attempts: row.Attempts,
			Begun:    row.Now,
			Lease:    until,
		}
		if again {
			task.Since = 0
		}
		held := ports.Held{
			Project:  project,
			Key:      q.model,
			Group:    project.String(),
			Until:    until,
			Failures: row.SetAside,
		}
		_, err = t.Exec(ctx, setProgress+"due_at = $3"+ofModel, project, q.model, until)
		return &ports.Leased[*ports.EmbeddingTask]{Held: held, Item: task}, err
	})
}
