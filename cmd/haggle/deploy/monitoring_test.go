package deploy_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/simulator"
)

var update = flag.Bool("update", false, "write the table of metrics in README.md anew")

// rules is the part of Prometheus' rule files that tests read.
type rules struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []struct {
			Alert       string            `json:"alert"`
			Expr        string            `json:"expr"`
			For         string            `json:"for"`
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"rules"`
	} `json:"groups"`
}

func alerts(t *testing.T) rules {
	t.Helper()
	var r rules
	if err := yaml.UnmarshalStrict([]byte(read(t, "monitoring/alerts.yaml")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// panel is the part of a Grafana panel that tests read.
type panel struct {
	ID      int
	Title   string
	Type    string
	GridPos struct{ H, W, X, Y int }
	Targets []struct{ Expr, RefID string }
}

func dashboard(t *testing.T) []panel {
	t.Helper()
	var d struct {
		Title, UID string
		Panels     []panel
	}
	if err := json.Unmarshal([]byte(read(t, "monitoring/dashboard.json")), &d); err != nil || d.UID != "haggle" {
		t.Fatalf("%q: %v", d.UID, err)
	}
	return d.Panels
}

// expressions returns the PromQL of alerts and dashboard panels, by place.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, group := range alerts(t).Groups {
		for _, rule := range group.Rules {
			all["alert "+rule.Alert] = rule.Expr
		}
	}
	for _, p := range dashboard(t) {
		for _, target := range p.Targets {
			all[fmt.Sprintf("panel %s %s", p.Title, target.RefID)] = target.Expr
		}
	}
	return all
}

// The sales panel divides each currency's minor units by the right power of ten.
func TestDashboard_sales(t *testing.T) {
	t.Parallel()
	panels := dashboard(t)
	sales := panels[slices.IndexFunc(panels, func(p panel) bool { return p.Title == "Sales today" })]
	matched := regexp.MustCompile(`currency(=~|!~)"([A-Z|]+)".*\)\)(?: / (\d+))?$`)
	checked := 0
	for n := range 26 * 26 * 26 {
		currency, err := money.ParseCurrency(string([]byte{byte('A' + n/676), byte('A' + n/26%26), byte('A' + n%26)}))
		if err != nil {
			continue
		}
		checked++
		var divisors []string
		for _, target := range sales.Targets {
			m := matched.FindStringSubmatch(target.Expr)
			if m == nil {
				t.Fatalf("%s does not select currencies", target.Expr)
			}
			if slices.Contains(strings.Split(m[2], "|"), currency.Code()) == (m[1] == "=~") {
				divisors = append(divisors, cmp.Or(m[3], "1"))
			}
		}
		if want := []string{"1" + strings.Repeat("0", currency.Digits())}; !slices.Equal(divisors, want) {
			t.Errorf("%s is divided by %q, want %q", currency.Code(), divisors, want)
		}
	}
	if checked < 150 {
		t.Errorf("%d currencies", checked)
	}
}

// selected is a metric in an expression and the labels that it is selected by.
type selected struct {
	metric string
	labels []string
}

var (
	quoted    = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	ranged    = regexp.MustCompile(`\[[^\]]*\]`)
	grouped   = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	selector  = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\}|\()?`)
	labelName = regexp.MustCompile(`([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)`)
	operators = []string{"and", "or", "unless", "offset", "bool"}
)

