package accounts_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// memberFixture is an account with its members.
type memberFixture struct {
	*testing.T
	ports.Members
	sessions       ports.ConsoleSessions
	authenticators ports.Authenticators
	tries          ports.Tries
	stores         porttest.Stores
	account        id.Account
}

func newMemberFixture(t *testing.T, s *storetest.Store) *memberFixture {
	stores := storetest.Views(s)
	return &memberFixture{
		T:              t,
		Members:        s.Members(),
		sessions:       s.ConsoleSessions(),
		authenticators: s.Authenticators(),
		tries:          s.Tries(),
		stores:         stores,
		account:        porttest.OpenAccount(t, stores, porttest.Noon).ID,
	}
}

// other returns the fixture of another account of the installation.
func (s *memberFixture) other() *memberFixture {
	other := *s
	other.account = porttest.OpenAccount(s.T, s.stores, porttest.Noon).ID
	return &other
}

func TestMembers(t *testing.T) {
	tests := map[string]func(*memberFixture){
		"who joins is a member":                                 joining,
		"one of sixteen joins by a link":                        joinRace,
		"an address belongs to one account":                     joinAddress,
		"one of two accounts gets an address":                   joinAddressRace,
		"an invitation takes the place of another":              inviteAgain,
		"one of sixteen is the last of two hundred":             inviteLimit,
		"one of sixteen revokes an invitation":                  inviteRevoke,
		"expired invitations take no place":                     inviteExpired,
		"of two owners who are demoted at once one stays":       lastOwner,
		"another account's members are unknown":                 foreignMembers,
		"lists are oldest first, and of a bound caller its own": memberLists,
		"a removed member has nothing":                          removal,
		"one of sixteen sets a password by a link":              passwordRace,
		"one of sixteen uses a link up":                         spendRace,
		"a link of a member takes the place of another":         linkAgain,
	}
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(newMemberFixture(t, s))
			})
		}
	})
}

// address is one that nobody else has.
func (s *memberFixture) address(name string) string {
	return name + "@" + s.account.String() + ".example"
}

func (s *memberFixture) link(purpose member.Purpose, change func(*member.Link)) *member.Link {
	l := &member.Link{
		ID:        porttest.Random[id.MemberLink](),
		Account:   s.account,
		Purpose:   purpose,
		By:        "key_1",
		CreatedAt: porttest.Noon,
		ExpiresAt: porttest.Noon.Add(member.JoinFor),
	}
	l.Hash = sha256.Sum256([]byte(l.ID.String()))
	change(l)
	return l
}

func (s *memberFixture) invitation(name string, role member.Role, projects ...id.Project) *member.Link {
	return s.link(member.Join, func(l *member.Link) {
		l.Email, l.Grant = s.address(name), member.Grant{Role: role, Projects: projects}
	})
}

func (s *memberFixture) linkTo(m *member.Member, purpose member.Purpose) *member.Link {
	return s.link(purpose, func(l *member.Link) { l.Member = m.ID })
}

func (s *memberFixture) add(l *member.Link) *member.Link {
	s.Helper()
	if err := s.AddLink(s.Context(), l); err != nil {
		s.Fatal(err)
	}
	return l
}

func (s *memberFixture) memberOf(l *member.Link) *member.Member {
	return &member.Member{
		ID:        porttest.Random[id.Member](),
		Account:   l.Account,
		Email:     l.Email,
		Name:      "Ada",
		Role:      l.Grant.Role,
		Projects:  l.Grant.Projects,
		Password:  "hash",
		CreatedAt: porttest.Noon,
	}
}

func used(l *member.Link) *member.Link {
	by := *l
	by.UsedAt = porttest.Pointer(porttest.Noon.Add(time.Minute))
	return &by
}

// joined invites and joins a member.
func (s *memberFixture) joined(name string, role member.Role, projects ...id.Project) *member.Member {
	s.Helper()
	l := s.add(s.invitation(name, role, projects...))
	m := s.memberOf(l)
	if err := s.Join(s.Context(), used(l), m); err != nil {
		s.Fatal(err)
	}
	return m
}

// winners counts who of sixteen succeeds; the others meet a fault.
func (s *memberFixture) winners(n int, kind fault.Kind, code string, attempt func(i int) error) int {
	s.Helper()
	won := 0
	for _, err := range porttest.Together(n, attempt) {
		if err == nil {
			won++
			continue
		}
		porttest.WantFault(s.T, err, kind, code)
	}
	return won
}

