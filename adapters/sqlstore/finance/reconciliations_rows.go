package finance

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	ledgerstore "github.com/haggle-commerce/haggle/adapters/sqlstore/ledger"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// totalJSON is a total as a row keeps it, in minor units.
type totalJSON struct {
	Currency string `json:"currency"`
	Ours     int64  `json:"ours"`
	Theirs   int64  `json:"theirs"`
}

// addTotals adds a step's totals to those of its round.
func addTotals(before string, step ports.ReconciledStep) (string, error) {
	var kept []totalJSON
	if !step.Begins {
		if err := db.FromJSON(before, &kept); err != nil {
			return "", err
		}
	}
	for _, total := range step.Totals {
		code := total.Ours.Currency().Code()
		i := slices.IndexFunc(kept, func(k totalJSON) bool { return k.Currency == code })
		if i < 0 {
			i, kept = len(kept), append(kept, totalJSON{Currency: code})
		}
		kept[i].Ours += total.Ours.Minor()
		kept[i].Theirs += total.Theirs.Minor()
	}
	if kept == nil {
		return "[]", nil
	}
	return db.ToJSON(kept)
}

func fromTotals(text string) ([]ports.ReconciledTotal, error) {
	var kept []totalJSON
	if err := db.FromJSON(text, &kept); err != nil {
		return nil, err
	}
	totals := make([]ports.ReconciledTotal, len(kept))
	for i, k := range kept {
		c, err := db.Currency(k.Currency)
		if err != nil {
			return nil, err
		}
		totals[i] = ports.ReconciledTotal{Ours: money.Of(k.Ours, c), Theirs: money.Of(k.Theirs, c)}
	}
	return totals, nil
}

func (v Reconciliations) Book(ctx context.Context, r *ports.Reconciliation, changes []ledger.Transaction, until time.Time) (booked int, err error) {
	in := r.Project
	if r.Account {
		in = db.AnyProject // others may have the account, too
	}
	err = v.store.InTx(ctx, in, func(t *db.Tx) error {
		booked = 0
		if r.Account {
			if err := holdAccount(ctx, t, r); err != nil {
				return err
			}
		}
		// The update holds the row, so nobody else books changes of the integration meanwhile.
		if err := under(ctx, t, recordBooked, append(leased(r), db.Millis(until), r.Account)); err != nil {
			return err
		}
		for _, c := range changes {
			var known int
			if _, err := t.Get(ctx, &known, ledgerstore.TransactionBooked, c.Project.String(), c.Provider, c.Reference, c.Kind.String()); err != nil {
				return err
			}
			effects := ledgerstore.RecordTransaction(c)
			if known > 0 || len(effects) == 0 {
				continue
			}
			if err := t.Apply(ctx, effects...); err != nil {
				return err
			}
			booked++
		}
		return nil
	})
	return booked, err
}

type differenceRow struct {
	ProjectID     string `db:"project_id"`
	IntegrationID string `db:"integration_id"`
	Gateway       string
	Kind          string
	Provider      string
	Refund        bool
	Reference     string
	PaymentID     string `db:"payment_id"`
	RefundID      string `db:"refund_id"`
	Currency      string
	Ours          *int64
	Theirs        *int64
	At            int64
	FoundAt       int64 `db:"found_at"`
}

func fromDifferenceRow(r differenceRow) (d ports.MoneyDifference, err error) {
	c, err := db.Currency(r.Currency)
	if err != nil {
		return d, err
	}
	amount := func(minor *int64) *money.Amount {
		if minor == nil {
			return nil
		}
		a := money.Of(*minor, c)
		return &a
	}
	return ports.MoneyDifference{
		Refund:    r.Refund,
		Payment:   id.Stored[id.Payment](r.PaymentID),
		RefundID:  id.Stored[id.Refund](r.RefundID),
		Reference: r.Reference,
		Provider:  r.Provider,
		Ours:      amount(r.Ours),
		Theirs:    amount(r.Theirs),
		At:        db.Time(r.At),
	}, nil
}

func (v Reconciliations) Results(ctx context.Context, of id.Project, limit int) ([]ports.ReconciliationResult, error) {
	var rows []struct {
		IntegrationID string `db:"integration_id"`
		Gateway       string
		Failures      int
		LastError     string `db:"last_error"`
		RanAt         *int64 `db:"ran_at"`
		SpanFrom      *int64 `db:"span_from"`
		SpanTo        *int64 `db:"span_to"`
		Matched       int
		Found         int
		Totals        string
	}
	var differences []differenceRow
	var counts []struct {
		IntegrationID string `db:"integration_id"`
		N             int
	}
	b := v.store.Read(of)
	b.Query(&rows, selectResults, of.String())
	b.Query(&differences, selectDifferences, of.String(), limit)
	b.Query(&counts, countDifferences, of.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	results := make([]ports.ReconciliationResult, len(rows))
	places := map[string]int{}
	for i, r := range rows {
		totals, err := fromTotals(r.Totals)
		if err != nil {
			return nil, err
		}
		places[r.IntegrationID] = i
		results[i] = ports.ReconciliationResult{
			Route:     project.PaymentRoute{Provider: r.Gateway, Integration: id.Stored[id.Integration](r.IntegrationID)},
			From:      db.TimeOrZero(r.SpanFrom),
			To:        db.TimeOrZero(r.SpanTo),
			RanAt:     db.TimeOrZero(r.RanAt),
			Failures:  r.Failures,
			LastError: r.LastError,
			Matched:   r.Matched,
			Found:     r.Found,
			Totals:    totals,
		}
	}
	for _, c := range counts {
		if i, known := places[c.IntegrationID]; known {
			results[i].Unexplained = c.N
		}
	}
	for _, row := range differences {
		d, err := fromDifferenceRow(row)
		if err != nil {
			return nil, err
		}
		if i, known := places[row.IntegrationID]; known {
			results[i].Differences = append(results[i].Differences, d)
		}
	}
	return results, nil
}

func (v Reconciliations) UnexplainedMoney(ctx context.Context) ([]ports.UnexplainedMoney, error) {
	var rows []struct {
		Gateway  string
		Currency string
		Amount   int64
		N        int
	}
	b := v.store.Read(db.AnyProject)
	b.Query(&rows, sumDifferences)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	sums := make([]ports.UnexplainedMoney, len(rows))
	for i, r := range rows {
		c, err := db.Currency(r.Currency)
		if err != nil {
			return nil, err
		}
		sums[i] = ports.UnexplainedMoney{Provider: r.Gateway, Amount: money.Of(r.Amount, c), Differences: r.N}
	}
	return sums, nil
}
