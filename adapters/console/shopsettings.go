package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type shopSettingsView struct {
	settingsPage
	Groups  []groupView
	Save    *form // nil: the role changes nothing
	Note    string
	Changed string // where the audit log says who changed settings
}

type groupView struct {
	Word, About string
	Fields      []field
	Was         []fact // what the fields were when the form was shown
	Facts       []fact
}

// settingValues are settings as the API has them, by group and name.
type settingValues map[string]map[string]any

func (g settingValues) value(name string) any {
	group, rest, _ := strings.Cut(name, ".")
	if object, member, nested := strings.Cut(rest, "."); nested {
		of, _ := g[group][object].(map[string]any)
		return of[member]
	}
	return g[group][rest]
}

func (g settingValues) set(name string, value any) {
	group, rest, _ := strings.Cut(name, ".")
	if g[group] == nil {
		g[group] = map[string]any{}
	}
	object, member, nested := strings.Cut(rest, ".")
	if !nested {
		g[group][rest] = value
		return
	}
	of, _ := g[group][object].(map[string]any)
	if of == nil {
		of = map[string]any{}
		g[group][object] = of
	}
	of[member] = value
}

// plainValue converts a value to the text of the form's field.
func plainValue(value any) string {
	switch x := value.(type) {
	case string:
		return x
	case bool:
		return map[bool]string{true: "on", false: ""}[x]
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case []any:
		var lines []string
		for _, line := range x {
			lines = append(lines, plainValue(line))
		}
		return strings.Join(lines, "\n")
	case map[string]any:
		return regionLines(x)
	}
	return ""
}

// settingPage is a section of settings that are changed together.
type settingPage struct {
	section string
	path    string // in the API
	group   string // that all of them are in, where the API has no groups
	action  string // by which the audit log knows a change
	groups  []settingGroup
	note    string
}

func (v *memberRequest) generalPage() settingPage {
	return settingPage{
		section: "shop",
		path:    "/v1/projects/" + v.shop.ID + "/settings",
		action:  "update-settings",
		groups:  settingGroups,
	}
}

func (v *memberRequest) storefrontPage() settingPage {
	return settingPage{
		section: "storefront",
		path:    "/v1/projects/" + v.shop.ID + "/storefront",
		group:   "storefront",
		action:  "update-storefront",
		groups:  storefrontGroups,
		note:    "Shipping rates, tax rates and warehouses are changed with the API.",
	}
}

func (v *memberRequest) shopSettings() error     { return v.showSettings(v.generalPage(), nil) }
func (v *memberRequest) saveShopSettings() error { return v.saveSettings(v.generalPage()) }
func (v *memberRequest) storefront() error       { return v.showSettings(v.storefrontPage(), nil) }
func (v *memberRequest) saveStorefront() error   { return v.saveSettings(v.storefrontPage()) }

// read reads an answer of the API into groups.
func (p settingPage) read(answer map[string]any) settingValues {
	values := settingValues{}
	if p.group != "" {
		return settingValues{p.group: answer}
	}
	for name, group := range answer {
		values[name], _ = group.(map[string]any)
	}
	return values
}

// showSettings shows settings, and the problem of a failed change.
func (v *memberRequest) showSettings(p settingPage, failed *problem) error {
	answer, err := fetch[map[string]any](v.api, p.path, nil)
	if err != nil {
		return err
	}
	now := p.read(answer)
	view := &shopSettingsView{settingsPage: v.settingsPage(p.section), Note: p.note}
	if v.may("keys:read") {
		view.Changed = link(v.settingsPath("audit-log"), url.Values{"action": {p.action}, "shop": {"this"}})
	}
	for _, g := range p.groups {
		shown := groupView{Word: g.word, About: g.about}
		for _, s := range g.settings {
			value := plainValue(now.value(s.name))
			was := value
			if failed != nil && v.r.PostForm.Has(wasName(s.name)) {
				value, was = v.r.PostForm.Get(s.name), v.r.PostForm.Get(wasName(s.name))
			}
			shown.Fields = append(shown.Fields, s.field(value))
			shown.Was = append(shown.Was, fact{Label: wasName(s.name), Value: was})
			shown.Facts = append(shown.Facts, fact{Label: s.label, Value: s.words(value)})
		}
		view.Groups = append(view.Groups, shown)
	}
	if v.may("projects:write") {
		view.Save = v.saveForm(p, view.Groups, failed)
	}
	return v.showAfter(failed, "shopsettings", view)
}

// wasName is the field that keeps what a setting was when the form was shown.
func wasName(setting string) string { return "was." + setting }

