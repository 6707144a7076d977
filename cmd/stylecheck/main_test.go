package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes files and loads them as a module.
func module(t *testing.T, files map[string]string) []*pkg {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func texts(found []finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.text)
	}
	return all
}

func TestIdentifiers(t *testing.T) {
	all := module(t, map[string]string{"app/a.go": `package app

type Ear struct{ earth int }

func (e Ear) Hear(heard string) { unharmed := heard; _ = unharmed }

func tillCheckout() {}
`})
	got := texts(each(identifiers)(all))
	for _, name := range []string{"Ear: ", "Hear: ", "heard: ", "unharmed: ", "tillCheckout: "} {
		if !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(text, name) }) {
			t.Errorf("%s is not found: %q", name, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("found %q", got)
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"HTTPServer": "http server", "toldOnce": "told once", "snake_case": "snake case", "ID": "id", "byID": "by id", "X": "x",
	} {
		if got := strings.Join(words(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestPhrases(t *testing.T) {
	for comment, want := range map[string]int{
		"Known reports whether the key was seen recently.":           0,
		"Known tells whether the key was found lately.":              1,
		"Whoever signs it, the answer is 200.":                       2,
		"Each row is stored once. Who calls is counted before.":      1,
		"The provider is told, for it may have lost the reply.":      2,
		"What follows? The answer is in the order.":                  0,
		"It is split over\n// two lines, and the buyer is\n// told.": 1,
	} {
		all := module(t, map[string]string{"app/a.go": "// " + comment + "\npackage app\n"})
		if got := each(phrases)(all); len(got) != want {
			t.Errorf("%q: found %q, want %d", comment, texts(got), want)
		}
	}
}

func TestLiterals(t *testing.T) {
	all := module(t, map[string]string{
		"app/a.go": `package app

type point struct{ x, y, z int }

var packed = point{x: 1, y: 2, z: 3}
var short = point{x: 1, y: 2}
var long = point{
	x: 1,
	y: 2,
	z: 3,
}
var list = []point{{x: 1, y: 2, z: 3}}
`,
		"app/a_test.go": `package app

var table = []point{{x: 1, y: 2, z: 3}}
var one = point{x: 1, y: 2, z: 3}
`,
	})
	var lines []int
	for _, f := range each(literals)(all) {
		lines = append(lines, f.line)
	}
	if !slices.Equal(lines, []int{5, 12, 4}) {
		t.Errorf("found in lines %v", lines)
	}
}

func TestTestNames(t *testing.T) {
	all := module(t, map[string]string{
		"app/a.go": `package app

type Worker struct{}

func (Worker) Run() {}

func parseOffer() {}

type Store interface{ LoadAll() }
`,
		"app/a_test.go": `package app

import "testing"

func TestMain(*testing.M)                  {}
func TestWorker_Run_canceled(*testing.T)   {}
func TestParseOffer(*testing.T)            {}
func TestStore_LoadAll(*testing.T)         {}
func TestRunning(*testing.T)               {}
func TestWhatIsAsked(*testing.T)           {}
`,
		"server/whole_test.go": `package server

import "testing"

func TestBuyersPay(*testing.T) {}
`,
	})
	if got := texts(each(testNames)(all)); !slices.Equal(got, []string{"TestRunning", "TestWhatIsAsked"}) {
		t.Errorf("found %q", got)
	}
}

func TestOperationTests(t *testing.T) {
	all := module(t, map[string]string{
		openAPI: "paths:\n  /v1/agents:\n    get:\n      operationId: list-agents\n    post:\n      operationId: create-agent\n",
		"features/agents_api_test.go": `package features

import "testing"

func TestListAgents(*testing.T)            {}
func TestCreateAgent_refusals(*testing.T)  {}
func TestUCPCart_fields(*testing.T)        {}
func TestAgents(*testing.T)                {}
`,
		"features/agents_test.go": "package features\n\nimport \"testing\"\n\nfunc TestFeatures(*testing.T) {}\n",
	})
	if got := texts(each(operationTests)(all)); !slices.Equal(got, []string{"TestAgents"}) {
		t.Errorf("found %q", got)
	}
}

func TestScenarios(t *testing.T) {
	all := module(t, map[string]string{
		"features/a.go": "package features\n",
		"features/a.feature": `Feature: Agents

  Scenario: A draft
    When the merchant sends POST /v1/agents {"name": "Ann"}
    And a product with:
      """
    Then the merchant's POST is refused
`,
	})
	if got := texts(scenarios(all)); !slices.Equal(got, []string{"POST /", `"""`}) {
		t.Errorf("found %q", got)
	}
}

func TestCitations(t *testing.T) {
	all := module(t, map[string]string{
		"features/PROTOCOL.md": "# Protocol\n\n## Inputs of a price\n\n## Buyers' data, `v1`\n",
		"app/a.go": `// Package app does it (spec 2.11), by design 5.
//
// See features/PROTOCOL.md#inputs-of-a-price, features/PROTOCOL.md#buyers-data-v1, features/PROTOCOL.md#quotes and features/NONE.md#a.
package app
`,
	})
	got := texts(each(citations)(all))
	want := []string{
		"spec 2.11 is not in the repository", "design 5 is not in the repository",
		"features/PROTOCOL.md#quotes: there is no such heading", "features/NONE.md#a: there is no such heading",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
}

func TestGlossary(t *testing.T) {
	all := module(t, map[string]string{
		"domain/README.md":  "| Term | Identifier | Meaning |\n| --- | --- | --- |\n| order | `order.Order` | |\n| refund | `order.Refund` | |\n",
		"domain/order/a.go": "package order\n\ntype Order struct{}\n",
	})
	if got := glossary(all); len(got) != 1 || got[0].line != 4 || got[0].text != "order.Refund is not declared" {
		t.Errorf("found %+v", got)
	}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if code := run(&out, filepath.Join("..", ".."), []string{"cmd/stylecheck"}, true); code != 0 {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
	if got := strings.Count(out.String(), "cmd/stylecheck/"); got != 0 {
		t.Errorf("the checker breaks its own rules %d times:\n%s", got, out.String())
	}
}
