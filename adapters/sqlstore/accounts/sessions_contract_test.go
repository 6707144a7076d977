package accounts_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestConsoleSessions(t *testing.T) {
	tests := map[string]func(*memberFixture){
		"a session ends once":                           sessionEnd,
		"all but one session end":                       sessionEndAll,
		"one session too many ends the oldest":          sessionLimit,
		"one of sixteen proves a session":               sessionProof,
		"the last use never moves back":                 sessionUse,
		"lists are of who has signed in":                sessionList,
		"a member's authenticator is not the account's": memberMFA,
		"a member's wrong codes are not the account's":  memberTries,
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

// Only old sessions and links are forgotten.
func TestConsoleSessions_forget(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, store *storetest.Store) {
		s := newMemberFixture(t, store)
		m := s.joined("ada", member.Owner)
		old, young := s.session(m, "old"), s.session(m, "young")
		young.UsedAt = porttest.Noon.Add(time.Hour)
		for _, one := range []*member.Session{old, young} {
			if err := s.sessions.Open(t.Context(), one, m.Password); err != nil {
				t.Fatal(err)
			}
		}
		if more, err := s.sessions.Forget(t.Context(), porttest.Noon.Add(time.Minute)); more || err != nil {
			t.Errorf("%v, %v", more, err)
		}
		_, err := s.sessions.ByHash(t.Context(), old.Hash)
		porttest.WantFault(t, err, fault.NotFound, "console_session_not_found")
		if _, err := s.sessions.ByHash(t.Context(), young.Hash); err != nil {
			t.Error(err)
		}
		storetest.WantCount(t, store, 1, "SELECT count(*) FROM member_links")
		if _, err := s.sessions.Forget(t.Context(), porttest.Noon.Add(member.JoinFor+time.Millisecond)); err != nil {
			t.Error(err)
		}
		storetest.WantCount(t, store, 0, "SELECT count(*) FROM member_links")
	})
}

func (s *memberFixture) session(m *member.Member, token string) *member.Session {
	return &member.Session{
		ID:        porttest.Random[id.ConsoleSession](),
		Account:   m.Account,
		Member:    m.ID,
		Hash:      sha256.Sum256([]byte(m.ID.String() + token)),
		Address:   "192.0.2.1",
		Browser:   "Firefox",
		CreatedAt: porttest.Noon,
		UsedAt:    porttest.Noon,
	}
}

func (s *memberFixture) open(m *member.Member, token string) *member.Session {
	s.Helper()
	opened := s.session(m, token)
	if err := s.sessions.Open(s.Context(), opened, m.Password); err != nil {
		s.Fatal(err)
	}
	return opened
}

// listed counts a member's sessions.
func (s *memberFixture) listed(m *member.Member) int {
	s.Helper()
	list, n, err := s.sessions.List(s.Context(), s.account, m.ID, time.Hour, porttest.Noon, ports.Page{Limit: 100})
	if err != nil || len(list) != n {
		s.Errorf("%d of %d sessions, %v", len(list), n, err)
	}
	return n
}

func sessionEnd(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	one := s.open(m, "one")
	got, err := s.sessions.Session(s.Context(), s.account, one.ID)
	if err != nil {
		s.Fatal(err)
	}
	porttest.Same(s.T, "session", got, one)
	_, err = s.sessions.Session(s.Context(), s.other().account, one.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "console_session_not_found")
	porttest.WantFault(s.T, s.sessions.End(s.Context(), s.other().account, one.ID, porttest.Noon), fault.NotFound, "console_session_not_found")
	s.want("ended", s.winners(porttest.Racers, fault.NotFound, "console_session_not_found", func(int) error {
		return s.sessions.End(s.Context(), s.account, one.ID, porttest.Noon)
	}), 1)
	s.want("sessions", s.listed(m), 0)
}

func sessionEndAll(s *memberFixture) {
	m, other := s.joined("ada", member.Owner), s.joined("grace", member.Support)
	kept := s.open(m, "0")
	s.open(m, "1")
	s.open(m, "2")
	s.open(other, "3")
	n, err := s.sessions.EndAll(s.Context(), s.account, m.ID, kept.ID, porttest.Noon)
	s.want(fmt.Sprint("ended, ", err), n, 2)
	n, err = s.sessions.EndAll(s.Context(), s.other().account, m.ID, id.ConsoleSession{}, porttest.Noon)
	s.want(fmt.Sprint("ended by another account, ", err), n, 0)
	s.want("sessions", s.listed(m), 1)
	s.want("sessions of the other", s.listed(other), 1)
	n, err = s.sessions.EndAll(s.Context(), s.account, m.ID, id.ConsoleSession{}, porttest.Noon)
	s.want(fmt.Sprint("ended, ", err), n, 1)
}

