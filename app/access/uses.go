package access

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// writtenEvery is the shortest time between two writes of the last use of one key or session.
	writtenEvery = time.Minute
	// maxUses is how many keys, and how many sessions, may have an unwritten use. Uses of further ones, which would all
	// have come within seconds, are dropped.
	maxUses = 20_000
)

// Uses holds the last use of keys and sessions in memory until FlushUses writes it. It is safe for concurrent use.
type Uses struct {
	keys     *recent[id.APIKey]
	sessions *recent[id.ConsoleSession]
}

// NewUses returns an empty Uses.
func NewUses() *Uses {
	return &Uses{keys: newRecent[id.APIKey](), sessions: newRecent[id.ConsoleSession]()}
}

// recent holds the last uses of keys, or of sessions.
type recent[ID comparable] struct {
	mu      sync.Mutex
	pending map[ID]time.Time
	written map[ID]time.Time // within writtenEvery
}

func newRecent[ID comparable]() *recent[ID] {
	return &recent[ID]{pending: map[ID]time.Time{}, written: map[ID]time.Time{}}
}

func (u *recent[ID]) note(used ID, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	last, known := u.pending[used]
	if known && !at.After(last) || !known && len(u.pending) >= maxUses {
		return
	}
	u.pending[used] = at
}

// due removes and returns the uses that may be written now.
func (u *recent[ID]) due(now time.Time) map[ID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.written, func(_ ID, at time.Time) bool { return now.Sub(at) >= writtenEvery })
	due := map[ID]time.Time{}
	for used, at := range u.pending {
		if _, lately := u.written[used]; !lately {
			due[used] = at
			delete(u.pending, used)
		}
	}
	return due
}

func (u *recent[ID]) wrote(all map[ID]time.Time, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for used := range all {
		u.written[used] = now
	}
}

// flush writes the due uses. If write fails, they stay pending for the next call.
func (u *recent[ID]) flush(ctx context.Context, now time.Time, write func(context.Context, map[ID]time.Time) error) error {
	due := u.due(now)
	if len(due) == 0 {
		return nil
	}
	if err := write(ctx, due); err != nil {
		for used, at := range due {
			u.note(used, at)
		}
		return err
	}
	u.wrote(due, now)
	return nil
}

// FlushUses writes when keys and sessions were last used: each once a minute at most, so the stored time is up to a minute
// behind. Uses that it cannot write stay in memory for the next call. Call it every few seconds from one goroutine, and once
// more at shutdown.
func (s *Service) FlushUses(ctx context.Context) error {
	now := s.Clock.Now()
	return errors.Join(
		s.Uses.keys.flush(ctx, now, func(ctx context.Context, due map[id.APIKey]time.Time) error { return s.Keys.Used(ctx, due) }),
		s.Uses.sessions.flush(ctx, now, func(ctx context.Context, due map[id.ConsoleSession]time.Time) error {
			return s.ConsoleSessions.Used(ctx, due)
		}))
}
