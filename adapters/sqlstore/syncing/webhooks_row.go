package syncing

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

type webhookRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	IntegrationID string `db:"integration_id"`
	Type          string
	Topic         string
	Actions       string
	Remote        string
	Signing       []byte
	Status        string
	CreatedAt     int64 `db:"created_at"`
}

func toWebhookRow(w *integration.Webhook) (webhookRow, error) {
	actions, err := db.ToJSON(db.Strings(w.Actions))
	return webhookRow{
		ProjectID: w.Project.String(), ID: w.ID.String(), IntegrationID: w.Integration.String(), Type: w.Type.String(),
		Topic: w.Topic, Actions: actions, Remote: w.Remote, Signing: w.Signing, Status: w.Status.String(),
		CreatedAt: db.Millis(w.CreatedAt),
	}, err
}

func fromWebhookRow(r webhookRow) (*integration.Webhook, error) {
	kind, err := integration.ParseType(r.Type)
	if err != nil {
		return nil, db.Unreadable("webhook", err)
	}
	w := &integration.Webhook{
		ID: id.Stored[id.Webhook](r.ID), Project: id.Stored[id.Project](r.ProjectID),
		Integration: id.Stored[id.Integration](r.IntegrationID), Type: kind, Topic: r.Topic, Remote: r.Remote, Signing: r.Signing,
		Status: integration.WebhookStatuses[r.Status], CreatedAt: db.Time(r.CreatedAt),
	}
	var names []string
	if err := db.FromJSON(r.Actions, &names); err != nil {
		return nil, err
	}
	for _, name := range names {
		w.Actions = append(w.Actions, integration.StoredAction(name))
	}
	return w, nil
}
