package licenses

import (
	"bytes"
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Print(&out); err != nil {
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
