package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

type versionsView struct {
	studioPage
	Rows         []versionRow
	Older, Newer string
	Back         *choice // to the version that was in force before
	Held         *heldView
}

type versionRow struct {
	Address, Name, Note, By, Made, Exact, Served string
	Serves                                       string // which buyers; "": none
}

// originWords say who wrote a version.
var originWords = map[string]string{
	"builtin":  "Built in",
	"merchant": "Your people",
	"tuned":    "Learnt from your record",
}

func (s *studio) versions() error {
	offset := s.offset()
	found, err := fetch[list[policyVersion]](s.api, s.agentPath("/policies"), pageAt(offset))
	if err != nil {
		return err
	}
	view := &versionsView{studioPage: s.studioPage("Versions")}
	w := s.shop.words
	for _, p := range found.Data {
		row := versionRow{
			Address: s.address("/versions/"+strconv.Itoa(p.Version), nil),
			Name:    capital(versionWord(p.Version)),
			Note:    p.Note,
			By:      originWords[p.Origin],
			Made:    w.clock(p.CreatedAt),
			Exact:   p.CreatedAt.Format(time.RFC3339),
			Served:  "Never in force",
			Serves:  s.serves(p),
		}
		if p.ActivatedAt != nil {
			row.Served = "Since " + w.clock(*p.ActivatedAt)
			if row.Serves == "" {
				row.Served = "From " + w.clock(*p.ActivatedAt)
			}
		}
		view.Rows = append(view.Rows, row)
	}
	if number := s.rollsBackTo(found.Data); number > 0 && view.MayWrite {
		view.Back = &choice{Word: "Roll back to " + versionWord(number), Address: s.address("/activate", url.Values{"from": {strconv.Itoa(number)}})}
	}
	view.Newer, view.Older = besides(offset, len(view.Rows), found.Meta.Total, func(to string) string {
		return s.address("/versions", url.Values{"offset": {to}})
	})
	if view.Held, err = s.held(nil); err != nil {
		return err
	}
	return s.memberRequest.show("policyversions", view)
}

// serves says which buyers a version serves.
func (s *studio) serves(p policyVersion) string {
	t := s.agent.Tuning
	switch {
	case p.InForce && t.Trial != nil:
		return "On trial, " + plainNumber(*t.Trial) + "%"
	case p.InForce:
		return "In force"
	case t.Trial != nil && t.Baseline != nil && p.Version == *t.Baseline:
		return "For other buyers"
	}
	return ""
}

// rollsBackTo returns the version that was in force before the present one, or 0 if it is not among these. During a trial it is the
// baseline, because other learned versions may not be proven.
func (s *studio) rollsBackTo(all []policyVersion) (version int) {
	if t := s.agent.Tuning; t.Trial != nil && t.Baseline != nil {
		return *t.Baseline
	}
	var at time.Time
	for _, p := range all {
		if !p.InForce && p.ActivatedAt != nil && p.ActivatedAt.After(at) {
			version, at = p.Version, *p.ActivatedAt
		}
	}
	return version
}

type versionView struct {
	studioPage
	Name, Note, By, Made, Served string
	InForce                      bool
	Diffs                        []diffView
	Groups                       []numbersView
	Draft, Activate, Verb        string
	Parts                        string
}

// diffView is how a version differs from another one.
type diffView struct {
	Title, Same string
	Changes     []policyChange
}

