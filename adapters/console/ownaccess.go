package console

import (
	"html/template"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

func routeSignIn(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /settings/sign-in", (*memberRequest).ownAccess)
	page("POST /settings/sign-in/sessions/{session}/end", (*memberRequest).endSession)
	page("POST /settings/sign-in/end-others", (*memberRequest).endOtherSessions)
	page("POST /settings/sign-in/authenticator", (*memberRequest).enrol)
	page("POST /settings/sign-in/authenticator/confirm", (*memberRequest).confirmEnrolment)
	page("POST /settings/sign-in/authenticator/remove", (*memberRequest).removeAuthenticator)
}

// ownAccount is the API's view of the account and of the member's own second factor.
type ownAccount struct {
	SessionMinutes int `json:"console_session_minutes"`
	MFA            struct {
		Enabled bool `json:"enabled"`
		Left    int  `json:"recovery_codes_left"`
	} `json:"mfa"`
}

// memberSession is a session of the API.
type memberSession struct {
	ID        string    `json:"id"`
	Current   bool      `json:"current"`
	Address   string    `json:"address"`
	Browser   string    `json:"browser"`
	CreatedAt time.Time `json:"created_at"`
	UsedAt    time.Time `json:"last_used_at"`
}

// enrolment is a new authenticator, which the API shows once.
type enrolment struct {
	Secret   string   `json:"secret"`
	Address  string   `json:"otpauth_url"`
	Recovery []string `json:"recovery_codes"`
}

type ownAccessView struct {
	settingsPage
	Sessions []sessionRow
	Others   bool // there are other sessions
	Idle     string
	Enabled  bool
	Left     string // how many recovery codes are
	FewLeft  bool
	Enrol    *form
	Confirms []*confirmation
	New      *enrolmentView
}

type sessionRow struct {
	Browser, Address, Used, Exact, Since, End string
	Current                                   bool
}

// enrolmentView is an authenticator that waits for its first code.
type enrolmentView struct {
	Secret  string // in groups of four
	Plain   string
	Address string
	Picture template.HTML
	Codes   []string
	Confirm *form
}

func (v *memberRequest) ownAccess() error { return v.showOwnAccess("", nil, nil) }

// showOwnAccess shows the member's sessions and second factor, with the problem of a failed form, or a new authenticator.
func (v *memberRequest) showOwnAccess(form string, failed *problem, made *enrolmentView) error {
	own, err := fetch[ownAccount](v.api, "/v1/account", nil)
	if err != nil {
		return err
	}
	here := v.settingsPath("sign-in")
	view := &ownAccessView{
		settingsPage: v.settingsPage("sign-in"),
		Idle:         span(time.Duration(own.SessionMinutes) * time.Minute),
		Enabled:      own.MFA.Enabled,
		Left:         count(own.MFA.Left, "recovery code", "recovery codes"),
		FewLeft:      own.MFA.Left < 3,
		New:          made,
	}
	if view.Sessions, err = v.sessionsOf(v.caller.Member.ID.String()); err != nil {
		return err
	}
	view.Others = len(view.Sessions) > 1
	of := func(name string) *problem {
		if name == form {
			return failed
		}
		return nil
	}
	view.Enrol = newForm(here+"/authenticator", of("enrol"))
	remove := newForm(here+"/authenticator/remove", of("remove"))
	view.Enrol.Code, remove.Code = own.MFA.Enabled, own.MFA.Enabled
	view.Confirms = []*confirmation{
		confirm("end", "End all your other sessions?", "End sessions", newForm(here+"/end-others", nil), "You are signed out everywhere but here."),
		confirm("remove", "Remove the authenticator?", "Remove authenticator", remove,
			"Your password alone signs you in then. The recovery codes open nothing any more.",
			"Where a shop asks for a code, you can no longer refund, or change keys and people.").danger(),
	}
	if own.MFA.Enabled {
		view.Confirms = append(view.Confirms, confirm("replace", "Replace the authenticator?", "Set up another", view.Enrol,
			"The one in use stays until the new one is confirmed.", "You get new recovery codes."))
	}
	return v.showAfter(failed, "ownaccess", view)
}

// sessionsOf are the sessions of a member, the one that asks first.
func (v *memberRequest) sessionsOf(member string) (rows []sessionRow, err error) {
	found, err := fetchAll[memberSession](v.api, "/v1/console-sessions", url.Values{"member_id": {member}})
	for _, s := range found {
		row := sessionRow{
			Browser: browserName(s.Browser),
			Address: addressWords(s.Address),
			Used:    v.shop.words.ago(s.UsedAt),
			Exact:   s.UsedAt.Format(time.RFC3339),
			Since:   v.shop.words.clock(s.CreatedAt),
			End:     v.settingsPath("sign-in") + "/sessions/" + s.ID + "/end",
			Current: s.Current,
		}
		if s.Current {
			rows = append([]sessionRow{row}, rows...)
		} else {
			rows = append(rows, row)
		}
	}
	return rows, err
}

// addressWords write where somebody signed in from.
func addressWords(text string) string {
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return "An unknown address"
	case a.IsLoopback():
		return "The server itself"
	case a.IsPrivate() || a.IsLinkLocalUnicast():
		return a.String() + ", the local network"
	}
	return a.String()
}

