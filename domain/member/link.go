package member

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Purpose is the purpose of a link.
type Purpose struct{ name string }

var (
	Join   = Purpose{"join"}    // become a member
	Reset  = Purpose{"reset"}   // set a new password
	SignIn = Purpose{"sign_in"} // sign in once without a password, created on the server's machine
)

func (p Purpose) String() string { return p.name }

// How long links are valid.
const (
	JoinFor   = 7 * 24 * time.Hour
	ResetFor  = time.Hour
	SignInFor = 24 * time.Hour
)

// Lasts returns how long a link of the purpose is valid.
func (p Purpose) Lasts() time.Duration {
	switch p {
	case Join:
		return JoinFor
	case Reset:
		return ResetFor
	}
	return SignInFor
}

// Link lets its holder do one thing, once. Only the SHA-256 of its secret is stored.
type Link struct {
	ID        id.MemberLink
	Account   id.Account
	Purpose   Purpose
	Member    id.Member // who sets the password, signs in or has joined
	Email     string    // of an invitation
	Grant     Grant     // of an invitation
	Hash      [32]byte
	By        string // who created it, such as the id of a member or an API key
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time
	RevokedAt *time.Time
}

// ErrLink refuses an invalid link without naming the cause, because its holder may be anybody.
var ErrLink = fault.New(fault.NotFound, "link_not_found", "The link is invalid, has been used, or has expired. Ask for a new one.")

// Use uses a link up.
func (l *Link) Use(now time.Time) error {
	if !l.Open(now) {
		return ErrLink
	}
	l.UsedAt = &now
	return nil
}

// Open reports whether the link can be used.
func (l *Link) Open(now time.Time) bool {
	return l.UsedAt == nil && l.RevokedAt == nil && now.Before(l.ExpiresAt)
}
