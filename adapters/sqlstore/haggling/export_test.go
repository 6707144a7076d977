package haggling

// What tests see of the package.

const AndProbedProduct = andProbedProduct

var CountDecisions = countDecisions
var NewestDecisions = newestDecisions

const SelectAskedStock = selectAskedStock

var SelectDecisions = selectDecisions

var DecisionsWhere = decisionsWhere
