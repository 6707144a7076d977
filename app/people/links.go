package people

import (
	"context"
	"crypto/sha256"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Look returns an open link of a purpose, for the page that the link leads to. It changes nothing.
func (s *Service) Look(ctx context.Context, purpose member.Purpose, secret string, from Client) (*member.Link, error) {
	if err := s.countClient(ctx, from); err != nil {
		return nil, err
	}
	return s.link(ctx, purpose, secret)
}

func (s *Service) link(ctx context.Context, purpose member.Purpose, secret string) (*member.Link, error) {
	if secret == "" || len(secret) > longestSecret {
		return nil, member.ErrLink
	}
	l, err := s.Members.LinkByHash(ctx, sha256.Sum256([]byte(secret)))
	if err != nil {
		return nil, err
	}
	if l.Purpose != purpose || !l.Open(s.Clock.Now()) {
		return nil, member.ErrLink
	}
	return l, nil
}

// Join accepts an invitation: it creates a member with a name and a password, and signs the member in.
func (s *Service) Join(ctx context.Context, secret, name, password string, from Client) (SignedIn, error) {
	l, err := s.Look(ctx, member.Join, secret, from)
	if err != nil {
		return SignedIn{}, err
	}
	c := fault.NewCheck()
	member.CheckName(c, name)
	member.CheckPassword(c, password, l.Email, name)
	if err := c.Err(); err != nil {
		return SignedIn{}, err
	}
	hash, err := s.Passwords.Hash(ctx, password)
	if err != nil {
		return SignedIn{}, err
	}
	now := s.Clock.Now()
	if err := l.Use(now); err != nil {
		return SignedIn{}, err
	}
	m := &member.Member{
		ID:        id.New[id.Member](s.Entropy.IDBits()),
		Account:   l.Account,
		Email:     l.Email,
		Name:      name,
		Role:      l.Grant.Role,
		Projects:  l.Grant.Projects,
		Password:  hash,
		CreatedAt: now,
	}
	return s.openInTx(ctx, audit.Join, m, from, signInDetails{}, member.ByInvitation, func(stores *ports.Stores) error {
		return stores.Members.Join(ctx, l, m)
	})
}

// SetPassword sets a member's password by a link, and ends all sessions of the member, because somebody else may have known the
// old password.
func (s *Service) SetPassword(ctx context.Context, secret, password string, from Client) error {
	l, err := s.Look(ctx, member.Reset, secret, from)
	if err != nil {
		return err
	}
	m, err := s.Members.Member(ctx, l.Account, l.Member)
	if fault.KindOf(err) == fault.NotFound {
		return member.ErrLink
	}
	if err != nil {
		return err
	}
	c := fault.NewCheck()
	member.CheckPassword(c, password, m.Email, m.Name)
	if err := c.Err(); err != nil {
		return err
	}
	hash, err := s.Passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	if err := l.Use(s.Clock.Now()); err != nil {
		return err
	}
	return s.Members.SetPassword(ctx, l, hash)
}

// SignInByLink signs a member in by a one-time link. If the member has an authenticator, its code is still due.
func (s *Service) SignInByLink(ctx context.Context, secret string, from Client) (SignedIn, error) {
	l, err := s.Look(ctx, member.SignIn, secret, from)
	if err != nil {
		return SignedIn{}, err
	}
	m, err := s.Members.Member(ctx, l.Account, l.Member)
	if fault.KindOf(err) == fault.NotFound {
		return SignedIn{}, member.ErrLink
	}
	if err != nil {
		return SignedIn{}, err
	}
	if err := l.Use(s.Clock.Now()); err != nil {
		return SignedIn{}, err
	}
	in, err := s.openInTx(ctx, audit.SignIn, m, from, signInDetails{}, member.ByLink, func(stores *ports.Stores) error {
		return stores.Members.Spend(ctx, l)
	})
	if fault.Is(err, "member_not_found") {
		err = member.ErrLink
	}
	return in, err
}
