package main

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// openAPI is the file with the operations after which tests of the APIs are named.
const openAPI = "cmd/boot/testdata/openapi.yaml"

var operationID = regexp.MustCompile(`(?m)^\s+operationId: (\S+)$`)

// operationTests finds tests of single operations (features/*_api_test.go) whose names do not begin with an operation's id.
// Tests of the Universal Commerce Protocol begin with UCP, because its operations have an id for each version; tests of calls
// from platforms and payment providers begin with Hooks.
func operationTests(p *pkg) []finding {
	if p.folder != "features" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(p.root, openAPI))
	if err != nil {
		return []finding{{file: openAPI, text: err.Error()}}
	}
	known := map[string]bool{"ucp": true, "hooks": true}
	for _, id := range operationID.FindAllSubmatch(text, -1) {
		known[strings.NewReplacer("-", "", ".", "", "_", "").Replace(strings.ToLower(string(id[1])))] = true
	}
	var found []finding
	for _, f := range p.files {
		if !strings.HasSuffix(f.path, "_api_test.go") {
			continue
		}
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && isTest(fn) && !namesOne(strings.TrimPrefix(fn.Name.Name, "Test"), known) {
				found = append(found, p.at(f, fn.Pos(), fn.Name.Name))
			}
		}
	}
	return found
}

// request is an HTTP method with a path, the beginning of a JSON object, or of a doc string.
var request = regexp.MustCompile(`\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) [/<]|\{"|"""`)

// scenarios finds lines of feature files that hold a request or a JSON body.
func scenarios(all []*pkg) []finding {
	if len(all) == 0 {
		return nil
	}
	root := all[0].root
	names, err := filepath.Glob(filepath.Join(root, "features", "*.feature"))
	if err != nil {
		return []finding{{file: "features", text: err.Error()}}
	}
	var found []finding
	for _, name := range names {
		path := "features/" + filepath.Base(name)
		text, err := os.ReadFile(name)
		if err != nil {
			return []finding{{file: path, text: err.Error()}}
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if at := request.Find(line); at != nil {
				found = append(found, finding{
					file: path,
					line: i + 1,
					text: string(at),
				})
			}
		}
	}
	return found
}
