package requests

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AuditLog = Requests{}

var (
	auditEvents = db.NewTable[audit.Event]("audit_events")

	// ListedEvents are the audit events of an account.
	ListedEvents = db.Listing{
		Columns: auditEvents.Columns(),
		From:    "\nFROM audit_events\nWHERE account_id = $1",
		Newest: db.Newest{
			Time: "at",
			ID:   "id",
		},
	}
)

func (r Requests) Events(ctx context.Context, account id.Account, f ports.AuditFilter, page ports.Page) ([]audit.Event, int, error) {
	w := db.Conditions{Args: db.Args{account}}
	if len(f.Projects) > 0 {
		w.Text += "\n  AND project_id IN " + w.Args.List(db.Strings(f.Projects))
	}
	w.Equal("key_id", f.Key)
	w.Equal("member_id", f.Member)
	w.Equal("action", f.Action)
	w.During("at", f.From, f.To)
	return db.Keyed[audit.Event](ctx, r.Store.Read(db.NoProject), ListedEvents, w, page)
}