// saveForm returns the form around all groups. It moves the errors of failed to the groups' fields.
func (v *memberRequest) saveForm(p settingPage, shown []groupView, failed *problem) *form {
	var all []field
	for _, g := range shown {
		all = append(all, g.Fields...)
	}
	save := newForm(v.settingsPath(p.section), failed, all...)
	for i := range shown {
		n := len(shown[i].Fields)
		shown[i].Fields, all = all[:n], all[n:]
	}
	save.Fields = nil
	return save
}

func (s setting) field(value string) field {
	f := field{
		Name:    s.name,
		Label:   s.label,
		Kind:    s.kind,
		Value:   value,
		Help:    s.help,
		On:      value == "on",
		Options: chosen(s.options, value),
	}
	if s.kind == "lines" || s.kind == "regions" {
		f.Kind = "area"
	}
	if s.standard != "" {
		f.Help = strings.TrimSpace(f.Help + " Default: " + s.standard + ".")
	}
	return f
}

// words formats a value for members who may not change it.
func (s setting) words(value string) string {
	switch i := slices.IndexFunc(s.options, func(o option) bool { return o.Value == value }); {
	case i >= 0:
		return s.options[i].Word
	case s.kind == "check" && value == "on":
		return "On"
	case s.kind == "check":
		return "Off"
	case value == "":
		return "–"
	}
	return strings.ReplaceAll(value, "\n", ", ")
}

var number = regexp.MustCompile(`^-?[0-9]{1,9}(\.[0-9]{1,4})?$`)

// parse converts the text of a field to a value of the API.
func (s setting) parse(text string) (value any, wrong string) {
	text = strings.TrimSpace(text)
	switch {
	case s.kind == "check":
		return text == "on", ""
	case s.kind == "lines":
		return strings.Fields(strings.ReplaceAll(text, ",", "\n")), ""
	case s.kind == "regions":
		return parseRegions(text)
	case s.kind == "select" && text == "", text == "" && s.standard != "":
		return nil, "" // the default
	case s.kind == "number" && !number.MatchString(text):
		return nil, "must be a number such as 30"
	case s.kind == "number":
		return json.Number(text), ""
	}
	return text, ""
}

// saveSettings sends what the form changes.
func (v *memberRequest) saveSettings(p settingPage) error {
	slug := v.shop.Slug
	sent, err := v.send(func(c change) error {
		body, err := p.changed(v.r.PostForm)
		if err != nil {
			return err
		}
		c.body = body
		if p.group != "" {
			c.body = body[p.group]
		}
		if p.group != "" && len(body) == 0 {
			c.body = map[string]any{}
		}
		var saved map[string]any
		if err := v.api.post(http.MethodPatch, p.path, c, &saved); err != nil {
			return p.named(err)
		}
		if renamed := plainValue(p.read(saved).value("general.slug")); renamed != "" {
			slug = renamed
		}
		return nil
	}, func(failed *problem) error { return v.showSettings(p, failed) })
	if !sent {
		return err
	}
	v.shop.Slug = slug
	page := v.settingsPath(p.section)
	return v.finishUndoable(page, "saved", undo{Action: page, Fields: p.reversed(v.r.PostForm)})
}

// named renames fields to those of the form, which have a group that the API does not have.
func (p settingPage) named(err error) error {
	failed, ok := refusal(err)
	if !ok || p.group == "" {
		return err
	}
	for i := range failed.Details {
		failed.Details[i].Field = p.group + "." + failed.Details[i].Field
	}
	return failed
}

// changed returns the settings that a form changes: those that differ from their values when the form was shown, so that it does
// not revert changes by others since.
func (p settingPage) changed(f url.Values) (settingValues, error) {
	body := settingValues{}
	wrong := &problem{Status: http.StatusUnprocessableEntity, Code: "validation_error"}
	for _, g := range p.groups {
		for _, s := range g.settings {
			text := plainLines(f.Get(s.name))
			if text == plainLines(f.Get(wasName(s.name))) {
				continue
			}
			value, why := s.parse(text)
			if why != "" {
				wrong.Details = append(wrong.Details, detail{s.name, why})
			}
			body.set(s.name, value)
		}
	}
	if len(wrong.Details) > 0 {
		return nil, wrong
	}
	return body, nil
}

// reversed returns the fields of a form that reverts the changes of a form.
func (p settingPage) reversed(f url.Values) url.Values {
	back := url.Values{}
	for _, g := range p.groups {
		for _, s := range g.settings {
			now, was := plainLines(f.Get(s.name)), plainLines(f.Get(wasName(s.name)))
			if now != was {
				back.Set(s.name, was)
				back.Set(wasName(s.name), now)
			}
		}
	}
	return back
}

// plainLines removes the carriage returns that browsers add to the lines of a form.
func plainLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