func (s *studio) version() error {
	number, err := strconv.Atoi(s.r.PathValue("version"))
	if err != nil {
		return errNoPage
	}
	p, err := fetch[policyVersion](s.api, s.agentPath("/policies/"+strconv.Itoa(number)), nil)
	if err != nil {
		return err
	}
	w := s.shop.words
	view := &versionView{
		studioPage: s.studioPage(capital(versionWord(number))),
		Name:       capital(versionWord(number)),
		Note:       p.Note,
		By:         originWords[p.Origin],
		Made:       w.clock(p.CreatedAt),
		Served:     "Never in force",
		InForce:    p.InForce,
		Draft:      s.address("", url.Values{"from": {strconv.Itoa(number)}}),
		Parts:      partWords(p.Policy.partsOf()),
	}
	if p.ActivatedAt != nil {
		view.Served = "Put in force " + w.clock(*p.ActivatedAt)
	}
	if !p.InForce && view.MayWrite {
		view.Verb, view.Activate = "Activate…", s.address("/activate", url.Values{"from": {strconv.Itoa(number)}})
		if p.ActivatedAt != nil {
			view.Verb = "Roll back to this version…"
		}
	}
	if err := s.diffs(view, &p); err != nil {
		return err
	}
	for _, g := range policyGroups {
		shown := numbersView{Word: g.word}
		for _, n := range g.numbers {
			shown.Fields = append(shown.Fields, numberView{
				Label: n.label,
				Name:  n.name,
				Value: n.words(p.Policy.values[n.name]),
			})
		}
		view.Groups = append(view.Groups, shown)
	}
	return s.memberRequest.show("policyversion", view)
}

// diffs are those against the version in force and against the one before.
func (s *studio) diffs(view *versionView, p *policyVersion) error {
	if !p.InForce {
		view.Diffs = append(view.Diffs, diffOf("From "+versionWord(s.agent.Version)+", in force", s.agent.Policy, p.Policy))
	}
	if p.Version < 2 || p.Version-1 == s.agent.Version {
		return nil
	}
	before, err := fetch[policyVersion](s.api, s.agentPath("/policies/"+strconv.Itoa(p.Version-1)), nil)
	if err != nil {
		return err
	}
	view.Diffs = append(view.Diffs, diffOf("From "+versionWord(p.Version-1)+", the one before", before.Policy, p.Policy))
	return nil
}

func diffOf(title string, was, now haggling) diffView {
	all, same := differences(was, now)
	return diffView{
		Title:   title,
		Same:    count(same, "number is unchanged", "numbers are unchanged"),
		Changes: all,
	}
}

// heldView is the comparison with the buyers who are held back.
type heldView struct {
	Said, Verdict, Tone string
	Arms                []armRow
	Form                *form // nil: the role changes nothing
}

type armRow struct{ Name, Buyers, Deals, Margin string }

type heldArm struct {
	Version      int `json:"policy_version"`
	Negotiations int `json:"negotiations"`
	Earned       struct {
		DealRate float64 `json:"deal_rate"`
		Margin   float64 `json:"margin"`
	} `json:"earned"`
}

// held compares the two policies, if buyers are held back.
func (s *studio) held(failed *problem) (*heldView, error) {
	view := &heldView{Said: "No buyers are held back. Holding some back on the version in force shows what the next one earns beside it."}
	t := s.agent.Tuning
	if t.Baseline != nil && (t.Holdout > 0 || t.Trial != nil) {
		view.Said = plainNumber(t.Holdout) + "% of buyers stay on " + versionWord(*t.Baseline) + "."
		if t.Trial != nil {
			view.Said = capital(versionWord(s.agent.Version)) + ", which the agent learned, is on trial with " + plainNumber(*t.Trial) + "% of buyers. The others stay on " +
				versionWord(*t.Baseline) + ". The share doubles when it has certainly earned more, and it is rolled back if it has certainly earned less."
		}
		if *t.Baseline == s.agent.Version {
			view.Said += " It is in force itself, so there is nothing to compare until you activate another."
		} else if err := s.compare(view); err != nil {
			return nil, err
		}
	}
	if t.Automatic && t.Trial == nil && t.Canary > 0 {
		view.Said += " The agent tunes itself: a policy that it learns is tried with " + plainNumber(t.Canary) + "% of buyers first."
	}
	if s.may("agents:write") {
		value := plainNumber(t.Holdout)
		if failed != nil {
			value = s.r.PostForm.Get("tuning.holdout_percent")
		}
		view.Form = newForm(s.address("/holdout", nil), failed, field{
			Name:  "tuning.holdout_percent",
			Label: "Hold back, % of buyers",
			Kind:  "number",
			Value: value,
			Help:  "0 to 50. They stay on the version in force when you begin. 0 ends it.",
		})
	}
	return view, nil
}

