package sqlstore

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// unresolvedPause is when to ask again for what payments are in the way of.
const unresolvedPause = 5 * time.Second

type integrationRow struct {
	ProjectID     string `db:"project_id"`
	ID            string
	Type          string
	Name          string
	Status        string
	Account       string
	Live          bool
	WebhookID     string `db:"webhook_id"`
	WebhookRemote string `db:"webhook_remote"`
	WebhookStatus string `db:"webhook_status"`
	Sealed        []byte
	LastError     string `db:"last_error"`
	CreatedAt     int64  `db:"created_at"`
	UpdatedAt     int64  `db:"updated_at"`
}

func toIntegrationRow(i *integration.Integration) integrationRow {
	return integrationRow{
		ProjectID: i.Project.String(), ID: i.ID.String(), Type: i.Type.String(), Name: i.Name, Status: i.Status.String(),
		Account: i.Config.Account, Live: i.Config.Live,
		WebhookID: i.Hook.ID.String(), WebhookRemote: i.Hook.Remote, WebhookStatus: i.Hook.Status.String(),
		Sealed: i.Sealed, LastError: i.LastError, CreatedAt: toMillis(i.CreatedAt), UpdatedAt: toMillis(i.UpdatedAt),
	}
}

func fromIntegrationRow(r integrationRow) (*integration.Integration, error) {
	kind, err := integration.ParseType(r.Type)
	if err != nil {
		return nil, unreadable("integration", err)
	}
	return &integration.Integration{
		Project: id.Stored[id.Project](r.ProjectID), ID: id.Stored[id.Integration](r.ID), Type: kind, Name: r.Name,
		Status: integration.Statuses[r.Status], Config: integration.Config{Account: r.Account, Live: r.Live},
		Hook: integration.Hook{
			ID: id.Stored[id.Webhook](r.WebhookID), Remote: r.WebhookRemote, Status: integration.HookStatuses[r.WebhookStatus],
		},
		Sealed: r.Sealed, LastError: r.LastError, CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt),
	}, nil
}

func fromIntegrationRows(rows []integrationRow) ([]*integration.Integration, error) {
	list := make([]*integration.Integration, len(rows))
	for n, r := range rows {
		var err error
		if list[n], err = fromIntegrationRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// orNull is bytes, or NULL for none: drivers store nil as empty.
func orNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
