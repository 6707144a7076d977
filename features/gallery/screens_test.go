package gallery

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// screen is a page in a state that people see.
type screen struct {
	Name    string
	origin  string
	path    string
	session string // of the console; "": a stranger's
	fill    string // script that submits a form of the page
	status  int    // expected status; 0 accepts any, because errors have pages too
}

// Path returns the page's path on its server.
func (s screen) Path() string { return s.path }

// submit returns a script that submits the form with an action and fills in its fields.
func submit(action, fields string) string {
	return `(() => { const f = document.querySelector('form[action$="` + action + `"]') ?? document.querySelector("form.form"); f.noValidate = true;
  for (const [name, value] of Object.entries(` + fields + `)) f.elements[name].value = value; f.submit(); })()`
}

// screens returns all pages: those of the console from its list of routes, and a list of the others.
func (s *shop) screens() []screen {
	all := s.consoleScreens()
	page := func(name, path string) { all = append(all, screen{name, s.url, path, "", "", 0}) }
	page("home", "/")
	page("shop", "/p/demo")
	page("checkout-page", s.known["checkout-page"])
	page("receipt", s.known["receipt"])
	page("docs", "/docs")
	page("docs-management", "/docs/management")
	page("docs-search", "/docs/management?q=refund")
	page("docs-operation", "/docs/management/catalog#create-product")
	page("docs-buyers", "/docs/buyers")
	page("docs-quote", "/docs/buyers/commerce#acp-quote")
	page("docs-ucp-mcp", "/docs/ucp-mcp")
	page("docs-tools", "/docs/ucp-mcp/tools#tool-make_offer")
	page("docs-missing", "/docs/nowhere")
	page("sign-in", "/console/sign-in")
	page("join", s.known["join"])
	page("sign-in-link", s.known["link"])
	page("password", s.known["password"])
	page("link-gone", "/console/join/"+strings.Repeat("0", 32))
	all = append(all,
		screen{"sign-in-refused", s.url, "/console/sign-in", "", submit("sign-in", `{email: "ada@example.com", password: "wrong"}`), 0},
		screen{"join-refused", s.url, s.known["join"], "", submit(s.known["join"], `{name: "", password: "short"}`), 0},
		screen{"code", s.url, "/console/code", s.codeDue, "", 0},
		screen{"shops", s.url, "/console", s.owner, "", 0},
		screen{"not-found", s.url, "/console/demo/nowhere", s.owner, "", 0},
		screen{"no-such-shop", s.url, "/console/nowhere", s.owner, "", 0},
		screen{"not-for-your-role", s.url, "/console/demo/lost", s.support, "", 0},
		screen{"today-of-support", s.url, "/console/demo", s.support, "", 0},
		screen{"refund-refused", s.url, "/console/demo/orders/" + s.known["order"], s.owner, submit("/refund", `{amount: "9999999"}`), 0},
		screen{"invite-refused", s.url, "/console/demo/settings/people", s.owner, submit("/settings/people", `{email: "nobody"}`), 0},
		screen{"settings-refused", s.url, "/console/demo/settings/shop", s.owner, submit("/settings/shop", `{}`), 0},
		screen{"found", s.url, "/console/demo/find?q=tent", s.owner, "", 0},
		screen{"found-nothing", s.url, "/console/demo/find?q=nothing", s.owner, "", 0},
		screen{"draft", s.url, "/console/demo/policy?preset=keep_margin", s.owner, "", 0},
		screen{"case", s.url, "/console/demo/policy?case=" + s.known["negotiation"], s.owner, "", 0},
		screen{"agent-refused", s.url, "/console/demo/settings/agents/" + s.known["agent"], s.owner,
			submit("/settings/agents/"+s.known["agent"], `{"handlers.quote.type": "remote", "handlers.quote.url": "nowhere"}`), 0},
		screen{"ship-several", s.url, "/console/demo/orders/ship?order=" + s.known["order"], s.owner, "", 0},
		screen{"orders-unmatched", s.url, "/console/demo/orders?q=HG-NONE", s.owner, "", 0},
		screen{"catalogue-edit", s.url, "/console/demo/catalogue?edit=" + s.known["product"] + "&q=tent", s.owner, "", 0},
		screen{"catalogue-edit-refused", s.url, "/console/demo/catalogue?edit=" + s.known["product"] + "&q=tent", s.owner,
			submit("/row?q=tent", `{price: "much"}`), 0},
		screen{"catalogue-change-preview", s.url, "/console/demo/catalogue/change?how=raise&by=5&product=" + s.known["product"], s.owner, "", 0},
		screen{"catalogue-of-support", s.url, "/console/demo/catalogue", s.support, "", 0},
		screen{"sync-preview", s.url, "/console/demo/integrations/" + s.known["integration"] + "/syncs/" + s.known["preview"], s.owner, "", 0},
		screen{"connect-consent", s.url, "/console/demo/connect/hubspot", s.owner, "", 0},
		screen{"connect-denied", s.url, "/console/demo/connect/hubspot/return?error=access_denied", s.owner, "", 0},
		screen{"connect-refused", s.url, "/console/demo/connect/custom", s.owner,
			submit("/connect/custom", `{"config.base_url": "shop.example.com", "credentials.api_key": "key"}`), 0},
	)
	for _, empty := range []string{"", "/orders", "/negotiations", "/lost", "/returns", "/disputes", "/money", "/money/payments", "/money/movements", "/integrations", "/catalogue", "/settings/events"} {
		all = append(all, screen{"empty" + strings.ReplaceAll(empty, "/", "-"), s.url, "/console/bare" + empty, s.owner, "", 0})
	}
	if s.report != "" {
		all = append(all, screen{"market-report", s.report, "/market.html", "", "", 0})
	}
	return all
}

