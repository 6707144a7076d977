package journey

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

var (
	distributedTable = regexp.MustCompile(`create_distributed_table\('(\w+)'`)
	// ownProject matches the condition that row-level security adds.
	ownProject = regexp.MustCompile(`\(\((\w+\.)?project_id = current_setting\('haggle\.project_id'::text, true\)\) ` +
		`OR \(current_setting\('haggle\.project_id'::text, true\) = '\*'::text\)\)`)
)

// ofOneProject matches statements about one project. Others are background loops that look for due rows of all projects.
var ofOneProject = regexp.MustCompile(`'proj_[0-9a-z]{20,}'`)

// distributed fails for statements that join the rows of tables distributed by project without their project_id: Citus would
// have to compare rows on different nodes.
func (p *plans) distributed(t *testing.T, list []planned) {
	t.Helper()
	var out strings.Builder
	if err := boot.PrintDistribution(t.Context(), boot.Config{DatabaseURL: p.cluster.URL(database), Env: "sandbox"}, &out); err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	for _, match := range distributedTable.FindAllStringSubmatch(out.String(), -1) {
		tables[match[1]] = true
	}
	joined := 0
	for _, one := range list {
		scans, across := across(one.Plan, tables)
		if scans < 2 || !ofOneProject.MatchString(one.Text) {
			continue
		}
		joined++
		for _, scan := range across {
			t.Errorf("%s without its project_id, in\n%s", scan, one.Text)
		}
	}
	if joined < 5 {
		t.Errorf("%d statements join distributed tables", joined)
	}
}

// across counts the scans of distributed tables in a plan, and returns those that are neither restricted to a project nor
// joined by one.
func across(plan node, tables map[string]bool) (scans int, found []string) {
	var visit func(n node, joins string)
	visit = func(n node, joins string) {
		joins += " " + n.Hash + n.Merge + n.Join
		if tables[n.Table] && n.Type != "ModifyTable" {
			scans++
			own := ownProject.ReplaceAllString(n.Cond+n.Bitmap+n.Filter, "")
			if !strings.Contains(own, "project_id =") && !strings.Contains(joins, n.Alias+".project_id") {
				found = append(found, fmt.Sprintf("%s of %s as %s (%s)", n.Type, n.Table, n.Alias, own))
			}
		}
		for _, below := range n.Plans {
			visit(below, joins)
		}
	}
	visit(plan, "")
	return scans, found
}

func TestAcross(t *testing.T) {
	t.Parallel()
	const policy = `((o.project_id = current_setting('haggle.project_id'::text, true)) OR (current_setting('haggle.project_id'::text, true) = '*'::text))`
	tables := map[string]bool{"orders": true, "payments": true}
	payments := node{
		Type:  "Index Scan",
		Table: "payments",
		Alias: "p",
		Cond:  "(project_id = 'proj_1'::text)",
	}
	for condition, crosses := range map[string]bool{
		"":                              true,
		policy:                          true,
		"(project_id = 'proj_1'::text)": false,
		"((project_id = 'proj_1'::text) AND " + policy + ")":   false,
		"((o.project_id = p.project_id) AND (o.id = p.order))": false,
	} {
		scan := node{
			Type:   "Seq Scan",
			Table:  "orders",
			Alias:  "o",
			Filter: condition,
		}
		scans, found := across(node{Type: "Nested Loop", Plans: []node{payments, scan}}, tables)
		if scans != 2 || (len(found) > 0) != crosses {
			t.Errorf("%s: %d scans, %v", condition, scans, found)
		}
	}
	joined := node{
		Type:  "Hash Join",
		Hash:  "(o.project_id = p.project_id)",
		Plans: []node{payments, {Type: "Seq Scan", Table: "orders", Alias: "o", Filter: policy}},
	}
	if _, found := across(joined, tables); found != nil {
		t.Errorf("joined by project: %v", found)
	}
}
