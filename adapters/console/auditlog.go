package console

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/member"
)

// auditEvent is a change of the API.
type auditEvent struct {
	Action    string       `json:"action"`
	Target    string       `json:"target"`
	ProjectID string       `json:"project_id"`
	KeyID     string       `json:"key_id"`
	Member    *auditMember `json:"member"`
	Address   string       `json:"address"`
	CreatedAt time.Time    `json:"created_at"`
	Before    any          `json:"before"`
	After     any          `json:"after"`
}

type auditMember struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type auditView struct {
	settingsPage
	Rows      []auditRow
	Total     string
	Filters   []field
	Filtered  bool
	Unknown   []string // unknown filters in the address
	ClearLink string
	Older     string
	Newer     string
}

type auditRow struct {
	Who, How, What, Code string
	Target, TargetLink   string
	Shop                 string
	When, Exact, From    string
	Changes              []auditChange
	More                 string // changes that are left out
}

// auditNames name what events are about.
type auditNames struct {
	keys    map[string]string
	members map[string]string
}

func (v *memberRequest) auditLog() error {
	q := v.r.URL.Query()
	names, err := v.auditNames()
	if err != nil {
		return err
	}
	view := &auditView{
		settingsPage: v.settingsPage("audit-log"),
		Filters:      v.auditFilters(q, names),
		Unknown:      unknown(q, "who", "action", "shop", "from", "to", "after", "newer_than"),
		ClearLink:    v.settingsPath("audit-log"),
	}
	asked, wrong := v.auditQuery(q)
	view.Unknown = append(view.Unknown, wrong...)
	view.Filtered = len(asked) > 0
	found, unknown, err := fetchPage[auditEvent](v, "/v1/audit-events", asked)
	if err != nil {
		return err
	}
	view.Unknown = append(view.Unknown, unknown...)
	for _, e := range found.Data {
		view.Rows = append(view.Rows, v.auditRow(e, names))
	}
	view.Newer, view.Older = found.neighbors(func(turn, place string) string {
		next := url.Values{turn: {place}}
		for _, name := range []string{"who", "action", "shop", "from", "to"} {
			next.Set(name, q.Get(name))
		}
		return link(view.ClearLink, next)
	})
	view.Total = found.total("change", "changes")
	return v.show("auditlog", view)
}

// auditNames has the names of the present members and keys. Events have the names of removed members.
func (v *memberRequest) auditNames() (auditNames, error) {
	names := auditNames{keys: map[string]string{}, members: map[string]string{}}
	keys, err := fetchAll[apiKey](v.api, "/v1/api-keys", nil)
	if err != nil {
		return names, err
	}
	for _, k := range keys {
		names.keys[k.ID] = k.Name
	}
	members, err := fetchAll[person](v.api, "/v1/members", nil)
	for _, m := range members {
		names.members[m.ID] = m.Name
	}
	return names, err
}

// auditFilters returns the fields of the filters, with the values of the address.
func (v *memberRequest) auditFilters(q url.Values, names auditNames) []field {
	who := []option{{Value: "", Word: "Everybody"}}
	who = append(who, byWord(names.members, "")...)
	who = append(who, byWord(names.keys, "Key ")...)
	if id := q.Get("who"); id != "" && names.members[id]+names.keys[id] == "" {
		who = append(who, option{Value: id, Word: short(id)})
	}
	actions := append([]option{{Value: "", Word: "Everything"}}, byWord(auditWords, "")...)
	return []field{
		{
			Name:    "who",
			Label:   "Who",
			Kind:    "select",
			Options: chosen(who, q.Get("who")),
		},
		{
			Name:    "action",
			Label:   "What",
			Kind:    "select",
			Options: chosen(actions, q.Get("action")),
		},
		{
			Name:    "shop",
			Label:   "Where",
			Kind:    "select",
			Options: chosen([]option{{Value: "", Word: "Everywhere"}, {Value: "this", Word: v.shop.Name}}, q.Get("shop")),
		},
		{
			Name:  "from",
			Label: "From",
			Kind:  "date",
			Value: q.Get("from"),
		},
		{
			Name:  "to",
			Label: "To",
			Kind:  "date",
			Value: q.Get("to"),
		},
	}
}

// byWord returns options by id, sorted by their words.
func byWord(words map[string]string, head string) (options []option) {
	for id, word := range words {
		options = append(options, option{Value: id, Word: head + word})
	}
	slices.SortFunc(options, func(a, b option) int { return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(a.Value, b.Value)) })
	return options
}

