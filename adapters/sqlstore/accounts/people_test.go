package accounts_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// plainly keeps passwords as they are, and counts how many were verified.
type plainly struct{ verified []string }

func (*plainly) Hash(_ context.Context, password string) (string, error) {
	return "plain:" + password, nil
}

func (p *plainly) Verify(_ context.Context, hash, password string) (bool, error) {
	p.verified = append(p.verified, hash)
	return hash == "plain:"+password, nil
}

// strict admits a number of requests of each key.
type strict struct {
	ports.Limiter
	most  int
	taken map[string]int
}

func (s *strict) Allow(_ context.Context, key string, _ ports.Rate) ports.Verdict {
	s.taken[key]++
	return ports.Verdict{Allowed: s.taken[key] <= s.most, RetryAfter: time.Second}
}

func (s *strict) Peek(_ context.Context, key string, _ ports.Rate) ports.Verdict {
	return ports.Verdict{Allowed: s.taken[key] < s.most}
}

const password = "correct horse battery"

// accessSetup is an accessFixture whose members sign in.
type accessSetup struct {
	*accessFixture
	people    *people.Service
	passwords *plainly
	limiter   *strict
	key       *account.Key
}

func newAccessSetup(t *testing.T, s *storetest.Store) *accessSetup {
	o := newAccessFixture(t, s)
	stores := &ports.Stores{
		Accounts:        s.Accounts(),
		Keys:            s.Keys(),
		Members:         s.Members(),
		ConsoleSessions: s.ConsoleSessions(),
		Authenticators:  s.Authenticators(),
		Audit:           s.Requests(),
	}
	o.Service.Stores = stores
	h := &accessSetup{
		accessFixture: o,
		passwords:     &plainly{},
		limiter:       &strict{most: 1000, taken: map[string]int{}},
		key: &account.Key{
			ID:      porttest.Random[id.APIKey](),
			Account: o.owner.ID,
			Scopes:  []string{"*"},
		},
	}
	h.people = &people.Service{
		Stores:    stores,
		Begin:     h.begin,
		Vault:     o.outside,
		Blocked:   people.NewBlocked(),
		Passwords: h.passwords,
		Factor:    o.Service,
		Limiter:   h.limiter,
		Clock:     o.outside,
		Entropy:   o.outside,
		Address:   func(p member.Purpose, secret string) string { return "https://x/" + p.String() + "/" + secret },
	}
	return h
}

// begin runs work in a transaction.
func (h *accessSetup) begin(ctx context.Context, work func(*ports.Stores, ports.Records) error) error {
	return h.store.Within(ctx, nil, func(view *storetest.Store) error {
		bound := *h.people.Stores
		bound.Members, bound.ConsoleSessions, bound.Authenticators = view.Members(), view.ConsoleSessions(), view.Authenticators()
		return work(&bound, view.Requests())
	})
}

// logged are the account's audit events, newest first.
func (h *accessSetup) logged() []audit.Event {
	h.Helper()
	events, _, err := h.store.Requests().Events(h.Context(), h.owner.ID, ports.AuditFilter{}, ports.Page{Limit: 100})
	if err != nil {
		h.Fatal(err)
	}
	return events
}

func TestMembers_access(t *testing.T) {
	tests := map[string]func(*accessSetup){
		"who is invited joins once, and has signed in":                  inviteAndJoin,
		"nobody gives more than they have":                              givesNoMore,
		"nobody changes who may do more":                                changesNoMore,
		"a wrong address is answered as a wrong password":               wrongPassword,
		"tries are counted before anything is hashed":                   triesCounted,
		"a changed role counts at once, and a removed member is nobody": roleAtOnce,
		"a link sets a password and ends sessions":                      passwordLink,
		"a link signs in once":                                          signInLink,
		"a member with an authenticator signs in in two steps":          twoSteps,
		"a member's own code confirms":                                  ownCode,
		"a session ends when it is left alone":                          sessionIdle,
		"sessions are seen and ended by who may":                        sessionsOfOthers,
		"an invitation is mailed":                                       mailed,
		"every sign-in is in the audit log":                             signInsLogged,
		"a provider signs in whom it is linked to":                      providerSignIn,
		"a provider's answer lets nobody else in":                       providerRefused,
		"a provider's verified address accepts its invitation":          providerJoin,
		"nobody is kept out by a stranger who guesses":                  strangerGuesses,
		"many networks only slow a member down":                         manyNetworks,
		"a known browser has a budget of its own, which is small":       knownBrowser,
		"too many guesses are in the audit log once an hour":            guessesLogged,
		"an owner removes a lost authenticator":                         lostFactor,
		"the operator removes the last owner's authenticator":           lastOwnersFactor,
	}
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) { test(newAccessSetup(t, s)) })
		}
	})
}

