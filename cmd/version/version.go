// Package version holds the version that all programs of a release share, and names the commit that a program was built from.
// It does not compare versions.
package version

import (
	"runtime"
	"runtime/debug"
)

// Number is the version of a release.
const Number = "0.5.1"

// Commit returns the first twelve digits of the commit that the program was built from, with "+" if files were changed since,
// or "" if the build has no commit.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commit(info.Settings)
}

func commit(settings []debug.BuildSetting) string {
	of := map[string]string{}
	for _, s := range settings {
		of[s.Key] = s.Value
	}
	short := of["vcs.revision"]
	short = short[:min(12, len(short))]
	if short != "" && of["vcs.modified"] == "true" {
		short += "+"
	}
	return short
}

// Build returns what the program was built from and for, such as "commit 0123456789ab, go1.26.8, linux/amd64".
func Build() string {
	text := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	if c := Commit(); c != "" {
		text = "commit " + c + ", " + text
	}
	return text
}
