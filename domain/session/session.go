// Package session is one buyer's visit: how long it lasts, what the buyer said about itself, and
// what lies in the cart. Knowing a session's id is the right to use it.
package session

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// MaxLifetime is how long after its creation a session ends, whatever extends it (decisions 8).
const MaxLifetime = 24 * time.Hour

// Grace is how much longer than until ExpiresAt a session lives. A request that comes within it of LastActivity is not
// noted, and the session lives at least its timeout after that request all the same.
const Grace = time.Minute

// ErrExpired answers every request in a session that is past.
var ErrExpired = fault.New(fault.Conflict, "session_expired", "The session has expired. Start a new one with a search or a quote.")

// Status of a session follows from the clock.
type Status struct{ name string }

var (
	Active  = Status{"active"}
	Expired = Status{"expired"}
)

func (s Status) String() string { return s.name }

// Session is one buyer's visit to one shop.
type Session struct {
	ID           id.Session
	Project      id.Project
	Claims       Claims
	Agent        agentid.Agent  // that opened it
	Buyer        checkout.Buyer // who buys, as the cart says
	CreatedAt    time.Time
	LastActivity time.Time // up to Grace before the last request; zero: AwaitUse was called, and there was no request since
	ExpiresAt    time.Time // at the earliest
	LineSeq      int       // as of Cart
}

// Claims is what the buyer's agent said about the buyer. Nobody verified it (decisions 9).
type Claims struct {
	LoyaltyTier     string
	Location        string
	PurchaseHistory int
	Urgency         string
	// Member is no claim: the merchant has vouched for who the buyer is, and its systems know the rest.
	Member Member
}

// Member is a buyer whom the merchant's systems know. The zero Member is nobody whom they do.
type Member struct {
	Tier      string
	Purchases int
}

// Open starts a session.
func Open(session id.Session, project id.Project, claims Claims, timeout time.Duration, now time.Time) *Session {
	return &Session{
		ID:           session,
		Project:      project,
		Claims:       claims,
		CreatedAt:    now,
		LastActivity: now,
		ExpiresAt:    now.Add(timeout),
	}
}

// CheckFor refuses the session to an agent that it is not there for: a verified agent's is there for that agent alone.
func (s *Session) CheckFor(agent agentid.Agent) error {
	if !agent.FindsWhatWasMadeBy(s.Agent) {
		return fault.Missing("session")
	}
	return nil
}

// Touched is what a request changed of a session, and is to be stored.
type Touched struct {
	Time   bool // LastActivity or ExpiresAt
	Claims bool
}

// Any reports whether anything is to be stored.
func (t Touched) Any() bool { return t.Time || t.Claims }

// AwaitUse has the next request noted, however soon it comes: until then, the answer that opened the session may be
// repeated to whoever sends its request again.
func (s *Session) AwaitUse() { s.LastActivity = time.Time{} }

// Used reports whether a request was noted since the session was opened.
func (s *Session) Used() bool { return !s.LastActivity.IsZero() && !s.LastActivity.Equal(s.CreatedAt) }

// use is when a request is noted: after the session was opened, though it comes within the same millisecond.
func (s *Session) use(now time.Time) time.Time {
	if first := s.CreatedAt.Add(time.Millisecond); now.Before(first) {
		return first
	}
	return now
}

// Status at a time.
func (s *Session) Status(now time.Time) Status {
	if now.Before(s.livesUntil()) {
		return Active
	}
	return Expired
}

func (s *Session) livesUntil() time.Time {
	until, end := s.ExpiresAt.Add(Grace), s.End()
	if until.After(end) && !s.ExpiresAt.After(end) {
		return end
	}
	return until
}

// End is when the session ends at the latest.
func (s *Session) End() time.Time { return s.CreatedAt.Add(MaxLifetime) }

// Touch notes a request: the session lives at least timeout longer, until End at most. What the buyer says anew about
// itself replaces what it said before. A request that says nothing new and comes within Grace of the last one that was
// noted changes nothing, unless the session would not live long enough.
func (s *Session) Touch(claims *Claims, timeout time.Duration, now time.Time) (Touched, error) {
	if s.Status(now) != Active {
		return Touched{}, ErrExpired
	}
	var t Touched
	if claims != nil {
		said := *claims
		if said.Member == (Member{}) {
			said.Member = s.Claims.Member // who the buyer is need not be said twice
		}
		t.Claims = said != s.Claims
		s.Claims = said
	}
	until := s.atMost(now.Add(timeout))
	if t.Time = t.Claims || !now.Before(s.LastActivity.Add(Grace)) || until.After(s.livesUntil()); t.Time {
		s.LastActivity = s.use(now)
		s.KeepUntil(until)
	}
	return t, nil
}

// KeepUntil has the session live at least until then, and until End at most: what a buyer was promised it must be able
// to take. It reports whether that changed the session.
func (s *Session) KeepUntil(then time.Time) bool {
	then = s.atMost(then)
	if !then.After(s.ExpiresAt) {
		return false
	}
	s.ExpiresAt = then
	return true
}

func (s *Session) atMost(then time.Time) time.Time {
	if end := s.End(); then.After(end) {
		return end
	}
	return then
}

// Extend moves the end by so many minutes from its present end, at most to MaxLifetime after creation.
func (s *Session) Extend(minutes int, now time.Time) error {
	if s.Status(now) != Active {
		return ErrExpired
	}
	if minutes < 1 || minutes > 1440 {
		return fault.Field("duration_minutes", "must be between 1 and 1,440")
	}
	end := s.ExpiresAt.Add(time.Duration(minutes) * time.Minute)
	if end.After(s.End()) {
		return fault.Field("duration_minutes", "would extend the session past 24 hours after its creation")
	}
	s.ExpiresAt, s.LastActivity = end, s.use(now)
	return nil
}

// Shown is a recommendation the buyer saw. Accepted becomes true once it is bought.
type Shown struct {
	Product  id.Product
	Accepted bool
}
