// Package syncing stores integrations with their OAuth consents, their webhooks and inbox, sync runs, and external
// records of platforms. It calls no platform.
package syncing

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// Integrations stores the integrations of projects.
type Integrations struct{ Store *db.DB }

var (
	_ ports.Integrations      = Integrations{}
	_ ports.IntegrationsInUse = Integrations{}

	_ ports.IntegrationFigures = Integrations{}
)

var (
	integrations = db.NewTable[integration.Integration]("integrations", db.Columns{
		"Config.Skip.Products":          "skip_products",
		"Config.Skip.Orders":            "skip_orders",
		"Config.Skip.Customers":         "skip_customers",
		"Config.Skip.Writing":           "skip_writing",
		"Config.Refused":                "refused_orders",
		"Config.Offer.Unpublished":      "offer_unpublished",
		"Config.Offer.GiftCards":        "offer_gift_cards",
		"Config.Offer.SubscriptionOnly": "offer_subscription_only",
		"Config.Schedule":               "sync_schedule",
		"Hook.ID":                       "webhook_id",
		"Hook.Remote":                   "webhook_remote",
		"Hook.Status":                   "webhook_status",
		"Expires":                       "expires_at,null",
		"LastSync":                      ",null",
		"NextSync":                      ",null",
		"Refreshing":                    ",null",
		"Synced":                        ",json,currency=-", // the column currency is the platform's
	})
	_ = stored.JSON[syncrun.Watermarks](nil)

	selectIntegration = integrations.Select()

	// An existing row is replaced if it is disconnected; otherwise it is left as it is, and no row counts as written.
	connectIntegration = integrations.Insert() + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("name", "status", "account", "live", "store", "base_url", "currency", "skip_products", "skip_orders",
		"skip_customers", "skip_writing", "may_write_orders", "may_write_deals", "refused_orders", "offer_unpublished", "offer_gift_cards", "offer_subscription_only", "webhook_id", "webhook_remote", "webhook_status", "sealed", "expires_at", "refreshing", "last_error",
		"synced", "last_sync", "sync_schedule", "next_sync", "wanted", "updated_at") + `
WHERE integrations.status = 'disconnected'`

	// updateIntegration writes the columns that domain methods change, not the account.
	updateIntegration = integrations.Update([]string{"project_id", "id"}, "name", "status", "store", "base_url", "currency",
		"skip_products", "skip_orders", "skip_customers", "skip_writing", "may_write_orders", "may_write_deals", "refused_orders", "offer_unpublished", "offer_gift_cards", "offer_subscription_only", "webhook_remote", "webhook_status", "sealed", "expires_at", "refreshing",
		"last_error", "synced", "last_sync", "sync_schedule", "next_sync", "wanted", "updated_at")
)

// resumeNews resumes changes of written orders that were not sent to the platform while the integration was
// disconnected. resumeOrders also resumes orders that were not written.
const (
	resumeNews = resume + `
  AND status = 'written'`
	resumeOrders = resume + `
  AND (status = 'written' OR status = 'skipped' AND created_at > $5)`
	resume = `
UPDATE platform_orders
SET status = CASE WHEN status = 'skipped' THEN 'pending' ELSE status END, failures = 0, due_at = $3, updated_at = $3
WHERE project_id = $1
  AND integration_id = $2
  AND due_at IS NULL
  AND problem = $4`
)

// resumeDeals resumes deals that wait until the integration may write, however old they are, because a deal is never
// created twice. With new credentials it also retries failed deals at once.
const resumeDeals = `
UPDATE crm_deals
SET paused = FALSE, failures = 0, due_at = $3, updated_at = $3
WHERE project_id = $1
  AND integration_id = $2
  AND (paused OR $4 AND failures > 0 AND due_at IS NOT NULL)`

// unresolvedPause is the time after which to retry a change that undecided payments prevent.
const unresolvedPause = 5 * time.Second

