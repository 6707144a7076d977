package haggling

// What tests see of the package.

const AndProbedProduct = andProbedProduct

var FromDecisions = fromDecisions

const NewestDecisions = newestDecisions

const SelectAskedStock = selectAskedStock

var SelectDecisions = selectDecisions

var DecisionsWhere = decisionsWhere
