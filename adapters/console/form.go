package console

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// form is a form with its values, ready to be shown.
type form struct {
	Action  string
	Fields  []field
	Problem *problem // the problem of the whole form, or of fields that it does not have
	Key     string   // the idempotency key, so that sending the form twice has one effect
	Code    bool     // it asks for a code of the second factor
}

// field is a field of a form.
type field struct {
	Name        string
	Label       string
	Kind        string // "text", "email", "number", "url", "date", "area", "select", "check", "choices"
	Value       string
	Help        string
	Wrong       string   // what is wrong with it
	Options     []option // of "select" and "choices"
	On          bool     // of "check"
	Required    bool
	First       bool // it has the focus
	Most        int  // characters
	Placeholder string
	within      string // the confirmation that it is in; "": none
}

// ID is the field's in the page.
func (f field) ID() string {
	id := "f-" + strings.ReplaceAll(f.Name, ".", "-")
	if f.within != "" {
		id = f.within + "-" + id
	}
	return id
}

// option is one that a field offers.
type option struct {
	Value  string
	Word   string
	Help   string
	Chosen bool
}

// newForm makes a form that was not sent yet, or that failed.
func newForm(action string, failed *problem, fields ...field) *form {
	f := &form{
		Action: action,
		Fields: fields,
		Key:    rand.Text(),
	}
	f.place(failed)
	return f
}

// place assigns problems to their fields. The first field with a problem gets the focus.
func (f *form) place(failed *problem) {
	if failed == nil {
		return
	}
	left := *failed
	left.Details = nil
	for _, d := range failed.Details {
		i := slices.IndexFunc(f.Fields, func(x field) bool { return d.Field == x.Name || strings.HasPrefix(d.Field, x.Name+".") })
		if i < 0 {
			left.Details = append(left.Details, d)
			continue
		}
		f.Fields[i].Wrong = strings.TrimPrefix(f.Fields[i].Wrong+"; "+d.Message, "; ")
	}
	if i := slices.IndexFunc(f.Fields, func(x field) bool { return x.Wrong != "" }); i >= 0 {
		f.Fields[i].First = true
	}
	if left.Code == "validation_error" {
		left.Message = "Nothing was saved. The fields that are wrong say why."
	}
	f.Problem, f.Code = &left, left.Code == codeAsked
}

// codeAsked is the code of an error that asks for a code of the second factor.
const codeAsked = "mfa_required"

// explainCode rewrites a refusal for a missing code in the console's words.
func (v *memberRequest) explainCode(p *problem) error {
	if p.Code != codeAsked {
		return nil
	}
	own, err := fetch[ownAccount](v.api, "/v1/account", nil)
	switch {
	case err != nil:
		return err
	case !own.MFA.Enabled:
		p.Code, p.Message = "mfa_missing", "You have no authenticator, and this needs its code. Nothing was changed. "+
			"Set one up in Settings, under Sign-in and sessions, and try again."
	case v.r.PostForm.Get("mfa_code") == "":
		p.Message = "This needs a code of your authenticator, or a recovery code."
	default:
		p.Message = "The code is wrong, was used, or is too old."
	}
	return nil
}

// send performs a form's action. If the API refuses it, the form is shown again.
func (v *memberRequest) send(do func(c change) error, again func(*problem) error) (sent bool, err error) {
	f := v.r.PostForm
	err = do(change{key: f.Get("key"), code: strings.TrimSpace(f.Get("mfa_code"))})
	p, refused := refusal(err)
	if !refused {
		return err == nil, err
	}
	if err := v.explainCode(p); err != nil {
		return false, err
	}
	return false, again(p)
}

// refusal returns the API's refusal. A 404 is not one, because it has a page of its own.
func refusal(err error) (p *problem, ok bool) {
	ok = errors.As(err, &p)
	return p, ok && p.Status != http.StatusNotFound
}

// chosen returns a copy of the options of a select or of choices, with those that have one of the values marked as chosen.
func chosen(options []option, values ...string) []option {
	options = slices.Clone(options)
	for i := range options {
		options[i].Chosen = slices.Contains(values, options[i].Value)
	}
	return options
}

// finish redirects to a page that says what was done.
func (v *memberRequest) finish(page, done string) error {
	joint := "?"
	if strings.Contains(page, "?") {
		joint = "&"
	}
	http.Redirect(v.w, v.r, page+joint+url.Values{"done": {done}}.Encode(), http.StatusSeeOther)
	return nil
}
