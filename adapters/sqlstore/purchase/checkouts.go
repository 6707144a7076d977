package purchase

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/haggling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Checkouts stores checkouts.
type Checkouts struct{ Store *db.DB }

var _ ports.Checkouts = Checkouts{}

// NewLapsedCheckouts returns a view that leases checkouts whose payment attempt no process works on.
func NewLapsedCheckouts(s *db.DB) ports.LapsedCheckouts {
	return queue.Queue[CheckoutRow, *checkout.Checkout]{
		Store: s,
		Table: LapsedCheckouts,
		Item:  fromLeased,
	}
}

func fromLeased(r CheckoutRow) (*checkout.Checkout, error) { return FromCheckoutRow(r), nil }

var LapsedCheckouts = queue.Table{
	Name:    "payments",
	Table:   "checkouts",
	Key:     "id",
	Group:   "queue",
	Waits:   "status = 'processing'",
	Due:     "CASE WHEN retry_at > lease_until THEN retry_at ELSE lease_until END",
	Lease:   "lease_until",
	Retry:   "retry_at",
	Columns: CheckoutColumns,
}

var (
	// insertCheckout is completed by the database's clock. Its last parameter is the project's version. It counts open
	// checkouts in the statement itself, so two at the same time may both be the last one.
	insertCheckout = `
INSERT INTO checkouts (` + CheckoutColumns + `)
SELECT ` + checkouts.ValuesBut(map[string]string{
		"status": db.UnlessChanged(checkouts.Param("status"), checkouts.Param("project_id"), checkouts.After(2)),
	}) + `
WHERE ` + checkouts.After(1) + ` > (
  SELECT count(*)
  FROM checkouts
  WHERE project_id = ` + checkouts.Param("project_id") + `
    AND session_id = ` + checkouts.Param("session_id") + `
    AND (status IN ('incomplete', 'ready', 'pending') AND valid_until > %s OR status = 'processing')
)
RETURNING id`

	selectCheckoutsOf = `
SELECT ` + CheckoutColumns + `
FROM checkouts
WHERE project_id = $1`

	selectCheckout = selectCheckoutsOf + `
  AND id = $2`

	selectUndecidedAttempts = selectCheckoutsOf + `
  AND status = 'processing'`

	// updateCheckout writes the columns that domain methods change. Only Revise changes the cart and its totals; its
	// problems are also changed by others.
	updateCheckout = checkouts.Update(checkoutKey, changedByVerbs...)

	// reviseCheckout takes the project's version.
	reviseCheckout    = checkouts.Update(checkoutKey, changedByRevise...)
	reviseIfUnchanged = reviseCheckout.But("status", func(status string) string {
		return db.UnlessChanged(status, "$1", reviseCheckout.After(1))
	}).Text

	// selectCheckoutNow is completed by the database's clock.
	selectCheckoutNow = `
SELECT ` + CheckoutColumns + `, %s AS now
FROM checkouts
WHERE project_id = $1
  AND id = $2`

	// lockCheckout is completed by the locking clause and the clock, which is read after the wait for the lock.
	lockCheckout = `
WITH locked AS MATERIALIZED (` + selectCheckout + `%s
)
SELECT ` + CheckoutColumns + `, %s AS now
FROM locked`

	checkoutKey    = []string{"project_id", "id"}
	changedByVerbs = []string{
		"status", "revision", "cart_problems", "selected", "attempt", "declines", "lease_until", "retry_at", "payment", "taken", "claimed_at", "queue",
	}

	changedByRevise = []string{
		"status", "revision", "strict", "lines", "line_seq", "cart_problems", "address", "buyer", "options", "selected", "hook_protocol", "hook_url",
		"subtotal", "tax", "savings", "payment", "valid_until",
	}
)

