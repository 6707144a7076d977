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

// roleTable is what each page and form of a shop answers to each role: 403 is refused, 404 is not there.
//
//go:embed testdata/console_roles.txt
var roleTable string

// fewestRights first, so that a form that somebody may send comes after those who may not.
var rolesOfMembers = []string{"analyst", "support", "manager", "owner"}

// rolesReach sends every page and form of the console to a shop with something of everything, by each role, and to the same
// things by the address of another shop.
func (a *attack) rolesReach() error {
	ids, err := a.something()
	if err != nil {
		return err
	}
	cookies := map[string]*http.Cookie{}
	for _, role := range rolesOfMembers {
		if err := a.w.isMember(role, `{"role": "`+role+`"}`); err != nil {
			return err
		}
		a.email = a.w.emailOf(role)
		if err := a.signsIn(); err != nil {
			return err
		}
		cookies[role] = a.cookie
	}
	var table strings.Builder
	for _, route := range boottest.ConsoleRoutes() {
		method, path, _ := strings.Cut(route, " ")
		if strings.HasSuffix(path, "/live") || strings.HasSuffix(path, "/buyers") {
			continue // a stream, which has no end; and test buyers, of which a server sends those of one scenario at a time
		}
		own, err := withIDs(strings.Replace(path, "{member}/remove", "{removed}/remove", 1), a.w.shop.Slug, ids)
		if err != nil {
			return err
		}
		fmt.Fprintf(&table, "%s %s", method, strings.TrimPrefix(path, "/console/{shop}"))
		for _, role := range rolesOfMembers {
			status, err := a.reach(method, own, cookies[role])
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

// something makes one of everything that a page is about.
func (a *attack) something() (map[string]string, error) {
	a.texts, a.taken = []string{"Rope", "Lamp", "Stove"}, map[string]int{}
	for i, text := range a.texts {
		if err := a.sells(i, text); err != nil {
			return nil, err
		}
	}
	if err := a.manages(); err != nil {
		return nil, err
	}
	for _, name := range []string{"somebody", "removed"} {
		if err := a.w.isMember(name, `{"role": "support"}`); err != nil {
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
			if one["email"] == a.w.emailOf("removed") {
				as = "removed"
			}
			ids[as] = fmt.Sprint(one["id"])
		}
	}
	// A sync that is started runs until all is done.
	slow := `{"kind": "slow", "ms": 5000, "times": -1}`
	if err := errors.Join(a.w.isConnected("custom"), a.w.hasSynced(""), a.w.meets("custom", slow)); err != nil {
		return nil, err
	}
	ids["integration"], ids["sync"], ids["type"] = a.w.integration.ID, a.w.sync, "custom"
	for _, absent := range []string{"call", "checkout", "delivery", "invitation", "job", "label", "session", "webhook"} {
		ids[absent] = "x_0"
	}
	ids["version"] = "1"
	return ids, nil
}

var wildcards = regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)

// withIDs fills in a pattern.
func withIDs(pattern, shop string, ids map[string]string) (string, error) {
	var missing error
	path := strings.NewReplacer("{$}", "", "{shop}", shop, "{rest...}", "nowhere").Replace(pattern)
	path = wildcards.ReplaceAllStringFunc(path, func(wildcard string) string {
		id, known := ids[strings.Trim(wildcard, "{}")]
		if !known {
			missing = fmt.Errorf("there is no %s to look at", wildcard)
		}
		return id
	})
	return path, missing
}

var littleSaid = url.Values{"key": {strings.Repeat("k", 24)}, "amount": {"1"}, "reason": {"x"}, "restock": {"no"}, "decision": {"x"}}

// reach asks for a page, or sends a form that says little.
func (a *attack) reach(method, path string, cookie *http.Cookie) (int, error) {
	r, err := http.NewRequestWithContext(a.w.ctx, method, a.w.app.URL()+path, strings.NewReader(littleSaid.Encode()))
	if err != nil {
		return 0, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(cookie)
	status, content, err := a.ask(r)
	if status >= 500 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, content)
	}
	return status, err
}
