package requests

import (
	"context"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.AuditLog = Requests{}

const (
	insertAuditEvent = `
INSERT INTO audit_events (id, account_id, project_id, key_id, action, target, address, request_id, at, before, after)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

	countAuditEvents = `
SELECT count(*) AS n
FROM audit_events
WHERE account_id = $1`

	selectAuditEvents = `
SELECT id, account_id, project_id, key_id, action, target, address, request_id, at, before, after
FROM audit_events
WHERE account_id = $1`
)

type auditRow struct {
	ID        string
	AccountID string `db:"account_id"`
	ProjectID string `db:"project_id"`
	KeyID     string `db:"key_id"`
	Action    string
	Target    string
	Address   string
	RequestID string `db:"request_id"`
	At        int64
	Before    string
	After     string
}

func auditArgs(e audit.Event) []any {
	return []any{e.ID.String(), e.Account.String(), e.Project.String(), e.Key.String(), e.Action, e.Target, e.Address,
		e.RequestID, db.Millis(e.At), e.Before, e.After}
}

func fromAuditRow(r auditRow) audit.Event {
	return audit.Event{
		ID: id.Stored[id.AuditEvent](r.ID), Account: id.Stored[id.Account](r.AccountID), Project: id.Stored[id.Project](r.ProjectID),
		Key: id.Stored[id.APIKey](r.KeyID), Action: r.Action, Target: r.Target, Address: r.Address, RequestID: r.RequestID,
		At: db.Time(r.At), Before: r.Before, After: r.After,
	}
}

func (r Requests) Events(ctx context.Context, account id.Account, f ports.AuditFilter, page ports.Page) ([]audit.Event, int, error) {
	where, args := auditWhere(f, []any{account.String()})
	var counts []struct{ N int }
	var rows []auditRow
	b := r.store.Read(db.NoProject)
	b.Query(&counts, countAuditEvents+where, args...)
	n := len(args)
	b.Query(&rows, selectAuditEvents+where+`
ORDER BY at DESC, id DESC
LIMIT $`+strconv.Itoa(n+1)+` OFFSET $`+strconv.Itoa(n+2), append(args[:n:n], page.Limit, page.Offset)...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	events := make([]audit.Event, len(rows))
	for i, row := range rows {
		events[i] = fromAuditRow(row)
	}
	return events, counts[0].N, nil
}

// auditWhere adds the filter's conditions and their arguments.
func auditWhere(f ports.AuditFilter, args []any) (string, []any) {
	var where strings.Builder
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(args)), 1)
		}
		where.WriteString("\n  AND " + condition)
	}
	if len(f.Projects) > 0 {
		marks := strings.Repeat(", ?", len(f.Projects))[2:]
		values := make([]any, len(f.Projects))
		for i, p := range f.Projects {
			values[i] = p.String()
		}
		add("project_id IN ("+marks+")", values...)
	}
	if f.Key != (id.APIKey{}) {
		add("key_id = ?", f.Key.String())
	}
	if f.Action != "" {
		add("action = ?", f.Action)
	}
	if !f.From.IsZero() {
		add("at >= ?", db.Millis(f.From))
	}
	if !f.To.IsZero() {
		add("at < ?", db.Millis(f.To))
	}
	return where.String(), args
}
