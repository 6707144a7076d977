package console

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// routeStudio adds the pages of the policy studio to those of a shop.
func routeStudio(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /policy", inStudio((*studio).show))
	page("GET /policy/save", inStudio((*studio).confirmSave))
	page("POST /policy/save", inStudio(changing((*studio).save)))
	page("GET /policy/activate", inStudio((*studio).confirmActivate))
	page("POST /policy/activate", inStudio(changing((*studio).activate)))
	page("POST /policy/agent", (*memberRequest).addHaggler)
	page("POST /policy/market", inStudio((*studio).startMarket))
	page("POST /policy/market/{job}/cancel", inStudio((*studio).cancelMarket))
	page("GET /policy/versions", inStudio((*studio).versions))
	page("POST /policy/holdout", inStudio(changing((*studio).holdBack)))
	page("GET /policy/versions/{version}", inStudio((*studio).version))
	page("GET /policy/suggest", inStudio((*studio).suggest))
	page("POST /policy/suggest", inStudio((*studio).learn))
}

// changing handles a form for roles that may change policies. It refuses others before it parses the form.
func changing(form func(*studio) error) func(*studio) error {
	return func(s *studio) error {
		if !s.may("agents:write") {
			return errReadOnly
		}
		return form(s)
	}
}

// haggler is an agent of the API, with its policy.
type haggler struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Status   string   `json:"status"`
	Version  int      `json:"policy_version"`
	Policy   haggling `json:"policy"`
	Handlers struct {
		Quote struct {
			Type    string `json:"type"`
			Program string `json:"program"`
			URL     string `json:"url"`
		} `json:"quote"`
	} `json:"handlers"`
	Model struct {
		Strategy bool `json:"strategy"`
	} `json:"model"`
	Tuning struct {
		Automatic bool     `json:"automatic"`
		Holdout   float64  `json:"holdout_percent"`
		Canary    float64  `json:"canary_percent"`
		Trial     *float64 `json:"trial_percent"`
		Baseline  *int     `json:"baseline_version"`
	} `json:"tuning"`
}

// policyVersion is a written version of an agent's policy.
type policyVersion struct {
	Version     int        `json:"version"`
	Origin      string     `json:"origin"`
	Note        string     `json:"note"`
	InForce     bool       `json:"in_force"`
	Policy      haggling   `json:"policy"`
	CreatedAt   time.Time  `json:"created_at"`
	ActivatedAt *time.Time `json:"activated_at"`
}

// preset is a policy to start from.
type preset struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Sentence string   `json:"sentence"`
	Policy   haggling `json:"policy"`
}

// studio is a request about the policy of one agent.
type studio struct {
	*memberRequest
	agent   *haggler
	agents  []haggler
	presets []preset
}

// inStudio finds the agent named in the address, or else the one that serves buyers.
func inStudio(show func(*studio) error) func(*memberRequest) error {
	return func(v *memberRequest) error {
		found, err := fetch[list[haggler]](v.api, "/v1/agents", url.Values{"limit": {"100"}})
		if err != nil {
			return err
		}
		if len(found.Data) == 0 {
			return v.show("nopolicy", &noPolicyView{frame: v.page("Policy studio", "policy"), MayAdd: v.may("agents:write")})
		}
		s := &studio{memberRequest: v, agents: found.Data}
		wanted := v.r.FormValue("agent")
		at := slices.IndexFunc(s.agents, func(a haggler) bool { return a.ID == wanted })
		if at < 0 {
			at = max(0, slices.IndexFunc(s.agents, haggler.serves))
		}
		s.agent = &s.agents[at]
		return show(s)
	}
}

// serves reports whether an agent serves the shop's buyers.
func (h haggler) serves() bool { return h.Status == "active" }

type noPolicyView struct {
	frame
	MayAdd bool
}

// addHaggler creates an agent that serves the buyers of a shop without one.
func (v *memberRequest) addHaggler() error {
	var made haggler
	c := change{body: map[string]string{"name": "Negotiator"}}
	if err := v.api.post(http.MethodPost, "/v1/agents", c, &made); err != nil {
		return err
	}
	if err := v.api.post(http.MethodPost, "/v1/agents/"+made.ID+"/activate", change{}, nil); err != nil {
		return err
	}
	return v.finish(v.shop.Path()+"/policy", "added")
}

// agentPath is one of the agent's in the API.
func (s *studio) agentPath(rest string) string {
	return "/v1/agents/" + url.PathEscape(s.agent.ID) + rest
}

// address is a page of the studio about the agent.
func (s *studio) address(rest string, q url.Values) string {
	q = maps.Clone(q)
	if q == nil {
		q = url.Values{}
	}
	if i := slices.IndexFunc(s.agents, haggler.serves); i < 0 || s.agents[i].ID != s.agent.ID {
		q.Set("agent", s.agent.ID)
	}
	return link(s.shop.Path()+"/policy"+rest, switchedOff(q))
}

// switchedOff marks switches that are off, because addresses leave out empty values.
func switchedOff(q url.Values) url.Values {
	for name, values := range q {
		if len(values) > 0 && values[0] == "" && numberNamed(name).kind == switchNumber {
			q[name] = []string{"off"}
		}
	}
	return q
}

// versionWord names a version.
func versionWord(n int) string { return "version " + strconv.Itoa(n) }

// studioPage is what all pages of the studio have.
type studioPage struct {
	frame
	Agents   []choice
	Done     string
	MayWrite bool
	Studio   string // its address
	Versions string
}

// studioDone are the sentences after something was done.
var studioDone = map[string]string{
	"added":     "The agent is added, and serves your buyers.",
	"saved":     "The version is saved. It is not in force by that.",
	"activated": "The version is in force. Buyers who begin to haggle now get its prices.",
	"undone":    "Undone. It is as it was before.",
	"held":      "What is held back is changed.",
}

func (s *studio) studioPage(title string) studioPage {
	view := studioPage{
		frame:    s.page(title, "policy"),
		Done:     studioDone[s.r.URL.Query().Get("done")],
		MayWrite: s.may("agents:write"),
		Studio:   s.address("", nil),
		Versions: s.address("/versions", nil),
	}
	if len(s.agents) > 1 {
		for _, a := range s.agents {
			other := &studio{
				memberRequest: s.memberRequest,
				agent:         &a,
				agents:        s.agents,
			}
			word := a.Name
			if !a.serves() {
				word += " (draft)"
			}
			view.Agents = append(view.Agents, choice{word, other.address("", nil), a.ID == s.agent.ID})
		}
	}
	return view
}

// loadPresets asks for the policies to start from.
func (s *studio) loadPresets() error {
	found, err := fetch[list[preset]](s.api, "/v1/agents/policy-presets", nil)
	s.presets = found.Data
	return err
}

// newest is the number of the newest version.
func (s *studio) newest() (int, error) {
	found, err := fetch[list[policyVersion]](s.api, s.agentPath("/policies"), url.Values{"limit": {"1"}})
	if err != nil || len(found.Data) == 0 {
		return 0, err
	}
	return found.Data[0].Version, nil
}

// outside describes who sets prices in addition to the policy, and which rules still apply.
func (s *studio) outside() string {
	const still = " These still hold: no price below the floor or above list, none above one that was named before, and none lower after the last move."
	q := s.agent.Handlers.Quote
	switch {
	case q.Type == "remote":
		return "Prices come from your own handler at " + q.URL + "." + still
	case q.Program != "" && q.Program != "haggle":
		return "Prices come from the program " + q.Program + "." + still
	case s.agent.Model.Strategy:
		return "A language model may ask for more than these rules would, never for less." + still
	}
	return ""
}