func (s *memberFixture) want(what string, got, want int) {
	s.Helper()
	if got != want {
		s.Errorf("%s: %d, want %d", what, got, want)
	}
}

func joining(s *memberFixture) {
	l := s.add(s.invitation("ada", member.Support))
	m := s.memberOf(l)
	if err := s.Join(s.Context(), used(l), m); err != nil {
		s.Fatal(err)
	}
	got, err := s.ByEmail(s.Context(), m.Email)
	if err != nil {
		s.Fatal(err)
	}
	porttest.Same(s.T, "member", got, m)
	after, err := s.LinkByHash(s.Context(), l.Hash)
	if err != nil || after.UsedAt == nil || after.Member != m.ID {
		s.Errorf("the link is %+v, %v", after, err)
	}
	_, n, err := s.Invitations(s.Context(), s.account, nil, porttest.Noon, ports.Page{Limit: 10})
	if n != 0 || err != nil {
		s.Errorf("%d invitations are left, %v", n, err)
	}
	porttest.WantFault(s.T, s.Revoke(s.Context(), s.account, l.ID, porttest.Noon), fault.NotFound, "invitation_not_found")
	_, err = s.LinkByHash(s.Context(), [32]byte{1})
	porttest.WantFault(s.T, err, fault.NotFound, "link_not_found")
}

func joinRace(s *memberFixture) {
	l := s.add(s.invitation("ada", member.Support))
	s.want("joined", s.winners(porttest.Racers, fault.NotFound, "link_not_found", func(int) error {
		return s.Join(s.Context(), used(l), s.memberOf(l))
	}), 1)
	_, n, err := s.List(s.Context(), s.account, nil, ports.Page{Limit: 10})
	s.want(fmt.Sprint("members, ", err), n, 1)
}

func joinAddress(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	other := s.other()
	l := other.invitation("x", member.Owner)
	l.Email = m.Email
	porttest.WantFault(s.T, other.AddLink(s.Context(), l), fault.Conflict, "email_taken")
	again := s.invitation("ada", member.Support)
	porttest.WantFault(s.T, s.AddLink(s.Context(), again), fault.Conflict, "email_taken")
	if _, err := s.Update(s.Context(), s.account, m.ID, func(m *member.Member, _ int) error { return m.Remove(1, porttest.Noon) }); err != nil {
		s.Fatal(err)
	}
	other.add(l)
	if err := other.Join(s.Context(), used(l), other.memberOf(l)); err != nil {
		s.Errorf("after the member was removed: %v", err)
	}
}

func joinAddressRace(s *memberFixture) {
	accounts := []*memberFixture{s, s.other()}
	links := make([]*member.Link, len(accounts))
	for i, of := range accounts {
		links[i] = of.invitation("x", member.Owner)
		links[i].Email = s.address("ada")
		of.add(links[i])
	}
	s.want("joined", s.winners(len(accounts), fault.Conflict, "email_taken", func(i int) error {
		return accounts[i].Join(s.Context(), used(links[i]), accounts[i].memberOf(links[i]))
	}), 1)
}

func lastOwner(s *memberFixture) {
	owners := []*member.Member{s.joined("ada", member.Owner), s.joined("grace", member.Owner)}
	demoted := 0
	var arrived atomic.Int32
	for _, err := range porttest.Together(len(owners), func(i int) error {
		_, err := s.Update(s.Context(), s.account, owners[i].ID, func(m *member.Member, others int) error {
			arrived.Add(1)
			for wait := 0; arrived.Load() < 2 && wait < 100; wait++ { // for the other one, who must not count before this one is stored
				time.Sleep(2 * time.Millisecond)
			}
			return m.Change(member.Change{Role: patch.To(member.Support)}, others)
		})
		return err
	}) {
		if err == nil {
			demoted++
			continue
		}
		porttest.WantDetail(s.T, err, "role")
	}
	s.want("demoted", demoted, 1)
}

func foreignMembers(s *memberFixture) {
	m, other := s.joined("ada", member.Owner), s.other()
	_, err := other.Member(s.Context(), other.account, m.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "member_not_found")
	_, err = other.Update(s.Context(), other.account, m.ID, func(*member.Member, int) error { s.Error("changed"); return nil })
	porttest.WantFault(s.T, err, fault.NotFound, "member_not_found")
	porttest.WantFault(s.T, other.AddLink(s.Context(), other.linkTo(m, member.Reset)), fault.NotFound, "member_not_found")
	session := s.session(m, "token")
	session.Account = other.account
	porttest.WantFault(s.T, s.sessions.Open(s.Context(), session, m.Password), fault.NotFound, "member_not_found")
}

