package console

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// confirmView lists what a draft changes, before it is saved or activated.
type confirmView struct {
	studioPage
	Action, Back   string
	Verb, Key      string
	Danger         bool
	Hidden         []fact // the draft
	Changes        []policyChange
	Same           string
	Means          []string
	Note           *field // nil: it asks for none
	Hold           string // "": nothing can be held back
	Held           bool
	Problem        *problem
	Code           bool
	Lead, Activate string
}

func (s *studio) confirmSave() error     { return s.confirm("save", nil) }
func (s *studio) confirmActivate() error { return s.confirm("activate", nil) }

// confirm shows what a draft changes, and the problem of a failed attempt to save it.
func (s *studio) confirm(verb string, failed *problem) error {
	if !s.may("agents:write") {
		return errReadOnly
	}
	if err := s.loadPresets(); err != nil {
		return err
	}
	q := s.r.URL.Query()
	if failed != nil {
		q = s.r.PostForm
	}
	d, err := s.readDraft(q)
	if err != nil {
		return err
	}
	newest, err := s.newest()
	if err != nil {
		return err
	}
	if failed == nil {
		failed = d.problemOf()
	}
	view := &confirmView{
		studioPage: s.studioPage(""),
		Action:     s.address("/"+verb, nil),
		Back:       s.here(d, q),
		Key:        rand.Text(),
		Hidden:     s.hidden(d, q, map[string]bool{"view": true, "products": true, "case": true, "job": true}),
		Problem:    failed.labelled(),
		Code:       failed != nil && failed.Code == codeAsked,
		Held:       q.Get("holdout") != "",
	}
	view.Changes, view.Same = s.changes(d.policy)
	number := newest + 1
	if d.isVersion() {
		number = max(d.from, 1)
		view.Back = s.address("/versions/"+strconv.Itoa(number), nil)
	}
	view.Back += "#to-" + verb
	s.wordConfirm(view, d, verb, number, q.Get("note"))
	return s.showAfter(failed, "policyconfirm", view)
}

var errReadOnly = &problem{
	Status:  http.StatusForbidden,
	Code:    "insufficient_scope",
	Message: "Your role does not change policies. An owner or a manager does.",
}

func (s *studio) wordConfirm(view *confirmView, d *draft, verb string, number int, note string) {
	name, now := versionWord(number), versionWord(s.agent.Version)
	view.Verb = "Save " + name
	if verb == "activate" {
		view.Verb = "Activate " + name
		if d.isVersion() && d.served {
			view.Verb = "Roll back to " + name
		}
		view.Means = s.means(d, name, now)
		if s.comparable(d) && s.agent.Tuning.Holdout == 0 {
			view.Hold = "Keep 10% of buyers on " + now + " to compare"
		}
	} else {
		view.Means = []string{"It is kept under Versions, and changes nothing until you activate it. " + capital(now) + " stays in force."}
	}
	view.Title = view.Verb + "?"
	if !d.isVersion() {
		view.Note = &field{
			Name:  "note",
			Label: "Note",
			Kind:  "area",
			Value: note,
			First: true,
			Help:  "Why, for those who look at the versions later.",
			Wrong: view.Problem.in("note"),
		}
	}
}

// means lists the immediate effects of activating a version.
func (s *studio) means(d *draft, name, now string) []string {
	all := []string{
		"Buyers who begin to haggle from now on get prices by " + name + ".",
		"Prices that buyers were named already stand until they run out.",
	}
	if !s.agent.serves() {
		all = []string{"This agent is a draft and serves no buyers. Nothing changes for them."}
	}
	if h := s.agent.Tuning.Holdout; h > 0 && s.agent.Tuning.Baseline != nil {
		said := plainNumber(h) + "% of buyers stay on " + versionWord(*s.agent.Tuning.Baseline) + ", to compare."
		if !s.comparable(d) {
			said = "More changes than how you come down, so the " + plainNumber(h) + "% of buyers that were held back get " + name +
				" too. The comparison ends."
		}
		all = append(all, said)
	}
	return append(all, "You can go back to "+now+" at any time, under Versions.")
}

// save writes a draft as a version.
func (s *studio) save() error {
	made := policyVersion{}
	sent, err := s.send(func(c change) error {
		return s.write(c, &made)
	}, func(p *problem) error { return s.confirm("save", p) })
	if !sent {
		return err
	}
	return s.finishAt("/versions/"+strconv.Itoa(made.Version), "saved")
}

// write saves the draft of a form as a version, or finds the existing version that equals it.
func (s *studio) write(c change, made *policyVersion) error {
	if len(s.presets) == 0 {
		if err := s.loadPresets(); err != nil {
			return err
		}
	}
	d, err := s.readDraft(s.r.PostForm)
	if err != nil {
		return err
	}
	if p := d.problemOf(); p != nil {
		return p
	}
	if d.isVersion() {
		made.Version = d.from
		if made.Version == 0 {
			made.Version = s.agent.Version
		}
		return nil
	}
	document, _ := d.policy.document()
	c.body = map[string]any{"policy": document, "note": strings.TrimSpace(s.r.PostForm.Get("note"))}
	return s.api.post(http.MethodPost, s.agentPath("/policies"), c, made)
}

// held is what a form holds back.
const held = 10 // per cent of the buyers

// activate saves a draft as a version and puts it in force.
func (s *studio) activate() error {
	sent, err := s.send(func(c change) error {
		made := policyVersion{}
		if err := s.write(c, &made); err != nil {
			return err
		}
		c.body = nil
		if s.r.PostForm.Get("holdout") != "" { // before: what is in force when it begins is held on to
			hold := change{
				body: map[string]any{"tuning": map[string]any{"holdout_percent": held}},
				key:  c.key + "-hold",
				code: c.code,
			}
			if err := s.api.post(http.MethodPatch, s.agentPath(""), hold, nil); err != nil {
				return err
			}
		}
		c.key += "-activate"
		return s.api.post(http.MethodPost, s.agentPath("/policies/"+strconv.Itoa(made.Version)+"/activate"), c, nil)
	}, func(p *problem) error { return s.confirm("activate", p) })
	if !sent {
		return err
	}
	before := url.Values{"from": {strconv.Itoa(s.agent.Version)}}
	return s.finishUndoable(s.address("", nil), "activated", undo{Action: s.address("/activate", nil), Fields: before})
}

func (s *studio) finishAt(rest, done string) error {
	http.Redirect(s.w, s.r, s.address(rest, map[string][]string{"done": {done}}), http.StatusSeeOther)
	return nil
}
