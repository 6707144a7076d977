package accounts

// Unexported identifiers that the tests use.

type ClosingStage = closingStage

var Closings = closings
var Deletions = deletions
var FreeSlug = freeSlug
var Kept = kept
