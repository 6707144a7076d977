package access

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// writtenEvery is how often the last use of one key is written at most.
	writtenEvery = time.Minute
	// maxUses bounds the keys whose use is remembered until it is written. Of more, which would all
	// have been used within seconds, some uses go unrecorded.
	maxUses = 20_000
)

// Uses remembers when keys were last used, until FlushUses writes it. It is safe for concurrent use.
type Uses struct {
	mu      sync.Mutex
	pending map[id.APIKey]time.Time
	written map[id.APIKey]time.Time // within writtenEvery
}

// NewUses remembers nothing yet.
func NewUses() *Uses {
	return &Uses{pending: map[id.APIKey]time.Time{}, written: map[id.APIKey]time.Time{}}
}

func (u *Uses) note(key id.APIKey, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	last, known := u.pending[key]
	if known && !at.After(last) || !known && len(u.pending) >= maxUses {
		return
	}
	u.pending[key] = at
}

// due takes what may be written now.
func (u *Uses) due(now time.Time) map[id.APIKey]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.written, func(_ id.APIKey, at time.Time) bool { return now.Sub(at) >= writtenEvery })
	due := map[id.APIKey]time.Time{}
	for key, at := range u.pending {
		if _, lately := u.written[key]; !lately {
			due[key] = at
			delete(u.pending, key)
		}
	}
	return due
}

func (u *Uses) wrote(keys map[id.APIKey]time.Time, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key := range keys {
		u.written[key] = now
	}
}

// FlushUses writes when keys were last used: each key once a minute at most, so the time kept is up to
// a minute behind. What can't be written is kept for the next time. Call it every few seconds from one
// place, and once more at the end.
func (s *Service) FlushUses(ctx context.Context) error {
	now := s.Clock.Now()
	due := s.Uses.due(now)
	if len(due) == 0 {
		return nil
	}
	if err := s.Keys.Used(ctx, due); err != nil {
		for key, at := range due {
			s.Uses.note(key, at)
		}
		return err
	}
	s.Uses.wrote(due, now)
	return nil
}
