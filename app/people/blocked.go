package people

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// What tries are refused of that are too many.
const (
	guessesOfPassword = "password"
	guessesOfCode     = "code"
)

const (
	// mostBlocked is how many e-mail addresses are noted at once. Strangers name them.
	mostBlocked = 200
	// blockedEvery is how often the audit log tells of a member that there are too many tries.
	blockedEvery = time.Hour
)

// Blocked are tries that were refused because there were too many, until RecordBlocked. They are recorded later so that no
// answer takes longer for an address that is a member's.
type Blocked struct {
	mu    sync.Mutex
	tries map[blockedKey]Client // from where, at first
}

type blockedKey struct{ email, of string }

// NewBlocked has noted nothing.
func NewBlocked() *Blocked { return &Blocked{tries: map[blockedKey]Client{}} }

// note notes a try that was refused.
func (b *Blocked) note(email, of string, from Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := blockedKey{email, of}
	if _, noted := b.tries[key]; !noted && len(b.tries) < mostBlocked {
		b.tries[key] = from
	}
}

func (b *Blocked) take() map[blockedKey]Client {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.tries
	b.tries = map[blockedKey]Client{}
	return taken
}

// RecordBlocked tells members' audit logs of tries that were refused. Call it every so often.
// What fails is tried again, and keeps nothing else from being recorded.
func (s *Service) RecordBlocked(ctx context.Context) error {
	var failed []error
	for key, from := range s.Blocked.take() {
		m, err := s.Members.ByEmail(ctx, key.email)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err == nil {
			err = s.recordBlocked(ctx, m, key.of, from)
		}
		if err != nil {
			s.Blocked.note(key.email, key.of, from)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (s *Service) recordBlocked(ctx context.Context, m *member.Member, of string, from Client) error {
	event := s.event(audit.Blocked, m, from, entrance{By: of})
	lately := ports.AuditFilter{Action: audit.Blocked, From: event.At.Add(-blockedEvery)}
	told, _, err := s.Audit.Events(ctx, m.Account, lately, ports.Page{Limit: 2 * member.Most})
	if err != nil {
		return err
	}
	for _, e := range told {
		if e.Target == event.Target && e.After == event.After {
			return nil
		}
	}
	return s.Begin(ctx, func(_ *ports.Stores, records ports.Records) error {
		return records.Record(ctx, ports.Record{Event: event})
	})
}