const (
	oneIntegration = `
WHERE project_id = $1
  AND id = $2`

	updateRoutes = `
UPDATE projects
SET routes = $2
WHERE id = $1`

	payingCheckouts = `
SELECT payment
FROM checkouts
WHERE project_id = $1
  AND status = 'processing'`

	// pendingRefunds counts those of orphan charges, too.
	pendingRefunds = `
SELECT (
  SELECT count(*)
  FROM refunds AS r
  JOIN payments AS p ON p.project_id = r.project_id AND p.id = r.payment_id
  WHERE r.project_id = $1
    AND r.due_at IS NOT NULL
    AND p.integration_id = $2
) + (
  SELECT count(*)
  FROM orphan_charges AS o
  WHERE o.project_id = $1
    AND o.due_at IS NOT NULL
    AND o.integration_id = $2
) AS n`
)

func (v Integrations) List(ctx context.Context, of id.Project, page ports.Page) ([]*integration.Integration, int, error) {
	return db.Page[*integration.Integration](ctx, v.Store.Read(of), integrations.Columns(), "\nFROM integrations\nWHERE project_id = $1",
		db.Conditions{Args: db.Args{of}}, "created_at DESC, id", page)
}

func (v Integrations) ByID(ctx context.Context, of id.Project, wanted id.Integration) (*integration.Integration, error) {
	return db.One[integration.Integration](ctx, v.Store.Read(of), "integration", selectIntegration+oneIntegration, of, wanted)
}

// Use takes a lock that excludes changes by Disconnect.
func (v Integrations) Use(ctx context.Context, of id.Project, wanted id.Integration) (*integration.Integration, error) {
	return db.One[integration.Integration](ctx, v.Store.Write(of), "integration",
		selectIntegration+oneIntegration+v.Store.Dialect.ForKeyShare, of, wanted)
}

func (v Integrations) ByWebhook(ctx context.Context, webhook id.Webhook) (*integration.Integration, error) {
	return db.One[integration.Integration](ctx, v.Store.Read(db.AnyProject), "webhook", selectIntegration+"\nWHERE webhook_id = $1", webhook)
}

// SelectOfStore selects the integrations of a type with a shop's domain.
var SelectOfStore = selectIntegration + `
WHERE type = $1
  AND store = $2
  AND store <> ''
ORDER BY project_id, id`

func (v Integrations) ByStore(ctx context.Context, of integration.Type, store string) ([]*integration.Integration, error) {
	return db.All[*integration.Integration](ctx, v.Store.Read(db.AnyProject), SelectOfStore, of.String(), store)
}

func (v Integrations) Sealed(ctx context.Context) ([]*integration.Integration, error) {
	return db.All[*integration.Integration](ctx, v.Store.Read(db.AnyProject), selectIntegration+`
WHERE sealed IS NOT NULL
ORDER BY project_id, id`)
}

func (v Integrations) Connect(ctx context.Context, i *integration.Integration, route func(*project.Project) error) error {
	return v.Store.InTx(ctx, i.Project, func(t *db.Tx) error {
		if err := reroute(ctx, t, i.Project, route); err != nil {
			return err
		}
		stored, err := t.Exec(ctx, connectIntegration, integrations.Args(*i)...)
		if err == nil && stored == 0 {
			return integration.ErrExists()
		}
		switch {
		case err != nil:
			return err
		case i.Type.WritesDeals():
			return resumeIfWriting(ctx, t, i, true)
		case !i.Type.WritesOrders():
			return nil
		}
		query, args := resumeNews, []any{i.Project, i.ID, i.UpdatedAt, order.SkippedDisconnected}
		if i.Config.WritesOrders() {
			query, args = resumeOrders, append(args, i.UpdatedAt.Add(-order.ResumeWithin))
		}
		_, err = t.Exec(ctx, query, args...)
		return err
	})
}

