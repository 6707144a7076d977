package people

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Get returns a member whom the actor oversees, or the actor.
func (s *Service) Get(ctx context.Context, by Actor, wanted id.Member) (*member.Member, error) {
	m, err := s.Members.Member(ctx, by.account(), wanted)
	if err != nil {
		return nil, err
	}
	return m, oversees(by, m)
}

func oversees(by Actor, m *member.Member) error {
	if by.Holder.Member == m.ID || by.Key.Oversees(&account.Key{Projects: m.Projects}) {
		return nil
	}
	return fault.Missing("member")
}

// mayManage refuses an actor who may do less than the member.
func mayManage(by Actor, m *member.Member) error {
	if err := oversees(by, m); err != nil {
		return err
	}
	c := fault.NewCheck()
	m.Grant().By(by.Key, c)
	if c.Err() != nil {
		return fault.New(fault.Forbidden, "insufficient_scope", "This member has scopes that you do not have.")
	}
	return nil
}

// Change changes a member and returns the member before and after. The member may not get more than the actor has. If the change
// gives access to a project that requires MFA, code must be valid. New permissions apply at once.
func (s *Service) Change(ctx context.Context, by Actor, wanted id.Member, change member.Change, code string) (before, after *member.Member, err error) {
	m, err := s.Members.Member(ctx, by.account(), wanted)
	if err == nil {
		err = mayManage(by, m)
	}
	if err != nil {
		return nil, nil, err
	}
	projects := m.Projects
	change.Projects.Apply(&projects, nil)
	c := fault.NewCheck()
	if change.Projects.Given() {
		if err := s.checkProjects(ctx, by.account(), projects, c); err != nil {
			return nil, nil, err
		}
	}
	if err := c.Err(); err != nil {
		return nil, nil, err
	}
	if change.Role.Given() || change.Projects.Given() {
		if err := s.confirm(ctx, by, projects, code); err != nil {
			return nil, nil, err
		}
	}
	after, err = s.Members.Update(ctx, by.account(), wanted, func(m *member.Member, otherOwners int) error {
		was := *m
		before = &was
		if err := mayManage(by, m); err != nil {
			return err
		}
		if err := m.Change(change, otherOwners); err != nil {
			return err
		}
		c := fault.NewCheck()
		m.Grant().By(by.Key, c)
		return c.Err()
	})
	return before, after, err
}

// Remove removes a member and ends the member's sessions at once. Owners may remove themselves, except the last one.
func (s *Service) Remove(ctx context.Context, by Actor, wanted id.Member) (*member.Member, error) {
	return s.Members.Update(ctx, by.account(), wanted, func(m *member.Member, otherOwners int) error {
		if err := mayManage(by, m); err != nil {
			return err
		}
		return m.Remove(otherOwners, s.Clock.Now())
	})
}

// PasswordLink creates a link by which a member sets another password. Only an actor with full access may create one, because it
// is a way to sign in as the member. If the member has access to a project that requires MFA, code must be valid.
func (s *Service) PasswordLink(ctx context.Context, by Actor, wanted id.Member, code string) (Link, error) {
	if !ownsAccount(by) {
		return Link{}, fault.New(fault.Forbidden, "insufficient_scope", "Only an owner, or an API key with the scope *, can create password links.")
	}
	m, err := s.Get(ctx, by, wanted)
	if err != nil {
		return Link{}, err
	}
	if err := s.confirm(ctx, by, m.Projects, code); err != nil {
		return Link{}, err
	}
	return s.linkTo(ctx, m, by.ID, member.Reset)
}

// ownsAccount reports whether the actor has full access to the whole account.
func ownsAccount(by Actor) bool { return by.Key.Allows("*") && len(by.Key.Projects) == 0 }

// ResetFactor removes the authenticators of another member, who has lost them, and ends the member's sessions. It needs an actor
// with full access and a valid code of the actor, because afterwards one factor suffices to sign in as the member.
func (s *Service) ResetFactor(ctx context.Context, by Actor, wanted id.Member, code string) (*member.Member, error) {
	if !ownsAccount(by) {
		return nil, fault.New(fault.Forbidden, "insufficient_scope", "Only an owner, or an API key with the scope *, can remove the authenticators of others.")
	}
	if by.Holder.Member == wanted {
		return nil, fault.New(fault.Conflict, "own_mfa", "Remove your own authenticator with a code of it, at DELETE /v1/account/mfa. If you have lost it, ask another owner.")
	}
	m, err := s.Get(ctx, by, wanted)
	if err != nil {
		return nil, err
	}
	active, pending, err := s.Authenticators.Of(ctx, account.Holder{Account: m.Account, Member: m.ID})
	if err != nil {
		return nil, err
	}
	if active == nil && pending == nil {
		return nil, errNoFactor
	}
	if err := s.Factor.Confirm(ctx, by.Holder, code); err != nil {
		return nil, err
	}
	return m, s.removeFactor(ctx, m)
}

var errNoFactor = fault.New(fault.Conflict, "mfa_not_enrolled", "The member has no authenticator.")

func (s *Service) removeFactor(ctx context.Context, m *member.Member) error {
	err := s.Authenticators.Remove(ctx, account.Holder{Account: m.Account, Member: m.ID})
	if fault.KindOf(err) == fault.NotFound {
		return errNoFactor
	}
	if err != nil {
		return err
	}
	_, err = s.ConsoleSessions.EndAll(ctx, m.Account, m.ID, id.ConsoleSession{}, s.Clock.Now())
	return err
}

// ResetFactorFor is ResetFactor for the installation's operator, such as for the last owner. It adds an audit event.
func (s *Service) ResetFactorFor(ctx context.Context, m *member.Member) error {
	return s.Begin(ctx, func(stores *ports.Stores, records ports.Records) error {
		if err := s.In(stores).removeFactor(ctx, m); err != nil {
			return err
		}
		return records.Record(ctx, ports.Record{Event: s.event(audit.ResetFactor, m, Client{}, nil)})
	})
}

// FirstOwner returns the oldest owner of an account. If there is none, as in a demo, it creates one without a password, who signs
// in by a link.
func (s *Service) FirstOwner(ctx context.Context, of id.Account, by, email, name string) (*member.Member, error) {
	members, _, err := s.Members.List(ctx, of, nil, ports.Page{Limit: member.Most})
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.Role == member.Owner {
			return m, nil
		}
	}
	l, err := s.InviteFor(ctx, of, by, Draft{Email: email, Grant: member.Grant{Role: member.Owner}})
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	if err := l.Use(now); err != nil {
		return nil, err
	}
	m := &member.Member{
		ID:        id.New[id.Member](s.Entropy.IDBits()),
		Account:   of,
		Email:     l.Email,
		Name:      name,
		Role:      member.Owner,
		CreatedAt: now,
	}
	return m, s.Members.Join(ctx, l.Link, m)
}

// SignInLink creates a link by which a member signs in once without a password, on behalf of the installation's operator.
func (s *Service) SignInLink(ctx context.Context, m *member.Member, by string) (Link, error) {
	return s.linkTo(ctx, m, by, member.SignIn)
}

func (s *Service) linkTo(ctx context.Context, m *member.Member, by string, purpose member.Purpose) (Link, error) {
	l, secret := s.newLink(m.Account, by, purpose)
	l.Member = m.ID
	return Link{l, s.Address(purpose, secret)}, s.Members.AddLink(ctx, l)
}
