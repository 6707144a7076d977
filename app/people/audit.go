package people

import (
	"context"
	"encoding/json"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// signInDetails is what the audit log records of a sign-in.
type signInDetails struct {
	By     string `json:"by"`               // a member.Method
	Code   bool   `json:"code,omitempty"`   // it was completed with a code of the second factor
	Issuer string `json:"issuer,omitempty"` // the OpenID Connect provider
	Linked bool   `json:"linked,omitempty"` // the provider's identity was linked to the member by this sign-in
}

// signedInEvent returns the audit event of a member's sign-in.
func (s *Service) signedInEvent(action string, m *member.Member, from Client, e signInDetails) *audit.Event {
	event := s.event(action, m, from, e)
	event.Member = m.ID
	return event
}

// event returns an audit event about a member.
func (s *Service) event(action string, m *member.Member, from Client, after any) *audit.Event {
	var text []byte
	if after != nil {
		text, _ = json.Marshal(after) // plain values: Marshal cannot fail
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

// openInTx calls before, unless it is nil, opens a session and records the sign-in, all in one transaction. If a code is still
// due, it does not record the sign-in, because Prove does so later.
func (s *Service) openInTx(ctx context.Context, action string, m *member.Member, from Client, e signInDetails, method member.Method,
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
