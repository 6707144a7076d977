package management

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerAudit() {
	g := h.Group("Account", "keys", operation.TheAccount)
	operation.Register(g, "list-audit-events", "GET /v1/audit-events", "List changes and who made them",
		operation.HandleKeyset(h.listAuditEvents, placeOfEvent, toAPIAuditEvent))
}

// auditEvent is one change. Before and After have the fields that differ, if the caller may read the changed object.
type auditEvent struct {
	ID        string          `json:"id"`
	Action    string          `json:"action" example:"update-settings" doc:"The operationId of the change; for the console's sign-ins: sign-in, join-account, and block-sign-ins after too many attempts."`
	Target    string          `json:"target" doc:"The id of the changed object. Empty: an order or return, for a key without the scope to read it."`
	ProjectID *string         `json:"project_id" nullable:"true" doc:"Null: the account itself."`
	KeyID     string          `json:"key_id" doc:"The API key that made the change. Empty: a member did, or if there is no member either, the operator of the server or a person who had not signed in."`
	Member    *auditMember    `json:"member,omitempty" doc:"The member who made the change. Omitted if no member did."`
	Address   string          `json:"address" doc:"The network address of the request."`
	RequestID string          `json:"request_id"`
	CreatedAt wire.Time       `json:"created_at"`
	Before    json.RawMessage `json:"before" doc:"The values before the change. Null: none, or the key lacks the scope to read them."`
	After     json.RawMessage `json:"after" doc:"The values after the change."`
}

type auditMember struct {
	ID   string `json:"id"`
	Name string `json:"name" doc:"The current name, or the name at the member's removal."`
}

type listAuditInput struct {
	operation.Keyset[id.AuditEvent]
	Project wire.Ref[id.Project] `query:"project_id"`
	Key     wire.Ref[id.APIKey]  `query:"key_id"`
	Member  wire.Ref[id.Member]  `query:"member_id"`
	Action  string               `query:"action" maxLength:"100"`
	From    wire.When            `query:"from" doc:"Events at or after this time. A date is the start of that day in UTC. Events are kept for 730 days."`
	To      wire.When            `query:"to" doc:"Events before this time; a date as in from."`
}

// listAuditEvents shows a key that is bound to projects only the events of those projects.
func (h *handlers) listAuditEvents(ctx context.Context, rq operation.Request, in *listAuditInput, page ports.Page) ([]namedEvent, int, error) {
	caller := rq.Caller.Caller
	filter := ports.AuditFilter{
		Projects: caller.Key.Projects,
		Key:      in.Key.ID,
		Member:   in.Member.ID,
		Action:   in.Action,
		From:     in.From.In(time.UTC),
		To:       in.To.In(time.UTC),
	}
	if project := in.Project.ID; !project.IsZero() {
		if !caller.Key.Reaches(project) {
			return nil, 0, nil
		}
		filter.Projects = []id.Project{project}
	}
	events, total, err := rq.Stores.Audit.Events(ctx, caller.Account.ID, filter, page)
	if err != nil {
		return nil, 0, err
	}
	if err := h.hideValues(ctx, rq, events); err != nil {
		return nil, 0, err
	}
	named, err := withNames(ctx, rq, events)
	return named, total, err
}

func placeOfEvent(e namedEvent) ports.Place { return ports.Place{At: e.At, ID: e.ID.String()} }

// namedEvent is an event with the name of the member who caused it.
type namedEvent struct {
	audit.Event
	member string
}

func withNames(ctx context.Context, rq operation.Request, events []audit.Event) ([]namedEvent, error) {
	var members []id.Member
	for _, e := range events {
		if !e.Member.IsZero() && !slices.Contains(members, e.Member) {
			members = append(members, e.Member)
		}
	}
	names, err := rq.Stores.Members.Names(ctx, rq.Caller.Account.ID, members)
	return wire.Each(events, func(e audit.Event) namedEvent { return namedEvent{e, names[e.Member]} }), err
}

// hideValues removes values that the caller could not read otherwise, because it lacks the scope or the project does not admit
// its address.
func (h *handlers) hideValues(ctx context.Context, rq operation.Request, events []audit.Event) error {
	v := rq.Caller
	admits := map[id.Project]bool{{}: true}
	for i := range events {
		e := &events[i]
		if _, asked := admits[e.Project]; !asked {
			p, err := rq.Stores.Projects.ByID(ctx, v.Caller.Account.ID, e.Project)
			if err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
			admits[e.Project] = err != nil || projects.Admits(p.Settings, v.Address)
		}
		if !admits[e.Project] || !v.Caller.Key.Allows(h.ReadScope(e.Action)) {
			e.Before, e.After = "", ""
			if opens(e.Target) {
				e.Target = ""
			}
		}
	}
	return nil
}

// opens reports whether anybody who knows the id may read the object (features/MANAGEMENT.md#values).
func opens(target string) bool {
	_, noOrder := id.Parse[id.Order](target)
	_, noReturn := id.Parse[id.Return](target)
	return noOrder == nil || noReturn == nil
}

func toAPIAuditEvent(e namedEvent) auditEvent {
	out := auditEvent{
		ID:        e.ID.String(),
		Action:    e.Action,
		Target:    e.Target,
		ProjectID: wire.ToOptionalID(e.Project),
		KeyID:     e.Key.String(),
		Address:   e.Address,
		RequestID: e.RequestID,
		CreatedAt: wire.ToTime(e.At),
		Before:    json.RawMessage("null"),
		After:     json.RawMessage("null"),
	}
	if !e.Member.IsZero() {
		out.Member = &auditMember{ID: e.Member.String(), Name: e.member}
	}
	if e.Before != "" {
		out.Before = json.RawMessage(e.Before)
	}
	if e.After != "" {
		out.After = json.RawMessage(e.After)
	}
	return out
}
