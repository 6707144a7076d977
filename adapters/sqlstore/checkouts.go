package sqlstore

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Checkouts is the store's view of checkouts.
type Checkouts struct{ store *Store }

var _ ports.Checkouts = Checkouts{}

// Checkouts keeps checkouts and what moves with them.
func (s *Store) Checkouts() Checkouts { return Checkouts{s} }

const (
	insertCheckout = `
INSERT INTO checkouts (` + checkoutColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`

	selectCheckout = `
SELECT ` + checkoutColumns + `
FROM checkouts
WHERE project_id = $1
  AND id = $2`

	// updateCheckout changes what verbs change. The cart and its totals are fixed at init.
	updateCheckout = `
UPDATE checkouts
SET status = $3, selected = $4, attempt = $5, declines = $6, lease_until = $7, payment = $8, taken = $9
WHERE project_id = $1
  AND id = $2`

	selectLapsed = `
SELECT project_id, id
FROM checkouts
WHERE status = 'processing'
  AND lease_until < $1
ORDER BY lease_until, project_id, id
LIMIT $2`
)

func (v Checkouts) Create(ctx context.Context, c *checkout.Checkout) error {
	row, err := toCheckoutRow(c)
	if err != nil {
		return err
	}
	b := v.store.writing(c.Snapshot().Project)
	b.exec(insertCheckout, row.args()...)
	return orMissingSession(b.run(ctx))
}

func (v Checkouts) Get(ctx context.Context, project id.Project, of id.Checkout) (*checkout.Checkout, error) {
	var rows []checkoutRow
	b := v.store.reading(project)
	b.query(&rows, selectCheckout, project.String(), of.String())
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fault.Missing("checkout")
	}
	return fromCheckoutRow(rows[0])
}

func (v Checkouts) InTx(ctx context.Context, project id.Project, work func(ports.Purchase) error) error {
	return v.store.inTx(ctx, project, func(t *tx) error { return work(purchase{t, project}) })
}

func (v Checkouts) Lapsed(ctx context.Context, now time.Time, limit int) ([]ports.LapsedCheckout, error) {
	var rows []struct {
		ProjectID string `db:"project_id"`
		ID        string
	}
	b := v.store.reading(anyProject)
	b.query(&rows, selectLapsed, toMillis(now), limit)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	lapsed := make([]ports.LapsedCheckout, len(rows))
	for i, r := range rows {
		lapsed[i] = ports.LapsedCheckout{Project: id.Stored[id.Project](r.ProjectID), Checkout: id.Stored[id.Checkout](r.ID)}
	}
	return lapsed, nil
}

// updateArgs are the values of updateCheckout.
func (r checkoutRow) updateArgs() []any {
	return []any{r.ProjectID, r.ID, r.Status, r.Selected, r.Attempt, r.Declines, r.LeaseUntil, r.Payment, r.Taken}
}
