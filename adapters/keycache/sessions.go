package keycache

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Sessions bounds how many sessions of members are looked up at once. It remembers which tokens were found, so that
// strangers keep no member waiting, but none of what was found: another role of a member counts at once.
type Sessions struct {
	ports.ConsoleSessions
	found          *lru.Cache[[32]byte, struct{}]
	known, strange *semaphore.Weighted
}

// NewSessions has all places free.
func NewSessions(source ports.ConsoleSessions) *Sessions {
	s := &Sessions{
		ConsoleSessions: source,
		known:           semaphore.NewWeighted(knownPlaces),
		strange:         semaphore.NewWeighted(strangePlaces),
	}
	s.found, _ = lru.New[[32]byte, struct{}](most) // fails for sizes below one alone
	return s
}

// ByHash is fault.Unavailable, overloaded, if too many are looked up at once.
func (s *Sessions) ByHash(ctx context.Context, hash [32]byte) (*ports.SignedIn, error) {
	places := s.strange
	if s.found.Contains(hash) {
		places = s.known
	}
	if err := acquire(ctx, places); err != nil {
		return nil, err
	}
	defer places.Release(1)
	in, err := s.ConsoleSessions.ByHash(ctx, hash)
	switch {
	case err == nil && in.Session.EndedAt == nil:
		s.found.Add(hash, struct{}{})
	case err == nil || fault.KindOf(err) == fault.NotFound:
		s.found.Remove(hash)
	}
	return in, err
}
