// Package session is one buyer's visit: how long it lasts, what the buyer said about itself, and
// what lies in the cart. Knowing a session's id is the right to use it.
package session

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// MaxLifetime is how long after its creation a session ends, whatever extends it (decisions 8).
const MaxLifetime = 24 * time.Hour

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
	CreatedAt    time.Time
	LastActivity time.Time
	ExpiresAt    time.Time
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
		ID: session, Project: project, Claims: claims,
		CreatedAt: now, LastActivity: now, ExpiresAt: now.Add(timeout),
	}
}

// Status at a time.
func (s *Session) Status(now time.Time) Status {
	if now.Before(s.ExpiresAt) {
		return Active
	}
	return Expired
}

// End is when the session ends at the latest.
func (s *Session) End() time.Time { return s.CreatedAt.Add(MaxLifetime) }

// Touch notes a request: the session lives at least timeout longer, until End at most. What the buyer says anew about
// itself replaces what it said before.
func (s *Session) Touch(claims *Claims, timeout time.Duration, now time.Time) error {
	if s.Status(now) != Active {
		return ErrExpired
	}
	if claims != nil {
		member := s.Claims.Member
		if s.Claims = *claims; claims.Member == (Member{}) {
			s.Claims.Member = member // who the buyer is need not be said twice
		}
	}
	s.LastActivity = now
	s.KeepUntil(now.Add(timeout))
	return nil
}

// KeepUntil has the session live at least until then, and until End at most: what a buyer was promised it must be able
// to take.
func (s *Session) KeepUntil(then time.Time) {
	if end := s.End(); then.After(end) {
		then = end
	}
	if then.After(s.ExpiresAt) {
		s.ExpiresAt = then
	}
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
	s.ExpiresAt, s.LastActivity = end, now
	return nil
}

// CartItem is what an accepted quote put into the cart.
type CartItem struct {
	Product  id.Product
	Variant  id.Variant
	Name     string
	Quantity int
	Price    money.Amount // negotiated, per unit
	Quote    id.Quote
}

// Shown is a recommendation the buyer saw. Accepted becomes true once it is bought.
type Shown struct {
	Product  id.Product
	Accepted bool
}
