package member

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// LongestSession is the longest life of a session in the console, however it is used.
const LongestSession = 30 * 24 * time.Hour

// TokenMark is the prefix of session tokens. API keys have another prefix.
const TokenMark = "hs_"

// CodeFor is how long a session waits for the code of the second factor.
const CodeFor = 10 * time.Minute

// MostSessions is the largest number of sessions of a member. One more ends the oldest.
const MostSessions = 20

// Session is a member's session in the console, in one browser. Only the SHA-256 of its token is stored.
type Session struct {
	ID        id.ConsoleSession
	Account   id.Account
	Member    id.Member
	Hash      [32]byte
	Address   string // of the client that signed in
	Browser   string // its User-Agent
	Method    Method
	CodeDue   bool // the code of the second factor is missing: the session gives no access yet
	CreatedAt time.Time
	UsedAt    time.Time // up to a minute old
	EndedAt   *time.Time
}

// ends returns when the session ends if it is not used again and sessions end after being idle for so long.
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

// Ends returns when the session ends, or has ended, if it is not used again.
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

// Prove completes the sign-in of a session whose code was due. The session gets another token, so that the first one
// becomes useless to anybody who knows it.
func (s *Session) Prove(hash [32]byte, now time.Time) {
	s.Hash, s.CodeDue, s.CreatedAt, s.UsedAt = hash, false, now, now
}
