package sqlstore

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// SyncUnit writes a page of records, or a delivery, as one transaction.
type SyncUnit struct{ store *Store }

var _ ports.SyncUnit = SyncUnit{}

// SyncUnit writes to several stores at once.
func (s *Store) SyncUnit() SyncUnit { return SyncUnit{s} }

// InTx begins by holding the project's row, as every write of its catalogue does. So the units of a project
// come one after the other, what they read stays so until they commit, and no two take a record at once.
// Sessions and sales go on meanwhile.
func (v SyncUnit) InTx(ctx context.Context, project id.Project, work func(ports.SyncStores) error) error {
	return v.store.Within(ctx, nil, func(view *Store) error {
		if err := view.holdProject(ctx, project); err != nil {
			return err
		}
		return work(ports.SyncStores{
			Runs: view.SyncRuns(), Copies: view.Copies(), Products: view.Catalog(), StockRoom: view.StockRoom(),
			Integrations: view.Integrations(), Orders: view.Orders(), Inbox: view.Inbox(), Events: view.Announcements(),
		})
	})
}

// holdProject keeps others from holding the project until the transaction ends.
func (s *Store) holdProject(ctx context.Context, project id.Project) error {
	var rows []struct{ ID string }
	b := s.writing(project)
	b.query(&rows, lockedProject+activeOnly+s.dialect.forNoKeyUpdate, project.String())
	if err := b.run(ctx); err != nil || len(rows) == 0 {
		return orMissingProject(err)
	}
	return nil
}

// Announcements is the store's view of the outbox for those who only add to it.
type Announcements struct{ store *Store }

var _ ports.Announcements = Announcements{}

// Announcements takes events in.
func (s *Store) Announcements() Announcements { return Announcements{s} }

func (v Announcements) Announce(ctx context.Context, e *event.Event) error {
	args, err := eventArgs(e)
	if err != nil {
		return err
	}
	b := v.store.writing(e.Project)
	b.exec(v.store.dialect.insertEvent(), args...)
	return b.run(ctx)
}
