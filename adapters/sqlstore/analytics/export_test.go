package analytics

// Unexported identifiers that the tests use.

const MostSold = mostSold
const ReadAtOnce = readAtOnce
const SelectSold = selectSold
