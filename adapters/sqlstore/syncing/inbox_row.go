package syncing

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

type inboxRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	IntegrationID string `db:"integration_id"`
	WebhookID     string `db:"webhook_id"`
	Topic         string
	Remote        string
	At            *int64
	Status        string
	Error         string
	Retries       int
	Size          int
	ReceivedAt    int64  `db:"received_at"`
	DueAt         *int64 `db:"due_at"`
	Payload       []byte
}

func toInboxRow(d *integration.Delivery) inboxRow {
	return inboxRow{
		ProjectID: d.Project.String(), ID: d.ID.String(), IntegrationID: d.Integration.String(), WebhookID: d.Webhook.String(),
		Topic: d.Topic, Remote: d.Remote, At: toKnownMillis(d.At), Status: d.Status.String(), Error: d.Error, Retries: d.Retries,
		Size: d.Size, ReceivedAt: db.Millis(d.ReceivedAt), DueAt: toKnownMillis(d.DueAt), Payload: d.Payload,
	}
}

// toRepeatedRow is the delivery's as it is stored if it was there before.
func toRepeatedRow(d *integration.Delivery) inboxRow {
	repeated := *d
	repeated.Repeated()
	return toInboxRow(&repeated)
}

// values are in the order of inboxColumns.
func (r inboxRow) values() []any {
	return []any{r.ProjectID, r.ID, r.IntegrationID, r.WebhookID, r.Topic, r.Remote, r.At, r.Status, r.Error, r.Retries, r.Size,
		r.ReceivedAt, r.DueAt, db.OrNull(r.Payload)}
}

func updateInboxArgs(d *integration.Delivery) []any {
	return []any{d.Project.String(), d.ID.String(), d.Status.String(), d.Error, d.Retries, toKnownMillis(d.DueAt), d.Payload != nil}
}

func fromInboxRow(r inboxRow) *integration.Delivery {
	return &integration.Delivery{
		ID: id.Stored[id.WebhookLog](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		Integration: id.Stored[id.Integration](r.IntegrationID), Webhook: id.Stored[id.Webhook](r.WebhookID),
		Topic: r.Topic, Remote: r.Remote, At: fromKnownMillis(r.At), Status: integration.LogStatuses[r.Status], Error: r.Error,
		Retries: r.Retries, Size: r.Size, Payload: r.Payload, ReceivedAt: db.Time(r.ReceivedAt), DueAt: fromKnownMillis(r.DueAt),
	}
}

func fromInboxRows(rows []inboxRow) []*integration.Delivery {
	list := make([]*integration.Delivery, len(rows))
	for n, r := range rows {
		list[n] = fromInboxRow(r)
	}
	return list
}

// toKnownMillis is NULL for the zero time, which in a domain type is a time that is not known.
func toKnownMillis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return db.OptionalMillis(&t)
}

func fromKnownMillis(n *int64) time.Time {
	if n == nil {
		return time.Time{}
	}
	return db.Time(*n)
}
