package features

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// consolePlaces are the paths of the console's pages by the words that steps use.
var consolePlaces = map[string]string{
	"the sign-in page": "/console/sign-in",

	"the start page":          "/console/$slug",
	"the orders":              "/console/$slug/orders",
	"the other shop's orders": "/console/$other_slug/orders",
	"the money page":          "/console/$slug/money",
	"the catalogue":           "/console/$slug/catalogue",
	"the product import":      "/console/$slug/catalogue/import",
	"the policy studio":       "/console/$slug/policy",
	"the search":              "/console/$slug/find",

	"the storefront settings": "/console/$slug/settings/storefront",
	"the members":             "/console/$slug/settings/people",
	"the sign-in settings":    "/console/$slug/settings/sign-in",
	"the API keys":            "/console/$slug/settings/api-keys",
	"the agent keys":          "/console/$slug/settings/agent-keys",
	"the agents":              "/console/$slug/settings/agents",
	"the event subscriptions": "/console/$slug/settings/events",
	"the log of the shop":     "/console/$slug/settings/audit-log?action=update-project",

	// with a query
	"the policy studio with at most 10% discount":            "/console/$slug/policy?max_discount_percent=10",
	"the activation of a draft":                              "/console/$slug/policy/activate?give=60",
	"the activation of the preset Keep margin":               "/console/$slug/policy/activate?preset=keep_margin",
	"the sign-in settings, where a session was just ended":   "/console/$slug/settings/sign-in?done=ended",
	"the changes of Max in January 2020":                     "/console/$slug/settings/audit-log?who=$member_Max&from=2020-01-01&to=2020-01-31",
	"the log of the shop after a change that does not exist": "/console/$slug/settings/audit-log?action=update-project&after=x",

	// of no such thing
	`the audit log with the filter "colour"`: "/console/$slug/settings/audit-log?colour=red",
	`the returns with the filter "colour"`:   "/console/$slug/returns?colour=red",
	`the payments with the status "lost"`:    "/console/$slug/money/payments?status=lost",
	"a return that does not exist":           "/console/$slug/returns/ret_none",
}

// consoleFiles are the paths of the console's downloads.
var consoleFiles = map[string]string{
	"the selected order":             "/console/$slug/orders/selected.csv?order=$order",
	"the payments":                   "/console/$slug/money/payments.csv",
	"the movements":                  "/console/$slug/money/movements.csv",
	`the movements from "yesterday"`: "/console/$slug/money/movements.csv?from=yesterday",
}

// consolePlaceSteps go to pages of the console by the words of consolePlaces.
func consolePlaceSteps(sc stepRegistry, s *scenario) {
	places, files := anyOf(consolePlaces), anyOf(consoleFiles)
	sc.Step(`^"([^"]*)" opens (`+places+`)$`, func(name, place string) error { return s.console.opensPage(name, consolePlaces[place]) })
	sc.Step(`^"([^"]*)" opens the page of "([^"]*)"$`, func(name, member string) error {
		return s.console.opensPage(name, consolePlaces["the members"]+"/$member_"+member)
	})
	sc.Step(`^"([^"]*)" looks for "([^"]*)" in (the catalogue|the search)$`, func(name, words, place string) error {
		return s.console.opensPage(name, consolePlaces[place]+"?q="+url.QueryEscape(words))
	})
	sc.Step(`^"([^"]*)" downloads (`+files+`)$`, func(name, file string) error { return s.console.downloadsInTab(name, consoleFiles[file]) })
	sc.Then(`^the download is refused$`, s.console.downloadRefused)
	sc.Then(`^"([^"]*)" is at (`+places+`)$`, func(name, place string) error { return s.console.isAtPath(name, consolePlaces[place]) })
}

// anyOf returns an expression that matches any of the names.
func anyOf(names map[string]string) string {
	quoted := slices.Collect(maps.Keys(names))
	for i, name := range quoted {
		quoted[i] = regexp.QuoteMeta(name)
	}
	slices.Sort(quoted)
	return strings.Join(quoted, "|")
}

// consoleMemberSteps make people members of the account, and let them use the console.
func consoleMemberSteps(sc stepRegistry, s *scenario) {
	c := s.console
	const role = `(owner|manager|analyst|support)`
	sc.Given(`^"([^"]*)" is a member as `+role+`$`, func(name, role string) error { return c.joinsAs(name, role, "") })
	sc.Given(`^"([^"]*)" is a member as `+role+` of this shop only$`, func(name, role string) error { return c.joinsAs(name, role, "$shop") })
	sc.Given(`^"([^"]*)" is signed in as `+role+`$`, func(name, role string) error { return c.isSignedInAs(name, role, "") })
	sc.Given(`^"([^"]*)" is signed in as `+role+` of this shop only$`, func(name, role string) error { return c.isSignedInAs(name, role, "$shop") })
	sc.Given(`^"([^"]*)" is invited as `+role+`$`, func(name, role string) error {
		if err := s.members.invites(name, memberFields(role, "")); err != nil {
			return err
		}
		return s.unexpectedRefusal()
	})
	sc.Then(`^"([^"]*)" is named "([^"]*)", and is `+role+` of (\d+) shops$`, c.memberIs)
}

// memberFields returns the fields of an invitation. An empty shop means all shops of the account.
func memberFields(role, shop string) string {
	if shop == "" {
		return fmt.Sprintf(`{"role": %q}`, role)
	}
	return fmt.Sprintf(`{"role": %q, "project_ids": [%q]}`, role, shop)
}

func (c *consoleContext) joinsAs(name, role, shop string) error {
	return c.members.becomesMember(name, memberFields(role, shop))
}

func (c *consoleContext) isSignedInAs(name, role, shop string) error {
	if err := c.joinsAs(name, role, shop); err != nil {
		return err
	}
	return c.signsInToConsole(name)
}

func (c *consoleContext) memberIs(name, called, role string, shops int) error {
	if err := c.send("GET", c.expand(membersPath+"/$member_"+name), "", nil); err != nil {
		return err
	}
	return c.answerShows("name", fmt.Sprintf("%q", called), "role", fmt.Sprintf("%q", role), "project_ids.#", fmt.Sprint(shops))
}
