package people

import (
	"context"
	"encoding/json"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// entrance is what the audit log says of a sign-in.
type entrance struct {
	By     string `json:"by"`               // a member.Method
	Code   bool   `json:"code,omitempty"`   // it was completed with a code of the second factor
	Issuer string `json:"issuer,omitempty"` // the OpenID Connect provider
	Linked bool   `json:"linked,omitempty"` // the provider's identity was linked to the member by this sign-in
}

// signedInEvent is the audit event of a member who has signed in.
func (s *Service) signedInEvent(action string, m *member.Member, from Client, e entrance) *audit.Event {
	event := s.event(action, m, from, e)
	event.Member = m.ID
	return event
}

// event is an audit event about a member.
func (s *Service) event(action string, m *member.Member, from Client, after any) *audit.Event {
	var text []byte
	if after != nil {
		text, _ = json.Marshal(after) // which is plain values
	}
	return &audit.Event{
		ID:        id.New[id.AuditEvent](s.Entropy.IDBits()),
		Account:   m.Account,
		Action:    action,
		Target:    m.ID.String(),
		Address:   from.Address,
		RequestID: from.Request,
		At:        s.Clock.Now(),
		After:     string(text),
	}
}

// opening opens a session in a transaction, after what must be stored before it, and records the sign-in unless a code
// is still due: Prove records it then. before may be nil.
func (s *Service) opening(ctx context.Context, action string, m *member.Member, from Client, e entrance, method member.Method,
	before func(*ports.Stores) error) (in SignedIn, err error) {
	e.By = method.String()
	err = s.Begin(ctx, func(stores *ports.Stores, records ports.Records) error {
		if before != nil {
			if err := before(stores); err != nil {
				return err
			}
		}
		if in, err = s.In(stores).open(ctx, m, from, method); err != nil || in.Session.CodeDue {
			return err
		}
		return records.Record(ctx, ports.Record{Event: s.signedInEvent(action, m, from, e)})
	})
	if err != nil {
		return SignedIn{}, err
	}
	if !in.Session.CodeDue {
		in.Device = s.deviceOf(m, from)
	}
	return in, nil
}
