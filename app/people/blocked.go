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

// Kinds of guesses that a refused attempt is recorded as.
const (
	guessedPassword = "password"
	guessedCode     = "code"
)

const (
	// maxBlocked is how many attempts are held in memory. It is limited because anybody can name addresses.
	maxBlocked = 200
	// blockedEvery is the shortest time between two audit events about too many attempts for one member.
	blockedEvery = time.Hour
)

// Blocked holds attempts that were refused because there were too many, until RecordBlocked records them. They are recorded
// later so that the response time does not reveal whether an address is a member's.
type Blocked struct {
	mu    sync.Mutex
	tries map[blockedKey]Client // the client of the first attempt
}

type blockedKey struct{ email, of string }

// NewBlocked returns an empty Blocked.
func NewBlocked() *Blocked { return &Blocked{tries: map[blockedKey]Client{}} }

// note adds a refused attempt.
func (b *Blocked) note(email, of string, from Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := blockedKey{email, of}
	if _, noted := b.tries[key]; !noted && len(b.tries) < maxBlocked {
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

// RecordBlocked records refused attempts in the audit logs of the members' accounts. Call it periodically. An attempt that it
// cannot record stays for the next call and does not stop the others.
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
	event := s.event(audit.Blocked, m, from, signInDetails{By: of})
	lately := ports.AuditFilter{Action: audit.Blocked, From: event.At.Add(-blockedEvery)}
	recorded, _, err := s.Audit.Events(ctx, m.Account, lately, ports.Page{Limit: 2 * member.Most})
	if err != nil {
		return err
	}
	for _, e := range recorded {
		if e.Target == event.Target && e.After == event.After {
			return nil
		}
	}
	return s.Begin(ctx, func(_ *ports.Stores, records ports.Records) error {
		return records.Record(ctx, ports.Record{Event: event})
	})
}
