package people

import (
	"context"
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Client describes the browser of a sign-in.
type Client struct {
	Address string
	Browser string // its User-Agent
	Device  string // the cookie of an earlier sign-in; "": none
	Request string // the id of the request
}

// longestBrowser is how many bytes of a User-Agent are stored.
const longestBrowser = 200

// SignedIn is a newly opened session.
type SignedIn struct {
	Token   string // it is shown once
	Device  string // the new device cookie; "": the browser keeps the one it has
	Session *member.Session
	Member  *member.Member
}

// errSignIn does not reveal which of the two is wrong, or if the address is a member's.
var errSignIn = fault.New(fault.Unauthenticated, "sign_in_refused", "The e-mail address or the password is wrong.")

// SignIn opens a session for an e-mail address and its password. If the member has an authenticator, the session permits nothing
// until Prove gets a code.
func (s *Service) SignIn(ctx context.Context, email, password string, from Client) (SignedIn, error) {
	email, _ = member.Address(email)
	if err := s.countClient(ctx, from); err != nil {
		return SignedIn{}, err
	}
	if err := s.countGuess(ctx, email, from); err != nil {
		s.Blocked.note(email, guessedPassword, from)
		return SignedIn{}, err
	}
	m, err := s.Members.ByEmail(ctx, email)
	if fault.KindOf(err) == fault.NotFound {
		m, err = &member.Member{}, nil // no password matches it, and verifying takes as long as for a member
	}
	if err != nil {
		return SignedIn{}, err
	}
	if utf8.RuneCountInString(password) > member.LongestPassword {
		password = ""
	}
	right, err := s.Passwords.Verify(ctx, m.Password, password)
	if err != nil {
		return SignedIn{}, err
	}
	if !right {
		return SignedIn{}, errSignIn
	}
	in, err := s.openInTx(ctx, audit.SignIn, m, from, signInDetails{}, member.ByPassword, nil)
	if fault.Is(err, "member_not_found") {
		err = errSignIn // the password was changed meanwhile
	}
	return in, err
}

// open opens a session for a member who has signed in by a method. A provider asks for second factors itself.
func (s *Service) open(ctx context.Context, m *member.Member, from Client, by member.Method) (SignedIn, error) {
	active, _, err := s.Authenticators.Of(ctx, account.Holder{Account: m.Account, Member: m.ID})
	if err != nil {
		return SignedIn{}, err
	}
	token, hash := s.newToken()
	now := s.Clock.Now()
	opened := &member.Session{
		ID:        id.New[id.ConsoleSession](s.Entropy.IDBits()),
		Account:   m.Account,
		Member:    m.ID,
		Hash:      hash,
		Address:   from.Address,
		Browser:   printable(from.Browser),
		Method:    by,
		CodeDue:   active != nil && by != member.ByProvider,
		CreatedAt: now,
		UsedAt:    now,
	}
	if err := s.ConsoleSessions.Open(ctx, opened, m.Password); err != nil {
		return SignedIn{}, err
	}
	return SignedIn{
		Token:   token,
		Session: opened,
		Member:  m,
	}, nil
}

func (s *Service) newToken() (token string, hash [32]byte) {
	token = member.TokenMark + s.Entropy.Secret(secretBytes)
	return token, sha256.Sum256([]byte(token))
}

// printable removes control characters and invalid UTF-8 from a text and cuts it to longestBrowser.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	if len(text) > longestBrowser {
		text = strings.ToValidUTF8(text[:longestBrowser], "")
	}
	return text
}

var (
	errToken = fault.New(fault.Unauthenticated, "unauthenticated", "The session has ended. Sign in again.")
	errCode  = fault.New(fault.Unauthenticated, "code_refused", "The code is wrong or has been used. Send the authenticator's current code, or a recovery code.")
)

// Prove completes a sign-in with a code of the member's authenticator, or a recovery code. The session gets a new token.
func (s *Service) Prove(ctx context.Context, token, code string, from Client) (SignedIn, error) {
	if err := s.countClient(ctx, from); err != nil {
		return SignedIn{}, err
	}
	in, err := s.signedIn(ctx, token)
	if err != nil {
		return SignedIn{}, err
	}
	if !in.Session.CodeDue {
		return SignedIn{}, fault.New(fault.Conflict, "code_not_due", "The session does not require a code.")
	}
	err = s.Factor.Confirm(ctx, account.Holder{Account: in.Member.Account, Member: in.Member.ID}, code)
	switch {
	case fault.Is(err, "mfa_required"):
		err = errCode
	case fault.KindOf(err) == fault.Limited:
		s.Blocked.note(in.Member.Email, guessedCode, from)
	}
	if err != nil {
		return SignedIn{}, err
	}
	next, hash := s.newToken()
	proven := *in.Session
	proven.Prove(hash, s.Clock.Now())
	err = s.Begin(ctx, func(stores *ports.Stores, records ports.Records) error {
		if err := stores.ConsoleSessions.Prove(ctx, &proven); err != nil {
			return err
		}
		details := signInDetails{By: proven.Method.String(), Code: true}
		return records.Record(ctx, ports.Record{Event: s.signedInEvent(audit.SignIn, in.Member, from, details)})
	})
	if fault.KindOf(err) == fault.NotFound {
		err = errToken
	}
	if err != nil {
		return SignedIn{}, err
	}
	return SignedIn{
		Token:   next,
		Device:  s.deviceOf(in.Member, from),
		Session: &proven,
		Member:  in.Member,
	}, nil
}

// signedIn returns the session of a token, if it has not ended. Its code may be due.
func (s *Service) signedIn(ctx context.Context, token string) (*ports.SignedIn, error) {
	if !strings.HasPrefix(token, member.TokenMark) || len(token) > longestSecret {
		return nil, errToken
	}
	in, err := s.ConsoleSessions.ByHash(ctx, sha256.Sum256([]byte(token)))
	if fault.KindOf(err) == fault.NotFound {
		return nil, errToken
	}
	if err != nil {
		return nil, err
	}
	if in.Member.RemovedAt != nil || !in.Session.Lasts(in.Account.ConsoleIdle(), s.Clock.Now()) {
		return nil, errToken
	}
	return in, nil
}
