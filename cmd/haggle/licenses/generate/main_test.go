package main

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/haggle/licenses"
)

// What is linked here has its texts in the program. (On other systems some modules more are linked: go generate knows
// them.)
func TestEveryLinkedModuleHasItsTexts(t *testing.T) {
	t.Parallel()
	want, err := collect([]string{runtime.GOOS})
	if err != nil {
		t.Fatal(err)
	}
	have, err := licenses.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Components) < 50 {
		t.Fatalf("only %d components are linked", len(want.Components))
	}
	for _, c := range want.Components {
		if c.Name != "Go" && !slices.Equal(have.Of(c.Name), want.Of(c.Name)) {
			t.Errorf("%s: its %d texts are not those in texts.json.gz, which has %d: run go generate ./cmd/haggle/licenses",
				c.Name, len(want.Of(c.Name)), len(have.Of(c.Name)))
		}
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := licenses.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"Haggle: LICENSE\n", "MIT License", "Go go1.", "The Go Authors", "github.com/lib/pq", "Mozilla Public License", "Princeton University", "github.com/coreos/go-oidc",
		"modernc.org/sqlite", "LICENSE-SQLITE",
	} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("it does not say %q", text)
		}
	}
}
