package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Notes stores merchants' notes about orders.
type Notes struct{ Store *db.DB }

var _ ports.OrderNotes = Notes{}

var (
	notes = db.NewTable[order.Note]("order_notes")

	insertNote = notes.Insert()

	selectNotes = notes.Select() + `
WHERE project_id = $1
  AND order_id = $2
ORDER BY created_at, id`
)

const (
	noteOrder  = "SELECT id FROM orders WHERE project_id = $1 AND id = $2"
	countNotes = "SELECT count(*) FROM order_notes WHERE project_id = $1 AND order_id = $2"
)

// Add locks the order, so that its notes are counted one after the other.
func (v Notes) Add(ctx context.Context, n order.Note) error {
	return v.Store.InTx(ctx, n.Project, func(t *db.Tx) error {
		var name string
		there, err := t.Get(ctx, &name, noteOrder+t.Dialect.ForUpdate, n.Project, n.Order)
		if err == nil && !there {
			err = fault.Missing("order")
		}
		if err != nil {
			return err
		}
		var already int
		if _, err := t.Get(ctx, &already, countNotes, n.Project, n.Order); err != nil {
			return err
		}
		if already >= order.MaxNotes {
			return order.ErrTooManyNotes
		}
		_, err = t.Exec(ctx, insertNote, notes.Args(n)...)
		return err
	})
}

func (v Notes) Notes(ctx context.Context, project id.Project, of id.Order) ([]order.Note, error) {
	var name *string
	var rows []order.Note
	b := v.Store.Read(project)
	b.Query(&name, noteOrder, project, of)
	b.Query(&rows, selectNotes, project, of)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if name == nil {
		return nil, fault.Missing("order")
	}
	return rows, nil
}
