package syncing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Inbox stores the deliveries that the webhooks of integrations received.
type Inbox struct{ Store *db.DB }

var _ ports.Inbox = Inbox{}

// NewInboxQueue returns a view that leases deliveries.
func NewInboxQueue(s *db.DB) ports.InboxQueue {
	return queue.Queue[integration.Delivery, *integration.Delivery]{
		Store: s,
		Table: DueInbox,
		Item:  queue.Row[integration.Delivery],
	}
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
	Columns: inbox.Columns(),

	Size:      "size",
	MostBytes: mostClaimed,
}

// mostClaimed bounds the payloads of an integration that are in memory at once, except for a single larger one.
const mostClaimed = 4 << 20

var inbox = db.NewTable[integration.Delivery]("webhook_deliveries", db.Columns{"At": ",null", "DueAt": ",null"})

const (
	// loggedColumns leave payloads out.
	loggedColumns = `project_id, id, integration_id, webhook_id, topic, remote, at, status, error, retries, size, received_at, due_at`

	ofIntegration = `
FROM webhook_deliveries
WHERE project_id = $1
  AND integration_id = $2`

	// updateInbox keeps a payload or drops it, and never replaces it.
	updateInbox = `
UPDATE webhook_deliveries
SET status = $3, error = $4, retries = $5, due_at = $6, payload = CASE WHEN $7 THEN payload END
WHERE project_id = $1
  AND id = $2`

	// recordInbox is updateInbox if the caller still holds the lease.
	recordInbox = updateInbox + `
  AND due_at = $8`
)

// Keep stores deliveries and marks duplicate deliveries. It stores each part of the list twice, in one round trip: first
// as it is, which leaves out known deliveries, and then as repeated, which leaves out those that are stored by now. It
// goes in the order of their keys, because concurrent calls with the same deliveries wait for each other.
func (v Inbox) Keep(ctx context.Context, list []*integration.Delivery) error {
	list = slices.Clone(list)
	slices.SortStableFunc(list, byRemote)
	parts := slices.Collect(slices.Chunk(list, v.Store.Dialect.MaxRows))
	repeated := make([][]id.WebhookLog, len(parts))
	b := v.Store.Write(db.AnyProject)
	for n, part := range parts {
		statement, args := insertOfInbox(part, func(*integration.Delivery) {})
		b.Exec(statement, args...)
		statement, args = insertOfInbox(part, (*integration.Delivery).Repeated)
		b.Query(&repeated[n], statement+"\nRETURNING id", args...)
	}
	if len(list) == 0 {
		return nil
	}
	if err := b.Run(ctx); err != nil {
		return err
	}
	again := make(map[id.WebhookLog]bool)
	for _, d := range slices.Concat(repeated...) {
		again[d] = true
	}
	for _, d := range list {
		if again[d.ID] {
			d.Repeated()
		}
	}
	return nil
}

func byRemote(a, b *integration.Delivery) int {
	return cmp.Or(strings.Compare(a.Project.String(), b.Project.String()), strings.Compare(a.Webhook.String(), b.Webhook.String()),
		strings.Compare(a.Remote, b.Remote))
}

// insertOfInbox stores deliveries as change leaves them.
func insertOfInbox(list []*integration.Delivery, change func(*integration.Delivery)) (statement string, args db.Args) {
	rows := make([]string, len(list))
	for n, d := range list {
		row := *d
		change(&row)
		rows[n] = args.Row(inbox.Args(row)...)
	}
	return "INSERT INTO webhook_deliveries (" + inbox.Columns() + ")\nVALUES " + strings.Join(rows, ",\n") + "\nON CONFLICT DO NOTHING", args
}

// updateInboxArgs are the values of updateInbox.
func updateInboxArgs(d *integration.Delivery) []any {
	return []any{d.Project, d.ID, d.Status, d.Error, d.Retries, db.MillisOrNull(d.DueAt), d.Payload != nil}
}

func (v Inbox) Record(ctx context.Context, d *integration.Delivery, lease time.Time) error {
	return v.Store.Exec(ctx, d.Project, recordInbox, append(updateInboxArgs(d), lease)...)
}

func (v Inbox) Log(ctx context.Context, of id.Project, at id.Integration, f ports.LogFilter, page ports.Page) ([]*integration.Delivery, int, error) {
	w := db.Conditions{Args: db.Args{of, at}}
	w.During("received_at", f.Since, time.Time{})
	w.Equal("status", f.Status)
	return db.Page[*integration.Delivery](ctx, v.Store.Read(of), loggedColumns, ofIntegration, w, "received_at DESC, id DESC", page)
}

func (v Inbox) Update(ctx context.Context, of id.Project, at id.Integration, wanted id.WebhookLog,
	change func(*integration.Delivery) error) (*integration.Delivery, error) {
	return db.InTx(ctx, v.Store, of, func(t *db.Tx) (*integration.Delivery, error) {
		d, err := db.One[integration.Delivery](ctx, t, "delivery", "SELECT "+inbox.Columns()+ofIntegration+"\n  AND id = $3"+t.Dialect.ForUpdate, of, at, wanted)
		if err != nil {
			return nil, err
		}
		if err := change(d); err != nil {
			return nil, err
		}
		_, err = t.Exec(ctx, updateInbox, updateInboxArgs(d)...)
		return d, err
	})
}
