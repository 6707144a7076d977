package console

import (
	"net/http"
	"slices"
)

// settingsSection is a page of the settings.
type settingsSection struct {
	Name    string
	Word    string
	Address string
	Current bool
	scope   string // that a role needs to see it; "": every role does
}

var settingsSections = []settingsSection{
	{
		Name:  "shop",
		Word:  "Shop",
		scope: "projects:read",
	},
	{
		Name:  "storefront",
		Word:  "Storefront",
		scope: "projects:read",
	},
	{
		Name:  "agents",
		Word:  "Haggling agents",
		scope: "agents:read",
	},
	{
		Name:  "people",
		Word:  "People",
		scope: "keys:read",
	},
	{Name: "sign-in", Word: "Sign-in and sessions"},
	{
		Name:  "api-keys",
		Word:  "API keys",
		scope: "keys:read",
	},
	{
		Name:  "agent-keys",
		Word:  "Agent keys",
		scope: "keys:read",
	},
	{
		Name:  "events",
		Word:  "Events",
		scope: "events:read",
	},
	{
		Name:  "audit-log",
		Word:  "Audit log",
		scope: "keys:read",
	},
}

// routeSettings adds the pages of the settings to those of a shop.
func routeSettings(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /settings", (*memberRequest).settings)
	routePeople(page)
	routeSignIn(page)
	routeKeys(page)
	routeAgents(page)
	routeEvents(page)
	page("GET /settings/audit-log", (*memberRequest).auditLog)
	page("GET /settings/shop", (*memberRequest).shopSettings)
	page("POST /settings/shop", (*memberRequest).saveShopSettings)
	page("GET /settings/storefront", (*memberRequest).storefront)
	page("POST /settings/storefront", (*memberRequest).saveStorefront)
}

// settingsPage is the common part of the settings' pages.
type settingsPage struct {
	frame
	Sections []settingsSection
	Done     string
}

// settingsDone has the messages after changes.
var settingsDone = map[string]string{
	"saved":         "The settings are saved.",
	"undone":        "Undone. It is as it was before.",
	"changed":       "The change is saved. It counts at once.",
	"removed":       "The member is removed, and all of their sessions have ended.",
	"revoked":       "The invitation is revoked. Its link opens nothing any more.",
	"ended":         "The session has ended.",
	"all-ended":     "The sessions have ended.",
	"mfa-reset":     "The authenticator is removed, and all sessions of the member have ended.",
	"disabled":      "The authenticator is removed. Your password alone signs you in.",
	"confirmed":     "The authenticator is in use. Signing in asks for its code from now on.",
	"sub-on":        "The subscription is on again. Events from now on are sent.",
	"sub-off":       "The subscription is switched off. What was still to be sent is not.",
	"agent-active":  "The agent is active. Buyers meet it from their next request on.",
	"agent-deleted": "The agent is deleted.",
	"key-revoked":   "The key is revoked. Requests with it are refused from now on.",
}

func (v *memberRequest) settingsPage(section string) settingsPage {
	view := settingsPage{
		frame:    v.page("Settings", "settings"),
		Sections: v.sections(section),
		Done:     settingsDone[v.r.URL.Query().Get("done")],
	}
	if i := slices.IndexFunc(view.Sections, func(s settingsSection) bool { return s.Current }); i >= 0 {
		view.Title = view.Sections[i].Word
	}
	return view
}

// settingsPath returns the path of a section of the shop's settings.
func (v *memberRequest) settingsPath(section string) string {
	return v.shop.Path() + "/settings/" + section
}

// sections returns the sections that the member's role may see.
func (v *memberRequest) sections(current string) (seen []settingsSection) {
	for _, s := range settingsSections {
		if s.scope != "" && !v.may(s.scope) {
			continue
		}
		s.Address, s.Current = v.settingsPath(s.Name), s.Name == current
		seen = append(seen, s)
	}
	return seen
}

// settings goes to the first section.
func (v *memberRequest) settings() error {
	http.Redirect(v.w, v.r, v.sections("")[0].Address, http.StatusSeeOther)
	return nil
}

// showAfter shows a page with the status of a failed action.
func (v *memberRequest) showAfter(failed *problem, name string, view any) error {
	status := http.StatusOK
	if failed != nil {
		status = failed.Status
	}
	return v.render(v.w, status, name, view)
}

// shopChoices returns the shops that a member or a key can be bound to.
func (v *memberRequest) shopChoices() (options []option) {
	for _, s := range v.known {
		options = append(options, option{Value: s.ID, Word: s.Name})
	}
	return options
}

// shopNames joins the names of shops by their ids. No ids stand for all shops.
func (v *memberRequest) shopNames(ids []string) string {
	if len(ids) == 0 {
		return "All shops"
	}
	names := make([]string, len(ids))
	for i, wanted := range ids {
		names[i] = short(wanted)
		if j := slices.IndexFunc(v.known, func(s shop) bool { return s.ID == wanted }); j >= 0 {
			names[i] = v.known[j].Name
		}
	}
	return join(names)
}
