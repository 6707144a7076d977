package boot_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest/apidiff"
)

const openAPIFile = "testdata/openapi.yaml"

// updateMode is the flag -update, which writes compatible changes only, or with -update=breaking any change.
type updateMode string

func (m *updateMode) String() string   { return string(*m) }
func (m *updateMode) IsBoolFlag() bool { return true }

func (m *updateMode) Set(text string) error {
	switch text {
	case "true", "false", "breaking":
		*m = updateMode(text)
		return nil
	}
	return fmt.Errorf("%q is neither empty nor breaking", text)
}

var update = updateMode("false")

func init() {
	flag.Var(&update, "update", "write the OpenAPI document of testdata; =breaking: even if that breaks clients")
}

// The document is a promise to clients (features/MANAGEMENT.md#versions). The served document must equal the one in testdata, which
// changes only compatibly.
func TestOpenAPIDocument(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t))
	served := withoutAddresses(get(t, app.URL()+"/openapi.yaml").expect(t, 200).body)
	kept, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	write, message := compareDocuments(kept, served, update)
	if write {
		if err := os.WriteFile(openAPIFile, served, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s is written", openAPIFile)
	}
	if message != "" {
		t.Error(message)
	}
}

// servers matches the last part of the document, whose addresses have the test's port.
var servers = regexp.MustCompile(`(?m)^servers:\n([ -].*\n)+`)

func withoutAddresses(document string) []byte {
	return servers.ReplaceAll([]byte(document), nil)
}

// compareDocuments compares the served document with the kept one. It returns whether to write the served one, or what is wrong.
func compareDocuments(kept, served []byte, update updateMode) (write bool, message string) {
	if bytes.Equal(kept, served) {
		return false, ""
	}
	changes, err := apidiff.Compare(kept, served)
	if err != nil {
		return false, err.Error()
	}
	breaking := changes.Breaking()
	switch {
	case update == "breaking" || update == "true" && len(breaking) == 0:
		return true, ""
	case len(breaking) == 0:
		return false, "the document changed compatibly: run `go test ./cmd/boot -run TestOpenAPIDocument -update` and commit\n" +
			changes.String()
	}
	return false, "the document changed in a way that breaks clients of v1:\n" + breaking.String() + `
Keep what clients use and add beside it: a new optional field, a new operation. What must go is deprecated
first (wire.Deprecation) and goes with the next version, /v2. What was no promise to anyone yet may be
changed with -update=breaking.`
}

func TestOpenAPIDocument_comparison(t *testing.T) {
	t.Parallel()
	base := "openapi: 3.1.0\npaths:\n  /v1/a:\n    get:\n      responses:\n        \"200\":\n          description: OK\n"
	more := base + "        \"404\":\n          description: Not Found\n"
	for _, c := range []struct {
		name         string
		kept, served string
		update       updateMode
		write        bool
		says         string
	}{
		{"same", base, base, "false", false, "^$"},
		{"same, with update", base, base, "true", false, "^$"},
		{"compatible", base, more, "false", false, `changed compatibly: run .*-update(.|\n)*404.*GET /v1/a`},
		{"compatible, with update", base, more, "true", true, "^$"},
		{"breaking", more, base, "false", false, `breaks clients(.|\n)*404.*GET /v1/a(.|\n)*wire.Deprecation`},
		{"breaking, with update", more, base, "true", false, `breaks clients`},
		{"breaking on purpose", more, base, "breaking", true, "^$"},
		{"words only", base, base + "# more\n", "false", false, "changed compatibly"},
		{"unreadable", base, "{", "breaking", false, "reading the document after"},
	} {
		write, message := compareDocuments([]byte(c.kept), []byte(c.served), c.update)
		if write != c.write || !regexp.MustCompile(c.says).MatchString(message) {
			t.Errorf("%s: write %v, %q", c.name, write, message)
		}
	}
}

func TestOpenAPIDocument_tags(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	type operations map[string]struct{ Tags []string }
	var document struct {
		Tags            []struct{ Name, Description string }
		Paths, Webhooks map[string]operations
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, tag := range document.Tags {
		if tag.Description == "" || described[tag.Name] {
			t.Errorf("tag %q has no description, or is declared twice", tag.Name)
		}
		described[tag.Name] = true
	}
	for _, paths := range []map[string]operations{document.Paths, document.Webhooks} {
		for path, methods := range paths {
			for method, o := range methods {
				for _, tag := range o.Tags {
					if !described[tag] {
						t.Errorf("%s %s: tag %q is not declared", method, path, tag)
					}
				}
			}
		}
	}
}

func TestOpenAPIDocument_withoutAddresses(t *testing.T) {
	t.Parallel()
	document := "paths: {}\nservers:\n  - url: http://127.0.0.1:4711\n    description: here\ntags: []\n"
	if got := string(withoutAddresses(document)); got != "paths: {}\ntags: []\n" {
		t.Errorf("%q", got)
	}
}
