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

// totalJSON is a stored total, in minor units.
type totalJSON struct {
	Currency string `json:"currency"`
	Ours     int64  `json:"ours"`
	Theirs   int64  `json:"theirs"`
}

// addTotals adds a step's totals to those of its round. None are an empty list.
func addTotals(before string, step ports.ReconciledStep) (string, error) {
	kept := []totalJSON{}
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
	return db.ToJSON(kept)
}

func fromTotals(kept []totalJSON) ([]ports.ReconciledTotal, error) {
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
	err = v.Store.InTx(ctx, in, func(t *db.Tx) error {
		booked = 0
		if r.Account {
			if err := lockAccountBooks(ctx, t, r); err != nil {
				return err
			}
		}
		// The update locks the row, so no other process books changes of the integration meanwhile.
		if err := execLeased(ctx, t, recordBooked, append(leased(r), db.Millis(until), r.Account)); err != nil {
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

var moneyDifferences = db.NewTable[differenceRow]("money_differences")

type differenceRow struct {
	Project     id.Project
	Integration id.Integration
	Gateway     string
	ports.MoneyDifference
	Kind    string
	FoundAt time.Time
}

func (v Reconciliations) Results(ctx context.Context, of id.Project, limit int) ([]ports.ReconciliationResult, error) {
	var rows []struct {
		Integration id.Integration
		Gateway     string
		SpanFrom    time.Time `db:",null"`
		SpanTo      time.Time `db:",null"`
		RanAt       time.Time `db:",null"`

		Matched, Found int
		LastError      string
		Totals         []totalJSON `db:",json"`
	}
	var differences []differenceRow
	var counts []struct {
		Integration id.Integration
		N           int
	}
	b := v.Store.Read(of)
	b.Query(&rows, selectResults, of)
	b.Query(&differences, selectDifferences, of, limit)
	b.Query(&counts, countDifferences, of)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	results := make([]ports.ReconciliationResult, len(rows))
	places := map[id.Integration]int{}
	for i, r := range rows {
		totals, err := fromTotals(r.Totals)
		if err != nil {
			return nil, err
		}
		places[r.Integration] = i
		results[i] = ports.ReconciliationResult{
			Route:     project.PaymentRoute{Provider: r.Gateway, Integration: r.Integration},
			From:      r.SpanFrom,
			To:        r.SpanTo,
			RanAt:     r.RanAt,
			LastError: r.LastError,
			Matched:   r.Matched,
			Found:     r.Found,
			Totals:    totals,
		}
	}
	for _, c := range counts {
		if i, known := places[c.Integration]; known {
			results[i].Unexplained = c.N
		}
	}
	for _, d := range differences {
		if i, known := places[d.Integration]; known {
			results[i].Differences = append(results[i].Differences, d.MoneyDifference)
		}
	}
	return results, nil
}

func (v Reconciliations) UnexplainedMoney(ctx context.Context) ([]ports.UnexplainedMoney, error) {
	return db.All[ports.UnexplainedMoney](ctx, v.Store.Read(db.AnyProject), sumDifferences)
}
