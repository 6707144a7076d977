// Package people manages the members of accounts: invitations, permissions and sign-in. Package access authenticates members'
// requests and checks their scopes.
//
// An actor grants at most its own permissions, changes only members with at most its own permissions, and sees only members
// that it could have invited. Requests without a session may come from anybody. They are rate-limited before they cost anything,
// and their answers do not reveal whether an address is a member's.
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

// Service manages members and signs them in. Methods that hash passwords are slow; call them outside of transactions.
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
	Vault     ports.Vault            // seals cookies
	Blocked   *Blocked
	// Address returns the URL of a link.
	Address func(p member.Purpose, secret string) string
}

// SecondFactor checks codes of a holder's authenticator. It counts wrong codes and spends right ones even if the caller's
// transaction rolls back.
type SecondFactor interface {
	// Confirm returns Forbidden mfa_required if the code is wrong or the holder has no authenticator.
	Confirm(ctx context.Context, of account.Holder, code string) error
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Actor is the member or API key that manages members.
type Actor struct {
	ID     string         // of the member or the key
	Key    *account.Key   // the actor's permissions
	Holder account.Holder // the holder of the second factor that confirms the actor's requests
}

func (a Actor) account() id.Account { return a.Holder.Account }

// secretBytes is how many random bytes a link or a session token has: 160 bits.
const secretBytes = 20

// longestSecret is how many bytes of an unauthenticated caller's secret are hashed at most.
const longestSecret = 256

// newLink returns a link of a purpose and its secret, which is not stored.
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

// Link is a link with its URL, for the actor that created it.
type Link struct {
	*member.Link
	Address string // the URL with the secret; it is shown once
}

// Draft is the address and the permissions of an invitation.
type Draft struct {
	Email string
	member.Grant
}

// Invite creates an invitation, which may grant at most the actor's permissions. If it gives access to a project that requires
// MFA, code must be valid.
func (s *Service) Invite(ctx context.Context, by Actor, d Draft, code string) (Link, error) {
	l, secret, err := s.invitation(by.account(), by.ID, &d, func(c fault.Check) error {
		d.By(by.Key, c)
		return s.checkProjects(ctx, by.account(), d.Projects, c)
	})
	if err != nil {
		return Link{}, err
	}
	if err := s.confirm(ctx, by, d.Projects, code); err != nil {
		return Link{}, err
	}
	return Link{l, s.Address(l.Purpose, secret)}, s.Members.AddLink(ctx, l)
}

// InviteFor creates an invitation on behalf of the installation's operator.
func (s *Service) InviteFor(ctx context.Context, of id.Account, by string, d Draft) (Link, error) {
	l, secret, err := s.invitation(of, by, &d, func(c fault.Check) error { return s.checkProjects(ctx, of, d.Projects, c) })
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

// checkProjects adds a problem for each project that the account does not have.
func (s *Service) checkProjects(ctx context.Context, of id.Account, projects []id.Project, c fault.Check) error {
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

// confirm checks the code if one of the projects requires MFA. No projects means all projects of the account.
func (s *Service) confirm(ctx context.Context, by Actor, projects []id.Project, code string) error {
	reached, err := s.Keys.Reach(ctx, by.account(), projects)
	if err != nil || !slices.ContainsFunc(reached, func(r ports.Reached) bool { return r.MFARequired }) {
		return err
	}
	return s.Factor.Confirm(ctx, by.Holder, code)
}

// RevokeInvitation revokes an open invitation that the actor oversees.
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

// MailInvitation mails an invitation to its recipient and reports whether the mail server accepted it. The actor has the link as well.
func (s *Service) MailInvitation(ctx ports.Outbound, of string, l Link) bool {
	if s.Mailer == nil || l.Email == "" {
		return false
	}
	err := s.Mailer.Send(ctx, ports.Mail{
		To:      l.Email,
		Subject: "You are invited to " + of + " on Haggle",
		Text: "You are invited to work for " + of + " on Haggle, with the role " + l.Grant.Role.String() + ".\n\n" +
			"Choose a password here, until " + l.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC") + ":\n\n" + l.Address +
			"\n\nThe link works once. If you do not expect this invitation, ignore this message.\n",
	})
	return err == nil
}
