package syncing

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
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
	Store         string
	BaseURL       string `db:"base_url"`
	Currency      string
	SkipProducts  bool   `db:"skip_products"`
	SkipOrders    bool   `db:"skip_orders"`
	SkipCustomers bool   `db:"skip_customers"`
	WebhookID     string `db:"webhook_id"`
	WebhookRemote string `db:"webhook_remote"`
	WebhookStatus string `db:"webhook_status"`
	Sealed        []byte
	ExpiresAt     *int64 `db:"expires_at"`
	Refreshing    *int64
	LastError     string `db:"last_error"`
	Synced        string
	LastSync      *int64 `db:"last_sync"`
	Wanted        string
	CreatedAt     int64 `db:"created_at"`
	UpdatedAt     int64 `db:"updated_at"`
}

func toIntegrationRow(i *integration.Integration) (integrationRow, error) {
	synced, err := db.ToJSON(toSyncedJSON(i.Synced))
	c := i.Config
	return integrationRow{
		ProjectID: i.Project.String(), ID: i.ID.String(), Type: i.Type.String(), Name: i.Name, Status: i.Status.String(),
		Account: c.Account, Live: c.Live, Store: c.Store, BaseURL: c.BaseURL, Currency: c.Currency,
		SkipProducts: c.Skip.Products, SkipOrders: c.Skip.Orders, SkipCustomers: c.Skip.Customers,
		WebhookID: i.Hook.ID.String(), WebhookRemote: i.Hook.Remote, WebhookStatus: i.Hook.Status.String(),
		Sealed: i.Sealed, ExpiresAt: db.MillisOrNull(i.Expires), Refreshing: db.MillisOrNull(i.Refreshing), LastError: i.LastError,
		Synced: synced, LastSync: db.MillisOrNull(i.LastSync), Wanted: strings.Join(db.Strings(i.Wanted), ","),
		CreatedAt: db.Millis(i.CreatedAt), UpdatedAt: db.Millis(i.UpdatedAt),
	}, err
}

func fromIntegrationRow(r integrationRow) (*integration.Integration, error) {
	kind, err := integration.ParseType(r.Type)
	if err != nil {
		return nil, db.Unreadable("integration", err)
	}
	var synced map[string]int64
	if err := db.FromJSON(r.Synced, &synced); err != nil {
		return nil, err
	}
	return &integration.Integration{
		Project: id.Stored[id.Project](r.ProjectID), ID: id.Stored[id.Integration](r.ID), Type: kind, Name: r.Name,
		Status: integration.Statuses[r.Status],
		Config: integration.Config{
			Account: r.Account, Live: r.Live, Store: r.Store, BaseURL: r.BaseURL, Currency: r.Currency,
			Skip: integration.Skips{Products: r.SkipProducts, Orders: r.SkipOrders, Customers: r.SkipCustomers},
		},
		Hook: integration.Hook{
			ID: id.Stored[id.Webhook](r.WebhookID), Remote: r.WebhookRemote, Status: integration.HookStatuses[r.WebhookStatus],
		},
		Sealed: r.Sealed, Expires: db.TimeOrZero(r.ExpiresAt), Refreshing: db.TimeOrZero(r.Refreshing), LastError: r.LastError,
		Synced: fromSyncedJSON(synced), LastSync: db.TimeOrZero(r.LastSync), Wanted: fromWanted(r.Wanted),
		CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
	}, nil
}

// toSyncedJSON has the watermarks by the resources' names.
func toSyncedJSON(marks syncrun.Watermarks) map[string]int64 {
	j := make(map[string]int64, len(marks))
	for resource, at := range marks {
		j[resource.String()] = db.Millis(at)
	}
	return j
}

// fromSyncedJSON is nil when nothing has been read, as the domain has it.
func fromSyncedJSON(j map[string]int64) syncrun.Watermarks {
	var marks syncrun.Watermarks
	for name, at := range j {
		if marks == nil {
			marks = syncrun.Watermarks{}
		}
		marks[syncrun.StoredResource(name)] = db.Time(at)
	}
	return marks
}

func fromWanted(text string) (wanted []syncrun.Resource) {
	for name := range strings.SplitSeq(text, ",") {
		if name != "" {
			wanted = append(wanted, syncrun.StoredResource(name))
		}
	}
	return wanted
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
