package boot_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The agreed top level. Files and folders that begin with a dot are not checked.
var topLevel = []string{
	"domain", "ports", "adapters", "app", "features", "simulator", "cmd",
	"Makefile", "go.mod", "go.sum", "README.md",
	"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Dockerfile", "compose.yaml",
}

// mayImport lists the folders of this module that each top-level folder may import. Imports point inward.
var mayImport = map[string][]string{
	"domain":    {"domain"},
	"ports":     {"domain", "ports"},
	"app":       {"domain", "ports", "app/bulkhead", "app/catalogs", "app/checkpoint", "app/dealtoken", "app/failpoint", "app/jobs", "app/ordertoken", "app/pricing", "app/simulating", "app/tuning"}, // catalogs stores what imports read; simulating and tuning are statistics: floats and seeded chance
	"adapters":  {"domain", "ports", "app"},
	"simulator": {"simulator"},
	"features":  {"features", "simulator", "cmd"},
	"cmd":       {"domain", "ports", "app", "adapters", "simulator", "features", "cmd"},
}

// thirdPartyFolders lists the folders that may import a third-party package, which would otherwise spread.
var thirdPartyFolders = map[string]string{
	"github.com/danielgtaylor/huma":   "adapters/httpapi cmd/boot/protocol_test.go",
	"github.com/jmoiron/sqlx":         "adapters/sqlstore",
	"github.com/lib/pq":               "adapters/sqlstore",
	"modernc.org":                     "adapters/sqlstore",
	"github.com/pressly/goose":        "adapters/sqlstore",
	"github.com/brianvoe/gofakeit":    "simulator",
	"github.com/vektah/gqlparser":     "simulator",
	"github.com/bojanz/currency":      "adapters/console",
	"github.com/boombuler/barcode":    "adapters/console",
	"github.com/itchyny/gojq":         "cmd/haggle",
	"github.com/chromedp":             "features",
	"github.com/cucumber":             "features",
	"filippo.io/age":                  "adapters/archive",
	"github.com/klauspost/compress":   "adapters/archive",
	"github.com/redis":                "adapters/ratelimit",
	"github.com/go-redis":             "adapters/ratelimit",
	"github.com/throttled":            "adapters/ratelimit",
	"github.com/prometheus":           "adapters/telemetry",
	"github.com/nats-io":              "adapters/eventbus features/cluster",
	"github.com/wneessen":             "adapters/notify",
	"github.com/emersion":             "adapters/notify",
	"code.dny.dev/ssrf":               "adapters/delivery",
	"github.com/alexedwards":          "adapters/passwords",
	"github.com/dunglas/httpsfv":      "adapters/httpsig adapters/httpapi",
	"github.com/modelcontextprotocol": "adapters/httpapi/mcp cmd/boot/mcp_test.go simulator/assistant",
	"go.opentelemetry.io":             "adapters/telemetry",
	"github.com/sony/gobreaker":       "adapters/connectors adapters/llm adapters/remoteagent app/bulkhead app/payments",
	"golang.org/x/oauth2":             "adapters/connectors adapters/openid",
	"github.com/coreos/go-oidc":       "adapters/openid",
	"github.com/CycloneDX":            "cmd/haggle/deploy/release",
	"github.com/compose-spec":         "cmd/haggle/deploy",
	"k8s.io":                          "cmd/haggle/deploy",
	"sigs.k8s.io":                     "cmd/haggle/deploy",
	"github.com/netresearch/go-cron":  "adapters/cron",
	"golang.org/x/time":               "adapters/agentprofiles",
}

// impure lists packages of the standard library for I/O, wire formats and randomness. Paths are exact:
// net/url and net/netip are pure.
var impure = []string{
	"os", "os/exec", "os/signal", "os/user", "syscall", "io/fs", "io/ioutil", "path/filepath", "embed",
	"net", "net/http", "net/http/httptest", "net/rpc", "net/smtp", "crypto/tls", "log", "log/slog", "log/syslog",
	"database/sql", "database/sql/driver", "encoding/json", "encoding/json/v2", "encoding/json/jsontext",
	"encoding/xml", "encoding/gob", "encoding/csv", "math/rand", "math/rand/v2", "crypto/rand",
}

// Files of domain/ that may use floats, with the reason.
var floatsAllowed = map[string]string{
	"domain/market/interval.go":   "the standard error of a difference; its bounds are rounded outwards to amounts",
	"domain/market/pair.go":       "squares of gains, for the standard error; what was taken is summed exactly",
	"domain/market/describe.go":   shares,
	"domain/market/habits.go":     shares,
	"domain/market/families.go":   shares,
	"domain/market/haggle.go":     shares,
	"domain/market/settings.go":   shares,
	"domain/market/population.go": shares,
	"domain/market/tactic.go":     shares,
	"domain/market/tally.go":      "means and standard errors of shares of the list price",
}

