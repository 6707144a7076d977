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

// behind hands out projects whose catalogue is ahead of a model. A project has a row in embedding_progress only
// once the model has begun with it.
type behind struct {
	store *db.DB
	model string
	age   time.Duration
}

var _ ports.Queue[*ports.EmbeddingTask] = behind{}

func (v Embeddings) Behind(model string, age time.Duration) ports.Queue[*ports.EmbeddingTask] {
	return behind{v.store, model, age}
}

var embeddingTasks = queue.Table{
	Name:  "embeddings",
	Table: "embedding_progress",
	Key:   "model",
	Lease: "due_at",
	Retry: "due_at",
}

func (q behind) Waiting(ctx context.Context) ([]string, error) {
	var rows []struct{ ID string }
	b := q.store.Read(db.AnyProject)
	b.Query(&rows, fmt.Sprintf(selectBehind, q.store.Dialect.Moment()), q.model, q.age.Milliseconds())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	groups := make([]string, len(rows))
	for i, r := range rows {
		groups[i] = r.ID
	}
	return groups, nil
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

// take holds the project's row, so that no progress is left behind when the project is deleted.
func (q behind) take(ctx context.Context, project id.Project, lease time.Duration) (claimed *ports.Leased[*ports.EmbeddingTask], err error) {
	key := []any{project.String(), q.model}
	err = q.store.InTx(ctx, project, func(t *db.Tx) error {
		claimed = nil
		var version int64
		there, err := t.Get(ctx, &version, "SELECT catalog_version\nFROM projects\nWHERE id = $1"+db.ActiveOnly+t.Dialect.ForKeyShare, project.String())
		if err != nil || !there {
			return err
		}
		if _, err := t.Exec(ctx, beginProgress, key...); err != nil {
			return err
		}
		var row idleRow
		idle, err := t.Get(ctx, &row, fmt.Sprintf(selectIdle, t.Dialect.Moment(), embeddingTasks.TimesSetAside())+t.Dialect.SkipLocked, key...)
		again := row.WholeAt < row.Now-q.age.Milliseconds()
		if err != nil || !idle || row.Version >= version && !again {
			return err
		}
		until := db.Time(row.Now).Add(lease)
		task := &ports.EmbeddingTask{
			Project:  project,
			Model:    q.model,
			Since:    row.Version,
			Attempts: row.Attempts,
			Begun:    db.Time(row.Now),
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
		claimed = &ports.Leased[*ports.EmbeddingTask]{Held: held, Item: task}
		_, err = t.Exec(ctx, setProgress+"due_at = $3"+ofModel, append(key, db.Millis(until))...)
		return err
	})
	return claimed, err
}

func (q behind) SetAside(ctx context.Context, held ports.Held, reason string) error {
	return embeddingTasks.SetAside(ctx, q.store, held, reason)
}

func (q behind) Restore(ctx context.Context, held ports.Held) error {
	return embeddingTasks.Restore(ctx, q.store, held)
}
