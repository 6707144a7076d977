package console

import (
	"net/http"
	"net/url"
	"time"
)

// agentKey is an agent's key of the API.
type agentKey struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Profile   string    `json:"profile"`
	Prefix    string    `json:"prefix"`
	CreatedAt time.Time `json:"created_at"`
	Secret    string    `json:"key"`
}

func (v *memberRequest) agentKeys() error { return v.showAgentKeys(nil, nil) }

// showAgentKeys shows the shop's keys for agents, one that has just been made, and what was wrong with one that was not.
func (v *memberRequest) showAgentKeys(made *agentKey, failed *problem) error {
	found, err := fetchAll[agentKey](v.api, "/v1/agent-keys", nil)
	if err != nil {
		return err
	}
	here := v.settingsPath("agent-keys")
	view := &keysView{
		settingsPage: v.settingsPage("agent-keys"),
		MayMake:      v.may("keys:write"),
		Making:       failed != nil,
		OfAgent:      true,
	}
	for _, k := range found {
		row := keyRow{
			ID:      k.ID,
			Name:    k.Name,
			Prefix:  k.Prefix,
			Profile: k.Profile,
			Since:   v.shop.words.day(k.CreatedAt),
		}
		if view.MayMake {
			row.Revoke = here + "?revoke=" + k.ID
		}
		view.Rows = append(view.Rows, row)
		if view.MayMake && k.ID == v.r.URL.Query().Get("revoke") {
			view.Revoke = askRevoke(here, k.ID, k.Name, "Requests with it no longer count as signed by its agent.", "It cannot be brought back.")
		}
	}
	if view.MayMake {
		view.Make = newForm(here, failed, v.agentKeyFields()...)
	}
	if made != nil {
		view.Made = &secretView{
			Title: "The key “" + made.Name + "” is made",
			Text:  made.Secret,
			Label: "Secret",
			Notes: []string{"It is not shown again. The agent sends it as a bearer token, and its requests count as signed."},
		}
	}
	return v.showAfter(failed, "agentkeys", view)
}

func (v *memberRequest) agentKeyFields() []field {
	f := v.r.PostForm
	return []field{
		{
			Name:     "name",
			Label:    "Name",
			Kind:     "text",
			Value:    f.Get("name"),
			Required: true,
			Most:     200,
			Help:     "What the key is for.",
		},
		{
			Name:        "profile",
			Label:       "Agent's profile",
			Kind:        "url",
			Value:       f.Get("profile"),
			Required:    true,
			Most:        2000,
			Help:        "The address that the agent names itself by.",
			Placeholder: "https://agent.example/profile.json",
		},
	}
}

func (v *memberRequest) makeAgentKey() error {
	f := v.r.PostForm
	var made agentKey
	sent, err := v.send(func(c change) error {
		c.body = map[string]string{"name": f.Get("name"), "profile": f.Get("profile")}
		return v.api.post(http.MethodPost, "/v1/agent-keys", c, &made)
	}, func(p *problem) error { return v.showAgentKeys(nil, p) })
	if !sent {
		return err
	}
	v.r.PostForm = url.Values{}
	return v.showAgentKeys(&made, nil)
}

func (v *memberRequest) revokeAgentKey() error {
	if err := v.api.post(http.MethodDelete, "/v1/agent-keys/"+url.PathEscape(v.r.PathValue("key")), change{}, nil); err != nil {
		return err
	}
	return v.finish(v.settingsPath("agent-keys"), "key-revoked")
}