// selectors returns the metrics in a PromQL expression, and the labels that it groups by.
func selectors(expression string) (found []selected, groups []string) {
	text := ranged.ReplaceAllString(quoted.ReplaceAllString(expression, `""`), "")
	for _, g := range grouped.FindAllStringSubmatch(text, -1) {
		groups = append(groups, strings.FieldsFunc(g[2], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	text = regexp.MustCompile(`\b\d[\w.]*`).ReplaceAllString(grouped.ReplaceAllString(text, ""), "")
	for _, s := range selector.FindAllStringSubmatch(text, -1) {
		if s[2] == "(" || slices.Contains(operators, s[1]) {
			continue
		}
		one := selected{metric: s[1]}
		for _, label := range labelName.FindAllStringSubmatch(s[2], -1) {
			one.labels = append(one.labels, label[1])
		}
		found = append(found, one)
	}
	return found, groups
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	found, groups := selectors(`topk(8, sum by (le, route) (rate(a_bucket{route!~"/console.*",x="by (z)"}[5m]))) / 2 > 0.5 and time() - max(b) > 1e3 or c offset 1d`)
	if fmt.Sprint(found) != "[{a_bucket [route x]} {b []} {c []}]" || fmt.Sprint(groups) != "[le route]" {
		t.Errorf("%v %v", found, groups)
	}
}

// silent metrics have no series until an error occurs or a service is connected.
var silent = []string{
	"haggle_integrations", "haggle_jobs_set_aside", "haggle_money_differences", "haggle_money_unexplained",
	"haggle_payments_unresolved_age_seconds", "haggle_rate_limit_refusals_total", "haggle_refunds_unresolved_age_seconds",
	"haggle_shed_total", "haggle_sync_age_seconds",
}

// scraped returns the names of the series of a server that has sold something, and its metrics' descriptions.
func scraped(t *testing.T) (series map[string]bool, described map[string]telemetry.Description) {
	t.Helper()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	if _, err := app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := simulator.Story(t.Context(), simulator.Config{
		URL:      app.URL(),
		Project:  "demo",
		Protocol: "acp",
		Seed:     7,
	}, io.Discard); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(app.OpsURL() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	series = map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if name := strings.FieldsFunc(line, func(r rune) bool { return r == '{' || r == ' ' })[0]; name != "#" {
			series[name] = true
		}
	}
	described = map[string]telemetry.Description{}
	for _, d := range app.DescribeMetrics() {
		described[d.Name] = d
	}
	return series, described
}

// describedAs returns the metric of a series. A histogram's series have suffixes.
func describedAs(name string, described map[string]telemetry.Description) (telemetry.Description, bool) {
	if d, ok := described[name]; ok {
		return d, d.Kind != "histogram"
	}
	for _, end := range []string{"_bucket", "_sum", "_count"} {
		if base, ok := strings.CutSuffix(name, end); ok && described[base].Kind == "histogram" {
			d := described[base]
			d.Labels = append(slices.Clone(d.Labels), "le")
			return d, true
		}
	}
	return telemetry.Description{}, false
}

// Every metric and label in an alert or a panel exists on a server.
func TestMonitoring_metricsExist(t *testing.T) {
	t.Parallel()
	series, described := scraped(t)
	for where, expression := range expressions(t) {
		found, groups := selectors(expression)
		known := []string{"instance", "job"} // Prometheus adds these
		for _, s := range found {
			d, ours := describedAs(s.metric, described)
			known = append(known, d.Labels...)
			switch {
			case strings.HasPrefix(s.metric, "haggle_") && !ours:
				t.Errorf("%s: there is no %s", where, s.metric)
			case strings.HasPrefix(s.metric, "haggle_"):
				if !series[s.metric] && !slices.Contains(silent, s.metric) {
					t.Errorf("%s: %s has no series after a purchase", where, s.metric)
				}
				for _, label := range s.labels {
					if label != "instance" && !slices.Contains(d.Labels, label) {
						t.Errorf("%s: %s has no label %s", where, s.metric, label)
					}
				}
			case s.metric != "up" && !series[s.metric]:
				t.Errorf("%s: there is no %s", where, s.metric)
			}
			if strings.HasPrefix(s.metric, "go_sql_") {
				known = append(known, "db_name")
			}
		}
		for _, label := range groups {
			if !slices.Contains(known, label) {
				t.Errorf("%s: it groups by %s, which no metric of it has", where, label)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s asks for nothing: %s", where, expression)
		}
	}
	for name := range series {
		if _, ours := describedAs(name, described); strings.HasPrefix(name, "haggle_") && !ours {
			t.Errorf("%s is not described", name)
		}
		if slices.Contains(silent, name) {
			t.Errorf("%s has a series after a purchase, and is listed as silent", name)
		}
	}
	for _, name := range []string{"haggle_orders_total", "haggle_sales_minor_units_total", "haggle_discounts_minor_units_total", "haggle_search_index_bytes"} {
		if !series[name] {
			t.Errorf("a purchase leaves no %s", name)
		}
	}
	t.Run("table", func(t *testing.T) { checkTable(t, described) })
}

// checkTable compares the table of metrics in README.md with the servers' descriptions.
func checkTable(t *testing.T, described map[string]telemetry.Description) {
	const begin, end = "<!-- metrics: go test ./cmd/haggle/deploy -run Monitoring -update -->\n", "<!-- end of metrics -->\n"
	var table strings.Builder
	table.WriteString("\n| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(described)) {
		d := described[name]
		labels := ""
		if len(d.Labels) > 0 {
			labels = "`" + strings.Join(d.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", name, d.Kind, labels, d.Help)
	}
	table.WriteString("\n")
	text := read(t, "README.md")
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("README.md has no place for the table of metrics")
	}
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != want {
		t.Error("the table of metrics in README.md is not what servers describe: run go test ./cmd/haggle/deploy -run Monitoring -update")
	}
}

// Every alert has a severity and says what to do, and panels do not overlap.
func TestMonitoring_complete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, group := range alerts(t).Groups {
		for _, r := range group.Rules {
			if seen[r.Alert] || !strings.HasPrefix(r.Alert, "Haggle") || r.For == "" || !slices.Contains([]string{"page", "ticket"}, r.Labels["severity"]) ||
				r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%+v", r)
			}
			seen[r.Alert] = true
		}
	}
	taken := map[[2]int]string{}
	for _, p := range dashboard(t) {
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other := taken[at]; other != "" || at[0] >= 24 {
					t.Fatalf("%s lies over %q or beyond the edge", p.Title, other)
				}
				taken[at] = p.Title
			}
		}
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
	}
}

// Prometheus accepts the rules.
func TestMonitoring_rulesParse(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatalf("%v: run .ci/need promtool, as make test does", err)
	}
	if out, err := exec.Command(promtool, "check", "rules", "monitoring/alerts.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
