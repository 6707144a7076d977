package catalogue

// Unexported identifiers that the tests use.

const SelectTotals = selectTotals
