package requests

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AuditLog = Requests{}

var auditEvents = db.NewTable[audit.Event]("audit_events")

func (r Requests) Events(ctx context.Context, account id.Account, f ports.AuditFilter, page ports.Page) ([]audit.Event, int, error) {
	w := db.Conditions{Args: db.Args{account}}
	if len(f.Projects) > 0 {
		w.Text += "\n  AND project_id IN " + w.Args.List(db.Strings(f.Projects))
	}
	w.Equal("key_id", f.Key)
	w.Equal("member_id", f.Member)
	w.Equal("action", f.Action)
	w.During("at", f.From, f.To)
	const ofAccount = `
FROM audit_events
WHERE account_id = $1`
	return db.Page[audit.Event](ctx, r.Store.Read(db.NoProject), auditEvents.Columns(), ofAccount, w, "at DESC, id DESC", page)
}
