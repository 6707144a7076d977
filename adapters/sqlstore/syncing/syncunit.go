package syncing

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/outbox"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// SyncUnit writes a page of records, or a delivery, as one transaction.
type SyncUnit struct{ Store *db.DB }

var _ ports.SyncUnit = SyncUnit{}

// InTx begins by holding the project's row, as every write of its catalogue does. So the units of a project
// come one after the other, what they read stays so until they commit, and no two take a record at once.
// Sessions and sales go on meanwhile.
func (v SyncUnit) InTx(ctx context.Context, project id.Project, work func(ports.SyncStores) error) error {
	return v.Store.InRequest(ctx, nil, func(view *db.DB) error {
		if err := holdProject(ctx, view, project); err != nil {
			return err
		}
		return work(ports.SyncStores{
			Runs:         SyncRuns{view},
			Changes:      SyncChanges{view},
			Copies:       Copies{view},
			Products:     catalogue.Catalog{Store: view},
			StockRoom:    catalogue.StockRoom{Store: view},
			Integrations: Integrations{view},
			Orders:       purchase.Orders{Store: view},
			Labels:       purchase.Labels{Store: view},
			Platform:     purchase.Orders{Store: view},
			Deals:        purchase.Orders{Store: view},
			Webhooks:     Webhooks{view},
			Inbox:        Inbox{view},
			Events:       Announcements{view},
		})
	})
}

// holdProject keeps others from holding the project until the transaction ends.
func holdProject(ctx context.Context, s *db.DB, project id.Project) error {
	_, err := db.One[id.Project](ctx, s.Write(project), "project", db.LockedProject+db.ActiveOnly+s.Dialect.ForNoKeyUpdate, project)
	return err
}

// Announcements is the store's view of the outbox for those who only add to it.
type Announcements struct{ Store *db.DB }

var _ ports.Announcements = Announcements{}

func (v Announcements) Announce(ctx context.Context, e *event.Event) error {
	args, err := outbox.EventArgs(e)
	if err != nil {
		return err
	}
	return v.Store.Exec(ctx, e.Project, outbox.InsertEvent(v.Store.Dialect), args...)
}
