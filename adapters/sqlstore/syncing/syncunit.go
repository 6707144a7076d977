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

// InTx begins by locking the project's row, as every write of its catalogue does. So the units of a project run one
// after the other, their reads stay valid until they commit, and no two import a record at once. Sessions and sales go
// on meanwhile.
func (v SyncUnit) InTx(ctx context.Context, project id.Project, work func(ports.SyncStores) error) error {
	return v.Store.InRequest(ctx, nil, func(view *db.DB) error {
		if err := lockProject(ctx, view, project); err != nil {
			return err
		}
		return work(ports.SyncStores{
			Runs:            SyncRuns{view},
			Changes:         SyncChanges{view},
			ExternalRecords: ExternalRecords{view},
			Products:        catalogue.Catalog{Store: view},
			StockAdjuster:   catalogue.StockAdjuster{Store: view},
			Integrations:    Integrations{view},
			Orders:          purchase.Orders{Store: view},
			Labels:          purchase.Labels{Store: view},
			Platform:        purchase.Orders{Store: view},
			Deals:           purchase.Orders{Store: view},
			Webhooks:        Webhooks{view},
			Inbox:           Inbox{view},
			Events:          Announcements{view},
		})
	})
}

// lockProject locks the project's row until the transaction ends.
func lockProject(ctx context.Context, s *db.DB, project id.Project) error {
	_, err := db.One[id.Project](ctx, s.Write(project), "project", db.LockedProject+db.ActiveOnly+s.Dialect.ForNoKeyUpdate, project)
	return err
}

// Announcements adds events to the outbox.
type Announcements struct{ Store *db.DB }

var _ ports.Announcements = Announcements{}

func (v Announcements) Announce(ctx context.Context, e *event.Event) error {
	args, err := outbox.EventArgs(e)
	if err != nil {
		return err
	}
	return v.Store.Exec(ctx, e.Project, outbox.InsertEvent(v.Store.Dialect), args...)
}
