package db

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// LockedProject keeps a project from being deleted before the transaction ends.
const LockedProject = `
SELECT id
FROM projects
WHERE id = $1` + NotBeingErased

// ProjectStays reports whether the project exists, and locks it against deletion until the transaction ends.
func ProjectStays(ctx context.Context, t *Tx, project id.Project) (bool, error) {
	var name string
	return t.Get(ctx, &name, LockedProject+t.Dialect.ForKeyShare, project.String())
}

func OrMissingProject(err error) error {
	if err == nil {
		return MissingProject()
	}
	return err
}

// UnlessChanged is a value, or NULL if the project has another version than it was read with. Written to one of
// the columns below, NULL fails the statement with ports.ProjectChanged.
func UnlessChanged(value, project, version string) string {
	return "CASE WHEN (SELECT version FROM projects WHERE id = " + project + ") = " + version + " THEN " + value + " END"
}

// The columns that UnlessChanged is written to. Nothing else writes NULL to them.
const (
	decisionChecked = "decisions.id"
	checkoutChecked = "checkouts.status"
)

func projectChanged() *fault.Error {
	return fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed in the meantime. Try again.")
}

const ActiveOnly = "\n  AND status = 'active'"

const NotBeingErased = "\n  AND status <> 'deleting'"

// noSessionOfDecision is the constraint that insertEntry violates if there is no session.
const noSessionOfDecision = "decisions.session_id"

// OrMissingSession returns the fault of a missing session if a row was written for one. SQLite does not name the
// violated foreign key, but the statements that use this have no other.
func OrMissingSession(err error) error {
	switch Violated(err) {
	case "shown_session", noSessionOfDecision, "checkouts_session", "FOREIGN KEY constraint failed":
		return fault.Missing("session").Because(err)
	}
	return err
}
