package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Leftover is what is kept for some time only.
type Leftover int

// Leftovers in the order in which they go: what refers to others first.
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

// Keeping is a project with how long it keeps what.
type Keeping struct {
	Project   id.Project
	Retention project.Retention
}

// CheckpointSeals seals the checkpoints of one project's chain of decisions.
type CheckpointSeals interface {
	Seal(c negotiation.Checkpoint) []byte
	// Sound reports whether a checkpoint is as it was sealed. That of a chain with all of its links has no seal.
	Sound(c negotiation.Checkpoint, seal []byte) bool
}

// SealedCheckpoint is a project's checkpoint with the seal that it was given.
type SealedCheckpoint struct {
	Project    id.Project
	Checkpoint negotiation.Checkpoint
	Seal       []byte
}

// Retention removes what is not kept any longer, by the database's clock, some rows at a time. Everything may be repeated,
// and done by several at once.
type Retention interface {
	// Due lists active and closed projects that were not listed for RetentionPause, the longest ago first, and notes that they were. With an error
	// it lists those that could be read.
	Due(ctx context.Context, limit int) ([]Keeping, error)
	// Again has Due list a project at once, behind all others that are due.
	Again(ctx context.Context, project id.Project) error
	// RemoveAuditEvents removes some audit events that are older than AuditKept, by the database's real clock, and reports
	// whether there may be more.
	RemoveAuditEvents(ctx context.Context) (more bool, err error)
	// Remove removes some of what is older than keep, and reports whether there may be more.
	Remove(ctx context.Context, project id.Project, what Leftover, keep time.Duration) (more bool, err error)
	// Fold removes some of the oldest sealed decisions that are older than keep and counted by analytics, and moves the
	// chain's checkpoint behind them. Where the checkpoint is not as it was sealed, or a decision not as it was put into
	// the chain, it fails and removes nothing: they are the proof of what was changed.
	Fold(ctx context.Context, project id.Project, keep time.Duration, seals CheckpointSeals) (more bool, err error)
	// Reseal stores what seal makes of each checkpoint's seal, or nothing if it fails, and tells how many there were.
	Reseal(ctx context.Context, seal func(id.Project, []byte) ([]byte, error)) (int, error)
}

// AuditKept is how long audit events are kept.
const AuditKept = 730 * 24 * time.Hour

// RetentionPause is how often a project is looked at.
const RetentionPause = time.Hour