func (h *accessSetup) byKey() people.Actor {
	return people.Actor{
		ID:     h.key.ID.String(),
		Key:    h.key,
		Holder: h.holder(),
	}
}

func by(c access.Caller) people.Actor {
	return people.Actor{
		ID:     c.Actor(),
		Key:    c.Key,
		Holder: c.Holder(),
	}
}

var browser = people.Client{Address: "192.0.2.1", Browser: "Firefox\x00" + strings.Repeat("x", 300)}

func (h *accessSetup) address(name string) string {
	return name + "@" + h.owner.ID.String() + ".example"
}

func secretOf(l people.Link) string { return l.Address[strings.LastIndex(l.Address, "/")+1:] }

// joined is somebody who was invited and has joined.
func (h *accessSetup) joined(name string, grant member.Grant) people.SignedIn {
	h.Helper()
	l, err := h.people.Invite(h.Context(), h.byKey(), people.Draft{Email: h.address(name), Grant: grant}, "")
	if err != nil {
		h.Fatal(err)
	}
	in, err := h.people.Join(h.Context(), secretOf(l), "Ada", password, browser)
	if err != nil {
		h.Fatal(err)
	}
	return in
}

func (h *accessSetup) caller(token string) access.Caller {
	h.Helper()
	c, err := h.Authenticate(h.Context(), token)
	if err != nil {
		h.Fatal(err)
	}
	return c
}

func (h *accessSetup) stranger(what, token string) {
	h.Helper()
	if _, err := h.Authenticate(h.Context(), token); fault.KindOf(err) != fault.Unauthenticated {
		h.Errorf("%s: %v", what, err)
	}
}

func (h *accessSetup) fields(what string, err error, want ...string) {
	h.Helper()
	var got []string
	if e, ok := err.(*fault.Error); ok {
		for _, d := range e.Details {
			got = append(got, d.Field)
		}
	}
	if !slices.Equal(got, want) {
		h.Errorf("%s: %v, want %v named", what, err, want)
	}
}

func inviteAndJoin(h *accessSetup) {
	draft := people.Draft{Email: " " + strings.ToUpper(h.address("ada")), Grant: member.Grant{Role: member.Support}}
	l, err := h.people.Invite(h.Context(), h.byKey(), draft, "")
	if err != nil {
		h.Fatal(err)
	}
	_, err = h.people.Join(h.Context(), secretOf(l), " ", "short", browser)
	h.fields("what is no name and no password", err, "name", "password")
	in, err := h.people.Join(h.Context(), secretOf(l), "Ada", password, browser)
	if err != nil {
		h.Fatal(err)
	}
	if len(in.Session.Browser) != 200 || strings.Contains(in.Session.Browser, "\x00") || in.Member.Email != strings.ToLower(h.address("ada")) {
		h.Errorf("%+v, %+v", in.Session, in.Member)
	}
	c := h.caller(in.Token)
	if c.Member == nil || c.Actor() != in.Member.ID.String() || c.Require("finance:write") != nil || c.Require("keys:read") == nil {
		h.Errorf("the caller is %+v", c)
	}
	_, err = h.people.Join(h.Context(), secretOf(l), "Eve", password, browser)
	h.wants("again", err, "link_not_found")
	for what, secret := range map[string]string{"no secret": "", "a long one": strings.Repeat("x", 300), "a wrong one": "x"} {
		_, err := h.people.Join(h.Context(), secret, "Eve", password, browser)
		h.wants(what, err, "link_not_found")
	}
	again, err := h.people.SignIn(h.Context(), " "+strings.ToUpper(h.address("ada")), password, browser)
	if err != nil || again.Token == in.Token || again.Session.CodeDue {
		h.Errorf("%+v, %v", again, err)
	}
	_, err = h.people.Invite(h.Context(), h.byKey(), people.Draft{Email: "nobody"}, "")
	h.fields("what is no invitation", err, "email", "role")
	draft.Projects = []id.Project{porttest.Random[id.Project]()}
	_, err = h.people.Invite(h.Context(), h.byKey(), draft, "")
	h.fields("an unknown project", err, "project_ids.0")
}

