// Package session defines one buyer's session: how long it lasts, the buyer's claims about itself, and its cart.
// Anybody who knows a session's ID may use it, except that only a verified agent itself may use its sessions
// (CheckFor). The package does not verify agents or claims, and decides no prices.
package session

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// MaxLifetime is the age at which a session ends, whatever extends it.
const MaxLifetime = 24 * time.Hour

// Grace is how much longer than until ExpiresAt a session lives. A request within Grace of LastActivity is not stored,
// but the session still lives at least its timeout after that request.
const Grace = time.Minute

// ErrExpired refuses every request in an expired session.
var ErrExpired = fault.New(fault.Conflict, "session_expired", "The session has expired. Start a new one with a search or a quote.")

// Status is the status of a session. It depends on the clock.
type Status struct{ name string }

var (
	Active  = Status{"active"}
	Expired = Status{"expired"}
)

func (s Status) String() string { return s.name }

// Session is one buyer's session in one shop.
type Session struct {
	ID           id.Session
	Project      id.Project
	Claims       Claims
	Agent        agentid.Agent  // opened it
	Buyer        checkout.Buyer // as written in the cart
	CreatedAt    time.Time
	LastActivity time.Time // up to Grace before the last request; zero: no request since AwaitUse
	ExpiresAt    time.Time // at the earliest
	LineSeq      int       // as of Cart
}

// Claims are what the buyer's agent said about the buyer. They are not verified.
type Claims struct {
	LoyaltyTier     string
	Location        string
	PurchaseHistory int
	Urgency         string
	// Member is not a claim: the merchant has identified the buyer, and its systems know the rest.
	Member Member
}

// Member is a buyer known to the merchant's systems. The zero Member is an unknown buyer.
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

// CheckFor returns NotFound unless the agent may access the session. Only a verified agent itself may access its
// sessions.
func (s *Session) CheckFor(agent agentid.Agent) error {
	if !agent.FindsWhatWasMadeBy(s.Agent) {
		return fault.Missing("session")
	}
	return nil
}

// Touched has the parts of a session that a request changed and that must be stored.
type Touched struct {
	Time   bool // LastActivity or ExpiresAt
	Claims bool
}

// Any reports whether anything must be stored.
func (t Touched) Any() bool { return t.Time || t.Claims }

// AwaitUse makes sure that the next request is stored, however soon it comes. Until then, a client that repeats the
// request that opened the session gets the same response again.
func (s *Session) AwaitUse() { s.LastActivity = time.Time{} }

// Used reports whether a request was stored since the session was opened.
func (s *Session) Used() bool { return !s.LastActivity.IsZero() && !s.LastActivity.Equal(s.CreatedAt) }

// use returns the time to store for a request. It is later than CreatedAt even if the request comes within the same
// millisecond.
func (s *Session) use(now time.Time) time.Time {
	if first := s.CreatedAt.Add(time.Millisecond); now.Before(first) {
		return first
	}
	return now
}

// Status returns the session's status at a time.
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

// End returns when the session ends at the latest.
func (s *Session) End() time.Time { return s.CreatedAt.Add(MaxLifetime) }

// Touch records a request: the session lives at least timeout longer, until End at most. New claims replace the earlier
// ones. A request without new claims within Grace of the last stored one changes nothing, unless the session would end
// too early.
func (s *Session) Touch(claims *Claims, timeout time.Duration, now time.Time) (Touched, error) {
	if s.Status(now) != Active {
		return Touched{}, ErrExpired
	}
	var t Touched
	if claims != nil {
		said := *claims
		if said.Member == (Member{}) {
			said.Member = s.Claims.Member // the buyer was identified by an earlier request
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

// KeepUntil makes the session live at least until then, and until End at most, so that the buyer can accept what it was
// promised. It reports whether that changed the session.
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

// Extend moves the end by so many minutes, at most to MaxLifetime after creation.
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

// Shown is a recommendation that the buyer saw. Accepted becomes true once it is bought.
type Shown struct {
	Product  id.Product
	Accepted bool
}
