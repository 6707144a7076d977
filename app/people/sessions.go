package people

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Sessions returns the sessions of an account that have not ended, newest first. They are those of one member, or of all members
// that the actor manages.
func (s *Service) Sessions(ctx context.Context, by Actor, of *account.Account, wanted id.Member, page ports.Page) ([]*member.Session, int, error) {
	if !managesAll(by) {
		if !wanted.IsZero() && wanted != by.Holder.Member || by.Holder.Member.IsZero() {
			return nil, 0, nil
		}
		wanted = by.Holder.Member
	}
	return s.ConsoleSessions.List(ctx, by.account(), wanted, of.ConsoleIdle(), s.Clock.Now(), page)
}

// managesAll reports whether the actor may see and end the sessions of others. Actors that manage keys of the whole account may.
func managesAll(by Actor) bool { return by.Key.Allows("keys:write") && len(by.Key.Projects) == 0 }

// EndSession ends a session: the actor's own, or one of a member with at most the actor's permissions.
func (s *Service) EndSession(ctx context.Context, by Actor, wanted id.ConsoleSession) error {
	session, err := s.ConsoleSessions.Session(ctx, by.account(), wanted)
	if err != nil {
		return err
	}
	err = s.mayEnd(ctx, by, session.Member)
	if fault.KindOf(err) == fault.NotFound {
		return fault.Missing("console_session")
	}
	if err != nil {
		return err
	}
	return s.ConsoleSessions.End(ctx, by.account(), wanted, s.Clock.Now())
}

// EndSessions ends all sessions of a member except one, and returns their number.
func (s *Service) EndSessions(ctx context.Context, by Actor, of id.Member, but id.ConsoleSession) (int, error) {
	if err := s.mayEnd(ctx, by, of); err != nil {
		return 0, err
	}
	return s.ConsoleSessions.EndAll(ctx, by.account(), of, but, s.Clock.Now())
}

func (s *Service) mayEnd(ctx context.Context, by Actor, of id.Member) error {
	if by.Holder.Member == of {
		return nil
	}
	if !managesAll(by) {
		return fault.Missing("member")
	}
	m, err := s.Members.Member(ctx, by.account(), of)
	if err != nil {
		return err
	}
	return mayManage(by, m)
}

// endedKept is how long ended sessions and links are kept.
const endedKept = 90 * 24 * time.Hour

// Forget removes some of the sessions and links that ended longer than endedKept ago. Call it periodically.
func (s *Service) Forget(ctx context.Context) error {
	_, err := s.ConsoleSessions.Forget(ctx, s.Clock.Now().Add(-endedKept))
	return err
}