// auditQuery converts the query of the address to the API's, and returns its unknown filters.
func (v *memberRequest) auditQuery(q url.Values) (asked url.Values, wrong []string) {
	asked = url.Values{"action": {q.Get("action")}}
	switch who := q.Get("who"); {
	case strings.HasPrefix(who, "mem_"):
		asked.Set("member_id", who)
	case strings.HasPrefix(who, "key_"):
		asked.Set("key_id", who)
	case who != "":
		wrong = append(wrong, "who="+who)
	}
	switch q.Get("shop") {
	case "this":
		asked.Set("project_id", v.shop.ID)
	case "":
	default:
		wrong = append(wrong, "shop="+q.Get("shop"))
	}
	for name, days := range map[string]int{"from": 0, "to": 1} {
		if q.Get(name) == "" {
			continue
		}
		day, err := time.ParseInLocation(time.DateOnly, q.Get(name), v.zone())
		if err != nil {
			wrong = append(wrong, name+"="+q.Get(name))
			continue
		}
		asked.Set(name, day.AddDate(0, 0, days).Format(time.RFC3339))
	}
	slices.Sort(wrong)
	return given(asked), wrong
}

func (v *memberRequest) auditRow(e auditEvent, names auditNames) auditRow {
	w := v.shop.words
	what, after := auditSaid(e)
	row := auditRow{
		What:  what,
		When:  w.clock(e.CreatedAt),
		Exact: e.CreatedAt.Format(time.RFC3339),
		From:  e.Address,
		Shop:  "Account",
	}
	if row.What == "" {
		row.Code = e.Action
	}
	row.Who, row.How = auditActor(e, names)
	if e.ProjectID != "" {
		row.Shop = v.shopNames([]string{e.ProjectID})
	}
	row.Target, row.TargetLink = v.auditTarget(e, names)
	row.Changes, row.More = auditChanges(e.Before, after)
	return row
}

// auditActor names who did something, and the key if it was not done in person.
func auditActor(e auditEvent, names auditNames) (who, how string) {
	switch {
	case e.Member != nil:
		return cmp.Or(e.Member.Name, short(e.Member.ID)), ""
	case e.KeyID != "":
		return cmp.Or(names.keys[e.KeyID], short(e.KeyID)), "API key"
	case e.Action == audit.Blocked:
		return "Somebody", "not signed in"
	}
	return "Operator", "of the server"
}

// methodWords say how a member signed in.
var methodWords = map[string]string{
	member.ByPassword.String():   "password",
	member.ByLink.String():       "one-time link",
	member.ByInvitation.String(): "invitation",
	member.ByProvider.String():   "OpenID Connect",
	"code":                       "code of the second factor",
}

// auditSaid returns the action in words and the event's after field. The words of a sign-in name its method.
func auditSaid(e auditEvent) (what string, after any) {
	shown, ok := e.After.(map[string]any)
	by, _ := shown["by"].(string)
	if !ok || methodWords[by] == "" || !audit.OfSignIn(e.Action) {
		return auditWords[e.Action], e.After
	}
	what, shown = auditWords[e.Action]+" by "+methodWords[by], maps.Clone(shown)
	if shown["code"] == true {
		what += " and code"
	}
	delete(shown, "by")
	delete(shown, "code")
	return what, shown
}

// auditTarget names the changed object, and returns its address in the console, or "".
func (v *memberRequest) auditTarget(e auditEvent, names auditNames) (name, address string) {
	kind, _, _ := strings.Cut(e.Target, "_")
	switch {
	case kind == "ord" && v.may("finance:read") && (e.ProjectID == v.shop.ID):
		return short(e.Target), v.shop.Path() + "/orders/" + e.Target
	case names.members[e.Target] != "":
		return names.members[e.Target], v.settingsPath("people") + "/" + e.Target
	case names.keys[e.Target] != "":
		return names.keys[e.Target], v.settingsPath("api-keys")
	case e.Target == e.ProjectID, kind == "acc":
		return "", ""
	}
	for _, side := range []any{e.After, e.Before} {
		if fields, ok := side.(map[string]any); ok {
			for _, name := range []string{"name", "email", "title"} {
				if text, ok := fields[name].(string); ok && text != "" {
					return text, ""
				}
			}
		}
	}
	return short(e.Target), ""
}
