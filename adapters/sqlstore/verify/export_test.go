package verify

// What tests see of the package.

const LeftAlone = leftAlone
