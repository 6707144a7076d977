// Package version holds the version that all programs of a release share.
package version

// Number is the version of a release.
const Number = "0.1.0"
