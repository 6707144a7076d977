package management_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Every operation requires an API key with the scope that its entry in the OpenAPI document names.
func TestRegister_guardsEveryOperation(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
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

// A request is for the project in its path or header, or else for the only project of its key.
func TestRegister_projectOfRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
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

func TestRegister_ipAllowlist(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	settings := "/v1/projects/" + w.one.String() + "/settings"
	wants(t, w.call("admin", "PATCH", settings, `{"security":{"ip_allowlist":["203.0.113.0/24"]}}`), "OK")
	wants(t, w.call("admin", "PATCH", settings, `{"security":{"ip_allowlist":["198.51.100.1"]}}`),
		"Unprocessable", "security.ip_allowlist")
	w.projects.projects[w.one].Settings.IPAllowlist = []string{"198.51.100.1"}
	for _, answer := range []string{
		w.call("admin", "GET", settings, ""), w.call("admin", "GET", "/v1/catalog/categories", "", w.in(w.one)),
	} {
		wants(t, answer, "Forbidden", "ip_not_allowed")
	}
	wants(t, w.call("admin", "GET", "/v1/catalog/categories", "", w.in(w.two)), "OK")
}

// A client over its limit is refused without a lookup of its key.
func TestRegister_limitsUnknownKeys(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, path := range []string{"/v1/account", "/v1/nothing"} {
		w.limiter = fakeLimiter{full: true}
		w.keys.asked = 0
		wants(t, w.call("unknown", "GET", path, ""), "Too Many Requests", "rate_limited")
		if w.keys.asked > 0 || len(w.limiter.counted) > 0 {
			t.Errorf("%s: %d lookups, counted for %v", path, w.keys.asked, w.limiter.counted)
		}
	}
}

// Every request is counted: for its account, or for its address if it has no valid key.
func TestRegister_countsEveryRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
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

// booksOperations are those that work on a closed project, in addition to all with the scope finance:read. Undecided payments and
// refunds keep a project from closing, so people must be able to decide them.
var booksOperations = []string{"get-project", "list-agent-decisions", "verify-agent-decisions", "resolve-payment", "resolve-refund", "resolve-orphan"}

// A closing or closed project answers 404 to all operations but those of its books.
func TestRegister_closedProject(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
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
				w.projects.projects[w.one].Status = status
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
