package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// behind hands out projects whose catalogue is ahead of a model. A project has a row in embedding_progress only
// once the model has begun with it.
type behind struct {
	store *Store
	model string
	age   time.Duration
}

var _ ports.Queue[*ports.EmbeddingTask] = behind{}

func (v Embeddings) Behind(model string, age time.Duration) ports.Queue[*ports.EmbeddingTask] {
	return behind{v.store, model, age}
}

var embeddingTasks = queueTable{
	name:  "embeddings",
	table: "embedding_progress",
	key:   "model",
	lease: "due_at",
	retry: "due_at",
}

func (q behind) Waiting(ctx context.Context) ([]string, error) {
	var rows []struct{ ID string }
	b := q.store.reading(anyProject)
	b.query(&rows, fmt.Sprintf(selectBehind, q.store.dialect.moment()), q.model, q.age.Milliseconds())
	if err := b.run(ctx); err != nil {
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
	err = q.store.inTx(ctx, project, func(t *tx) error {
		claimed = nil
		var version int64
		there, err := t.get(ctx, &version, "SELECT catalog_version\nFROM projects\nWHERE id = $1"+activeOnly+t.dialect.forKeyShare, project.String())
		if err != nil || !there {
			return err
		}
		if _, err := t.exec(ctx, beginProgress, key...); err != nil {
			return err
		}
		var row idleRow
		idle, err := t.get(ctx, &row, fmt.Sprintf(selectIdle, t.dialect.moment(), embeddingTasks.timesSetAside())+t.dialect.skipLocked, key...)
		again := row.WholeAt < row.Now-q.age.Milliseconds()
		if err != nil || !idle || row.Version >= version && !again {
			return err
		}
		until := fromMillis(row.Now).Add(lease)
		task := &ports.EmbeddingTask{
			Project:  project,
			Model:    q.model,
			Since:    row.Version,
			Attempts: row.Attempts,
			Begun:    fromMillis(row.Now),
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
		_, err = t.exec(ctx, setProgress+"due_at = $3"+ofModel, append(key, toMillis(until))...)
		return err
	})
	return claimed, err
}

func (q behind) SetAside(ctx context.Context, held ports.Held, reason string) error {
	return embeddingTasks.setAside(ctx, q.store, held, reason)
}

func (q behind) Restore(ctx context.Context, held ports.Held) error {
	return embeddingTasks.restore(ctx, q.store, held)
}