func (v *memberRequest) endSession() error {
	err := v.api.post(http.MethodDelete, "/v1/console-sessions/"+url.PathEscape(v.r.PathValue("session")), change{}, nil)
	if err != nil {
		return err
	}
	return v.finish(v.settingsPath("sign-in"), "ended")
}

func (v *memberRequest) endOtherSessions() error {
	if err := v.endSessionsOf(v.caller.Member.ID.String()); err != nil {
		return err
	}
	return v.finish(v.settingsPath("sign-in"), "all-ended")
}

// endSessionsOf ends the sessions of a member, but not the one that asks.
func (v *memberRequest) endSessionsOf(member string) error {
	return v.api.post(http.MethodDelete, "/v1/console-sessions?"+url.Values{"member_id": {member}}.Encode(), change{}, nil)
}

func (v *memberRequest) enrol() error {
	var made enrolment
	sent, err := v.send(func(c change) error {
		return v.api.post(http.MethodPost, "/v1/account/mfa", c, &made)
	}, func(p *problem) error { return v.showOwnAccess("enrol", p, nil) })
	if !sent {
		return err
	}
	return v.showOwnAccess("", nil, v.enrolmentView(made, nil))
}

func (v *memberRequest) enrolmentView(made enrolment, failed *problem) *enrolmentView {
	return &enrolmentView{
		Secret:  fours(made.Secret),
		Plain:   made.Secret,
		Address: made.Address,
		Picture: qrCode(made.Address),
		Codes:   made.Recovery,
		Confirm: newForm(v.settingsPath("sign-in")+"/authenticator/confirm", failed, field{
			Name:     "code",
			Label:    "First code of the app",
			Kind:     "code",
			Help:     "Six digits. Until you enter it, nothing changes.",
			Required: true,
			Most:     10,
		}),
	}
}

// fours formats a secret in groups of four characters.
func fours(secret string) string {
	var parts []string
	for len(secret) > 4 {
		parts, secret = append(parts, secret[:4]), secret[4:]
	}
	return strings.Join(append(parts, secret), " ")
}

// confirmEnrolment confirms an authenticator with its first code. The form contains the secret that is shown once, so that a
// wrong code does not lose it.
func (v *memberRequest) confirmEnrolment() error {
	f := v.r.PostForm
	sent, err := v.send(func(c change) error {
		c.body = map[string]string{"code": strings.ReplaceAll(f.Get("code"), " ", "")}
		return v.api.post(http.MethodPost, "/v1/account/mfa/confirm", c, nil)
	}, func(p *problem) error {
		made := enrolment{f.Get("secret"), f.Get("address"), f["recovery"]}
		return v.showOwnAccess("confirm", p, v.enrolmentView(made, p))
	})
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("sign-in"), "confirmed")
}

func (v *memberRequest) removeAuthenticator() error {
	sent, err := v.send(func(c change) error {
		return v.api.post(http.MethodDelete, "/v1/account/mfa", c, nil)
	}, func(p *problem) error { return v.showOwnAccess("remove", p, nil) })
	if !sent {
		return err
	}
	return v.finish(v.settingsPath("sign-in"), "disabled")
}
