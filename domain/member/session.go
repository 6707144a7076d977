package member

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// LongestSession is for how long a session in the console lasts at most, whatever is done in it.
const LongestSession = 30 * 24 * time.Hour

// Session is a member's in the console, on one browser. Only the SHA-256 of its token is kept.
type Session struct {
	ID        id.ConsoleSession
	Account   id.Account
	Member    id.Member
	Hash      [32]byte
	Address   string // of the client that signed in
	Browser   string // as it calls itself
	CreatedAt time.Time
	UsedAt    time.Time // up to a minute behind
	EndedAt   *time.Time
}

// ends is when a session ends that is not used again, if one is left alone for idle at most.
func (s *Session) ends(idle time.Duration) time.Time {
	last, left := s.CreatedAt.Add(LongestSession), s.UsedAt.Add(idle)
	if left.Before(last) {
		return left
	}
	return last
}

// Ends is when the session ends, or has ended, if it is left alone from now on.
func (s *Session) Ends(idle time.Duration) time.Time {
	if s.EndedAt != nil {
		return *s.EndedAt
	}
	return s.ends(idle)
}

// Lasts reports whether the session has not ended.
func (s *Session) Lasts(idle time.Duration, now time.Time) bool {
	return s.EndedAt == nil && now.Before(s.ends(idle))
}
