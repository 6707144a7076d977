// Package examples_test runs the example buyers against a served demo shop.
package examples_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// buyers returns the commands that run the examples, without arguments.
func buyers(t *testing.T) map[string][]string {
	t.Helper()
	return map[string][]string{
		"Python":     {"python3", "buyer.py"},
		"TypeScript": {"node", filepath.Join(compiled(t), "buyer.js")},
	}
}

// compiled type-checks and compiles the TypeScript example, and returns the folder of the JavaScript.
func compiled(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	for _, command := range [][]string{
		{"npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"},
		{"npx", "--no-install", "tsc", "--outDir", out},
	} {
		if printed, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, printed)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "package.json"), []byte(`{"type": "module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBuyers(t *testing.T) {
	commands := buyers(t)
	for _, engine := range boottest.Engines {
		app := boottest.Start(t, engine.URL(t))
		shop, err := app.Demo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for language, command := range commands {
			t.Run(engine.Name+"/"+language+"/haggles, buys and returns", func(t *testing.T) {
				before := orders(t, app, shop)
				said := run(t, true, command, shop.ACP, "light tent", "spt_sandbox_ok")
				list, agreed := amount(t, said, `costs (\S+) USD`), amount(t, said, `agreed on (\S+)`)
				if agreed >= list {
					t.Errorf("agreed on %v of a list price of %v", agreed, list)
				}
				for _, line := range []string{`ordered: \S+`, `return requested: \S+ USD`} {
					if !regexp.MustCompile(line).MatchString(said) {
						t.Errorf("no line %q", line)
					}
				}
				if placed := orders(t, app, shop) - before; placed != 1 {
					t.Errorf("%d orders were placed, want 1", placed)
				}
			})
			t.Run(engine.Name+"/"+language+"/says why a payment failed", func(t *testing.T) {
				before := orders(t, app, shop)
				said := run(t, false, command, shop.ACP, "light tent", "spt_sandbox_decline_insufficient_funds")
				if !strings.Contains(said, "payment failed: ") {
					t.Error("the reason is missing")
				}
				if placed := orders(t, app, shop) - before; placed != 0 {
					t.Errorf("%d orders were placed, want none", placed)
				}
			})
		}
	}
}

// run runs an example and returns its output.
func run(t *testing.T, succeeds bool, command []string, args ...string) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), command[0], append(command[1:], args...)...).CombinedOutput()
	t.Logf("%s", printed)
	if (err == nil) != succeeds {
		t.Fatalf("the example ended with: %v", err)
	}
	return string(printed)
}

func amount(t *testing.T, said, pattern string) float64 {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("no line %q", pattern)
	}
	number, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// orders returns the number of the shop's orders.
func orders(t *testing.T, app *boot.App, shop boot.DemoShop) int {
	t.Helper()
	var manifest struct{ Merchant struct{ ID string } }
	get(t, shop.ACP+"/.well-known/acp/manifest.json", nil, &manifest)
	var list struct{ Meta struct{ Total *int } }
	get(t, app.URL()+"/v1/orders?limit=1", http.Header{
		"Authorization": {"Bearer " + shop.Key},
		"X-Project-Id":  {manifest.Merchant.ID},
	}, &list)
	if list.Meta.Total == nil {
		t.Fatal("the list of orders has no total")
	}
	return *list.Meta.Total
}

// get reads a JSON response.
func get(t *testing.T, url string, header http.Header, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
