package accounts

// What tests see of the package.

type ClosingStage = closingStage

var Closings = closings
var Deletions = deletions
var FreeSlug = freeSlug
var Kept = kept
