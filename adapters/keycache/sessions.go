package keycache

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Sessions bounds concurrent lookups of members' sessions. It remembers which tokens were found, so that requests with
// unknown tokens keep no member waiting. It does not cache the sessions themselves: a changed role takes effect at once.
type Sessions struct {
	ports.ConsoleSessions
	found          *lru.Cache[[32]byte, struct{}]
	known, unknown *semaphore.Weighted
}

// NewSessions returns Sessions in front of source, with all places free.
func NewSessions(source ports.ConsoleSessions) *Sessions {
	s := &Sessions{
		ConsoleSessions: source,
		known:           semaphore.NewWeighted(knownPlaces),
		unknown:         semaphore.NewWeighted(unknownPlaces),
	}
	s.found, _ = lru.New[[32]byte, struct{}](maxRecords) // fails only for sizes below one
	return s
}

// ByHash fails with fault.Unavailable, code overloaded, if too many lookups run.
func (s *Sessions) ByHash(ctx context.Context, hash [32]byte) (*ports.SignedIn, error) {
	places := s.unknown
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
