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
	// writtenEvery is how often the last use of one key or session is written at most.
	writtenEvery = time.Minute
	// maxUses bounds the keys, and the sessions, whose use is remembered until it is written. Of more, which would all
	// have been used within seconds, some uses go unrecorded.
	maxUses = 20_000
)

// Uses remembers when keys and sessions were last used, until FlushUses writes it. It is safe for concurrent use.
type Uses struct {
	keys     *recent[id.APIKey]
	sessions *recent[id.ConsoleSession]
}

// NewUses remembers nothing yet.
func NewUses() *Uses {
	return &Uses{keys: newRecent[id.APIKey](), sessions: newRecent[id.ConsoleSession]()}
}

// recent is the last uses of one kind of thing.
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

// due takes what may be written now.
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

// flush keeps what can't be written for the next time.
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

// FlushUses writes when keys and sessions were last used: each once a minute at most, so the time kept is up to a minute
// behind. What can't be written is kept for the next time. Call it every few seconds from one place, and once more at the
// end.
func (s *Service) FlushUses(ctx context.Context) error {
	now := s.Clock.Now()
	return errors.Join(
		s.Uses.keys.flush(ctx, now, func(ctx context.Context, due map[id.APIKey]time.Time) error { return s.Keys.Used(ctx, due) }),
		s.Uses.sessions.flush(ctx, now, func(ctx context.Context, due map[id.ConsoleSession]time.Time) error {
			return s.ConsoleSessions.Used(ctx, due)
		}))
}
