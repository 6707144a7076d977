package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// authenticateMember finds the member of a session token. It reads the member each time, so that a changed role applies at
// once and a removed member is refused at once.
func (s *Service) authenticateMember(ctx context.Context, token string) (Caller, error) {
	if len(token) > longestSecret {
		return Caller{}, refused()
	}
	hash := sha256.Sum256([]byte(token))
	in, err := s.ConsoleSessions.ByHash(ctx, hash)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = refused()
		}
		return Caller{}, err
	}
	now := s.Clock.Now()
	lasts := in.Session.Lasts(in.Account.ConsoleIdle(), now) && !in.Session.CodeDue && in.Member.RemovedAt == nil
	if subtle.ConstantTimeCompare(in.Session.Hash[:], hash[:]) != 1 || !lasts {
		return Caller{}, refused()
	}
	if s.Uses != nil {
		s.Uses.sessions.note(in.Session.ID, now)
	}
	return Caller{
		Account: in.Account,
		Key:     in.Member.Key(),
		Member:  in.Member,
		Session: in.Session,
	}, nil
}
