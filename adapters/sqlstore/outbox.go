package sqlstore

import (
	"github.com/haggle-commerce/haggle/domain/event"
)

// An event is due as soon as it is written.
const insertEvent = `
INSERT INTO outbox (project_id, id, type, payload, created_at, due_at, attempts)
VALUES ($1, $2, $3, $4, $5, $5, 0)`

func eventArgs(e *event.Event) ([]any, error) {
	payload, err := encodeEvent(e)
	if err != nil {
		return nil, err
	}
	return []any{e.Project.String(), e.ID.String(), e.Data.Type().String(), payload, toMillis(e.At)}, nil
}
