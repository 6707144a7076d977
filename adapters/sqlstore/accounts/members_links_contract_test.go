package accounts_test

import (
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func inviteAgain(s *memberFixture) {
	first := s.add(s.invitation("ada", member.Support))
	theirs := s.other()
	kept := theirs.invitation("x", member.Support)
	kept.Email = first.Email
	theirs.add(kept)
	second := s.add(s.invitation("ada", member.Analyst))
	porttest.WantFault(s.T, s.Join(s.Context(), used(first), s.memberOf(first)), fault.NotFound, "link_not_found")
	list, n, err := s.Invitations(s.Context(), s.account, nil, porttest.Noon, ports.Page{Limit: 10})
	if n != 1 || err != nil || list[0].ID != second.ID {
		s.Errorf("%d invitations, %v", n, err)
	}
	if _, n, err := theirs.Invitations(s.Context(), theirs.account, nil, porttest.Noon, ports.Page{Limit: 10}); n != 1 || err != nil {
		s.Errorf("%d invitations of the other account, %v", n, err)
	}
}

func inviteLimit(s *memberFixture) {
	s.joined("owner", member.Owner)
	for i := range member.Most - 2 {
		s.add(s.invitation(fmt.Sprint("m", i), member.Support))
	}
	s.want("invited", s.winners(porttest.Racers, fault.Conflict, "too_many_members", func(i int) error {
		return s.AddLink(s.Context(), s.invitation(fmt.Sprint("racer", i), member.Support))
	}), 1)
	porttest.WantFault(s.T, s.AddLink(s.Context(), s.invitation("late", member.Support)), fault.Conflict, "too_many_members")
	s.add(s.invitation("m0", member.Analyst)) // in the place of another one
}

func inviteRevoke(s *memberFixture) {
	l := s.add(s.invitation("ada", member.Support))
	got, err := s.Invitation(s.Context(), s.account, l.ID, porttest.Noon)
	if err != nil {
		s.Fatal(err)
	}
	porttest.Same(s.T, "invitation", got, l)
	_, err = s.Invitation(s.Context(), s.other().account, l.ID, porttest.Noon)
	porttest.WantFault(s.T, err, fault.NotFound, "invitation_not_found")
	_, err = s.Invitation(s.Context(), s.account, l.ID, l.ExpiresAt)
	porttest.WantFault(s.T, err, fault.NotFound, "invitation_not_found")
	porttest.WantFault(s.T, s.Revoke(s.Context(), s.other().account, l.ID, porttest.Noon), fault.NotFound, "invitation_not_found")
	s.want("revoked", s.winners(porttest.Racers, fault.NotFound, "invitation_not_found", func(int) error {
		return s.Revoke(s.Context(), s.account, l.ID, porttest.Noon)
	}), 1)
	porttest.WantFault(s.T, s.Join(s.Context(), used(l), s.memberOf(l)), fault.NotFound, "link_not_found")
}

func inviteExpired(s *memberFixture) {
	l := s.add(s.invitation("ada", member.Support))
	after := l.ExpiresAt
	if _, n, err := s.Invitations(s.Context(), s.account, nil, after, ports.Page{Limit: 10}); n != 0 || err != nil {
		s.Errorf("%d invitations, %v", n, err)
	}
	porttest.WantFault(s.T, s.Revoke(s.Context(), s.account, l.ID, after), fault.NotFound, "invitation_not_found")
	s.add(s.link(member.Join, func(again *member.Link) {
		again.Email, again.Grant, again.CreatedAt, again.ExpiresAt = l.Email, l.Grant, after, after.Add(time.Hour)
	}))
}

func passwordRace(s *memberFixture) {
	m := s.joined("ada", member.Support)
	session := s.open(m, "token")
	l := s.add(s.linkTo(m, member.Reset))
	s.want("set", s.winners(porttest.Racers, fault.NotFound, "link_not_found", func(i int) error {
		return s.SetPassword(s.Context(), used(l), fmt.Sprint("hash ", i))
	}), 1)
	porttest.WantFault(s.T, s.sessions.Open(s.Context(), s.session(m, "old"), m.Password), fault.NotFound, "member_not_found")
	if after, err := s.sessions.ByHash(s.Context(), session.Hash); err != nil || after.Session.EndedAt == nil {
		s.Errorf("the session from before: %+v, %v", after, err)
	}
}

func spendRace(s *memberFixture) {
	l := s.add(s.linkTo(s.joined("ada", member.Owner), member.SignIn))
	s.want("used", s.winners(porttest.Racers, fault.NotFound, "link_not_found", func(int) error { return s.Spend(s.Context(), used(l)) }), 1)
}

func linkAgain(s *memberFixture) {
	m := s.joined("ada", member.Owner)
	first, signIn := s.add(s.linkTo(m, member.Reset)), s.add(s.linkTo(m, member.SignIn))
	second := s.add(s.linkTo(m, member.Reset))
	porttest.WantFault(s.T, s.Spend(s.Context(), used(first)), fault.NotFound, "link_not_found")
	for _, l := range []*member.Link{second, signIn} {
		if err := s.Spend(s.Context(), used(l)); err != nil {
			s.Error(err)
		}
	}
}
