package accounts_test

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

func wrongPassword(h *accessSetup) {
	h.joined("ada", member.Grant{Role: member.Owner})
	h.passwords.verified = nil
	var answers []string
	for _, try := range [][2]string{{h.address("ada"), "wrong"}, {h.address("eve"), password}, {"nobody", password}, {h.address("ada"), strings.Repeat(password, 20)}} {
		_, err := h.people.SignIn(h.Context(), try[0], try[1], browser)
		h.wants(try[0], err, "sign_in_refused")
		answers = append(answers, err.Error())
	}
	if len(slices.Compact(answers)) != 1 {
		h.Errorf("the answers differ: %q", answers)
	}
	if !slices.Equal(h.passwords.verified, []string{"plain:" + password, "", "", "plain:" + password}) {
		h.Errorf("verified %q", h.passwords.verified)
	}
}

func triesCounted(h *accessSetup) {
	h.joined("ada", member.Grant{Role: member.Owner})
	h.limiter.most, h.limiter.taken, h.passwords.verified = 3, map[string]int{}, nil
	for n := range 5 {
		from := browser
		from.Address += strings.Repeat("0", n) // each from elsewhere
		_, err := h.people.SignIn(h.Context(), strings.ToUpper(h.address("ada")), password, from)
		want := ""
		if n >= 3 {
			want = "rate_limited"
		}
		h.wants("try of an address", err, want)
	}
	if len(h.passwords.verified) != 3 {
		h.Errorf("%d passwords were verified", len(h.passwords.verified))
	}
	for n := range 5 {
		_, err := h.people.Join(h.Context(), "x", "Ada", password, people.Client{Address: "192.0.2.9"})
		want := "link_not_found"
		if n >= 3 {
			want = "rate_limited"
		}
		h.wants("try from an address", err, want)
	}
	for key := range h.limiter.taken {
		if strings.Contains(key, "@") {
			h.Errorf("the limiter learns the address: %s", key)
		}
	}
}

func passwordLink(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Support})
	l, err := h.people.PasswordLink(h.Context(), h.byKey(), in.Member.ID, "")
	if err != nil {
		h.Fatal(err)
	}
	h.fields("a short one", h.people.SetPassword(h.Context(), secretOf(l), "short", browser), "password")
	_, err = h.people.Join(h.Context(), secretOf(l), "Eve", password, browser)
	h.wants("joining by it", err, "link_not_found")
	const next = "another horse battery"
	h.wants("setting", h.people.SetPassword(h.Context(), secretOf(l), next, browser), "")
	h.wants("again", h.people.SetPassword(h.Context(), secretOf(l), next, browser), "link_not_found")
	h.stranger("a session from before", in.Token)
	_, err = h.people.SignIn(h.Context(), in.Member.Email, password, browser)
	h.wants("the old one", err, "sign_in_refused")
	_, err = h.people.SignIn(h.Context(), in.Member.Email, next, browser)
	h.wants("the new one", err, "")
	late, err := h.people.PasswordLink(h.Context(), h.byKey(), in.Member.ID, "")
	if err != nil {
		h.Fatal(err)
	}
	h.later(2 * 60)
	h.wants("an hour later", h.people.SetPassword(h.Context(), secretOf(late), password, browser), "link_not_found")
}

func signInLink(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	l, err := h.people.SignInLink(h.Context(), in.Member, "haggle")
	if err != nil {
		h.Fatal(err)
	}
	again, err := h.people.SignInByLink(h.Context(), secretOf(l), browser)
	if err != nil {
		h.Fatal(err)
	}
	h.caller(again.Token)
	_, err = h.people.SignInByLink(h.Context(), secretOf(l), browser)
	h.wants("again", err, "link_not_found")
}

func (h *accessSetup) enrolledMember(in people.SignedIn) {
	h.Helper()
	of := h.caller(in.Token).Holder()
	if _, err := h.Enrol(h.Context(), of, ""); err != nil {
		h.Fatal(err)
	}
	if err := h.Activate(h.Context(), of, h.code(-1)); err != nil {
		h.Fatal(err)
	}
}

func twoSteps(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Support})
	h.enrolledMember(in)
	due, err := h.people.SignIn(h.Context(), in.Member.Email, password, browser)
	if err != nil || !due.Session.CodeDue {
		h.Fatalf("%+v, %v", due.Session, err)
	}
	h.stranger("before the code", due.Token)
	_, err = h.people.Prove(h.Context(), due.Token, "7", browser)
	h.wants("a wrong code", err, "code_refused")
	_, err = h.people.Prove(h.Context(), "hs_unknown", h.code(0), browser)
	h.wants("an unknown session", err, "unauthenticated")
	proven, err := h.people.Prove(h.Context(), due.Token, h.code(0), browser)
	if err != nil {
		h.Fatal(err)
	}
	h.caller(proven.Token)
	h.stranger("the token of the first step", due.Token)
	_, err = h.people.Prove(h.Context(), proven.Token, h.code(1), browser)
	h.wants("once more", err, "code_not_due")
	second, err := h.people.SignIn(h.Context(), in.Member.Email, password, browser)
	if err != nil {
		h.Fatal(err)
	}
	_, err = h.people.Prove(h.Context(), second.Token, h.code(0), browser)
	h.wants("a used code", err, "code_refused")
	h.later(20)
	_, err = h.people.Prove(h.Context(), second.Token, h.code(0), browser)
	h.wants("ten minutes later", err, "unauthenticated")
}

