package console

import (
	"net/http"
	"net/url"
	"strconv"
)

func routeAgents(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /settings/agents", (*memberRequest).agents)
	page("POST /settings/agents", (*memberRequest).makeAgent)
	page("GET /settings/agents/{agent}", (*memberRequest).agent)
	page("POST /settings/agents/{agent}", (*memberRequest).changeAgent)
	page("POST /settings/agents/{agent}/activate", (*memberRequest).activateAgent)
	page("POST /settings/agents/{agent}/rotate-secret", (*memberRequest).rotateAgentSecret)
	page("POST /settings/agents/{agent}/delete", (*memberRequest).deleteAgent)
}

// negotiator is an agent of the API.
type negotiator struct {
	ID       string                  `json:"id"`
	Name     string                  `json:"name"`
	Status   string                  `json:"status"`
	Version  int                     `json:"policy_version"`
	Handlers map[string]agentHandler `json:"handlers"`
	Model    agentModel              `json:"model"`
	Secret   string                  `json:"secret"`
}

type agentHandler struct {
	Type    string `json:"type"`
	Program string `json:"program,omitempty"`
	URL     string `json:"url,omitempty"`
}

type agentModel struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	Wording  bool   `json:"wording"`
	Strategy bool   `json:"strategy"`
	Reasons  bool   `json:"reasons"`
}

// handled are the steps of a purchase that an agent's handlers serve.
var handled = []option{
	{
		Value: "search",
		Word:  "Search",
		Help:  "What a buyer's search finds.",
	},
	{
		Value: "quote",
		Word:  "Quote",
		Help:  "The answer to an offer. Your limits hold for a program of your own, too.",
	},
	{
		Value: "checkout",
		Word:  "Checkout",
		Help:  "Whether a checkout may begin.",
	},
	{
		Value: "finalize",
		Word:  "Payment",
		Help:  "Whether an order may be paid.",
	},
}

// byModel lists what a language model may do for an agent.
var byModel = []option{
	{
		Value: "wording",
		Word:  "Word the answers",
		Help:  "It chooses among your sentences. It never writes a price.",
	},
	{
		Value: "strategy",
		Word:  "Propose prices",
		Help:  "Within your limits. What lies outside is not sent.",
	},
	{
		Value: "reasons",
		Word:  "Say why a product matches",
		Help:  "It chooses which of the product's own facts a search says first.",
	},
}

func (m agentModel) does(what string) bool {
	return map[string]bool{"wording": m.Wording, "strategy": m.Strategy, "reasons": m.Reasons}[what]
}

type agentsView struct {
	settingsPage
	Rows []agentRow
	Make *form
	Made *secretView
}

type agentRow struct {
	Address, Name, Serves, Model, Version string
	Active                                bool
}

func (v *memberRequest) agents() error { return v.showAgents(nil, nil) }

// showAgents lists agents, with a new agent, or the problem of one that was refused.
func (v *memberRequest) showAgents(made *negotiator, failed *problem) error {
	all, err := fetchAll[negotiator](v.api, "/v1/agents", nil)
	if err != nil {
		return err
	}
	view := &agentsView{settingsPage: v.settingsPage("agents")}
	for n := range all {
		view.Rows = append(view.Rows, v.agentRow(&all[n]))
	}
	if v.may("agents:write") {
		view.Make = newForm(v.settingsPath("agents"), failed, agentName(v.r.PostForm.Get("name")))
	}
	if made != nil {
		view.Made = agentSecret(made)
	}
	return v.showAfter(failed, "agents", view)
}

func (v *memberRequest) agentRow(a *negotiator) agentRow {
	row := agentRow{
		Address: v.settingsPath("agents") + "/" + url.PathEscape(a.ID),
		Name:    a.Name,
		Serves:  "This server",
		Model:   "None",
		Version: strconv.Itoa(a.Version),
		Active:  a.Status == "active",
	}
	var remote, model []string
	for _, h := range handled {
		if a.Handlers[h.Value].Type == "remote" {
			remote = append(remote, lower(h.Word))
		}
	}
	if len(remote) > 0 {
		row.Serves = "Your program: " + join(remote)
	}
	for _, m := range byModel {
		if a.Model.does(m.Value) {
			model = append(model, lower(m.Word))
		}
	}
	if len(model) > 0 {
		row.Model = capital(join(model))
	}
	return row
}

func agentName(value string) field {
	return field{
		Name:     "name",
		Label:    "Name",
		Kind:     "text",
		Value:    value,
		Required: true,
		Most:     200,
	}
}

func agentSecret(a *negotiator) *secretView {
	return &secretView{
		Title: "The secret of “" + a.Name + "”",
		Text:  a.Secret,
		Label: "Secret",
		Notes: []string{"It signs each request to a program of your own (Standard Webhooks), and is not shown again."},
	}
}

