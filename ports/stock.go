package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// AvailabilityChanges returns which variants came into stock or went out of stock, whichever process moved the stock. With it, a
// copy of the catalogue in memory learns of the changes that other processes made.
type AvailabilityChanges interface {
	// ChangedSince returns the present totals of the project's variants whose stock at some location changed to or from zero
	// since a moment by the database's clock: the upTo of the call before, or zero for all that is remembered. Changes
	// in the seconds before the moment are returned again, because their transactions may have committed after that
	// call; with late, so is every change that a transaction of any length may have committed since. The removal of a
	// variant is not returned here, but by the catalogue's changes.
	ChangedSince(ctx context.Context, project id.Project, since time.Time, late bool) (totals map[id.Variant]int, upTo time.Time, err error)
	// PruneBefore removes the changes before a moment, in all projects.
	PruneBefore(ctx context.Context, before time.Time) error
}