const shares = "what simulated buyers would pay is drawn as a share of the list price; prices are whole minor units"

const longestFile = 400

// rules check one file at a time. A finding names the place and the violation.
var rules = []struct {
	name  string
	check func(source) []string
}{
	{"imports point inward", checkFolders},
	{"an adapter knows no other adapter", checkAdapters},
	{"three packages know UCP's own", checkUCP},
	{"test support stays in tests", checkTestSupport},
	{"third-party packages stay in their place", checkThirdParties},
	{"domain is pure", checkPurity},
	{"the clock is an argument in domain and app", checkClock},
	{"no third party is called in a transaction", checkOutbound},
	{"domain has no struct tags", checkTags},
	{"domain has no floats", checkFloats},
	{"packages are named by their job", checkPackageNames},
	{"files stay readable", checkLength},
}

func TestArchitecture(t *testing.T) {
	root := moduleRoot(t)
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("the top level is as agreed", func(t *testing.T) { reportFindings(t, checkTopLevel(root)) })
	t.Run("the merchant's program links no simulator", func(t *testing.T) { reportFindings(t, checkLinks(sources)) })
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, s := range sources {
				reportFindings(t, rule.check(s))
			}
		})
	}
}

func reportFindings(t *testing.T, findings []string) {
	t.Helper()
	for _, finding := range findings {
		t.Error(finding)
	}
}

func checkTopLevel(root string) (found []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return []string{err.Error()}
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) {
			found = append(found, fmt.Sprintf("%s: not in the agreed top level: %s", name, strings.Join(topLevel, " ")))
		}
	}
	return found
}

// The merchant's program, and the packages that it must not link because they are for tests and haggle-sim.
var (
	merchantProgram = []string{"cmd/haggle", "cmd/boot"}
	notLinked       = []string{"simulator", "features", "ports/porttest", "cmd/haggle-sim", "cmd/boot/boottest"}
)

// checkLinks follows the imports of the merchant's program through all packages, except those of tests.
func checkLinks(sources []source) (found []string) {
	packages := map[string][]source{}
	for _, s := range sources {
		if !s.test() {
			packages[s.folder()] = append(packages[s.folder()], s)
		}
	}
	seen, queue := map[string]bool{}, slices.Clone(merchantProgram)
	for len(queue) > 0 {
		folder := queue[0]
		queue = queue[1:]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		for _, s := range packages[folder] {
			for _, i := range s.imports {
				switch {
				case withinAny(i.ours, notLinked):
					found = append(found, fmt.Sprintf("%s: %s is linked into the merchant's program", i.at, i.ours))
				case i.ours != "":
					queue = append(queue, i.ours)
				}
			}
		}
	}
	return found
}

func checkFolders(s source) (found []string) {
	top, _, _ := strings.Cut(s.path, "/")
	for _, i := range s.imports {
		own := i.ours == s.folder() || (top == "adapters" && within(i.ours, "adapters")) // see checkAdapters
		if i.ours == "" || own || withinAny(i.ours, mayImport[top]) {
			continue
		}
		found = append(found, fmt.Sprintf("%s: %s imports %s; it may import %q of ours", i.at, top, i.ours, mayImport[top]))
	}
	return found
}

// checkAdapters lets the HTTP adapters share httpapi/wire and httpapi/commerce, the connectors share connectors, and the
// payment providers share payments/remoteclock and payments/retry. The store stores events in the format of delivery/payload.
// The HTTP adapters share httpsig, which signs and verifies (RFC 9421). feed and the connectors share plaintext, which
// converts HTML.
func checkAdapters(s source) (found []string) {
	if !s.under("adapters") {
		return nil
	}
	for _, i := range s.imports {
		shared := s.under("adapters/httpapi") && (i.ours == "adapters/httpapi/wire" || i.ours == "adapters/httpapi/commerce") ||
			s.under("adapters/connectors") && i.ours == "adapters/connectors" ||
			s.under("adapters/payments") && slices.Contains([]string{"adapters/payments/remoteclock", "adapters/payments/retry"}, i.ours) ||
			s.under("adapters/sqlstore") && i.ours == "adapters/delivery/payload" ||
			(s.under("adapters/feed") || s.under("adapters/connectors")) && i.ours == "adapters/plaintext" ||
			s.under("adapters/httpapi") && i.ours == "adapters/httpsig"
		if within(i.ours, "adapters") && !shared && adapter(i.ours) != adapter(s.folder()) {
			found = append(found, fmt.Sprintf("%s: %s imports %s; move what both need to ports, app or domain", i.at, adapter(s.folder()), i.ours))
		}
	}
	return found
}

