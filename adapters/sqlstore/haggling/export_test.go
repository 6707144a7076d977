package haggling

import "github.com/haggle-commerce/haggle/domain/negotiation"

// What tests see of the package.

const AndProbedProduct = andProbedProduct

var FromDecisions = fromDecisions

const NewestDecisions = newestDecisions

const SelectAskedStock = selectAskedStock

var SelectDecisions = selectDecisions

var DecisionsWhere = decisionsWhere

func EntryArgs(e negotiation.Entry) []any { return entries.Args(toEntryRow(e)) }