func sessionLimit(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	first := s.open(m, "first")
	for i := range member.MostSessions {
		next := s.session(m, fmt.Sprint(i))
		next.CreatedAt = porttest.Noon.Add(time.Duration(i+1) * time.Second)
		if err := s.sessions.Open(s.Context(), next, m.Password); err != nil {
			s.Fatal(err)
		}
		due := s.session(m, fmt.Sprint("due", i))
		due.CodeDue, due.CreatedAt = true, next.CreatedAt
		if err := s.sessions.Open(s.Context(), due, m.Password); err != nil {
			s.Fatal(err)
		}
	}
	s.want("sessions", s.listed(m), member.MostSessions)
	if after, err := s.sessions.ByHash(s.Context(), first.Hash); err != nil || after.Session.EndedAt == nil {
		s.Errorf("the oldest: %+v, %v", after, err)
	}
}

func sessionProof(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	due := s.session(m, "due")
	due.CodeDue = true
	if err := s.sessions.Open(s.Context(), due, m.Password); err != nil {
		s.Fatal(err)
	}
	s.want("sessions before", s.listed(m), 0)
	s.want("proven", s.winners(porttest.Racers, fault.NotFound, "console_session_not_found", func(i int) error {
		proven := *due
		proven.Prove(sha256.Sum256([]byte(fmt.Sprint(m.ID, i))), porttest.Noon)
		return s.sessions.Prove(s.Context(), &proven)
	}), 1)
	s.want("sessions", s.listed(m), 1)
	_, err := s.sessions.ByHash(s.Context(), due.Hash)
	porttest.WantFault(s.T, err, fault.NotFound, "console_session_not_found")
}

func sessionUse(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	one := s.open(m, "one")
	for _, minutes := range []int{5, 2} {
		at := porttest.Noon.Add(time.Duration(minutes) * time.Minute)
		uses := map[id.ConsoleSession]time.Time{one.ID: at, porttest.Random[id.ConsoleSession](): at}
		if err := s.sessions.Used(s.Context(), uses); err != nil {
			s.Fatal(err)
		}
	}
	after, err := s.sessions.ByHash(s.Context(), one.Hash)
	if err != nil || !after.Session.UsedAt.Equal(porttest.Noon.Add(5*time.Minute)) {
		s.Errorf("%+v, %v", after, err)
	}
}

func sessionList(s *memberFixture) {
	m, other := s.joined("ada", member.Owner), s.joined("grace", member.Support)
	s.open(m, "1")
	s.open(other, "2")
	old := s.session(m, "old")
	old.UsedAt = porttest.Noon.Add(-time.Hour)
	long := s.session(m, "long")
	long.CreatedAt = porttest.Noon.Add(-member.LongestSession)
	for _, one := range []*member.Session{old, long} {
		if err := s.sessions.Open(s.Context(), one, m.Password); err != nil {
			s.Fatal(err)
		}
	}
	s.want("sessions of one", s.listed(m), 1)
	_, n, err := s.sessions.List(s.Context(), s.account, id.Member{}, time.Hour, porttest.Noon, ports.Page{Limit: 1})
	s.want(fmt.Sprint("sessions, ", err), n, 2)
	_, n, err = s.sessions.List(s.Context(), s.other().account, id.Member{}, time.Hour, porttest.Noon, ports.Page{Limit: 1})
	s.want(fmt.Sprint("another account's, ", err), n, 0)
}

func memberMFA(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	holders := []account.Holder{{Account: s.account}, {Account: s.account, Member: m.ID}}
	for _, of := range holders {
		a := &account.Authenticator{
			ID:        porttest.Random[id.Authenticator](),
			Holder:    of,
			Secret:    []byte{1},
			CreatedAt: porttest.Noon,
			Recovery:  []account.RecoveryCode{{Hash: sha256.Sum256([]byte(of.Member.String()))}},
		}
		if err := s.authenticators.Enrol(s.Context(), a); err != nil {
			s.Fatal(err)
		}
		if err := s.authenticators.Activate(s.Context(), a, 1, porttest.Noon); err != nil {
			s.Fatal(err)
		}
		a.ActivatedAt, a.LastStep = porttest.Pointer(porttest.Noon), 1
		active, pending, err := s.authenticators.Of(s.Context(), of)
		if err != nil || pending != nil {
			s.Errorf("%v, %v", pending, err)
		}
		porttest.Same(s.T, "active", active, a)
	}
	if err := s.authenticators.Remove(s.Context(), holders[1]); err != nil {
		s.Error(err)
	}
	porttest.WantFault(s.T, s.authenticators.Remove(s.Context(), holders[1]), fault.NotFound, "mfa_not_found")
	if active, _, err := s.authenticators.Of(s.Context(), holders[0]); active == nil || err != nil {
		s.Errorf("the account's: %v, %v", active, err)
	}
}

func memberTries(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	wrong := errors.New("wrong")
	for _, of := range []account.Holder{{Account: s.account, Member: m.ID}, {Account: s.account}} {
		for n := range 2 {
			err := s.tries.Try(s.Context(), of, func(t *account.Tries) error {
				s.want("wrong codes", len(t.Wrong), n)
				t.Add(porttest.Noon)
				return wrong
			})
			if !errors.Is(err, wrong) {
				s.Error(err)
			}
		}
	}
}
