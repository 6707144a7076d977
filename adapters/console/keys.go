package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func routeKeys(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /settings/api-keys", (*memberRequest).apiKeys)
	page("POST /settings/api-keys", (*memberRequest).makeAPIKey)
	page("POST /settings/api-keys/{key}/revoke", (*memberRequest).revokeAPIKey)
	page("GET /settings/agent-keys", (*memberRequest).agentKeys)
	page("POST /settings/agent-keys", (*memberRequest).makeAgentKey)
	page("POST /settings/agent-keys/{key}/revoke", (*memberRequest).revokeAgentKey)
}

// apiKey is a key of the API.
type apiKey struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Prefix    string     `json:"prefix"`
	Status    string     `json:"status"`
	Scopes    []string   `json:"scopes"`
	Shops     []string   `json:"project_ids"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	UsedAt    *time.Time `json:"last_used_at"`
	Secret    string     `json:"key"`
}

type keysView struct {
	settingsPage
	MayMake bool
	Making  bool // the form is open
	Rows    []keyRow
	Make    *form
	All     field   // of the API key's form: it may do everything
	Access  []field // of the API key's form: what else it may do
	Made    *secretView
	Revoke  *confirmation
	OfAgent bool
}

type keyRow struct {
	ID                                                   string
	Name, Prefix, May, Shops, Used, Until, Since, Revoke string
	Profile                                              string // of an agent's key
	Old                                                  bool   // unused for long
	Pills                                                []pill
}

// longUnused is the time after which an unused key is marked.
const longUnused = 90 * 24 * time.Hour

func (v *memberRequest) apiKeys() error { return v.showAPIKeys(nil, nil) }

// showAPIKeys shows the keys, with a new key, or the problem of a failed form.
func (v *memberRequest) showAPIKeys(made *apiKey, failed *problem) error {
	found, err := fetchAll[apiKey](v.api, "/v1/api-keys", nil)
	if err != nil {
		return err
	}
	here := v.settingsPath("api-keys")
	view := &keysView{
		settingsPage: v.settingsPage("api-keys"),
		MayMake:      v.may("keys:write"),
		Making:       failed != nil,
	}
	for _, k := range found {
		row := v.keyRow(k)
		if view.MayMake {
			row.Revoke = here + "?revoke=" + k.ID
		}
		view.Rows = append(view.Rows, row)
		if view.MayMake && k.ID == v.r.URL.Query().Get("revoke") {
			view.Revoke = askRevoke(here, k.ID, k.Name, revokeMeans(row)...)
		}
	}
	if view.MayMake {
		view.Make, view.Access = newForm(here, failed, v.keyFields()...), v.accessFields()
		last := len(view.Make.Fields) - 1
		view.All, view.Make.Fields = view.Make.Fields[last], view.Make.Fields[:last]
	}
	if made != nil {
		view.Made = &secretView{
			Title: "The key “" + made.Name + "” is made",
			Text:  made.Secret,
			Label: "Secret",
			Notes: []string{"It is not shown again. Keep it where the program that uses it keeps secrets.", "It may: " + scopeWords(made.Scopes) + "."},
		}
	}
	return v.showAfter(failed, "apikeys", view)
}

// askRevoke asks whether to revoke a key. Cancel leads back to its row.
func askRevoke(here, key, name string, means ...string) *confirmation {
	ask := confirm("revoke", "Revoke “"+name+"”?", "Revoke key", newForm(here+"/"+key+"/revoke", nil), means...).danger()
	ask.Open, ask.Back = true, here+"#"+key
	return ask
}

func revokeMeans(row keyRow) []string {
	used := "It was never used."
	if row.Used != "Never" {
		used = "It was last used " + row.Used + "."
	}
	return []string{used, "Programs that use it are refused at once.", "It cannot be brought back."}
}

func (v *memberRequest) keyRow(k apiKey) keyRow {
	w := v.shop.words
	row := keyRow{
		ID:     k.ID,
		Name:   k.Name,
		Prefix: k.Prefix,
		May:    capital(scopeWords(k.Scopes)),
		Shops:  v.shopNames(k.Shops),
		Used:   "Never",
		Until:  "–",
		Since:  w.day(k.CreatedAt),
	}
	last := k.CreatedAt
	if k.UsedAt != nil {
		last, row.Used = *k.UsedAt, w.ago(*k.UsedAt)
	}
	row.Old = v.Clock.Now().Sub(last) > longUnused
	if k.ExpiresAt != nil {
		row.Until = w.day(*k.ExpiresAt)
	}
	if k.Status == "expired" {
		row.Pills = []pill{{"Expired", "warn"}}
	}
	return row
}

// scopeGroups lists the groups of scopes, in the order of the console's navigation.
var scopeGroups = []option{
	{Value: "finance", Word: "Orders and money"},
	{Value: "catalog", Word: "Catalogue"},
	{Value: "agents", Word: "Haggling"},
	{Value: "analytics", Word: "Figures"},
	{Value: "integrations", Word: "Integrations"},
	{Value: "events", Word: "Events"},
	{Value: "projects", Word: "Shop settings"},
	{Value: "keys", Word: "People and keys"},
}

// scopeWords describes scopes: "change catalogue; read figures and events".
func scopeWords(scopes []string) string {
	if slices.Contains(scopes, "*") {
		return "everything"
	}
	verbs := map[string][]string{}
	for _, g := range scopeGroups {
		switch {
		case slices.Contains(scopes, g.Value+":write"):
			verbs["change"] = append(verbs["change"], lower(g.Word))
		case slices.Contains(scopes, g.Value+":read"):
			verbs["read"] = append(verbs["read"], lower(g.Word))
		}
	}
	var parts []string
	for _, verb := range []string{"change", "read"} {
		if len(verbs[verb]) > 0 {
			parts = append(parts, verb+" "+join(verbs[verb]))
		}
	}
	return strings.Join(parts, "; ")
}

func lower(word string) string { return strings.ToLower(word[:1]) + word[1:] }

var (
	accessWords = []option{{Value: "", Word: "No access"}, {Value: "read", Word: "Read"}, {Value: "write", Word: "Read and change"}}
	lifeWords   = []option{{Value: "", Word: "Never"}, {Value: "30", Word: "In 30 days"}, {Value: "90", Word: "In 90 days"}, {Value: "365", Word: "In a year"}}
)

// keyFields returns the fields of a new key, except its scopes by group. The last field grants all scopes.
func (v *memberRequest) keyFields() []field {
	f := v.r.PostForm
	fields := []field{
		{
			Name:     "name",
			Label:    "Name",
			Kind:     "text",
			Value:    f.Get("name"),
			Required: true,
			Most:     200,
			Help:     "What the key is for. The audit log shows it.",
		},
		{
			Name:    "expires_at",
			Label:   "Expires",
			Kind:    "select",
			Options: chosen(lifeWords, f.Get("expires_at")),
		},
	}
	fields = append(fields, v.shopsField(f["project_ids"])...)
	return append(fields, field{
		Name:  "scopes",
		Label: "Everything",
		Kind:  "check",
		On:    f.Get("scopes") != "",
		Help:  "All that an owner may. Otherwise choose what the program needs:",
	})
}

// accessFields returns the fields for the scopes of a new key, by group.
func (v *memberRequest) accessFields() (fields []field) {
	for _, g := range scopeGroups {
		name := "scope." + g.Value
		fields = append(fields, field{
			Name:    name,
			Label:   g.Word,
			Kind:    "select",
			Options: chosen(accessWords, v.r.PostForm.Get(name)),
		})
	}
	return fields
}

// scopesOf returns the scopes that a form selects.
func scopesOf(f url.Values) []string {
	if f.Get("scopes") != "" {
		return []string{"*"}
	}
	scopes := []string{}
	for _, g := range scopeGroups {
		if verb := f.Get("scope." + g.Value); verb != "" {
			scopes = append(scopes, g.Value+":"+verb)
		}
	}
	return scopes
}

// expiry returns the time at which a key expires after some days, or nil if it does not expire.
func expiry(choice string, now time.Time) *string {
	days := map[string]int{"30": 30, "90": 90, "365": 365}[choice]
	if days == 0 {
		return nil
	}
	at := now.AddDate(0, 0, days).UTC().Format(time.RFC3339)
	return &at
}

func (v *memberRequest) makeAPIKey() error {
	f := v.r.PostForm
	var made apiKey
	sent, err := v.send(func(c change) error {
		c.body = map[string]any{
			"name":        f.Get("name"),
			"scopes":      scopesOf(f),
			"project_ids": slices.Clone(f["project_ids"]),
			"expires_at":  expiry(f.Get("expires_at"), v.Clock.Now()),
		}
		return v.api.post(http.MethodPost, "/v1/api-keys", c, &made)
	}, func(p *problem) error { return v.showAPIKeys(nil, p) })
	if !sent {
		return err
	}
	v.r.PostForm = url.Values{}
	return v.showAPIKeys(&made, nil)
}

func (v *memberRequest) revokeAPIKey() error {
	if err := v.api.post(http.MethodDelete, "/v1/api-keys/"+url.PathEscape(v.r.PathValue("key")), change{}, nil); err != nil {
		return err
	}
	return v.finish(v.settingsPath("api-keys"), "key-revoked")
}
