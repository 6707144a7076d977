package member

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// LongestSession is for how long a session in the console lasts at most, whatever is done in it.
const LongestSession = 30 * 24 * time.Hour

// TokenMark is how the tokens of sessions begin. API keys begin otherwise.
const TokenMark = "hs_"

// CodeFor is for how long a session waits for the code of the second factor.
const CodeFor = 10 * time.Minute

// MostSessions is how many sessions a member has at once. One more ends the oldest.
const MostSessions = 20

// Session is a member's in the console, on one browser. Only the SHA-256 of its token is kept.
type Session struct {
	ID        id.ConsoleSession
	Account   id.Account
	Member    id.Member
	Hash      [32]byte
	Address   string // of the client that signed in
	Browser   string // as it calls itself
	Method    Method
	CodeDue   bool // the code of the member's second factor is still to come: the session opens nothing before
	CreatedAt time.Time
	UsedAt    time.Time // up to a minute behind
	EndedAt   *time.Time
}

// ends is when a session ends that is not used again, if one is left alone for idle at most.
func (s *Session) ends(idle time.Duration) time.Time {
	last, left := s.CreatedAt.Add(LongestSession), s.UsedAt.Add(idle)
	if s.CodeDue {
		last = s.CreatedAt.Add(CodeFor)
	}
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

// Prove completes the sign-in of a session whose code was due. It goes on with another token, so that whoever knew the
// first one has nothing.
func (s *Session) Prove(hash [32]byte, now time.Time) {
	s.Hash, s.CodeDue, s.CreatedAt, s.UsedAt = hash, false, now, now
}
