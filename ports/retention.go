package ports

import (
	"context"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Leftover is a kind of records that are kept for a limited time.
type Leftover int

// Leftovers in the order in which they are removed: records that refer to others come first.
const (
	OldMessages   Leftover = iota // of decisions, and the client of those that have one
	OldSessions                   // with quotes, checkouts and carts, unless an order came of them or a payment is undecided
	OldLostDeals                  // of analytics
	OldDeliveries                 // of events
	OldEvents                     // unless one is still to be delivered
	OldLogs                       // of webhook calls, syncs and stock adjustments
	OldSlots                      // of analytics, which are joined to days of the project's time zone
)

// Leftovers are all of them.
var Leftovers = []Leftover{OldMessages, OldSessions, OldLostDeals, OldDeliveries, OldEvents, OldLogs, OldSlots}

// Seals seals the texts that stand for removed records of one project.
type Seals interface {
	// Seal seals the text of a negotiation.Checkpoint or of a Removed.
	Seal(text string) []byte
	// Sound reports whether a text matches its seal. An empty text has no seal.
	Sound(text string, seal []byte) bool
}

// Keeping is a project with its retention periods.
type Keeping struct {
	Project   id.Project
	Retention project.Retention
}

// Removed has the times before which sessions and events of a project may have been removed because of their age: all
// younger ones are stored. Zero: none were removed.
type Removed struct{ Sessions, Events time.Time }

// Text is the text to seal; empty if nothing was removed.
func (r Removed) Text() string {
	if r == (Removed{}) {
		return ""
	}
	return "removed " + strconv.FormatInt(r.Sessions.UnixMilli(), 10) + " " + strconv.FormatInt(r.Events.UnixMilli(), 10)
}

// SealedRemoved is a project's Removed with its seal.
type SealedRemoved struct {
	Project id.Project
	Removed Removed
	Seal    []byte
}

// SealedCheckpoint is a project's checkpoint with its seal.
type SealedCheckpoint struct {
	Project    id.Project
	Checkpoint negotiation.Checkpoint
	Seal       []byte
}

// Retention removes records whose retention period is over, by the database's clock, some rows at a time. Every method
// may be repeated, and called by several processes at once.
type Retention interface {
	// Due lists active and closed projects that were not listed for RetentionPause, the longest ago first, and records
	// that it listed them. With an error it lists those that could be read.
	Due(ctx context.Context, limit int) ([]Keeping, error)
	// Again makes Due list a project at once, after all others that are due.
	Again(ctx context.Context, project id.Project) error
	// RemoveAuditEvents removes some audit events that are older than AuditKept, by the database's real clock, and reports
	// whether there may be more.
	RemoveAuditEvents(ctx context.Context) (more bool, err error)
	// Remove removes some records that are older than keep, and reports whether there may be more. The times before
	// which sessions and events were removed are sealed; if they do not match their seal, it fails and removes nothing.
	Remove(ctx context.Context, project id.Project, what Leftover, keep time.Duration, seals Seals) (more bool, err error)
	// Fold removes some of the oldest sealed decisions that are older than keep and counted by analytics, and moves the
	// chain's checkpoint behind them. If the checkpoint does not match its seal, or a decision has changed since it was
	// added to the chain, it fails and removes nothing, because the records prove what was changed.
	Fold(ctx context.Context, project id.Project, keep time.Duration, seals Seals) (more bool, err error)
}

// AuditKept is how long audit events are kept.
const AuditKept = 730 * 24 * time.Hour

// RetentionPause is the time between two visits of a project.
const RetentionPause = time.Hour
