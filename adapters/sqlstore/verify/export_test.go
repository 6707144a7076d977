package verify

// Unexported identifiers that the tests use.

const LeftAlone = resumedWithin
