package haggling

import (
	"fmt"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Unexported identifiers that the tests use.

var FromDecisions = fromDecisions

const NewestDecisions = newestDecisions

var SelectProbedVariants = byIDs.probedVariants

var SelectDecisions = selectDecisions

var DecisionsWhere = decisionsWhere

// LookedAtNamed reads the decisions that a list of named negotiations looks at.
func LookedAtNamed(of id.Project, names []id.Negotiation) (statement string, args db.Args) {
	w := db.Conditions{Args: db.Args{of}}
	ofNamed(&w, names)
	return fmt.Sprintf(lookedAt, w.Text, strconv.Itoa(threadsLooked)), w.Args
}

func EntryArgs(e negotiation.Entry) []any { return entries.Args(toEntryRow(e)) }
