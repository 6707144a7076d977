package features

import (
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// roleTable lists the HTTP status of each page and form of a shop for each role: 403 is forbidden, 404 is not found.
//
//go:embed testdata/console_roles.txt
var roleTable string

// memberRoles are in the order of their rights, fewest first: a form that changes something is sent by forbidden roles first.
var memberRoles = []string{"analyst", "support", "manager", "owner"}

// checkRoleTable requests every page and form of a shop that has one object of each kind, as each role, and compares the
// statuses with roleTable.
func (a *attack) checkRoleTable() error {
	ids, err := a.createOneOfEach()
	if err != nil {
		return err
	}
	cookies := map[string]*http.Cookie{}
	for _, role := range memberRoles {
		if err := a.scenario.members.becomesMember(role, `{"role": "`+role+`"}`); err != nil {
			return err
		}
		a.email = a.scenario.members.emailOf(role)
		if err := a.signIn(); err != nil {
			return err
		}
		cookies[role] = a.cookie
	}
	var table strings.Builder
	for _, route := range boottest.ConsoleRoutes() {
		method, path, _ := strings.Cut(route, " ")
		if strings.HasSuffix(path, "/live") || strings.HasSuffix(path, "/buyers") {
			continue // the live stream does not end, and only one scenario at a time can run test buyers
		}
		own, err := fillPattern(strings.Replace(path, "{member}/remove", "{removed}/remove", 1), a.scenario.shop.Slug, ids)
		if err != nil {
			return err
		}
		fmt.Fprintf(&table, "%s %s", method, strings.TrimPrefix(path, "/console/{shop}"))
		for _, role := range memberRoles {
			status, err := a.requestStatus(method, own, cookies[role])
			if err != nil {
				return err
			}
			fmt.Fprintf(&table, " %s %d", role, status)
		}
		table.WriteByte('\n')
	}
	if found := table.String(); found != roleTable {
		return fmt.Errorf("testdata/console_roles.txt is another table than\n%s", found)
	}
	return nil
}

// createOneOfEach creates an object of each kind that a page shows, and returns their ids by path wildcard.
func (a *attack) createOneOfEach() (map[string]string, error) {
	a.texts, a.accepted = []string{"Rope", "Lamp", "Stove"}, map[string]int{}
	for i, text := range a.texts {
		if err := a.sellAndReturn(i, text); err != nil {
			return nil, err
		}
	}
	if err := a.fillManagement(); err != nil {
		return nil, err
	}
	for _, name := range []string{"somebody", "removed"} {
		if err := a.scenario.members.becomesMember(name, `{"role": "support"}`); err != nil {
			return nil, err
		}
	}
	ids := map[string]string{}
	for name, path := range map[string]string{
		"order": "/v1/orders", "return": "/v1/returns", "dispute": "/v1/disputes", "negotiation": "/v1/negotiations", "member": "/v1/members",
		"subscription": "/v1/event-subscriptions", "product": "/v1/catalog/products", "key": "/v1/api-keys", "agent": "/v1/agents",
	} {
		seen, err := a.send(http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		for _, one := range seen["data"].([]any) {
			one, as := one.(map[string]any), name
			if one["email"] == a.scenario.members.emailOf("removed") {
				as = "removed"
			}
			ids[as] = fmt.Sprint(one["id"])
		}
	}
	// The platform is slow so that the sync keeps running until all requests are sent.
	slow := `{"kind": "slow", "ms": 5000, "times": -1}`
	if err := errors.Join(a.scenario.connections.connectsPlatform("custom"), a.scenario.platforms.hasSynced(""), a.scenario.platforms.setsPlatformFault("custom", slow)); err != nil {
		return nil, err
	}
	ids["integration"], ids["sync"], ids["type"] = a.scenario.integrations.integration.ID, a.scenario.platforms.syncID, "custom"
	for _, absent := range []string{"call", "checkout", "delivery", "invitation", "job", "label", "session", "webhook"} {
		ids[absent] = "x_0"
	}
	ids["version"] = "1"
	return ids, nil
}

var wildcardPattern = regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)

// fillPattern replaces a route pattern's wildcards by ids.
func fillPattern(pattern, shop string, ids map[string]string) (string, error) {
	var missing error
	path := strings.NewReplacer("{$}", "", "{shop}", shop, "{rest...}", "nowhere").Replace(pattern)
	path = wildcardPattern.ReplaceAllStringFunc(path, func(wildcard string) string {
		id, known := ids[strings.Trim(wildcard, "{}")]
		if !known {
			missing = fmt.Errorf("there is no %s to look at", wildcard)
		}
		return id
	})
	return path, missing
}

var minimalForm = url.Values{"key": {strings.Repeat("k", 24)}, "amount": {"1"}, "reason": {"x"}, "restock": {"no"}, "decision": {"x"}}

// requestStatus requests a page, or sends minimalForm, and returns the status.
func (a *attack) requestStatus(method, path string, cookie *http.Cookie) (int, error) {
	r, err := http.NewRequestWithContext(a.scenario.ctx, method, a.scenario.app.URL()+path, strings.NewReader(minimalForm.Encode()))
	if err != nil {
		return 0, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(cookie)
	status, content, err := a.do(r)
	if status >= 500 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, content)
	}
	return status, err
}
