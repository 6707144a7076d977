package syncing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Inbox is the store's view of what came to the webhooks of integrations.
type Inbox struct{ store *db.DB }

var _ ports.Inbox = Inbox{}

// NewInbox returns a view that keeps deliveries.
func NewInbox(s *db.DB) Inbox { return Inbox{s} }

// NewInboxQueue returns a view that hands deliveries out.
func NewInboxQueue(s *db.DB) ports.InboxQueue {
	return inboxQueue{queue.Queue[leasedInboxRow, *integration.Delivery]{Store: s, Table: DueInbox, Lease: leasedInboxRow.lease}}
}

type inboxQueue struct {
	queue.Queue[leasedInboxRow, *integration.Delivery]
}

var DueInbox = queue.Table{
	Name:    "webhooks",
	Table:   "webhook_deliveries",
	Key:     "id",
	Group:   "integration_id",
	Waits:   "due_at IS NOT NULL",
	Due:     "due_at",
	Lease:   "due_at",
	Retry:   "due_at",
	Columns: inboxColumns,
}

type leasedInboxRow struct {
	inboxRow
	queue.HeldRow
}

func (r leasedInboxRow) lease() ports.Leased[*integration.Delivery] {
	return queue.Decoded(r.Held(r.ProjectID, r.ID, r.IntegrationID), func() (*integration.Delivery, error) { return fromInboxRow(r.inboxRow), nil })
}

const (
	loggedColumns = `project_id, id, integration_id, webhook_id, topic, remote, at, status, error, retries, size, received_at, due_at`

	inboxColumns = loggedColumns + ", payload"

	insertInbox = `
INSERT INTO webhook_deliveries (` + inboxColumns + `)
VALUES `

	ofIntegration = `
FROM webhook_deliveries
WHERE project_id = $1
  AND integration_id = $2`

	// updateInbox keeps a payload, or drops it: another one it never gets.
	updateInbox = `
UPDATE webhook_deliveries
SET status = $3, error = $4, retries = $5, due_at = $6, payload = CASE WHEN $7 THEN payload END
WHERE project_id = $1
  AND id = $2`

	// recordInbox is updateInbox for who still holds the lease.
	recordInbox = updateInbox + `
  AND due_at = $8`
)

// Keep stores each part of the list twice, in one round trip: first as it is, which leaves out what is known,
// and then as repeated, which leaves out what is stored by now. In the order of their keys, for two that
// store the same deliveries at once wait for each other.
func (v Inbox) Keep(ctx context.Context, list []*integration.Delivery) error {
	list = slices.Clone(list)
	slices.SortStableFunc(list, byRemote)
	parts := slices.Collect(slices.Chunk(list, v.store.Dialect.MaxRows))
	repeated := make([][]struct{ ID string }, len(parts))
	b := v.store.Write(db.AnyProject)
	for n, part := range parts {
		statement, args := insertOfInbox(part, toInboxRow)
		b.Exec(statement, args...)
		statement, args = insertOfInbox(part, toRepeatedRow)
		b.Query(&repeated[n], statement+"\nRETURNING id", args...)
	}
	if len(list) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	again := make(map[string]bool)
	for _, row := range slices.Concat(repeated...) {
		again[row.ID] = true
	}
	for _, d := range list {
		if again[d.ID.String()] {
			d.Repeated()
		}
	}
	return nil
}

func byRemote(a, b *integration.Delivery) int {
	return cmp.Or(strings.Compare(a.Project.String(), b.Project.String()), strings.Compare(a.Webhook.String(), b.Webhook.String()),
		strings.Compare(a.Remote, b.Remote))
}

func insertOfInbox(list []*integration.Delivery, row func(*integration.Delivery) inboxRow) (statement string, args db.Args) {
	rows := make([]string, len(list))
	for n, d := range list {
		rows[n] = args.Row(row(d).values()...)
	}
	return insertInbox + strings.Join(rows, ",\n") + "\nON CONFLICT DO NOTHING", args
}

func (v Inbox) Record(ctx context.Context, d *integration.Delivery, lease time.Time) error {
	b := v.store.Write(d.Project)
	b.Exec(recordInbox, append(updateInboxArgs(d), db.Millis(lease))...)
	return b.Run(ctx)
}

func (v Inbox) Log(ctx context.Context, of id.Project, at id.Integration, f ports.LogFilter, page ports.Page) ([]*integration.Delivery, int, error) {
	where, args := ofIntegration, db.Args{of.String(), at.String()}
	if !f.Since.IsZero() {
		where += "\n  AND received_at >= " + args.Add(db.Millis(f.Since))
	}
	if f.Status != (integration.LogStatus{}) {
		where += "\n  AND status = " + args.Add(f.Status.String())
	}
	var rows []inboxRow
	var total []db.CountRow
	b := v.store.Read(of)
	b.Query(&total, "SELECT count(*) AS n"+where, args...)
	b.Query(&rows, "SELECT "+loggedColumns+where+`
ORDER BY received_at DESC, id DESC
LIMIT `+args.Add(page.Limit)+` OFFSET `+args.Add(page.Offset), args...)
	if err := b.Run(ctx); err != nil {
		return nil, 0, err
	}
	return fromInboxRows(rows), total[0].N, nil
}

func (v Inbox) Update(ctx context.Context, of id.Project, at id.Integration, wanted id.WebhookLog,
	change func(*integration.Delivery) error) (changed *integration.Delivery, err error) {
	err = v.store.InTx(ctx, of, func(t *db.Tx) error {
		var row inboxRow
		found, err := t.Get(ctx, &row, "SELECT "+inboxColumns+ofIntegration+"\n  AND id = $3"+t.Dialect.ForUpdate,
			of.String(), at.String(), wanted.String())
		if err == nil && !found {
			err = fault.Missing("delivery")
		}
		if err != nil {
			return err
		}
		d := fromInboxRow(row)
		if err := change(d); err != nil {
			return err
		}
		changed = d
		_, err = t.Exec(ctx, updateInbox, updateInboxArgs(d)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}
