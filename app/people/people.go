// Package people has the members of accounts: who is invited, what they may do, and how they sign in. Which scopes a signed-in
// member's request needs is asked elsewhere.
//
// Nobody gives more than they have, changes nobody who may do more than they may, and sees only whom they could have invited.
// Whoever has no session yet may be anybody: what they do is counted before it costs anything, and the answers do not tell
// whether an address is a member's.
package people

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages members and lets them in. What hashes passwords takes long: run it outside of transactions.
type Service struct {
	*ports.Stores

	// Begin runs work in a transaction, with its stores and records. work may run more than once.
	Begin     func(ctx context.Context, work func(*ports.Stores, ports.Records) error) error
	Passwords ports.Passwords
	Factor    SecondFactor
	Limiter   ports.Limiter
	Clock     ports.Clock
	Entropy   ports.Entropy
	Mailer    ports.Mailer           // nil: nothing is mailed
	Provider  ports.IdentityProvider // nil: members sign in by passwords and links only
	Vault     ports.Vault            // seals what browsers keep
	Blocked   *Blocked
	// Address is where the holder of a link goes.
	Address func(p member.Purpose, secret string) string
}

// SecondFactor confirms what a holder wants by a code of its authenticator. It counts wrong codes and uses up right ones,
// whatever becomes of the caller's transaction.
type SecondFactor interface {
	// Confirm is Forbidden mfa_required for a wrong code, or without an authenticator.
	Confirm(ctx context.Context, of account.Holder, code string) error
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Actor is who manages members: a member, or whoever has an API key.
type Actor struct {
	ID     string         // of the member or the key
	Key    *account.Key   // what they may do
	Holder account.Holder // whose second factor confirms it
}

func (a Actor) account() id.Account { return a.Holder.Account }

// secretBytes of randomness make a link or the token of a session: 160 bits.
const secretBytes = 20

// longestSecret bounds what is hashed for somebody who may be anybody.
const longestSecret = 256

// newLink makes a link of a purpose; its secret is known now and never again.
func (s *Service) newLink(of id.Account, by string, purpose member.Purpose) (*member.Link, string) {
	secret, now := s.Entropy.Secret(secretBytes), s.Clock.Now()
	return &member.Link{
		ID:        id.New[id.MemberLink](s.Entropy.IDBits()),
		Account:   of,
		Purpose:   purpose,
		Hash:      sha256.Sum256([]byte(secret)),
		By:        by,
		CreatedAt: now,
		ExpiresAt: now.Add(purpose.Lasts()),
	}, secret
}

// Link is a link as its maker gets it.
type Link struct {
	*member.Link
	Address string // with the secret: it is shown once
}

// Draft is whom an invitation is for, and what they are given.
type Draft struct {
	Email string
	member.Grant
}

// Invite makes an invitation that gives no more than the actor has. If it reaches a project that requires MFA, the code
// confirms it.
func (s *Service) Invite(ctx context.Context, by Actor, d Draft, code string) (Link, error) {
	l, secret, err := s.invitation(by.account(), by.ID, &d, func(c fault.Check) error {
		d.By(by.Key, c)
		return s.known(ctx, by.account(), d.Projects, c)
	})
	if err != nil {
		return Link{}, err
	}
	if err := s.confirm(ctx, by, d.Projects, code); err != nil {
		return Link{}, err
	}
	return Link{l, s.Address(l.Purpose, secret)}, s.Members.AddLink(ctx, l)
}

// InviteFor makes an invitation for those who run the installation.
func (s *Service) InviteFor(ctx context.Context, of id.Account, by string, d Draft) (Link, error) {
	l, secret, err := s.invitation(of, by, &d, func(c fault.Check) error { return s.known(ctx, of, d.Projects, c) })
	if err != nil {
		return Link{}, err
	}
	return Link{l, s.Address(l.Purpose, secret)}, s.Members.AddLink(ctx, l)
}

func (s *Service) invitation(of id.Account, by string, d *Draft, more func(fault.Check) error) (*member.Link, string, error) {
	c := fault.NewCheck()
	email, ok := member.Address(d.Email)
	c.That(ok, "email", "must be an e-mail address such as ada@example.com")
	d.Grant.Check(c)
	if err := more(c); err != nil {
		return nil, "", err
	}
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	l, secret := s.newLink(of, by, member.Join)
	l.Email, l.Grant = email, d.Grant
	return l, secret, nil
}

// known names projects that the account does not have.
func (s *Service) known(ctx context.Context, of id.Account, projects []id.Project, c fault.Check) error {
	if len(projects) == 0 {
		return nil
	}
	reached, err := s.Keys.Reach(ctx, of, projects)
	for i, p := range projects {
		exists := slices.ContainsFunc(reached, func(r ports.Reached) bool { return r.Project == p })
		c.In("project_ids").That(exists, strconv.Itoa(i), account.NoProject)
	}
	return err
}

// confirm asks for a code where one of the projects that are opened requires MFA. No projects are all of the account's.
func (s *Service) confirm(ctx context.Context, by Actor, projects []id.Project, code string) error {
	reached, err := s.Keys.Reach(ctx, by.account(), projects)
	if err != nil || !slices.ContainsFunc(reached, func(r ports.Reached) bool { return r.MFARequired }) {
		return err
	}
	return s.Factor.Confirm(ctx, by.Holder, code)
}

// RevokeInvitation closes an open invitation that the actor oversees.
func (s *Service) RevokeInvitation(ctx context.Context, by Actor, wanted id.MemberLink) (*member.Link, error) {
	now := s.Clock.Now()
	l, err := s.Members.Invitation(ctx, by.account(), wanted, now)
	if err != nil {
		return nil, err
	}
	if !by.Key.Oversees(&account.Key{Projects: l.Grant.Projects}) {
		return nil, fault.Missing("invitation")
	}
	return l, s.Members.Revoke(ctx, by.account(), wanted, now)
}

// Tell mails a link to whom it is for, and reports whether the mail server took it. The maker has the link, too.
func (s *Service) Tell(ctx ports.Outbound, of string, l Link) bool {
	if s.Mailer == nil || l.Email == "" {
		return false
	}
	err := s.Mailer.Send(ctx, ports.Mail{
		To:      l.Email,
		Subject: "You are invited to " + of + " on Haggle",
		Text: "You are invited to work for " + of + " on Haggle, with the role " + l.Grant.Role.String() + ".\n\n" +
			"Choose a password here, until " + l.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC") + ":\n\n" + l.Address +
			"\n\nThe link works once. If you do not know what this is about, do nothing.\n",
	})
	return err == nil
}
