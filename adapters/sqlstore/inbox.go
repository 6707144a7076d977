package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Inbox is the store's view of what came to the webhooks of integrations.
type Inbox struct{ store *Store }

var _ ports.Inbox = Inbox{}

// Inbox keeps deliveries.
func (s *Store) Inbox() Inbox { return Inbox{s} }

// InboxQueue hands deliveries out.
func (s *Store) InboxQueue() ports.InboxQueue {
	return inboxQueue{workQueue[leasedInboxRow, *integration.Delivery]{s, dueInbox, leasedInboxRow.lease}}
}

type inboxQueue struct {
	workQueue[leasedInboxRow, *integration.Delivery]
}

var dueInbox = queueTable{
	name:    "webhooks",
	table:   "webhook_deliveries",
	key:     "id",
	group:   "integration_id",
	waits:   "due_at IS NOT NULL",
	due:     "due_at",
	lease:   "due_at",
	retry:   "due_at",
	columns: inboxColumns,
}

type leasedInboxRow struct {
	inboxRow
	heldRow
}

func (r leasedInboxRow) lease() ports.Leased[*integration.Delivery] {
	return decoded(r.held(r.ProjectID, r.ID, r.IntegrationID), func() (*integration.Delivery, error) { return fromInboxRow(r.inboxRow), nil })
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
	parts := slices.Collect(slices.Chunk(list, v.store.dialect.maxRows))
	repeated := make([][]struct{ ID string }, len(parts))
	b := v.store.writing(anyProject)
	for n, part := range parts {
		statement, args := insertOfInbox(part, toInboxRow)
		b.exec(statement, args...)
		statement, args = insertOfInbox(part, toRepeatedRow)
		b.query(&repeated[n], statement+"\nRETURNING id", args...)
	}
	if len(list) == 0 {
		return nil
	}
	if err := b.run(ctx); err != nil {
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

func insertOfInbox(list []*integration.Delivery, row func(*integration.Delivery) inboxRow) (statement string, args arguments) {
	rows := make([]string, len(list))
	for n, d := range list {
		rows[n] = args.row(row(d).values()...)
	}
	return insertInbox + strings.Join(rows, ",\n") + "\nON CONFLICT DO NOTHING", args
}

func (v Inbox) Record(ctx context.Context, d *integration.Delivery, lease time.Time) error {
	b := v.store.writing(d.Project)
	b.exec(recordInbox, append(updateInboxArgs(d), toMillis(lease))...)
	return b.run(ctx)
}

func (v Inbox) Log(ctx context.Context, of id.Project, at id.Integration, f ports.LogFilter, page ports.Page) ([]*integration.Delivery, int, error) {
	where, args := ofIntegration, arguments{of.String(), at.String()}
	if !f.Since.IsZero() {
		where += "\n  AND received_at >= " + args.add(toMillis(f.Since))
	}
	if f.Status != (integration.LogStatus{}) {
		where += "\n  AND status = " + args.add(f.Status.String())
	}
	var rows []inboxRow
	var total []countRow
	b := v.store.reading(of)
	b.query(&total, "SELECT count(*) AS n"+where, args...)
	b.query(&rows, "SELECT "+loggedColumns+where+`
ORDER BY received_at DESC, id DESC
LIMIT `+args.add(page.Limit)+` OFFSET `+args.add(page.Offset), args...)
	if err := b.run(ctx); err != nil {
		return nil, 0, err
	}
	return fromInboxRows(rows), total[0].N, nil
}

func (v Inbox) Update(ctx context.Context, of id.Project, at id.Integration, wanted id.WebhookLog,
	change func(*integration.Delivery) error) (changed *integration.Delivery, err error) {
	err = v.store.inTx(ctx, of, func(t *tx) error {
		var row inboxRow
		found, err := t.get(ctx, &row, "SELECT "+inboxColumns+ofIntegration+"\n  AND id = $3"+t.dialect.forUpdate,
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
		_, err = t.exec(ctx, updateInbox, updateInboxArgs(d)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}
