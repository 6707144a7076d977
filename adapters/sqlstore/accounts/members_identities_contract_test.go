package accounts_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestIdentities(t *testing.T) {
	tests := map[string]func(*memberFixture){
		"an identity is one member's":                   identityOfOne,
		"one of sixteen members gets an identity":       identityRace,
		"one of sixteen identities is linked to one":    identitiesRace,
		"a removed member's identity is free to others": identityOfRemoved,
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

// identity is one of an issuer that no other test has.
func (s *memberFixture) identity(subject string) member.Identity {
	return member.Identity{Issuer: "https://" + s.account.String() + ".example", Subject: subject}
}

// linked reports whether an identity is the member's.
func (s *memberFixture) linked(i member.Identity, m *member.Member) bool {
	s.Helper()
	found, err := s.ByIdentity(s.Context(), i)
	if fault.KindOf(err) == fault.NotFound {
		return false
	}
	if err != nil {
		s.Fatal(err)
	}
	return found.ID == m.ID && found.Email == m.Email
}

func identityOfOne(s *memberFixture) {
	ada, grace := s.joined("ada", member.Owner), s.other().joined("grace", member.Owner)
	first, second := s.identity("1"), s.identity("2")
	for range 2 {
		if err := s.LinkIdentity(s.Context(), ada, first, porttest.Noon); err != nil || !s.linked(first, ada) {
			s.Errorf("linked: %v", err)
		}
	}
	if err := s.LinkIdentity(s.Context(), ada, second, porttest.Noon); !fault.Is(err, "identity_taken") || s.linked(second, ada) {
		s.Errorf("another one of the issuer: %v", err)
	}
	if err := s.LinkIdentity(s.Context(), grace, first, porttest.Noon); !fault.Is(err, "identity_taken") || !s.linked(first, ada) {
		s.Errorf("another member's: %v", err)
	}
	elsewhere := member.Identity{Issuer: first.Issuer + "/other", Subject: first.Subject}
	if s.linked(elsewhere, ada) {
		s.Error("another issuer's subject is hers")
	}
	if err := s.LinkIdentity(s.Context(), grace, elsewhere, porttest.Noon); err != nil || !s.linked(elsewhere, grace) {
		s.Errorf("another issuer's: %v", err)
	}
	unknown := *ada
	unknown.Account = grace.Account
	if err := s.LinkIdentity(s.Context(), &unknown, s.identity("3"), porttest.Noon); !fault.Is(err, "member_not_found") {
		s.Errorf("another account's member: %v", err)
	}
}

func identityRace(s *memberFixture) {
	var members []*member.Member
	for n := range porttest.Racers {
		members = append(members, s.joined("m"+string(rune('a'+n)), member.Support))
	}
	s.want("linked", s.winners(porttest.Racers, fault.Conflict, "identity_taken", func(i int) error {
		return s.LinkIdentity(s.Context(), members[i], s.identity("1"), porttest.Noon)
	}), 1)
}

func identitiesRace(s *memberFixture) {
	ada := s.joined("ada", member.Owner)
	s.want("linked", s.winners(porttest.Racers, fault.Conflict, "identity_taken", func(i int) error {
		return s.LinkIdentity(s.Context(), ada, s.identity(string(rune('a'+i))), porttest.Noon)
	}), 1)
}

func identityOfRemoved(s *memberFixture) {
	s.joined("owner", member.Owner)
	ada, i := s.joined("ada", member.Support), s.identity("1")
	if err := s.LinkIdentity(s.Context(), ada, i, porttest.Noon); err != nil {
		s.Fatal(err)
	}
	if _, err := s.Update(s.Context(), s.account, ada.ID, func(m *member.Member, others int) error { return m.Remove(others, porttest.Noon) }); err != nil {
		s.Fatal(err)
	}
	if s.linked(i, ada) {
		s.Error("it is hers still")
	}
	grace := s.joined("grace", member.Support)
	if err := s.LinkIdentity(s.Context(), grace, i, porttest.Noon); err != nil || !s.linked(i, grace) {
		s.Errorf("another member's: %v", err)
	}
}
