package accounts_test

import (
	"strings"

	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// vouching is a provider that vouches for a person.
type vouching struct {
	person   member.Vouched
	asked    []ports.Challenge
	redeemed []string
	err      error
}

func (*vouching) Name() string { return "Example ID" }

func (v *vouching) Issuer() string { return v.person.Issuer }

func (v *vouching) Address(_ ports.Outbound, c ports.Challenge) (string, error) {
	v.asked = append(v.asked, c)
	return "https://id.example/authorize?state=" + c.State, v.err
}

func (v *vouching) Vouch(_ ports.Outbound, c ports.Challenge, code string) (member.Vouched, error) {
	if c != v.asked[len(v.asked)-1] {
		return member.Vouched{}, fault.New(fault.Unauthenticated, "sign_in_refused", "another challenge")
	}
	v.redeemed = append(v.redeemed, code)
	return v.person, v.err
}

// vouched has a provider vouch for the owner of an e-mail address.
func (h *accessSetup) vouched(email string) *vouching {
	v := &vouching{person: member.Vouched{
		Identity:      member.Identity{Issuer: "https://" + h.owner.ID.String() + ".example", Subject: "1"},
		Email:         email,
		EmailVerified: true,
		Name:          "Ada Lovelace",
	}}
	h.people.Provider = v
	return v
}

// begins begins a sign-in, and returns what the browser keeps.
func (h *accessSetup) begins(invitation string) string {
	h.Helper()
	_, kept, err := h.people.BeginAtProvider(ports.NewOutbound(h.Context()), "/console/x", invitation, browser)
	if err != nil {
		h.Fatal(err)
	}
	return kept
}

func (h *accessSetup) returns(v *vouching, kept string) (people.SignedIn, string, error) {
	back := people.Returned{State: v.asked[len(v.asked)-1].State, Code: "code"}
	return h.people.ReturnFromProvider(ports.NewOutbound(h.Context()), kept, back, browser)
}

func providerSignIn(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	h.enrolledMember(in)
	v := h.vouched(strings.ToUpper(in.Member.Email))
	kept := h.begins("")
	if c := v.asked[0]; c.State == c.Nonce || len(c.Verifier) < 43 || len(c.Verifier) > 128 || strings.Contains(kept, c.State) {
		h.Errorf("the challenge is %+v", c)
	}
	again, next, err := h.returns(v, kept)
	if err != nil || next != "/console/x" || again.Member.ID != in.Member.ID || again.Session.Method != member.ByProvider || again.Device == "" {
		h.Fatalf("%+v, %q, %v", again, next, err)
	}
	// The provider's factor counts at the sign-in, and the member's own where a code is asked for later.
	c := h.caller(again.Token)
	h.wants("a step-up without a code", h.Confirm(h.Context(), c.Holder(), ""), "mfa_required")
	h.wants("a step-up with the code", h.Confirm(h.Context(), c.Holder(), h.code(0)), "")
	if e := h.logged()[0]; e.Member != in.Member.ID || !strings.Contains(e.After, `"linked":true`) || !strings.Contains(e.After, v.person.Issuer) {
		h.Errorf("the event is %+v", e)
	}
	v.person.Email, v.person.EmailVerified = h.address("changed"), false
	again, _, err = h.returns(v, h.begins(""))
	if err != nil || again.Member.ID != in.Member.ID || strings.Contains(h.logged()[0].After, "linked") {
		h.Errorf("with another address: %+v, %v", again.Member, err)
	}
	v.person.Subject, v.person.Email, v.person.EmailVerified = "2", in.Member.Email, true
	_, _, err = h.returns(v, h.begins(""))
	h.wants("another identity with the member's address", err, "sign_in_refused")
}

func providerRefused(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	v := h.vouched(in.Member.Email)
	kept := h.begins("")
	give := func(kept string, back people.Returned) error {
		_, _, err := h.people.ReturnFromProvider(ports.NewOutbound(h.Context()), kept, back, browser)
		return err
	}
	state := v.asked[0].State
	for what, c := range map[string]struct {
		kept string
		back people.Returned
		want string
	}{
		"nothing kept":           {"", people.Returned{State: state, Code: "c"}, "sign_in_expired"},
		"nonsense kept":          {"%", people.Returned{State: state, Code: "c"}, "sign_in_expired"},
		"a long one kept":        {strings.Repeat("x", 5000), people.Returned{State: state, Code: "c"}, "sign_in_expired"},
		"another purpose's kept": {in.Device, people.Returned{State: state, Code: "c"}, "sign_in_expired"},
		"no state":               {kept, people.Returned{Code: "c"}, "sign_in_expired"},
		"another state":          {kept, people.Returned{State: state + "x", Code: "c"}, "sign_in_expired"},
		"an error":               {kept, people.Returned{State: state, Error: "access_denied"}, "sign_in_refused"},
		"an error and a code": {kept, people.Returned{
			State: state,
			Code:  "c",
			Error: "access_denied",
		}, "sign_in_refused"},
		"no code": {kept, people.Returned{State: state}, "sign_in_refused"},
		"another issuer's": {kept, people.Returned{
			State:  state,
			Code:   "c",
			Issuer: "https://evil.example",
		}, "sign_in_refused"},
	} {
		h.wants(what, give(c.kept, c.back), c.want)
	}
	if len(v.redeemed) != 0 {
		h.Errorf("codes were redeemed: %q", v.redeemed)
	}
	for what, change := range map[string]func(*member.Vouched){
		"an address that is not verified": func(p *member.Vouched) { p.EmailVerified = false },
		"no address":                      func(p *member.Vouched) { p.Email = "" },
		"nobody's address":                func(p *member.Vouched) { p.Email = h.address("eve") },
		"no subject":                      func(p *member.Vouched) { p.Subject = "" },
	} {
		person := v.person
		change(&v.person)
		h.wants(what, give(kept, people.Returned{State: state, Code: "c"}), "sign_in_refused")
		v.person = person
	}
	h.later(19)
	h.wants("in time", give(kept, people.Returned{
		State:  state,
		Code:   "c",
		Issuer: v.person.Issuer,
	}), "")
	h.later(1)
	h.wants("too late", give(kept, people.Returned{State: state, Code: "c"}), "sign_in_expired")
	h.limiter.most = 1
	_, _, err := h.people.BeginAtProvider(ports.NewOutbound(h.Context()), "", "", browser)
	h.wants("too often", err, "rate_limited")
	h.wants("back too often", give(kept, people.Returned{State: state, Code: "c"}), "rate_limited")
}

func providerJoin(h *accessSetup) {
	h.joined("owner", member.Grant{Role: member.Owner})
	l, err := h.people.Invite(h.Context(), h.byKey(), people.Draft{Email: h.address("ada"), Grant: member.Grant{Role: member.Support}}, "")
	if err != nil {
		h.Fatal(err)
	}
	v := h.vouched(h.address("eve"))
	_, _, err = h.returns(v, h.begins(secretOf(l)))
	h.wants("another address", err, "invitation_for_another")
	v.person.Email, v.person.EmailVerified = h.address("ada"), false
	_, _, err = h.returns(v, h.begins(secretOf(l)))
	h.wants("an address that is not verified", err, "invitation_for_another")
	v.person.EmailVerified = true
	_, _, err = h.returns(v, h.begins(""))
	h.wants("without the invitation", err, "sign_in_refused")
	kept := h.begins(secretOf(l))
	in, _, err := h.returns(v, kept)
	if err != nil || in.Member.Role != member.Support || in.Member.Name != "Ada Lovelace" || in.Member.Password != "" {
		h.Fatalf("%+v, %v", in.Member, err)
	}
	_, _, err = h.returns(v, kept)
	h.wants("once more", err, "link_not_found")
	again, _, err := h.returns(v, h.begins(""))
	if err != nil || again.Member.ID != in.Member.ID {
		h.Errorf("the next sign-in: %v", err)
	}
	_, err = h.people.SignIn(h.Context(), h.address("ada"), "", browser)
	h.wants("without a password", err, "sign_in_refused")
	if _, err := h.people.Remove(h.Context(), h.byKey(), in.Member.ID); err != nil {
		h.Fatal(err)
	}
	_, _, err = h.returns(v, h.begins(""))
	h.wants("a member who was removed", err, "sign_in_refused")
}