// reroute changes a project's routes.
func reroute(ctx context.Context, t *db.Tx, of id.Project, route func(*project.Project) error) error {
	var row accounts.ProjectRow
	found, err := t.Get(ctx, &row, accounts.SelectProject+`
WHERE id = $1`+t.Dialect.ForUpdate, of)
	switch {
	case err != nil:
		return err
	case !found:
		return db.MissingProject()
	}
	p, err := accounts.FromProjectRow(t.Dialect, row)
	if err != nil {
		return err
	}
	if err := route(p); err != nil {
		return err
	}
	text, err := accounts.RoutesFormat.Text(p.Routes)
	if err != nil {
		return err
	}
	t.Wrote(of)
	_, err = t.Exec(ctx, updateRoutes, of, text)
	return err
}

func (v Integrations) Update(ctx context.Context, of id.Project, wanted id.Integration,
	change func(*integration.Integration) error) (*integration.Integration, error) {
	return db.InTx(ctx, v.Store, of, func(t *db.Tx) (*integration.Integration, error) {
		return changeIntegration(ctx, t, of, wanted, change)
	})
}

func changeIntegration(ctx context.Context, t *db.Tx, of id.Project, wanted id.Integration,
	change func(*integration.Integration) error) (*integration.Integration, error) {
	i, err := db.One[integration.Integration](ctx, t, "integration", selectIntegration+oneIntegration+t.Dialect.ForUpdate, of, wanted)
	if err != nil {
		return nil, err
	}
	before := i.Status
	if err := change(i); err != nil {
		return nil, err
	}
	_, err = t.Exec(ctx, updateIntegration.Text, updateIntegration.Args(*i)...)
	if err == nil {
		err = resumeIfWriting(ctx, t, i, i.Status != before)
	}
	return i, err
}

// resumeIfWriting resumes the integration's deals, if it writes any. The caller holds the integration's lock, as does a
// worker that pauses a deal.
func resumeIfWriting(ctx context.Context, t *db.Tx, i *integration.Integration, failed bool) error {
	if !i.WritesDeals() {
		return nil
	}
	_, err := t.Exec(ctx, resumeDeals, i.Project, i.ID, i.UpdatedAt, failed && i.Status == integration.Connected)
	return err
}

func (v Integrations) Disconnect(ctx context.Context, of id.Project, wanted id.Integration,
	change func(*integration.Integration, *project.Project)) (changed *integration.Integration, err error) {
	err = v.Store.InTx(ctx, of, func(t *db.Tx) error {
		return reroute(ctx, t, of, func(p *project.Project) error {
			changed, err = changeIntegration(ctx, t, of, wanted, func(i *integration.Integration) error {
				// After the lock, which a payment takes between its claim and the call of the provider.
				b := v.Store.Read(of)
				if busy, err := undecided(b, of, wanted, func() error { return t.Run(ctx, b) }); err != nil {
					return err
				} else if busy {
					return fault.New(fault.Conflict, "payments_unresolved",
						"A payment or refund through the integration is not decided yet. Try again later.").After(unresolvedPause)
				}
				change(i, p)
				return nil
			})
			return err
		})
	})
	return changed, err
}

func (v Integrations) Undecided(ctx context.Context, of id.Project, wanted id.Integration) (bool, error) {
	b := v.Store.Read(of)
	return undecided(b, of, wanted, func() error { return b.Run(ctx) })
}

// undecided reports whether payments or refunds through the integration are under way. run runs the batch with the
// added statements.
func undecided(b *db.Batch, of id.Project, through id.Integration, run func() error) (bool, error) {
	var payments []string
	var refunds int
	b.Query(&payments, payingCheckouts, of)
	b.Query(&refunds, pendingRefunds, of, through)
	if err := run(); err != nil {
		return false, err
	}
	for _, text := range payments {
		if route, err := purchase.RouteOf(text); err != nil || route.Integration == through {
			return true, err
		}
	}
	return refunds > 0, nil
}
