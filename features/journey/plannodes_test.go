package journey

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// planned is a statement and its plan, from auto_explain's log.
type planned struct {
	Text string `json:"Query Text"`
	Plan node
}

type node struct {
	Type      string `json:"Node Type"`
	Operation string // only for ModifyTable
	Table     string `json:"Relation Name"`
	Alias     string
	Index     string  `json:"Index Name"`
	Cond      string  `json:"Index Cond"`
	Filter    string  `json:"Filter"`
	Bitmap    string  `json:"Recheck Cond"`
	Hash      string  `json:"Hash Cond"`
	Merge     string  `json:"Merge Cond"`
	Join      string  `json:"Join Filter"`
	Rows      float64 `json:"Actual Rows"`
	Loops     float64 `json:"Actual Loops"`
	Filtered  float64 `json:"Rows Removed by Filter"`
	Recheck   float64 `json:"Rows Removed by Index Recheck"`
	Joined    float64 `json:"Rows Removed by Join Filter"`
	Plans     []node
}

// visit calls do with a node and its descendants.
func (n node) visit(do func(node)) {
	do(n)
	for _, below := range n.Plans {
		below.visit(do)
	}
}

func (n node) dropped() float64 { return max(n.Filtered, n.Recheck, n.Joined) * n.Loops }

// wasteful reports whether a node discards more than a few rows and more than it returns. A sequential scan of a table of a few
// pages is fine, and so is the comparison of two short lists.
func (n node) wasteful(few float64) bool {
	kept := n.Rows * n.Loops
	switch {
	case strings.HasPrefix(n.Table, "pg_"):
		return false
	case n.Type == "Seq Scan" && n.Loops == 1 && n.Rows+n.Filtered <= 100:
		return false
	case n.Joined > 0:
		return n.Joined*n.Loops > 100*max(kept, few)
	}
	return n.dropped() > max(few, 2*kept, perValue*n.listed())
}

// perValue is how many rows may be read and discarded instead of an index lookup for one value of a list: PostgreSQL chooses
// that for a long list and a small table, depending on how many sessions a loop finds at a time.
const perValue = 32

// listed returns how many values of a list a node looks for, if it does so in one pass.
func (n node) listed() float64 {
	_, list, found := strings.Cut(n.Filter, "= ANY ('{")
	if !found || n.Loops != 1 {
		return 0
	}
	list, _, _ = strings.Cut(list, "}'")
	return float64(strings.Count(list, ",") + 1)
}

// String describes a node without the literals of its conditions.
func (n node) String() string {
	text := fmt.Sprintf("%s %s %s (%s) filter %s", n.Type, n.Table, n.Index, n.Cond, n.Filter)
	return literal.ReplaceAllString(text, "?")
}

var literal = regexp.MustCompile(`'[^']*'`)

// plansIn returns the plans in PostgreSQL's log since an offset.
func plansIn(log string, since int64) (list []planned, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	for _, part := range strings.Split(string(text[since:]), "  plan:\n")[1:] {
		var plan strings.Builder
		for line := range strings.Lines(part) {
			if !strings.HasPrefix(line, "\t") {
				break
			}
			plan.WriteString(strings.ReplaceAll(line, "\t", " "))
		}
		var p planned
		if err := json.Unmarshal([]byte(plan.String()), &p); err != nil {
			return nil, fmt.Errorf("%w:\n%s", err, plan.String())
		}
		list = append(list, p)
	}
	return list, nil
}

// touched returns the operations of plans by table: "Update stock", "Scan orders".
func touched(list []planned) map[string]bool {
	all := map[string]bool{}
	for _, one := range list {
		one.Plan.visit(func(n node) {
			if n.Table != "" {
				all[cmp.Or(n.Operation, "Scan")+" "+n.Table] = true
			}
		})
	}
	return all
}

func TestNode_wasteful(t *testing.T) {
	t.Parallel()
	list := "((session_id = ANY ('{" + strings.TrimSuffix(strings.Repeat("sess_1,", 32), ",") + "}'::text[])) AND (project_id = current_setting('haggle.project_id'::text, true)))"
	for why, c := range map[string]struct {
		node node
		want bool
	}{
		"a short list in a small table": {node{
			Type:     "Bitmap Heap Scan",
			Filter:   list,
			Rows:     30,
			Filtered: 630,
			Loops:    1,
		}, false},
		"it in a large one": {node{
			Type:     "Bitmap Heap Scan",
			Filter:   list,
			Rows:     30,
			Filtered: 60_000,
			Loops:    1,
		}, true},
		"it again and again": {node{
			Type:     "Bitmap Heap Scan",
			Filter:   list,
			Rows:     30,
			Filtered: 630,
			Loops:    9,
		}, true},
		"one value": {node{
			Type:     "Bitmap Heap Scan",
			Filter:   "(session_id = 'sess_1'::text)",
			Rows:     1,
			Filtered: 630,
			Loops:    1,
		}, true},
	} {
		if got := c.node.wasteful(20); got != c.want {
			t.Errorf("%s: %v", why, got)
		}
	}
}
