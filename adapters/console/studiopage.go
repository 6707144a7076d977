package console

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type studioView struct {
	studioPage
	Sub, Outside string
	Presets      []presetView
	Action       string
	Hidden       []fact // what the form's fields do not show of the draft
	Sliders      []sliderView
	More, All    []numbersView // under "More", or instead of sliders
	MoreOpen     bool
	Switch       choice // to all numbers, or back to sliders
	Parts        *partsView
	Problem      *problem
	Unknown      []string
	Address      string // of the draft
	ChangesTitle string
	Changes      []policyChange
	Same         string
	Since        string
	Effect       *effectView
	Bar          barView
	Case         *caseView
	Market       *marketView
	Suggest      string
}

// presetWords are what presets do, in a few words.
var presetWords = map[string]string{
	"keep_margin": "Few discounts, slow moves",
	"balanced":    "As a new shop begins",
	"clear_stock": "Deep and quick",
}

type presetView struct {
	Title, Short, Sentence, Address string
	Current                         bool
}

// numbersView are numbers that belong together, as fields.
type numbersView struct {
	Word   string
	Fields []numberView
}

type numberView struct {
	Name, ID, Label, Help, Value, Was, Wrong string
	Switch, On, Percent, Wide, API           bool
}

// partsView are parts of the catalogue that have a curve of their own.
type partsView struct{ Said, Address string }

// barView is the draft's bar at the bottom.
type barView struct {
	Word           string
	Sum            string
	Discard        string
	Save, Activate string // the addresses that the draft is sent to; "": it is not
	SaveWord       string
	Hold           string
	Held           bool
}

// studioNames are what the studio's address may have beside a draft.
var studioNames = []string{"agent", "from", "preset", "segments", "view", "case", "item", "step", "products", "find", "done", "holdout", "job", "lower", "key"}

func (s *studio) show() error {
	q := s.r.URL.Query()
	if by, err := strconv.ParseFloat(q.Get("lower"), 64); err == nil && by > 0 && by <= 90 {
		return s.lower(q, by)
	}
	if err := s.loadPresets(); err != nil {
		return err
	}
	d, err := s.readDraft(q)
	if err != nil {
		return err
	}
	view, err := s.view(d, q)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if view.Problem != nil {
		status = view.Problem.Status
	}
	if s.r.Header.Get("X-Part") != "" { // the script that shows the effect while a slider moves
		return s.fragment(s.w, status, "studio", "content", view)
	}
	return s.render(s.w, status, "studio", view)
}

// lower starts a draft whose maximum discount is some percentage points above the present one.
func (s *studio) lower(q url.Values, by float64) error {
	x, _ := numeric(s.agent.Policy.values["max_discount_percent"])
	q.Set("max_discount_percent", plainNumber(min(90, min(x, s.shop.mostDiscount)+by)))
	q.Del("lower")
	http.Redirect(s.w, s.r, s.address("", q), http.StatusSeeOther)
	return nil
}

func (s *studio) view(d *draft, q url.Values) (*studioView, error) {
	newest, err := s.newest()
	if err != nil {
		return nil, err
	}
	view := &studioView{
		studioPage:   s.studioPage("Policy studio"),
		Sub:          "You edit a draft. " + capital(versionWord(s.agent.Version)) + " stays in force until you activate another.",
		Outside:      s.outside(),
		Action:       s.address("", nil),
		Problem:      d.problemOf(),
		Suggest:      s.address("/suggest", nil),
		ChangesTitle: "Changes from " + versionWord(s.agent.Version),
	}
	view.Unknown = append(d.unknown, unknownIn(q)...)
	view.Changes, view.Same = s.changes(d.policy)
	since, err := s.since()
	if err != nil {
		return nil, err
	}
	view.Since = since
	if view.Problem == nil {
		if view.Effect, err = s.effect(d, q); err != nil {
			var refused *problem
			if !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity {
				return nil, err
			}
			refused.Message = "This draft has numbers that do not work."
			view.Problem = refused
		}
	}
	if view.Case, err = s.caseOf(d, q, view.Problem == nil); err != nil {
		return nil, err
	}
	if view.Market, err = s.market(d, q, rand.Text()); err != nil {
		return nil, err
	}
	s.controls(view, d, q)
	s.bar(view, d, newest, q)
	view.Problem = view.Problem.labelled()
	return view, nil
}

// stays returns the query parameters of the studio that do not belong to the draft.
func stays(q url.Values) url.Values {
	kept := url.Values{}
	for _, name := range []string{"view", "case", "products", "holdout", "job"} {
		if q.Get(name) != "" {
			kept.Set(name, q.Get(name))
		}
	}
	return kept
}

func unknownIn(q url.Values) []string {
	known := slices.Clone(studioNames)
	for _, n := range policyNumbers {
		known = append(known, n.name)
	}
	for _, s := range sliders {
		known = append(known, s.name)
	}
	return unknown(q, known...)
}

// here returns the address of the studio with a draft, keeping the parameters of stays.
func (s *studio) here(d *draft, q url.Values, more ...string) string {
	all := d.with(more...)
	for name, values := range stays(q) {
		if !all.Has(name) {
			all[name] = values
		}
	}
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] == "" {
			all.Del(more[i])
		}
	}
	return s.address("", all)
}

