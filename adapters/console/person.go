package console

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

type personView struct {
	settingsPage
	Back     string
	Person   personRow
	Facts    []fact
	Change   *form
	Confirms []*confirmation
	MayReset bool // the second factor: not every owner, and not one's own
	Sessions []sessionRow
	Made     *secretView
}

// personForms are the names of the forms on a member's page.
const (
	changeForm   = "change"
	passwordForm = "password"
	resetForm    = "mfa"
	removeForm   = "remove"
	endForm      = "end"
)

// aboutPerson returns the API's path of the member named in the address.
func (v *memberRequest) aboutPerson() string {
	return "/v1/members/" + url.PathEscape(v.r.PathValue("member"))
}

func (v *memberRequest) person() error { return v.showPerson("", nil, nil) }

// showPerson shows a member, with the problem of a failed form, or a new link.
func (v *memberRequest) showPerson(form string, failed *problem, made *secretView) error {
	m, err := fetch[person](v.api, v.aboutPerson(), nil)
	if err != nil {
		return err
	}
	view := &personView{
		settingsPage: v.settingsPage("people"),
		Back:         v.settingsPath("people"),
		Person:       v.personRow(m),
		Made:         made,
	}
	view.Title = m.Name
	view.Facts = []fact{
		{Label: "E-mail", Value: m.Email},
		{Label: "Role", Value: capital(m.Role)},
		{Label: "Shops", Value: view.Person.Shops},
		{Label: "Member since", Value: view.Person.Since},
	}
	if v.may("keys:write") {
		v.manage(view, m, form, failed)
		if view.Sessions, err = v.sessionsOf(m.ID); err != nil {
			return err
		}
	}
	return v.showAfter(failed, "person", view)
}

// manage adds the actions of owners on a member.
func (v *memberRequest) manage(view *personView, m person, form string, failed *problem) {
	of := func(name string) *problem {
		if name == form {
			return failed
		}
		return nil
	}
	here := view.Person.Address
	view.Change = newForm(here, of(changeForm), v.personFields(m, form == changeForm)...)
	link := confirm(passwordForm, "Make a password link for "+m.Name+"?", "Make password link", v.asksCode(newForm(here+"/password-link", of(passwordForm))),
		m.Name+" chooses another password by it, once, within an hour.", "All of their sessions end then.")
	remove := confirm(removeForm, "Remove "+m.Name+"?", "Remove member", v.asksCode(newForm(here+"/remove", of(removeForm))),
		m.Name+" can no longer sign in, and all of their sessions end at once.",
		"What they did stays in the audit log under their name.", "To come back they need another invitation.").danger()
	end := confirm(endForm, "End all sessions of "+m.Name+"?", "End sessions", newForm(here+"/end-sessions", nil),
		m.Name+" is signed out everywhere at once, and can sign in again.")
	if view.Person.You {
		remove.Means = []string{"You are removing yourself: your sessions end at once, and only another invitation lets you in again."}
		end.Title, end.Means = "End all your other sessions?", []string{"You are signed out everywhere but here."}
	}
	view.Confirms = []*confirmation{link, remove, end}
	if view.MayReset = v.may("*") && !view.Person.You; view.MayReset {
		view.Confirms = append(view.Confirms, askReset(m, newForm(here+"/mfa", of(resetForm))))
	}
}

func askReset(m person, ask *form) *confirmation {
	ask.Code = true
	return confirm(resetForm, "Reset the second factor of "+m.Name+"?", "Reset second factor", ask,
		"For somebody who has lost their authenticator and their recovery codes: "+m.Name+" then signs in without a code until they set up another authenticator.",
		"All of their sessions end at once.", "Make sure that it is "+m.Name+" who asks.").danger()
}

// personFields are those that change a member, with what was filled in or is so.
func (v *memberRequest) personFields(m person, filled bool) []field {
	name, role, shops := m.Name, m.Role, m.Shops
	if f := v.r.PostForm; filled {
		name, role, shops = f.Get("name"), f.Get("role"), f["project_ids"]
	}
	return append([]field{
		{
			Name:     "name",
			Label:    "Name",
			Kind:     "text",
			Value:    name,
			Required: true,
			Most:     100,
		},
		{
			Name:    "role",
			Label:   "Role",
			Kind:    "select",
			Options: chosen(roleWords, role),
		},
	}, v.shopsField(shops)...)
}

func (v *memberRequest) changePerson() error {
	f := v.r.PostForm
	sent, err := v.send(func(c change) error {
		was, err := fetch[person](v.api, v.aboutPerson(), nil)
		if err != nil {
			return err
		}
		body := map[string]any{"name": f.Get("name")}
		if f.Get("role") != was.Role {
			body["role"] = f.Get("role")
		}
		if shops := f["project_ids"]; !sameShops(shops, was.Shops) && len(v.shopsField(was.Shops)) > 0 {
			body["project_ids"] = slices.Clone(shops)
		}
		c.body = body
		return v.api.post(http.MethodPatch, v.aboutPerson(), c, nil)
	}, func(p *problem) error { return v.showPerson(changeForm, p, nil) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("people")+"/"+url.PathEscape(v.r.PathValue("member")), "changed")
}

func sameShops(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func (v *memberRequest) removePerson() error {
	sent, err := v.send(func(c change) error {
		return v.api.post(http.MethodDelete, v.aboutPerson(), c, nil)
	}, func(p *problem) error { return v.showPerson(removeForm, p, nil) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("people"), "removed")
}

func (v *memberRequest) resetPersonMFA() error {
	sent, err := v.send(func(c change) error {
		return v.api.post(http.MethodPost, v.aboutPerson()+"/reset-mfa", c, nil)
	}, func(p *problem) error { return v.showPerson(resetForm, p, nil) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("people")+"/"+url.PathEscape(v.r.PathValue("member")), "mfa-reset")
}

func (v *memberRequest) passwordLink() error {
	var made struct {
		Link      string    `json:"link"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	sent, err := v.send(func(c change) error {
		return v.api.post(http.MethodPost, v.aboutPerson()+"/password-link", c, &made)
	}, func(p *problem) error { return v.showPerson(passwordForm, p, nil) })
	if !sent {
		return err
	}
	return v.showPerson("", nil, &secretView{
		Title: "A link to choose another password",
		Text:  made.Link,
		Label: "Link",
		Notes: []string{
			"It works once, until " + v.shop.words.clock(made.ExpiresAt) + ", and is not shown again.",
			"Give it to this member only. Anyone who opens it signs in as them.",
		},
	})
}

func (v *memberRequest) endPersonSessions() error {
	m := v.r.PathValue("member")
	if err := v.endSessionsOf(m); err != nil {
		return err
	}
	return v.finish(v.settingsPath("people")+"/"+url.PathEscape(m), "all-ended")
}
