package haggling

// What tests see of the package.

const AndProbedProduct = andProbedProduct
const CountDecisions = countDecisions
const NewestDecisions = newestDecisions
const SelectAskedStock = selectAskedStock
const SelectDecisions = selectDecisions

var DecisionsWhere = decisionsWhere