// ucpOwn lists the packages that exist for the Universal Commerce Protocol.
var ucpOwn = []string{"adapters/httpapi/ucp", "adapters/agentprofiles", "adapters/httpsig", "app/identity", "domain/capability"}

// ucpKnownBy lists the three other packages that may import them: the one that composes the program, the one that the
// buyers' protocols share, and the identity of agents.
var ucpKnownBy = []string{"cmd/boot", "adapters/httpapi/commerce", "domain/agentid"}

// checkUCP keeps a protocol in a place of its own, so that changing, adding or removing one touches few packages.
func checkUCP(s source) (found []string) {
	if s.test() || slices.ContainsFunc(slices.Concat(ucpOwn, ucpKnownBy), s.under) {
		return nil
	}
	for _, i := range s.imports {
		if slices.ContainsFunc(ucpOwn, func(own string) bool { return within(i.ours, own) }) {
			found = append(found, fmt.Sprintf("%s: imports %s, which only UCP's own packages and %s know", i.at, i.ours, strings.Join(ucpKnownBy, ", ")))
		}
	}
	return found
}

// adapter returns the adapter that a folder belongs to. Three groups contain several adapters.
func adapter(folder string) string {
	parts := strings.Split(folder, "/")
	length := 2
	if len(parts) > 1 && slices.Contains([]string{"httpapi", "connectors", "payments"}, parts[1]) {
		length = 3
	}
	return strings.Join(parts[:min(length, len(parts))], "/")
}

func checkTestSupport(s source) (found []string) {
	if s.test() || strings.HasSuffix(s.folder(), "test") || s.under("ports/porttest") || s.under("features") {
		return nil
	}
	for _, i := range s.imports {
		if i.path == "testing" || within(i.ours, "ports/porttest") {
			found = append(found, fmt.Sprintf("%s: %s belongs in _test.go files, or in a package named …test", i.at, i.path))
		}
	}
	return found
}

func checkThirdParties(s source) (found []string) {
	for _, i := range s.imports {
		if i.ours != "" || !strings.Contains(strings.Split(i.path, "/")[0], ".") {
			continue
		}
		if i.path == "pgregory.net/rapid" {
			if !s.test() {
				found = append(found, fmt.Sprintf("%s: %s is for _test.go files", i.at, i.path))
			}
			continue
		}
		if s.under("domain") || s.under("ports") {
			found = append(found, fmt.Sprintf("%s: %s: domain and ports use the standard library alone", i.at, i.path))
		}
		for library, places := range thirdPartyFolders {
			if within(i.path, library) && !withinAny(s.path, strings.Fields(places)) {
				found = append(found, fmt.Sprintf("%s: %s is imported in %s only", i.at, i.path, places))
			}
		}
	}
	return found
}

func checkPurity(s source) (found []string) {
	if !s.under("domain") || s.test() {
		return nil
	}
	for _, i := range s.imports {
		if slices.Contains(impure, i.path) {
			found = append(found, fmt.Sprintf("%s: domain imports %s; I/O, chance and wire formats stay outside", i.at, i.path))
		}
	}
	return found
}

func checkClock(s source) (found []string) {
	if s.test() || !s.under("domain") && !s.under("app") {
		return nil
	}
	clock := ""
	for _, i := range s.imports {
		if i.path == "time" {
			clock = cmp.Or(i.name, "time")
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := call.X.(*ast.Ident)
		if ok && clock != "" && from.Name == clock && slices.Contains([]string{"Now", "Since", "Until"}, call.Sel.Name) {
			found = append(found, fmt.Sprintf("%s: time.%s; take the time as an argument, or from the clock port", s.at(call.Pos()), call.Sel.Name))
		}
		return true
	})
	return found
}

func checkTags(s source) (found []string) {
	if !s.under("domain") {
		return nil
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			found = append(found, fmt.Sprintf("%s: struct tag %s; tags belong to an adapter's own type", s.at(field.Pos()), field.Tag.Value))
		}
		return true
	})
	return found
}

func checkFloats(s source) (found []string) {
	if _, allowed := floatsAllowed[s.path]; allowed || s.test() || !s.under("domain") {
		return nil
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && (name.Name == "float32" || name.Name == "float64") {
			found = append(found, fmt.Sprintf("%s: %s; money and shares are exact", s.at(name.Pos()), name.Name))
		}
		return true
	})
	return found
}

func checkPackageNames(s source) []string {
	for _, name := range []string{s.syntax.Name.Name, path.Base(s.folder())} {
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers"}, strings.TrimSuffix(name, "_test")) {
			return []string{fmt.Sprintf("%s: a package named %s says nothing of its job", s.path, name)}
		}
	}
	return nil
}

func checkLength(s source) []string {
	if s.test() || s.lines <= longestFile {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d lines, more than %d", s.path, s.lines, longestFile)}
}
