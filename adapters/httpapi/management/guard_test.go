package management_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Every operation needs the scope that its entry in the document names, and a key at all.
func TestEveryOperationIsGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := []string{"projects", "catalog", "agents", "integrations", "finance", "analytics", "events", "keys"}
	operations := 0
	for path, item := range w.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			operations++
			scope := op.Security[0][wire.BearerScheme][0]
			var others []string
			for _, group := range all {
				if len(op.Security) > 1 && strings.HasPrefix(op.Security[1][wire.BearerScheme][0], group+":") {
					continue // it is enough, too
				}
				if !strings.HasPrefix(scope, group+":") {
					others = append(others, group+":write")
				} else if strings.HasSuffix(scope, ":write") {
					others = append(others, group+":read")
				}
			}
			w.keys.add("others", others)
			path := strings.ReplaceAll(path, "{project_id}", w.one.String())
			wants(t, w.call("", op.Method, path, "{}", w.in(w.one)), "Unauthorized", "unauthenticated")
			wants(t, w.call("unknown", op.Method, path, "{}", w.in(w.one)), "Unauthorized", "unauthenticated")
			wants(t, w.call("others", op.Method, path, "{}", w.in(w.one)), "Forbidden", "insufficient_scope", scope)
		}
	}
	if operations < 20 {
		t.Errorf("%d operations", operations)
	}
}

func TestTheProjectOfARequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keys.add("one", []string{"*"}, w.one)
	w.keys.add("both", []string{"*"}, w.one, w.two)
	const path = "/v1/catalog/categories"
	missing := []string{"Not Found", "project_not_found"}
	required := []string{"Bad Request", "project_required"}
	for _, c := range []struct {
		key, header string
		want        []string
	}{
		{"admin", w.in(w.one), []string{"OK"}},
		{"admin", "X: none", required},
		{"admin", "X-Project-ID: proj_x", missing},
		{"admin", "X-Project-ID: proj_" + strings.Repeat("0", 26), missing},
		{"one", "X: none", []string{"OK"}},
		{"one", w.in(w.one), []string{"OK"}},
		{"one", w.in(w.two), missing},
		{"both", "X: none", required},
		{"both", w.in(w.two), []string{"OK"}},
	} {
		wants(t, w.call(c.key, "GET", path, "", c.header), c.want...)
	}
	wants(t, w.call("one", "GET", "/v1/projects/"+w.two.String()+"/settings", ""), missing...)
	wants(t, w.call("one", "POST", "/v1/projects", `{"name":"A","slug":"abc"}`), "Forbidden", "insufficient_scope")
}

func TestTheAllowlistGuardsAProjectsCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	settings := "/v1/projects/" + w.one.String() + "/settings"
	wants(t, w.call("admin", "PATCH", settings, `{"security":{"ip_allowlist":["203.0.113.0/24"]}}`), "OK")
	wants(t, w.call("admin", "PATCH", settings, `{"security":{"ip_allowlist":["198.51.100.1"]}}`),
		"Unprocessable", "security.ip_allowlist")
	w.shelf.projects[w.one].Settings.IPAllowlist = []string{"198.51.100.1"}
	for _, answer := range []string{
		w.call("admin", "GET", settings, ""), w.call("admin", "GET", "/v1/catalog/categories", "", w.in(w.one)),
	} {
		wants(t, answer, "Forbidden", "ip_not_allowed")
	}
	wants(t, w.call("admin", "GET", "/v1/catalog/categories", "", w.in(w.two)), "OK")
}

func TestAStrangerWithNothingLeftCostsNoLookup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/v1/account", "/v1/nothing"} {
		w.limiter = limiter{full: true}
		w.keys.asked = 0
		wants(t, w.call("unknown", "GET", path, ""), "Too Many Requests", "rate_limited")
		if w.keys.asked > 0 || len(w.limiter.counted) > 0 {
			t.Errorf("%s: %d lookups, counted for %v", path, w.keys.asked, w.limiter.counted)
		}
	}
}

func TestEveryRequestIsCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account, stranger := w.keys.owner.ID.String(), "203.0.113.7"
	for _, c := range []struct{ key, method, path, counted, want string }{
		{"admin", "GET", "/v1/catalog/categories", account, "project_required"},
		{"unknown", "GET", "/v1/catalog/categories", stranger, "unauthenticated"},
		{"admin", "GET", "/v1/nothing", account, "route_not_found"},
		{"unknown", "GET", "/v1/nothing", stranger, "route_not_found"},
		{"", "GET", "/v1/nothing", stranger, "route_not_found"},
		{"admin", "PUT", "/v1/catalog/categories", account, "method_not_allowed"},
		{"", "PUT", "/v1/catalog/categories", stranger, "method_not_allowed"},
	} {
		w.limiter.counted = nil
		wants(t, w.call(c.key, c.method, c.path, ""), c.want)
		if len(w.limiter.counted) != 1 || w.limiter.counted[0] != c.counted {
			t.Errorf("%+v is counted for %v", c, w.limiter.counted)
		}
	}
}

// booksOperations are those that work on a closed project, beside all with the scope finance:read. What is undecided keeps
// a project from closing, so people must be able to decide it.
var booksOperations = []string{"get-project", "list-agent-decisions", "verify-agent-decisions", "resolve-payment", "resolve-refund", "resolve-orphan"}

func TestAClosedProjectIsGoneButForItsBooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refused := 0
	for path, item := range w.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			byHeader := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "X-Project-ID" })
			if !byHeader && !strings.Contains(path, "{project_id}") {
				continue
			}
			if op.Security[0][wire.BearerScheme][0] == "finance:read" || slices.Contains(booksOperations, op.OperationID) {
				continue
			}
			path := strings.ReplaceAll(path, "{project_id}", w.one.String())
			for _, status := range []project.Status{project.Closing, project.Closed} {
				w.shelf.projects[w.one].Status = status
				wants(t, w.call("admin", op.Method, path, "{}", w.in(w.one)), "Not Found", "project_not_found")
			}
			refused++
		}
	}
	if refused < 50 {
		t.Errorf("only %d operations are refused", refused)
	}
	wants(t, w.call("admin", "GET", "/v1/catalog/categories", "", w.in(w.two)), "OK")
}