const (
	// triedOf are the declined payments, and the attempts in flight, of the session of a checkout and of a client.
	// It is completed by the clock, several times.
	triedOf = `
SELECT sum(t.declined) AS declined, sum(1 - t.declined) AS in_flight, min(t.at) AS first
FROM (
  SELECT d.subject AS payer, 1 AS declined, d.at
  FROM declines AS d
  WHERE d.project_id = $1
    AND d.subject IN ((SELECT c.session_id FROM checkouts AS c WHERE c.project_id = $1 AND c.id = $2), $3)
    AND d.at > %[1]s - $4
  UNION ALL
  SELECT c.session_id, 0, NULL
  FROM checkouts AS c
  WHERE c.project_id = $1
    AND c.session_id = (SELECT paid.session_id FROM checkouts AS paid WHERE paid.project_id = $1 AND paid.id = $2)
    AND c.status = 'processing'
    AND c.claimed_at > %[1]s - $4
  UNION ALL
  SELECT c.client, 0, NULL
  FROM checkouts AS c
  WHERE c.project_id = $1
    AND c.client = $3
    AND c.client <> ''
    AND c.status = 'processing'
    AND c.claimed_at > %[1]s - $4
) AS t
GROUP BY t.payer`

	insertDecline = `
INSERT INTO declines (project_id, subject, at, checkout_id, attempt)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING`

	deleteDeclines = `
DELETE FROM declines
WHERE at < $1`
)

func (v Checkouts) Create(ctx context.Context, c *checkout.Checkout, s *session.Session, t session.Touched, version int64) error {
	row := toCheckoutRow(c)
	query := fmt.Sprintf(insertCheckout, v.Store.Dialect.Moment())
	b := v.Store.Write(row.Project)
	missing := haggling.Keep(b, s, t)
	stored, err := db.First[string](ctx, b, query, checkouts.Args(row, checkout.MaxOpen, version)...)
	if err = cmp.Or(db.OrMissingSession(err), missing()); err != nil {
		return err
	}
	if stored == nil {
		return account.Full(checkout.MaxOpen, "open checkouts", "a session").After(checkout.OpenPause)
	}
	return nil
}

func (v Checkouts) Get(ctx context.Context, project id.Project, of id.Checkout) (*checkout.Checkout, error) {
	row, err := db.One[CheckoutRow](ctx, v.Store.Read(project), "checkout", selectCheckout, project, of)
	if err != nil {
		return nil, err
	}
	return FromCheckoutRow(*row), nil
}

func (v Checkouts) UndecidedAttempts(ctx context.Context, project id.Project) ([]*checkout.Checkout, error) {
	rows, err := db.All[CheckoutRow](ctx, v.Store.Read(project), selectUndecidedAttempts, project)
	list := make([]*checkout.Checkout, len(rows))
	for i := range rows {
		list[i] = FromCheckoutRow(rows[i])
	}
	return list, err
}

func (v Checkouts) InTx(ctx context.Context, project id.Project, work func(ports.Purchase) error) error {
	return v.Store.InTx(ctx, project, func(t *db.Tx) error { return work(purchase{t, project}) })
}

func (v Checkouts) PayAttempts(ctx context.Context, project id.Project, of id.Checkout, client string, window time.Duration) (ports.PayAttempts, error) {
	var row *checkoutNowRow
	var tried []triedRow
	b := v.Store.Read(project)
	b.Query(&row, fmt.Sprintf(selectCheckoutNow, v.Store.Dialect.Clock), project, of)
	b.Query(&tried, fmt.Sprintf(triedOf, v.Store.Dialect.Clock), project, of, client, window.Milliseconds())
	if err := b.Run(ctx); err != nil {
		return ports.PayAttempts{}, err
	}
	if row == nil {
		return ports.PayAttempts{}, fault.Missing("checkout")
	}
	found := ports.PayAttempts{Checkout: FromCheckoutRow(row.CheckoutRow), Now: row.Now}
	for _, payer := range tried {
		if payer.Declined > found.Declines {
			found.Declines, found.First = payer.Declined, payer.First
		}
		found.Attempts = max(found.Attempts, payer.Declined+payer.InFlight)
	}
	return found, nil
}

func (v Checkouts) ForgetDeclines(ctx context.Context, before time.Time) error {
	return v.Store.Exec(ctx, db.AnyProject, deleteDeclines, before)
}

// triedRow is how many payments a session or a client tried.
type triedRow struct {
	Declined int
	InFlight int
	First    time.Time `db:",null"` // decline
}

// checkoutNowRow is a checkout at a time of the database.
type checkoutNowRow struct {
	CheckoutRow
	Now time.Time
}