func ownCode(h *accessSetup) {
	h.enrolled() // the account
	in := h.joined("ada", member.Grant{Role: member.Support})
	mine := h.caller(in.Token).Holder()
	h.wants("without one of their own", h.Confirm(h.Context(), mine, h.code(0)), "mfa_required")
	h.wants("less safe without one of their own", h.ConfirmWeakening(h.Context(), mine, h.code(0)), "mfa_required")
	h.enrolledMember(in)
	for range account.MaxTries {
		h.wants("a wrong code", h.Confirm(h.Context(), mine, "7"), "mfa_required")
	}
	h.wants("too many", h.Confirm(h.Context(), mine, h.code(0)), "rate_limited")
	h.wants("the account's", h.Confirm(h.Context(), h.holder(), h.code(0)), "")
	h.later(11)
	h.wants("later", h.Confirm(h.Context(), mine, h.code(0)), "")
}

func sessionIdle(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	h.Uses = access.NewUses()
	h.later(8*120 - 1)
	h.caller(in.Token)
	if err := h.FlushUses(h.Context()); err != nil {
		h.Fatal(err)
	}
	h.later(8*120 - 1)
	h.caller(in.Token)
	h.later(1)
	h.stranger("left alone for eight hours", in.Token)
	in, err := h.people.SignIn(h.Context(), in.Member.Email, password, browser)
	if err != nil {
		h.Fatal(err)
	}
	if _, _, err := h.ChangeAccount(h.Context(), h.owner.ID, account.Change{ConsoleSessionMinutes: patch.To(5)}); err != nil {
		h.Fatal(err)
	}
	h.later(9)
	h.caller(in.Token)
	h.later(1)
	h.stranger("left alone for five minutes", in.Token)
}

func sessionsOfOthers(h *accessSetup) {
	owner, support := h.joined("ada", member.Grant{Role: member.Owner}), h.joined("grace", member.Grant{Role: member.Support})
	byOwner, bySupport := by(h.caller(owner.Token)), by(h.caller(support.Token))
	count := func(by people.Actor, of id.Member) int {
		_, n, err := h.people.Sessions(h.Context(), by, h.owner, of, ports.Page{Limit: 10})
		if err != nil {
			h.Error(err)
		}
		return n
	}
	for what, c := range map[string][2]int{
		"all, by the owner":                {count(byOwner, id.Member{}), 2},
		"one's, by the owner":              {count(byOwner, support.Member.ID), 1},
		"all, by support: their own":       {count(bySupport, id.Member{}), 1},
		"the owner's, by support":          {count(bySupport, owner.Member.ID), 0},
		"by a key that manages no members": {count(people.Actor{Key: &account.Key{Scopes: []string{"keys:read"}}, Holder: h.holder()}, id.Member{}), 0},
	} {
		if c[0] != c[1] {
			h.Errorf("%s: %d sessions, want %d", what, c[0], c[1])
		}
	}
	h.wants("the owner's, by support", h.people.EndSession(h.Context(), bySupport, owner.Session.ID), "console_session_not_found")
	_, err := h.people.EndSessions(h.Context(), bySupport, owner.Member.ID, id.ConsoleSession{})
	h.wants("all of the owner's, by support", err, "member_not_found")
	other, err := h.people.SignIn(h.Context(), support.Member.Email, password, browser)
	if err != nil {
		h.Fatal(err)
	}
	if n, err := h.people.EndSessions(h.Context(), bySupport, support.Member.ID, support.Session.ID); n != 1 || err != nil {
		h.Errorf("%d sessions ended, %v", n, err)
	}
	h.stranger("another session", other.Token)
	h.caller(support.Token)
	h.wants("by the owner", h.people.EndSession(h.Context(), byOwner, support.Session.ID), "")
	h.stranger("a session that was ended", support.Token)
	h.wants("again", h.people.EndSession(h.Context(), byOwner, support.Session.ID), "console_session_not_found")
}

func signInsLogged(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	from := people.Client{
		Address: "192.0.2.7",
		Browser: "Firefox",
		Request: "req_1",
	}
	_, err := h.people.SignIn(h.Context(), in.Member.Email, password, from)
	h.wants("by password", err, "")
	l, err := h.people.SignInLink(h.Context(), in.Member, "haggle")
	if err != nil {
		h.Fatal(err)
	}
	_, err = h.people.SignInByLink(h.Context(), secretOf(l), from)
	h.wants("by a link", err, "")
	_, err = h.people.SignIn(h.Context(), in.Member.Email, "wrong", from)
	h.wants("a wrong password", err, "sign_in_refused")
	h.enrolledMember(in)
	due, err := h.people.SignIn(h.Context(), in.Member.Email, password, from)
	h.wants("before the code", err, "")
	if n := len(h.logged()); n != 3 {
		h.Errorf("%d events before the code", n)
	}
	h.later(1)
	_, err = h.people.Prove(h.Context(), due.Token, h.code(0), from)
	h.wants("with the code", err, "")
	var got []string
	for _, e := range h.logged() {
		got = append(got, e.Action+" "+e.After)
		if e.Member != in.Member.ID || e.Target != in.Member.ID.String() || e.Key != (id.APIKey{}) || e.Action == audit.SignIn && (e.Address != "192.0.2.7" || e.RequestID != "req_1") {
			h.Errorf("the event is %+v", e)
		}
	}
	slices.Sort(got)
	want := []string{
		`join-account {"by":"invitation"}`,
		`sign-in {"by":"link"}`,
		`sign-in {"by":"password","code":true}`,
		`sign-in {"by":"password"}`,
	}
	if !slices.Equal(got, want) {
		h.Errorf("logged %q, want %q", got, want)
	}
}
