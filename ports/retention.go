package ports

import (
	"context"
	"strconv"
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

// Seals seals what stands for removed records of one project.
type Seals interface {
	// Seal seals the text of a negotiation.Checkpoint or of a Removed.
	Seal(text string) []byte
	// Sound reports whether a text is as it was sealed. An empty one has no seal.
	Sound(text string, seal []byte) bool
}

// Keeping is a project with how long it keeps what.
type Keeping struct {
	Project   id.Project
	Retention project.Retention
}

// Removed is until when some of a project's sessions and events were removed because of their age: all that are younger
// are there. Zero: none were removed.
type Removed struct{ Sessions, Events time.Time }

// Text is what the seal is of; empty where nothing was removed.
func (r Removed) Text() string {
	if r == (Removed{}) {
		return ""
	}
	return "removed " + strconv.FormatInt(r.Sessions.UnixMilli(), 10) + " " + strconv.FormatInt(r.Events.UnixMilli(), 10)
}

// SealedRemoved is what was removed of a project, with the seal that it was given.
type SealedRemoved struct {
	Project id.Project
	Removed Removed
	Seal    []byte
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
	// Remove removes some of what is older than keep, and reports whether there may be more. Until when sessions and events
	// went is sealed; where it is not as it was sealed, it fails and removes none.
	Remove(ctx context.Context, project id.Project, what Leftover, keep time.Duration, seals Seals) (more bool, err error)
	// Fold removes some of the oldest sealed decisions that are older than keep and counted by analytics, and moves the
	// chain's checkpoint behind them. Where the checkpoint is not as it was sealed, or a decision not as it was put into
	// the chain, it fails and removes nothing: they are the proof of what was changed.
	Fold(ctx context.Context, project id.Project, keep time.Duration, seals Seals) (more bool, err error)
}

// AuditKept is how long audit events are kept.
const AuditKept = 730 * 24 * time.Hour

// RetentionPause is how often a project is looked at.
const RetentionPause = time.Hour
