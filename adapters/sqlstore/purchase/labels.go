package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Labels is the store's view of the labels of orders.
type Labels struct{ store *db.DB }

var _ ports.Labels = Labels{}

// NewLabels returns a view that keeps labels.
func NewLabels(s *db.DB) Labels { return Labels{s} }

var (
	labels = db.NewTable[labelRow]("labels")

	selectLabel = `
SELECT ` + labels.Columns() + `
FROM labels
WHERE project_id = $1
  AND order_id = $2
  AND test = $3`

	upsertLabel = labels.Insert() + `
ON CONFLICT (project_id, order_id, test) DO UPDATE
SET ` + db.Excluded("integration_id", "carrier", "service", "grams", "due_at", "unsure", "remote", "tracking_number", "currency",
		"price", "pdf", "told", "bought_at")
)

type labelRow struct {
	ProjectID      string `db:"project_id"`
	OrderID        string `db:"order_id"`
	Test           bool
	ID             string
	IntegrationID  string `db:"integration_id"`
	Carrier        string
	Service        string
	Grams          int
	DueAt          *int64 `db:"due_at"`
	Unsure         bool
	Remote         string
	TrackingNumber string `db:"tracking_number"`
	Currency       string
	Price          int64
	PDF            []byte
	Told           bool
	CreatedAt      int64  `db:"created_at"`
	BoughtAt       *int64 `db:"bought_at"`
}

func toLabelRow(l *order.Label) labelRow {
	return labelRow{
		ProjectID:      l.Project.String(),
		OrderID:        l.Order.String(),
		Test:           l.Test,
		ID:             l.ID.String(),
		IntegrationID:  l.Integration.String(),
		Carrier:        l.Carrier,
		Service:        l.Service,
		Grams:          l.Grams,
		DueAt:          db.MillisOrNull(l.DueAt),
		Unsure:         l.Unsure,
		Remote:         l.Remote,
		TrackingNumber: l.TrackingNumber,
		Currency:       l.Price.Currency().Code(),
		Price:          l.Price.Minor(),
		PDF:            l.PDF,
		Told:           l.Told,
		CreatedAt:      db.Millis(l.CreatedAt),
		BoughtAt:       db.MillisOrNull(l.BoughtAt),
	}
}

// fromLabelRow knows labels without a price.
func fromLabelRow(r labelRow) (*order.Label, error) {
	var price money.Amount
	if r.Currency != "" {
		var err error
		if price, err = db.Amount(r.Price, r.Currency); err != nil {
			return nil, err
		}
	}
	return &order.Label{
		ID: id.Stored[id.Label](r.ID), Project: id.Stored[id.Project](r.ProjectID), Order: id.Stored[id.Order](r.OrderID),
		Integration: id.Stored[id.Integration](r.IntegrationID), Test: r.Test, Carrier: r.Carrier, Service: r.Service,
		Grams: r.Grams, DueAt: db.TimeOrZero(r.DueAt), Unsure: r.Unsure, Remote: r.Remote, TrackingNumber: r.TrackingNumber,
		Price: price, PDF: r.PDF, Told: r.Told, CreatedAt: db.Time(r.CreatedAt), BoughtAt: db.TimeOrZero(r.BoughtAt),
	}, nil
}

func fromLabelRows(rows []labelRow) (*order.Label, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	return fromLabelRow(rows[0])
}

func (v Labels) Find(ctx context.Context, project id.Project, of id.Order, test bool) (*order.Label, error) {
	var rows []labelRow
	b := v.store.Read(project)
	b.Query(&rows, selectLabel, project.String(), of.String(), test)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return fromLabelRows(rows)
}

// Change locks the order, also where there is no label yet that could be locked, and so keeps the order as
// it is until the label is stored.
func (v Labels) Change(ctx context.Context, project id.Project, of id.Order, test bool,
	change func(*order.Order, *order.Label) (*order.Label, error)) (changed *order.Label, err error) {
	err = v.store.InTx(ctx, project, func(t *db.Tx) error {
		o, l, err := lockLabel(ctx, t, project, of, test)
		if err != nil {
			return err
		}
		if changed, err = change(o, l); err != nil || changed == nil {
			return err
		}
		_, err = t.Exec(ctx, upsertLabel, labels.Args(toLabelRow(changed))...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func lockLabel(ctx context.Context, t *db.Tx, project id.Project, of id.Order, test bool) (*order.Order, *order.Label, error) {
	var orders []paidOrderRow
	if err := t.Select(ctx, &orders, selectOrder+orderByID+lock(t.Dialect, "o, p"), project.String(), of.String()); err != nil {
		return nil, nil, err
	}
	if len(orders) == 0 {
		return nil, nil, fault.Missing("order")
	}
	o, err := fromOrderRow(orders[0])
	if err != nil {
		return nil, nil, err
	}
	var rows []labelRow
	if err := t.Select(ctx, &rows, selectLabel, project.String(), of.String(), test); err != nil {
		return nil, nil, err
	}
	l, err := fromLabelRows(rows)
	return o, l, err
}