func (v *memberRequest) makeAgent() error {
	made := negotiator{}
	sent, err := v.send(func(c change) error {
		c.body = map[string]any{"name": v.r.PostForm.Get("name")}
		return v.api.post(http.MethodPost, "/v1/agents", c, &made)
	}, func(p *problem) error { return v.showAgents(nil, p) })
	if !sent {
		return err
	}
	return v.showAgents(&made, nil)
}

type agentView struct {
	settingsPage
	Agent    agentRow
	Back     string
	Change   *form // nil: the role may not
	Confirms []*confirmation
	Handlers []handlerFields
	Model    []field
	Uses     []field
	Made     *secretView
}

// handlerFields has the fields for the handler of a step and its URL.
type handlerFields struct {
	Word, Help string
	Who, URL   field
}

func (v *memberRequest) aboutAgent() string {
	return "/v1/agents/" + url.PathEscape(v.r.PathValue("agent"))
}

func (v *memberRequest) agent() error { return v.showAgent(nil, "", nil) }

// showAgent shows an agent, with a new secret, or the problem of a failed form.
func (v *memberRequest) showAgent(made *secretView, form string, failed *problem) error {
	a, err := fetch[negotiator](v.api, v.aboutAgent(), nil)
	if err != nil {
		return err
	}
	of := func(name string) *problem {
		if name == form {
			return failed
		}
		return nil
	}
	if of(changeForm) != nil {
		v.readAgent(&a) // what was typed
	}
	view := &agentView{
		settingsPage: v.settingsPage("agents"),
		Agent:        v.agentRow(&a),
		Back:         v.settingsPath("agents"),
		Made:         made,
	}
	view.Title = a.Name
	if v.may("agents:write") {
		view.Change = newForm(view.Agent.Address, of(changeForm), agentFields(&a)...)
		view.split()
		view.Confirms = view.Agent.asks(of)
	}
	return v.showAfter(failed, "agent", view)
}

// asks returns the confirmations of actions on an agent.
func (a agentRow) asks(failed func(form string) *problem) []*confirmation {
	all := []*confirmation{confirm("secret", "Replace the secret of "+a.Name+"?", "Replace secret", newForm(a.Address+"/rotate-secret", failed("secret")),
		"Requests to your programs are signed with the new secret at once. The one before signs nothing any more.").danger()}
	if a.Active {
		return all
	}
	return append(all,
		confirm("activate", "Activate "+a.Name+"?", "Activate agent", newForm(a.Address+"/activate", failed("activate")),
			"Buyers meet it from their next request on, under version "+a.Version+" of its policy.",
			"The agent that serves the shop now becomes a draft.", "Prices that were promised stay promised."),
		confirm("delete", "Delete "+a.Name+"?", "Delete agent", newForm(a.Address+"/delete", failed("delete")),
			"Its policies go with it.", "What it decided stays on record.").danger())
}

func (v *memberRequest) changeAgent() error {
	sent, err := v.send(func(c change) error {
		a, err := fetch[negotiator](v.api, v.aboutAgent(), nil)
		if err != nil {
			return err
		}
		v.readAgent(&a)
		c.body = map[string]any{
			"name":     a.Name,
			"handlers": a.Handlers,
			"model": map[string]any{
				"provider": orNull(a.Model.Provider),
				"name":     orNull(a.Model.Name),
				"wording":  a.Model.Wording,
				"strategy": a.Model.Strategy,
				"reasons":  a.Model.Reasons,
			},
		}
		return v.api.post(http.MethodPatch, v.aboutAgent(), c, nil)
	}, func(p *problem) error { return v.showAgent(nil, changeForm, p) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("agents")+"/"+url.PathEscape(v.r.PathValue("agent")), "saved")
}

func (v *memberRequest) activateAgent() error {
	sent, err := v.send(func(c change) error { return v.api.post(http.MethodPost, v.aboutAgent()+"/activate", c, nil) },
		func(p *problem) error { return v.showAgent(nil, "activate", p) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("agents"), "agent-active")
}

func (v *memberRequest) rotateAgentSecret() error {
	made := negotiator{}
	sent, err := v.send(func(c change) error { return v.api.post(http.MethodPost, v.aboutAgent()+"/rotate-secret", c, &made) },
		func(p *problem) error { return v.showAgent(nil, "secret", p) })
	if !sent {
		return err
	}
	return v.showAgent(agentSecret(&made), "", nil)
}

func (v *memberRequest) deleteAgent() error {
	sent, err := v.send(func(c change) error { return v.api.post(http.MethodDelete, v.aboutAgent(), c, nil) },
		func(p *problem) error { return v.showAgent(nil, "delete", p) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("agents"), "agent-deleted")
}
