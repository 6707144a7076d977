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

// Door lets members in at a server, as the pages of a console do, from an address.
type Door struct {
	App     *boot.App
	Address string
}

// Session is one that was opened.
type Session struct {
	ID, Member, Token string
	CodeDue           bool
}

func (d Door) client() people.Client {
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

// Join follows an invitation's link.
func (d Door) Join(ctx context.Context, link, name, password string) (Session, error) {
	return session(d.App.People.Join(ctx, secretOf(link), name, password, d.client()))
}

// SignIn gives an e-mail address and a password.
func (d Door) SignIn(ctx context.Context, email, password string) (Session, error) {
	return session(d.App.People.SignIn(ctx, email, password, d.client()))
}

// Prove gives the code of an authenticator.
func (d Door) Prove(ctx context.Context, token, code string) (Session, error) {
	return session(d.App.People.Prove(ctx, token, code, d.client()))
}

// SetPassword follows a link to set a password.
func (d Door) SetPassword(ctx context.Context, link, password string) error {
	return d.App.People.SetPassword(ctx, secretOf(link), password, d.client())
}

func secretOf(link string) string { return link[strings.LastIndex(link, "/")+1:] }

// RetryAfter is how long a refused caller has to wait, or 0.
func RetryAfter(err error) time.Duration {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused.RetryAfter
	}
	return 0
}
