package haggling

import "github.com/haggle-commerce/haggle/domain/negotiation"

// What tests see of the package.

var FromDecisions = fromDecisions

const NewestDecisions = newestDecisions

var SelectProbedVariants = byIDs.probedVariants

var SelectDecisions = selectDecisions

var DecisionsWhere = decisionsWhere

func EntryArgs(e negotiation.Entry) []any { return entries.Args(toEntryRow(e)) }
