package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
)

// Members stores the members of accounts, and the links by which they join. Members that were removed, and another
// account's, are unknown: NotFound member_not_found.
type Members interface {
	// ByEmail finds the member who signs in with an address.
	ByEmail(ctx context.Context, email string) (*member.Member, error)
	Member(ctx context.Context, account id.Account, member id.Member) (*member.Member, error)
	// List is oldest first: if bound is not empty, those that are bound to some of its projects and no others.
	List(ctx context.Context, account id.Account, bound []id.Project, page Page) ([]*member.Member, int, error)
	// Names are those of members, of removed ones too. Unknown ones have none.
	Names(ctx context.Context, account id.Account, of []id.Member) (map[id.Member]string, error)
	// Update loads a member for exclusive use among those of the account, runs change on it and the number of the
	// account's other owners, stores it if change returns nil, and returns it. change does no I/O and may run more than
	// once. A member who is removed has no session, authenticator or identity any more, and no open link.
	Update(ctx context.Context, account id.Account, member id.Member, change func(m *member.Member, otherOwners int) error) (*member.Member, error)

	// AddLink stores a link. Open invitations of the account to the same address, and open links of the same purpose to
	// the same member, are revoked. An invitation to the address of a member of any account: Conflict email_taken;
	// beyond member.Most members and invitations that are open when this one is made, however many are added at once:
	// Conflict too_many_members.
	AddLink(ctx context.Context, l *member.Link) error
	// Invitations is the account's invitations that are open at a time, newest first, with bound as in List.
	Invitations(ctx context.Context, account id.Account, bound []id.Project, at time.Time, page Page) ([]*member.Link, int, error)
	// Invitation is one that is open at a time: NotFound invitation_not_found.
	Invitation(ctx context.Context, account id.Account, link id.MemberLink, at time.Time) (*member.Link, error)
	// LinkByHash finds a link in any state: NotFound link_not_found.
	LinkByHash(ctx context.Context, hash [32]byte) (*member.Link, error)
	// Revoke closes an open invitation: NotFound invitation_not_found. Of several concurrent calls one succeeds.
	Revoke(ctx context.Context, account id.Account, link id.MemberLink, at time.Time) error

	// Join stores the member that a link admits, and the link as used. Of several concurrent calls one succeeds:
	// NotFound link_not_found to the others. An address of a member of any account: Conflict email_taken.
	Join(ctx context.Context, l *member.Link, m *member.Member) error
	// SetPassword stores a new password, and the link that allows it as used, and ends all sessions of the member. Of
	// several concurrent calls one succeeds: NotFound link_not_found to the others.
	SetPassword(ctx context.Context, l *member.Link, password string) error
	// ByIdentity finds the member to whom an identity is linked.
	ByIdentity(ctx context.Context, i member.Identity) (*member.Member, error)
	// LinkIdentity links an identity to a member permanently. Repeating it does nothing. An identity that is linked to
	// another member, or a member who has another identity of the issuer: Conflict identity_taken.
	LinkIdentity(ctx context.Context, m *member.Member, i member.Identity, at time.Time) error
	// Spend stores a link as used. Of several concurrent calls one succeeds: NotFound link_not_found to the others.
	Spend(ctx context.Context, l *member.Link) error
}

// ConsoleSessions keeps members' sessions in the console.
type ConsoleSessions interface {
	// Open stores a session of a member whose password still has this hash: else NotFound member_not_found. Of more than
	// member.MostSessions the oldest end; those whose code is due are counted apart.
	Open(ctx context.Context, s *member.Session, password string) error
	// Prove stores a session as member.Session.Prove left it: NotFound console_session_not_found if its code is not due
	// any more.
	Prove(ctx context.Context, s *member.Session) error
	// ByHash finds a session in any state with its member, who may have been removed: NotFound console_session_not_found.
	ByHash(ctx context.Context, hash [32]byte) (*SignedIn, error)
	// Used records when sessions were last used. It never moves a time back, and ignores unknown ones.
	Used(ctx context.Context, uses map[id.ConsoleSession]time.Time) error
	// List is the sessions that last at a time, if they are left alone for idle at most, the newest first: of the
	// account, or of one member. Those whose code is due are left out.
	List(ctx context.Context, account id.Account, of id.Member, idle time.Duration, at time.Time, page Page) ([]*member.Session, int, error)
	// Session returns a session that has not been ended: NotFound console_session_not_found.
	Session(ctx context.Context, account id.Account, session id.ConsoleSession) (*member.Session, error)
	// End ends a session: NotFound console_session_not_found if it has ended.
	End(ctx context.Context, account id.Account, session id.ConsoleSession, at time.Time) error
	// EndAll ends all of a member's sessions except one, and returns how many.
	EndAll(ctx context.Context, account id.Account, of id.Member, but id.ConsoleSession, at time.Time) (int, error)
	// Forget removes some sessions that were last used before a time, and links that expired before it, of all accounts, and
	// reports whether there may be more.
	Forget(ctx context.Context, before time.Time) (more bool, err error)
}

// SignedIn is a session with its member and account.
type SignedIn struct {
	Session *member.Session
	Member  *member.Member
	Account *account.Account
}

// Challenge has the values that tie the answer of an OpenID Connect provider to a sign-in.
type Challenge struct {
	State    string // binds the answer to the browser (RFC 6749, section 10.12)
	Nonce    string // binds the ID token to the sign-in (OpenID Connect Core 1.0, section 15.5.2)
	Verifier string // binds the code to the sign-in (PKCE, RFC 7636)
}

// IdentityProvider is the OpenID Connect provider by which members of the installation sign in. If it does not answer
// in time: Unavailable provider_unavailable.
type IdentityProvider interface {
	// Name is its name for members.
	Name() string
	// Issuer is its identifier.
	Issuer() string
	// Address is the URL at which a browser signs in.
	Address(ctx Outbound, c Challenge) (string, error)
	// Vouch redeems the code that the browser came back with, once. An answer that does not verify: Unauthenticated
	// sign_in_refused.
	Vouch(ctx Outbound, c Challenge, code string) (member.Vouched, error)
}

// Passwords makes and verifies hashes of passwords, which costs time and memory: only a few at once, the others wait.
type Passwords interface {
	// Hash is fault.Unavailable, overloaded, if too many wait.
	Hash(ctx context.Context, password string) (string, error)
	// Verify reports whether the hash is the password's. An empty hash matches no password, and takes as long.
	Verify(ctx context.Context, hash, password string) (bool, error)
}
