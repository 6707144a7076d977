package boot

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
)

// operator is the actor recorded for changes by the installation's operators.
const operator = "haggle"

// MemberRequest is an operator's request for an invitation. Its account is chosen as for a KeyRequest.
type MemberRequest struct {
	Email      string
	Role       string
	Projects   []string // slugs or ids; none: all of the account's
	Plan       string
	NewAccount string
}

// InvitedMember is a new invitation with its account.
type InvitedMember struct {
	people.Link
	Account *account.Account
}

// InviteMember creates an invitation, and its account if necessary, in one transaction.
func (a *App) InviteMember(ctx context.Context, r MemberRequest) (made InvitedMember, err error) {
	role, err := member.ParseRole(r.Role)
	if err != nil {
		return InvitedMember{}, err
	}
	err = a.store.Within(ctx, nil, func(view *sqlstore.Store) error {
		projects, err := findProjects(ctx, view, r.Projects)
		if err != nil {
			return err
		}
		stores := storesOn(view, a.index)
		of := KeyRequest{Plan: r.Plan, NewAccount: r.NewAccount}
		if made.Account, err = accountFor(ctx, a.Access.In(stores), of, projects); err != nil {
			return err
		}
		draft := people.Draft{Email: r.Email, Grant: member.Grant{Role: role}}
		for _, p := range projects {
			draft.Projects = append(draft.Projects, p.ID)
		}
		made.Link, err = a.People.In(stores).InviteFor(ctx, made.Account.ID, operator, draft)
		return err
	})
	if err != nil {
		return InvitedMember{}, err
	}
	return made, nil
}

// MemberLine is a member or an open invitation in an operator's list.
type MemberLine struct {
	ID      string
	Email   string
	Name    string // empty for an invitation
	Grant   member.Grant
	Account *account.Account
	Invited *member.Link // nil for a member
}

// ListMembers returns all members and open invitations of the installation, oldest first.
func (a *App) ListMembers(ctx context.Context) ([]MemberLine, error) {
	members, invitations, accounts, err := a.store.Members().All(ctx, a.clock.Now())
	if err != nil {
		return nil, err
	}
	var lines []MemberLine
	for _, m := range members {
		lines = append(lines, MemberLine{
			ID:      m.ID.String(),
			Email:   m.Email,
			Name:    m.Name,
			Grant:   m.Grant(),
			Account: accounts[m.Account],
		})
	}
	for _, l := range invitations {
		lines = append(lines, MemberLine{
			ID:      l.ID.String(),
			Email:   l.Email,
			Grant:   l.Grant,
			Account: accounts[l.Account],
			Invited: l,
		})
	}
	return lines, nil
}

// ResetMemberMFA removes the authenticators of a member of any account and ends the member's sessions.
func (a *App) ResetMemberMFA(ctx context.Context, name string) (MemberLine, error) {
	lines, err := a.ListMembers(ctx)
	if err != nil {
		return MemberLine{}, err
	}
	for _, line := range lines {
		if line.ID != name || line.Invited != nil {
			continue
		}
		m, err := a.People.Members.Member(ctx, line.Account.ID, id.Stored[id.Member](name))
		if err == nil {
			err = a.People.ResetFactorFor(ctx, m)
		}
		return line, err
	}
	return MemberLine{}, fmt.Errorf("no member has the id %s: run `haggle members list` to see the ids", name)
}

// RevokeMember removes a member of any account or revokes an invitation. It does not remove the last owner of an account.
func (a *App) RevokeMember(ctx context.Context, name string) (MemberLine, error) {
	lines, err := a.ListMembers(ctx)
	if err != nil {
		return MemberLine{}, err
	}
	for _, line := range lines {
		if line.ID != name {
			continue
		}
		by := people.Actor{
			ID:     operator,
			Key:    &account.Key{Scopes: []string{"*"}},
			Holder: account.Holder{Account: line.Account.ID},
		}
		if line.Invited != nil {
			_, err = a.People.RevokeInvitation(ctx, by, line.Invited.ID)
		} else {
			_, err = a.People.Remove(ctx, by, id.Stored[id.Member](name))
		}
		return line, err
	}
	return MemberLine{}, fmt.Errorf("no member or invitation has the id %s: run `haggle members list` to see the ids", name)
}
