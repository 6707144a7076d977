// Package ucp_test checks that the tests of the Universal Commerce Protocol cover its requirements.
package ucp_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	row     = regexp.MustCompile(`(?m)^\| ([A-Z0-9]+-\d{3}) \| (.+) \| (.+) \|$`)
	id      = regexp.MustCompile(`\b[A-Z0-9]+-\d{3}\b`)
	tagged  = regexp.MustCompile(`(?m)^\s*@.*$`)                                    // tags of a scenario
	comment = regexp.MustCompile(`(?m)^\s*// [A-Z0-9]+-\d{3}(, [A-Z0-9]+-\d{3})*:`) // ids at the start of a test's comment
)

// requirements returns the ids in the tables of applicable requirements, and those in the last table, which do not apply.
func requirements(t *testing.T) (apply, not []string) {
	t.Helper()
	body, err := os.ReadFile("REQUIREMENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, rest, split := strings.Cut(string(body), "\n## Do not apply\n")
	if !split {
		t.Fatal("REQUIREMENTS.md has no table of what does not apply")
	}
	for _, found := range row.FindAllStringSubmatch(tables, -1) {
		apply = append(apply, found[1])
	}
	for _, found := range row.FindAllStringSubmatch(rest, -1) {
		not = append(not, found[1])
	}
	return apply, not
}

// shown returns the ids in the comments of tests and the tags of scenarios, and where they are.
func shown(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for pattern, lines := range map[string]*regexp.Regexp{
		"../ucp_*_test.go": comment,
		"../*.feature":     tagged,
	} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines.FindAllString(string(body), -1) {
				for _, shows := range id.FindAllString(line, -1) {
					found[shows] = name
				}
			}
		}
	}
	return found
}

func TestRequirements_tablesNameEachOnce(t *testing.T) {
	apply, not := requirements(t)
	if len(apply)+len(not) != 271 {
		t.Errorf("%d apply and %d do not; the register has 271", len(apply), len(not))
	}
	seen := map[string]bool{}
	for _, id := range append(slices.Clone(apply), not...) {
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
	}
}

func TestRequirements_eachHasATestOrIsOpen(t *testing.T) {
	apply, not := requirements(t)
	body, err := os.ReadFile("open.txt")
	if err != nil {
		t.Fatal(err)
	}
	open := strings.Fields(string(body))
	if !slices.IsSorted(open) {
		t.Error("open.txt is not sorted")
	}
	tests := shown(t)
	for _, id := range apply {
		file, done := tests[id]
		switch waiting := slices.Contains(open, id); {
		case !done && !waiting:
			t.Errorf("%s applies and no test names it", id)
		case done && waiting:
			t.Errorf("%s has a test in %s: remove it from open.txt", id, file)
		}
	}
	for _, id := range open {
		if !slices.Contains(apply, id) {
			t.Errorf("open.txt has %s, which does not apply", id)
		}
	}
	for id, file := range tests {
		if !slices.Contains(apply, id) {
			t.Errorf("%s names %s, which does not apply: %v", file, id, slices.Contains(not, id))
		}
	}
}
