package boottest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// MemberClient lets members sign in to a server from an address, as the console's pages do.
type MemberClient struct {
	App     *boot.App
	Address string
}

// Session is an opened session of a member.
type Session struct {
	ID, Member, Token string
	CodeDue           bool
}

func (d MemberClient) client() people.Client {
	return people.Client{
		Address: d.Address,
		Browser: "Test",
	}
}

func session(in people.SignedIn, err error) (Session, error) {
	if err != nil {
		return Session{}, err
	}
	return Session{
		ID:      in.Session.ID.String(),
		Member:  in.Member.ID.String(),
		Token:   in.Token,
		CodeDue: in.Session.CodeDue,
	}, nil
}

// Join accepts an invitation by its link.
func (d MemberClient) Join(ctx context.Context, link, name, password string) (Session, error) {
	return session(d.App.People.Join(ctx, secretOf(link), name, password, d.client()))
}

// SignIn signs in with an e-mail address and a password.
func (d MemberClient) SignIn(ctx context.Context, email, password string) (Session, error) {
	return session(d.App.People.SignIn(ctx, email, password, d.client()))
}

// Prove completes a sign-in with a code of the authenticator.
func (d MemberClient) Prove(ctx context.Context, token, code string) (Session, error) {
	return session(d.App.People.Prove(ctx, token, code, d.client()))
}

// SetPassword sets a password by the link from an e-mail.
func (d MemberClient) SetPassword(ctx context.Context, link, password string) error {
	return d.App.People.SetPassword(ctx, secretOf(link), password, d.client())
}

func secretOf(link string) string { return link[strings.LastIndex(link, "/")+1:] }

// RetryAfter returns how long a refused caller has to wait, or 0.
func RetryAfter(err error) time.Duration {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused.RetryAfter
	}
	return 0
}
