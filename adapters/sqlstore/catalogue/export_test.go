package catalogue

// What tests see of the package.

const SelectTotals = selectTotals
