package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// StockNews tells which variants came into stock or went out of it, whoever moved them. A copy of the
// catalogue in memory hears by it of what other processes did.
type StockNews interface {
	// Turned are the present totals of the project's variants whose stock at some location turned to or
	// from zero since a moment by the database's clock: the upTo of the call before, or zero for all that
	// is remembered. What turned in the seconds before the moment is told again, for its transaction may have
	// committed after that call; with late, whatever a transaction of any length may have committed since. A
	// variant that goes is no turn: the catalogue's changes tell of it.
	Turned(ctx context.Context, project id.Project, since time.Time, late bool) (totals map[id.Variant]int, upTo time.Time, err error)
	// ForgetTurns removes what turned before a moment, in all projects.
	ForgetTurns(ctx context.Context, before time.Time) error
}
