// Package apidiff compares two OpenAPI documents and reports which changes break clients. It is for tests.
//
// The package oasdiff finds and classifies the changes. The variable levels has the exceptions for this API: its clients must
// expect new enum values and new forms of a response (features/MANAGEMENT.md#versions). An operation with a difference that no
// rule of oasdiff covers is reported as breaking, so that a missing rule cannot hide a change. The comparison ignores
// descriptions, summaries, examples and tags.
package apidiff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// Change is a change and the operations that it affects.
type Change struct {
	Breaking   bool
	What       string   // such as "removed the required property `sku` from the response with the `200` status"
	Operations []string // such as "GET /v1/products"; none: the document as a whole
}

// mostShown is how many operations String names, because a change of a shared schema affects many.
const mostShown = 4

func (c Change) String() string {
	if len(c.Operations) == 0 {
		return c.What
	}
	shown, more := c.Operations, ""
	if len(shown) > mostShown {
		more = fmt.Sprintf(", and %d more", len(shown)-mostShown)
		shown = shown[:mostShown]
	}
	return c.What + " (" + strings.Join(shown, ", ") + more + ")"
}

// Changes is a sorted list, with breaking changes first.
type Changes []Change

// Breaking returns the changes that break clients.
func (c Changes) Breaking() Changes {
	return slices.DeleteFunc(slices.Clone(c), func(c Change) bool { return !c.Breaking })
}

// String returns a line for each change.
func (c Changes) String() string {
	var b strings.Builder
	for _, change := range c {
		fmt.Fprintf(&b, "  %s\n", change)
	}
	return b.String()
}

// levels are the rules whose severity differs from oasdiff's.
var levels = map[string]checker.Level{
	"response-property-enum-value-added": checker.INFO,
	"response-body-one-of-added":         checker.INFO,
	"response-property-one-of-added":     checker.INFO,
	"response-body-any-of-added":         checker.INFO,
	"response-property-any-of-added":     checker.INFO,
	"api-schema-removed":                 checker.NONE, // schema names are not on the wire
	"api-major-version-not-bumped":       checker.NONE, // the version is in the path
	"api-version-not-bumped":             checker.NONE,

	"api-security-added":                                checker.ERR,
	"optional-response-header-removed":                  checker.ERR,
	"request-body-default-value-changed":                checker.ERR,
	"request-body-default-value-removed":                checker.ERR,
	"request-parameter-default-value-changed":           checker.ERR,
	"request-parameter-default-value-removed":           checker.ERR,
	"request-parameter-type-generalized":                checker.ERR,
	"request-property-default-value-changed":            checker.ERR,
	"request-property-default-value-removed":            checker.ERR,
	"response-body-discriminator-mapping-changed":       checker.ERR,
	"response-body-discriminator-property-name-changed": checker.ERR,
	"response-body-type-specialized":                    checker.ERR, // also covers another format
	"response-header-type-specialized":                  checker.ERR,
	"response-non-success-status-removed":               checker.ERR,
	"response-optional-property-removed":                checker.ERR,
	"response-property-type-specialized":                checker.ERR,
}

// Compare returns the changes between two OpenAPI 3.1 documents in YAML or JSON. It ignores the servers' addresses.
func Compare(before, after []byte) (Changes, error) {
	base, err := read(before)
	if err != nil {
		return nil, fmt.Errorf("reading the document before: %w", err)
	}
	revision, err := read(after)
	if err != nil {
		return nil, fmt.Errorf("reading the document after: %w", err)
	}
	config := diff.NewConfig(diff.WithExcludeElements([]string{
		diff.ExcludeDescriptionOption, diff.ExcludeSummaryOption, diff.ExcludeExamplesOption, diff.ExcludeTitleOption,
	}))
	report, sources, err := diff.GetWithOperationsSourcesMap(config, base, revision)
	if err != nil {
		return nil, err
	}
	rules := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(levels))
	found := checker.CheckBackwardCompatibilityUntilLevel(rules, report, sources, checker.INFO)
	return group(append(findings(found, revision), missed(report, found)...)), nil
}

func read(document []byte) (*load.SpecInfo, error) {
	spec, err := load.NewSpecInfoFromData(openapi3.NewLoader(), document, "")
	if err == nil && spec.Spec.OpenAPI == "" {
		err = errors.New("it has no OpenAPI version")
	}
	return spec, err
}

// finding is a change of one operation, or of the whole document if operation is empty.
type finding struct {
	breaking        bool
	what, operation string
}

func findings(changes checker.Changes, revision *load.SpecInfo) []finding {
	var found []finding
	say := checker.NewDefaultLocalizer()
	for _, c := range changes {
		breaking := c.GetLevel() != checker.INFO
		switch c.GetId() {
		case "api-security-removed":
			breaking = !isPublic(revision, c)
		case "api-global-security-added": // its level cannot be set
			breaking = true
		}
		found = append(found, finding{breaking, line(c.GetUncolorizedText(say)), operationOf(c.GetOperation(), c.GetPath())})
	}
	return found
}

// isPublic reports whether the changed operation no longer needs credentials.
func isPublic(revision *load.SpecInfo, c checker.Change) bool {
	item := revision.Spec.Paths.Find(c.GetPath())
	if item == nil || item.GetOperation(c.GetOperation()) == nil {
		return false
	}
	security := item.GetOperation(c.GetOperation()).Security
	return security != nil && slices.ContainsFunc(*security, func(r openapi3.SecurityRequirement) bool { return len(r) == 0 })
}

// missed returns the operations with differences that no rule covers.
func missed(report *diff.Diff, changes checker.Changes) []finding {
	seen := map[string]bool{}
	for _, c := range changes {
		seen[operationOf(c.GetOperation(), c.GetPath())] = true
	}
	var found []finding
	if report == nil || report.PathsDiff == nil {
		return nil
	}
	for path, item := range report.PathsDiff.Modified {
		if item.OperationsDiff == nil {
			continue
		}
		for method := range item.OperationsDiff.Modified {
			if operation := operationOf(method, path); !seen[operation] {
				found = append(found, finding{true, "changed in a way that no rule covers", operation})
			}
		}
	}
	return found
}

// operationOf returns an operation's name, such as "GET /v1/products".
func operationOf(method, path string) string { return strings.TrimSpace(method + " " + path) }

// line returns text on one line, truncated.
func line(text string) string {
	const longest = 200
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

// group merges equal changes of several operations.
func group(found []finding) Changes {
	type key struct {
		breaking bool
		what     string
	}
	operations := map[key]map[string]bool{}
	for _, f := range found {
		k := key{f.breaking, f.what}
		if operations[k] == nil {
			operations[k] = map[string]bool{}
		}
		if f.operation != "" {
			operations[k][f.operation] = true
		}
	}
	var changes Changes
	for k, names := range operations {
		changes = append(changes, Change{k.breaking, k.what, slices.Sorted(maps.Keys(names))})
	}
	slices.SortFunc(changes, func(a, b Change) int {
		if a.Breaking != b.Breaking {
			return map[bool]int{true: -1, false: 1}[a.Breaking]
		}
		return cmp.Compare(a.String(), b.String())
	})
	return changes
}