// compare fetches the results of the version in force and of the one that the held-back buyers keep.
func (s *studio) compare(view *heldView) error {
	var found struct {
		Since    time.Time `json:"since"`
		Baseline heldArm   `json:"baseline"`
		InForce  heldArm   `json:"in_force"`
		Gain     *struct {
			Mean float64 `json:"mean"`
			Low  float64 `json:"low"`
			High float64 `json:"high"`
		} `json:"gain"`
		Exploration *struct {
			Cost json.Number `json:"max_cost_per_30_days"`
		} `json:"exploration"`
		Verdict string `json:"verdict"`
	}
	err := s.api.get(s.agentPath("/holdout"), nil, &found)
	if p, refused := asProblem(err); refused && p.Status == http.StatusConflict {
		return nil
	}
	if err != nil {
		return err
	}
	for _, arm := range []heldArm{found.InForce, found.Baseline} {
		row := armRow{
			Name:   capital(versionWord(arm.Version)),
			Buyers: thousands(arm.Negotiations),
			Deals:  "–",
			Margin: "–",
		}
		if arm.Negotiations > 0 {
			row.Deals, row.Margin = share(arm.Earned.DealRate), share(arm.Earned.Margin)
		}
		view.Arms = append(view.Arms, row)
	}
	verdicts := map[string][2]string{
		"better":    {capital(versionWord(found.InForce.Version)) + " earns more, with near certainty.", "good"},
		"worse":     {capital(versionWord(found.InForce.Version)) + " earns less, with near certainty.", "bad"},
		"undecided": {"Not decided yet. It takes 100 buyers on each at least.", ""},
	}
	view.Verdict, view.Tone = verdicts[found.Verdict][0], verdicts[found.Verdict][1]
	if g := found.Gain; g != nil {
		view.Verdict += " The margin differs by " + signed(100*g.Low, "") + " to " + signed(100*g.High, " pts") + " of the list price."
	}
	view.Said += " Compared since " + s.shop.words.clock(found.Since) + "."
	if s.agent.Tuning.Trial != nil && found.Exploration != nil {
		view.Said += " The trial costs at most " + s.shop.words.amount(found.Exploration.Cost, "") + " in 30 days."
	}
	return nil
}

// holdBack changes how many buyers are held back.
func (s *studio) holdBack() error {
	sent, err := s.send(func(c change) error {
		value, wrong := percentNumber.parse(s.r.PostForm.Get("tuning.holdout_percent"))
		if wrong != "" {
			return &problem{
				Status:  http.StatusUnprocessableEntity,
				Code:    "validation_error",
				Details: []detail{{"tuning.holdout_percent", wrong}},
			}
		}
		c.body = map[string]any{"tuning": map[string]any{"holdout_percent": value}}
		return s.api.post(http.MethodPatch, s.agentPath(""), c, nil)
	}, s.showHeld)
	if !sent {
		return err
	}
	before := url.Values{"tuning.holdout_percent": {plainNumber(s.agent.Tuning.Holdout)}}
	return s.finishUndoable(s.address("/versions", nil), "held", undo{Action: s.address("/holdout", nil), Fields: before})
}

// showHeld shows the problem of a change of the holdout.
func (s *studio) showHeld(failed *problem) error {
	view := &versionsView{studioPage: s.studioPage("Versions")}
	var err error
	if view.Held, err = s.held(failed); err != nil {
		return err
	}
	return s.showAfter(failed, "policyversions", view)
}