// unpictured are routes without a page, with the reasons.
var unpictured = map[string]string{
	"GET /console/{shop}":                                    "the same page as with a slash",
	"GET /console/{shop}/live":                               "a stream of events",
	"GET /console/{shop}/orders/selected.csv":                "a file",
	"GET /console/{shop}/money/payments.csv":                 "a file",
	"GET /console/{shop}/money/movements.csv":                "a file",
	"GET /console/{shop}/catalogue/imports/{job}/errors.csv": "a file",
	"GET /console/{shop}/connect/{type}/return":              "it leads on: connect-denied is its picture",
	"GET /console/{shop}/{rest...}":                          "not-found is its picture",
	"GET /console/{shop}/money/unanswered/{checkout}":        "it needs a payment provider that went away: features/console.feature opens it",
}

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// consoleScreens returns the screens of a shop's routes. It fails for a route whose wildcards have no value here.
func (s *shop) consoleScreens() (all []screen) {
	for _, route := range boottest.ConsoleRoutes() {
		method, path, _ := strings.Cut(route, " ")
		if method != http.MethodGet || unpictured[route] != "" {
			continue
		}
		path = strings.NewReplacer("{shop}", "demo", "{$}", "").Replace(path)
		for _, name := range wildcard.FindAllStringSubmatch(path, -1) {
			if s.known[name[1]] == "" {
				s.t.Errorf("%s has no address for the gallery: give %s a value in openShop, or the route a reason in unpictured", route, name[0])
			}
			path = strings.Replace(path, name[0], s.known[name[1]], 1)
		}
		name := strings.Trim(strings.ReplaceAll(strings.TrimPrefix(wildcard.ReplaceAllString(strings.TrimPrefix(route, "GET /console/{shop}"), "$1"), "/"), "/", "-"), "-{$}")
		if name == "" {
			name = "today"
		}
		all = append(all, screen{"console-" + name, s.url, path, s.owner, "", http.StatusOK})
	}
	return all
}

// files serves a directory.
func files(t *testing.T, dir string) string {
	content := http.NewServeMux()
	content.Handle("/", http.FileServer(http.Dir(dir)))
	content.HandleFunc("/favicon.ico", func(http.ResponseWriter, *http.Request) {}) // browsers request it automatically
	server := httptest.NewServer(content)
	t.Cleanup(server.Close)
	return server.URL
}
