package analytics

// What tests see of the package.

const MostSold = mostSold
const ReadAtOnce = readAtOnce
const SelectSold = selectSold
