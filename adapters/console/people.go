package console

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

func routePeople(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /settings/people", (*memberRequest).people)
	page("POST /settings/people", (*memberRequest).invite)
	page("POST /settings/people/invitations/{invitation}/revoke", (*memberRequest).revokeInvitation)
	page("GET /settings/people/{member}", (*memberRequest).person)
	page("POST /settings/people/{member}", (*memberRequest).changePerson)
	page("POST /settings/people/{member}/remove", (*memberRequest).removePerson)
	page("POST /settings/people/{member}/password-link", (*memberRequest).passwordLink)
	page("POST /settings/people/{member}/mfa", (*memberRequest).resetPersonMFA)
	page("POST /settings/people/{member}/end-sessions", (*memberRequest).endPersonSessions)
}

// person is a member of the API.
type person struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Shops     []string  `json:"project_ids"`
	CreatedAt time.Time `json:"created_at"`
}

// invitation is an open one of the API.
type invitation struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Role      string    `json:"role"`
	Shops     []string  `json:"project_ids"`
	By        string    `json:"invited_by"`
	ExpiresAt time.Time `json:"expires_at"`
	Link      string    `json:"link"`
	Mailed    bool      `json:"mailed"`
}

// roleWords are what each role does.
var roleWords = []option{
	{
		Value: "owner",
		Word:  "Owner",
		Help:  "Everything, with people and keys, in all shops.",
	},
	{
		Value: "manager",
		Word:  "Manager",
		Help:  "Runs the shops. Sees people and keys, and changes neither.",
	},
	{
		Value: "support",
		Word:  "Support",
		Help:  "Orders, returns and refunds. No figures and no price limits.",
	},
	{
		Value: "analyst",
		Word:  "Analyst",
		Help:  "Reads orders, money and haggling. Changes nothing.",
	},
}

type peopleView struct {
	settingsPage
	MayInvite bool
	Roles     []option
	Members   []personRow
	Open      []invitationRow
	Invite    *form
	Inviting  bool // the form is open
	Made      *secretView
}

type personRow struct {
	Address, Name, Email, Role, Shops, Since string
	You                                      bool
}

type invitationRow struct{ Email, Role, Shops, Until, By, Revoke, Key string }

// secretView is something that is shown once.
type secretView struct {
	Title string
	Text  string // the secret
	Label string // what it is
	Notes []string
}

func (v *memberRequest) people() error { return v.showPeople(nil, nil) }

// showPeople shows members and open invitations, and an invitation that has just been made or was refused.
func (v *memberRequest) showPeople(made *invitation, failed *problem) error {
	members, err := fetchAll[person](v.api, "/v1/members", nil)
	if err != nil {
		return err
	}
	open, err := fetchAll[invitation](v.api, "/v1/members/invitations", nil)
	if err != nil {
		return err
	}
	view := &peopleView{
		settingsPage: v.settingsPage("people"),
		MayInvite:    v.may("keys:write"),
		Roles:        roleWords,
		Inviting:     failed != nil,
		Made:         v.inviteLink(made),
	}
	names := map[string]string{}
	for _, m := range members {
		names[m.ID] = m.Name
		view.Members = append(view.Members, v.personRow(m))
	}
	for _, i := range open {
		view.Open = append(view.Open, v.invitationRow(i, names))
	}
	if view.MayInvite {
		view.Invite = newForm(v.settingsPath("people"), failed, v.inviteFields()...)
	}
	return v.showAfter(failed, "people", view)
}

func (v *memberRequest) personRow(m person) personRow {
	return personRow{
		Address: v.settingsPath("people") + "/" + m.ID,
		Name:    m.Name,
		Email:   m.Email,
		Role:    capital(m.Role),
		Shops:   v.shopNames(m.Shops),
		Since:   v.shop.words.day(m.CreatedAt),
		You:     m.ID == v.caller.Member.ID.String(),
	}
}

func (v *memberRequest) invitationRow(i invitation, names map[string]string) invitationRow {
	by, known := names[i.By]
	if !known {
		by = "an API key"
	}
	return invitationRow{
		Email:  i.Email,
		Role:   capital(i.Role),
		Shops:  v.shopNames(i.Shops),
		Until:  v.shop.words.clock(i.ExpiresAt),
		By:     by,
		Revoke: v.settingsPath("people") + "/invitations/" + i.ID + "/revoke",
	}
}

// inviteFields are those of an invitation, with what was filled in.
func (v *memberRequest) inviteFields() []field {
	f := v.r.PostForm
	fields := []field{
		{
			Name:     "email",
			Label:    "E-mail",
			Kind:     "email",
			Value:    f.Get("email"),
			Required: true,
			Most:     254,
			Help:     "They will sign in with it.",
		},
		{
			Name:    "role",
			Label:   "Role",
			Kind:    "select",
			Options: chosen(roleWords, f.Get("role")),
		},
	}
	if f.Get("role") == "" {
		fields[1].Options = chosen(roleWords, "support")
	}
	return append(fields, v.shopsField(f["project_ids"])...)
}

// shopsField lets choose shops, if there is a choice.
func (v *memberRequest) shopsField(ids []string) []field {
	if len(v.known) < 2 && len(ids) == 0 && len(v.caller.Key.Projects) == 0 {
		return nil
	}
	return []field{{
		Name:    "project_ids",
		Label:   "Shops",
		Kind:    "choices",
		Help:    "None ticked: all shops of the account, and those to come.",
		Options: chosen(v.shopChoices(), ids...),
	}}
}

func (v *memberRequest) invite() error {
	f := v.r.PostForm
	var made invitation
	sent, err := v.send(func(c change) error {
		c.body = map[string]any{
			"email":       f.Get("email"),
			"role":        f.Get("role"),
			"project_ids": slices.Clone(f["project_ids"]),
		}
		return v.api.post(http.MethodPost, "/v1/members/invitations", c, &made)
	}, func(p *problem) error { return v.showPeople(nil, p) })
	if !sent {
		return err
	}
	v.r.PostForm = url.Values{}
	return v.showPeople(&made, nil)
}

// inviteLink is the link of an invitation that has just been made.
func (v *memberRequest) inviteLink(made *invitation) *secretView {
	if made == nil {
		return nil
	}
	notes := []string{
		"It works once, until " + v.shop.words.clock(made.ExpiresAt) + ", and is not shown again.",
	}
	if made.Mailed {
		notes = append(notes, "It was also mailed to "+made.Email+".")
	} else {
		notes = append(notes, "It was not mailed. Hand it over yourself.")
	}
	return &secretView{
		Title: made.Email + " is invited as " + made.Role,
		Text:  made.Link,
		Label: "Link to join",
		Notes: notes,
	}
}

func (v *memberRequest) revokeInvitation() error {
	path := "/v1/members/invitations/" + url.PathEscape(v.r.PathValue("invitation"))
	if err := v.api.post(http.MethodDelete, path, change{}, nil); err != nil {
		return err
	}
	return v.finish(v.settingsPath("people"), "revoked")
}