func givesNoMore(h *accessSetup) {
	bound := h.byKey()
	bound.Key = &account.Key{Scopes: []string{"keys:write", "catalog:read"}}
	_, err := h.people.Invite(h.Context(), bound, people.Draft{Email: h.address("x"), Grant: member.Grant{Role: member.Analyst}}, "")
	h.fields("more scopes", err, "role")
	bound.Key = &account.Key{Scopes: []string{"*"}, Projects: []id.Project{porttest.Random[id.Project]()}}
	_, err = h.people.Invite(h.Context(), bound, people.Draft{Email: h.address("x"), Grant: member.Grant{Role: member.Analyst}}, "")
	h.fields("all projects", err, "project_ids")
	l, err := h.people.Invite(h.Context(), h.byKey(), people.Draft{Email: h.address("x"), Grant: member.Grant{Role: member.Analyst}}, "")
	if err != nil {
		h.Fatal(err)
	}
	_, err = h.people.RevokeInvitation(h.Context(), bound, l.ID)
	h.wants("an invitation beyond the projects", err, "invitation_not_found")
	if _, err = h.people.RevokeInvitation(h.Context(), h.byKey(), l.ID); err != nil {
		h.Error(err)
	}
	_, err = h.people.Join(h.Context(), secretOf(l), "Ada", password, browser)
	h.wants("a revoked one", err, "link_not_found")
}

func changesNoMore(h *accessSetup) {
	owner, support := h.joined("ada", member.Grant{Role: member.Owner}), h.joined("grace", member.Grant{Role: member.Support})
	weak := h.byKey()
	weak.Key = &account.Key{Scopes: []string{"keys:write", "projects:read", "catalog:read", "finance:write"}}
	change := func(by people.Actor, of people.SignedIn, c member.Change) error {
		_, _, err := h.people.Change(h.Context(), by, of.Member.ID, c, "")
		return err
	}
	h.wants("an owner by less", change(weak, owner, member.Change{Name: patch.To("Eve")}), "insufficient_scope")
	h.fields("more than they have", change(weak, support, member.Change{Role: patch.To(member.Owner)}), "role")
	h.wants("another name", change(weak, support, member.Change{Name: patch.To("Grace")}), "")
	_, err := h.people.Remove(h.Context(), weak, owner.Member.ID)
	h.wants("an owner removed by less", err, "insufficient_scope")
	_, err = h.people.PasswordLink(h.Context(), weak, support.Member.ID, "")
	h.wants("a password by less", err, "insufficient_scope")
	_, err = h.people.Remove(h.Context(), h.byKey(), owner.Member.ID)
	h.wants("the last owner", err, "last_owner")
	h.fields("the last owner", change(h.byKey(), owner, member.Change{Role: patch.To(member.Support)}), "role")
	h.fields("an unknown project", change(h.byKey(), support, member.Change{Projects: patch.To([]id.Project{porttest.Random[id.Project]()})}), "project_ids.0")
}

func roleAtOnce(h *accessSetup) {
	h.joined("owner", member.Grant{Role: member.Owner})
	in := h.joined("ada", member.Grant{Role: member.Analyst})
	if c := h.caller(in.Token); c.Require("finance:write") == nil {
		h.Error("an analyst refunds")
	}
	if _, _, err := h.people.Change(h.Context(), h.byKey(), in.Member.ID, member.Change{Role: patch.To(member.Support)}, ""); err != nil {
		h.Fatal(err)
	}
	if err := h.caller(in.Token).Require("finance:write"); err != nil {
		h.Error(err)
	}
	if _, err := h.people.Remove(h.Context(), h.byKey(), in.Member.ID); err != nil {
		h.Fatal(err)
	}
	h.stranger("a removed member", in.Token)
	_, err := h.people.SignIn(h.Context(), in.Member.Email, password, browser)
	h.wants("a removed member", err, "sign_in_refused")
}

// enrolled gives a member an authenticator.
// The account's code does not stand in for the member's, nor the other way round, and wrong codes are counted apart.
// post keeps what it sends.
type post struct {
	sent []ports.Mail
	err  error
}

func (p *post) Send(_ ports.Outbound, m ports.Mail) error {
	p.sent = append(p.sent, m)
	return p.err
}

func mailed(h *accessSetup) {
	l, err := h.people.Invite(h.Context(), h.byKey(), people.Draft{Email: h.address("ada"), Grant: member.Grant{Role: member.Owner}}, "")
	if err != nil {
		h.Fatal(err)
	}
	ctx := ports.NewOutbound(h.Context())
	if h.people.MailInvitation(ctx, "Zoë's", l) {
		h.Error("mailed without a mail server")
	}
	box := &post{}
	h.people.Mailer = box
	if !h.people.MailInvitation(ctx, "Zoë's", l) || box.sent[0].To != h.address("ada") || !strings.Contains(box.sent[0].Text, l.Address) {
		h.Errorf("%+v", box.sent)
	}
	box.err = context.DeadlineExceeded
	if h.people.MailInvitation(ctx, "Zoë's", l) {
		h.Error("mailed in vain")
	}
}