// controls adds the form: sliders with the numbers under "More", or all numbers.
func (s *studio) controls(view *studioView, d *draft, q url.Values) {
	now := s.agent.Policy
	for _, p := range s.presets {
		view.Presets = append(view.Presets, presetView{
			Title:    p.Title,
			Short:    cmp.Or(presetWords[p.Name], p.Sentence),
			Sentence: p.Sentence,
			Address:  s.here(&draft{preset: p.Name}, q),
			Current:  d.preset == p.Name,
		})
	}
	view.Address = s.here(d, q)
	shown := map[string]bool{}
	if q.Get("view") == "numbers" {
		view.Switch = choice{Word: "Sliders", Address: s.here(d, q, "view", "")}
		for _, g := range policyGroups {
			view.All = append(view.All, numbersOf(g, d.policy, now, view.Problem, true))
		}
	} else {
		view.Switch = choice{Word: "All numbers", Address: s.here(d, q, "view", "numbers")}
		for _, one := range sliders {
			wrong := wrongAt(view.Problem, one.number)
			view.Sliders = append(view.Sliders, one.view(d.policy, now, wrong, s.caps(one, d.policy)))
			shown[one.name] = true
		}
		for _, g := range policyGroups {
			if slices.Contains(moreGroups, g.word) {
				view.More = append(view.More, numbersOf(g, d.policy, now, view.Problem, false))
			}
		}
		view.Parts = s.parts(d, q)
	}
	for _, g := range slices.Concat(view.More, view.All) {
		for _, f := range g.Fields {
			shown[f.Name] = true
			view.MoreOpen = view.MoreOpen || f.Wrong != ""
		}
	}
	view.Hidden = s.hidden(d, q, shown)
}

// hidden returns the parts of a draft that a form keeps in hidden fields.
func (s *studio) hidden(d *draft, q url.Values, shown map[string]bool) (all []fact) {
	kept := d.query()
	for name, values := range stays(q) {
		kept[name] = values
	}
	delete(kept, "holdout") // the bar has it
	if s.r.FormValue("agent") != "" {
		kept.Set("agent", s.agent.ID)
	}
	for name, values := range kept {
		if !shown[name] {
			all = append(all, fact{Label: name, Value: values[0]})
		}
	}
	slices.SortFunc(all, func(a, b fact) int { return strings.Compare(a.Label, b.Label) })
	return all
}

func numbersOf(g policyGroup, draft, inForce haggling, p *problem, api bool) numbersView {
	view := numbersView{Word: g.word}
	for _, n := range g.numbers {
		value, was := draft.values[n.name], inForce.values[n.name]
		f := numberView{
			Name:    n.name,
			ID:      "n-" + strings.ReplaceAll(n.name, ".", "-"),
			Label:   n.label,
			Help:    n.help,
			Value:   value,
			Wrong:   wrongAt(p, n.name),
			Switch:  n.kind == switchNumber,
			On:      value == "on",
			Percent: n.kind == percentNumber,
			Wide:    n.kind == stepNumbers || n.kind == breakNumbers,
			API:     api,
		}
		if !n.same(value, was) {
			f.Was = "Was " + n.words(was) + "."
		}
		view.Fields = append(view.Fields, f)
	}
	return view
}

// caps names the setting that limits a slider beyond its effect.
func (s *studio) caps(one slider, h haggling) string {
	if one.number == "max_discount_percent" {
		if x, ok := numeric(h.values[one.number]); ok && x > s.shop.mostDiscount {
			return "Capped at " + plainNumber(s.shop.mostDiscount) + "% in Settings."
		}
	}
	return ""
}

// parts names the parts of the catalog that the sliders do not affect.
func (s *studio) parts(d *draft, q url.Values) *partsView {
	names := d.policy.partsOf()
	if len(names) == 0 {
		return nil
	}
	are := map[bool]string{true: " has a curve of its own", false: " have curves of their own"}[len(names) == 1]
	return &partsView{
		Said:    join(names) + are + ", which the three sliders of how you come down do not move.",
		Address: s.here(d, q, "segments", "none"),
	}
}

// changes are those from the version in force.
func (s *studio) changes(h haggling) ([]policyChange, string) {
	all, same := differences(s.agent.Policy, h)
	return all, count(same, "number is unchanged", "numbers are unchanged")
}

// since says when the version in force was put in force.
func (s *studio) since() (string, error) {
	v, err := fetch[policyVersion](s.api, s.agentPath("/policies/"+strconv.Itoa(s.agent.Version)), nil)
	if err != nil || v.ActivatedAt == nil {
		return "", err
	}
	return "In force since " + s.shop.words.clock(*v.ActivatedAt), nil
}

// bar summarizes the draft, with its possible actions.
func (s *studio) bar(view *studioView, d *draft, newest int, q url.Values) {
	b := &view.Bar
	b.Word = count(len(view.Changes), "change", "changes") + " from " + versionWord(s.agent.Version)
	if view.Effect != nil {
		b.Sum = view.Effect.Sum
	}
	if len(view.Changes) > 0 || d.from != 0 || d.preset != "" {
		b.Discard = s.here(&draft{base: s.agent.Policy, policy: s.agent.Policy}, q, "view", "")
	}
	if !view.MayWrite || view.Problem != nil || len(view.Changes) == 0 {
		return
	}
	b.Activate = s.address("/activate", nil)
	if !d.isVersion() {
		b.Save, b.SaveWord = s.address("/save", nil), "Save as version "+strconv.Itoa(newest+1)
	}
	if s.comparable(d) {
		b.Hold, b.Held = "Keep 10% of buyers on "+versionWord(s.agent.Version)+" to compare", q.Get("holdout") != ""
	}
}

// comparable reports whether some buyers can keep the old policy for comparison. That is possible only if the draft changes nothing
// but how the shop lowers its price; any other change applies to all buyers.
func (s *studio) comparable(d *draft) bool {
	all, _ := differences(s.agent.Policy, d.policy)
	return !slices.ContainsFunc(all, func(x policyChange) bool {
		return x.Name != "segments" && !strings.HasPrefix(x.Name, "curve.")
	})
}