func memberLists(s *memberFixture) {
	one, two := porttest.Random[id.Project](), porttest.Random[id.Project]()
	var all []string
	for i, projects := range [][]id.Project{nil, {one}, {one, two}, {two}} {
		l := s.add(s.invitation(fmt.Sprint("m", i), member.Support, projects...))
		m := s.memberOf(l)
		m.CreatedAt = porttest.Noon.Add(time.Duration(i) * time.Second)
		if err := s.Join(s.Context(), used(l), m); err != nil {
			s.Fatal(err)
		}
		s.add(s.invitation(fmt.Sprint("i", i), member.Support, projects...))
		all = append(all, m.ID.String())
	}
	for _, c := range []struct {
		bound []id.Project
		page  ports.Page
		want  []string
		total int
	}{
		{nil, ports.Page{Limit: 10}, all, 4},
		{nil, ports.Page{Limit: 2, Offset: 1}, all[1:3], 4},
		{[]id.Project{one}, ports.Page{Limit: 10}, all[1:2], 1},
		{[]id.Project{one, two}, ports.Page{Limit: 10, Offset: 1}, all[2:], 3},
	} {
		list, total, err := s.List(s.Context(), s.account, c.bound, c.page)
		var got []string
		for _, m := range list {
			got = append(got, m.ID.String())
		}
		if err != nil || total != c.total || !slices.Equal(got, c.want) {
			s.Errorf("bound to %d: %v of %d, %v", len(c.bound), got, total, err)
		}
		invited, total, err := s.Invitations(s.Context(), s.account, c.bound, porttest.Noon, c.page)
		if err != nil || total != c.total || len(invited) != len(c.want) {
			s.Errorf("bound to %d: %d invitations of %d, %v", len(c.bound), len(invited), total, err)
		}
	}
}

func removal(s *memberFixture) {
	s.joined("owner", member.Owner)
	m := s.joined("ada", member.Support)
	reset := s.add(s.linkTo(m, member.Reset))
	session := s.open(m, "token")
	of := account.Holder{Account: s.account, Member: m.ID}
	if err := s.authenticators.Enrol(s.Context(), &account.Authenticator{
		ID:        porttest.Random[id.Authenticator](),
		Holder:    of,
		Secret:    []byte{1},
		CreatedAt: porttest.Noon,
	}); err != nil {
		s.Fatal(err)
	}
	removed, err := s.Update(s.Context(), s.account, m.ID, func(m *member.Member, others int) error { return m.Remove(others, porttest.Noon) })
	if err != nil || removed.RemovedAt == nil {
		s.Fatal(err)
	}
	for what, err := range map[string]error{
		"the member":     onlyErr(s.Member(s.Context(), s.account, m.ID)),
		"the address":    onlyErr(s.ByEmail(s.Context(), m.Email)),
		"another change": onlyErr(s.Update(s.Context(), s.account, m.ID, func(*member.Member, int) error { return nil })),
		"a session":      s.sessions.Open(s.Context(), s.session(m, "late"), ""),
	} {
		if !fault.Is(err, "member_not_found") {
			s.Errorf("%s: %v", what, err)
		}
	}
	for of, want := range map[*memberFixture]int{s: 1, s.other(): 0} {
		names, err := of.Names(s.Context(), of.account, []id.Member{m.ID, porttest.Random[id.Member]()})
		if len(names) != want || want > 0 && names[m.ID] != m.Name || err != nil {
			s.Errorf("%v, %v", names, err)
		}
	}
	porttest.WantFault(s.T, s.SetPassword(s.Context(), used(reset), "new"), fault.NotFound, "link_not_found")
	after, err := s.sessions.ByHash(s.Context(), session.Hash)
	if err != nil || after.Session.EndedAt == nil || after.Member.RemovedAt == nil {
		s.Errorf("the session: %+v, %v", after, err)
	}
	if _, pending, err := s.authenticators.Of(s.Context(), of); pending != nil || err != nil {
		s.Errorf("the authenticator: %v, %v", pending, err)
	}
}

func onlyErr[T any](_ T, err error) error { return err }
