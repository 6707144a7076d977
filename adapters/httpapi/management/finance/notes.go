package finance

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

func (h *handlers) registerNotes() {
	const all = "/v1/orders/{order_id}/notes"
	g := h.Group("Orders", "finance", operation.HeaderProject)
	operation.Register(g, "list-order-notes", "GET "+all, "List the notes of an order, oldest first", h.listNotes)
	operation.Register(g, "create-order-note", "POST "+all, "Add a note to an order; the buyer cannot see it", h.createNote,
		operation.Created, operation.Errors(409))
}

type noteView struct {
	ID        string      `json:"id"`
	Text      string      `json:"text" doc:"Empty: erased with the buyer's data."`
	Member    *noteMember `json:"member,omitempty" doc:"The member who wrote it. Omitted if no member did."`
	KeyID     string      `json:"key_id" doc:"The API key that wrote it. Empty: a member did."`
	CreatedAt wire.Time   `json:"created_at"`
}

type noteMember struct {
	ID   string `json:"id"`
	Name string `json:"name" doc:"The current name, or the name at the member's removal."`
}

type notesOutput struct {
	Body struct {
		Data []noteView `json:"data" maxItems:"100"`
	}
}

func (h *handlers) listNotes(ctx context.Context, rq operation.Request, in *OnOrder) (*notesOutput, error) {
	notes, err := rq.Stores.Notes.Notes(ctx, rq.Caller.Project.ID, in.Order.ID)
	if err != nil {
		return nil, err
	}
	out := &notesOutput{}
	out.Body.Data, err = toAPINotes(ctx, rq, notes)
	return out, err
}

type createNoteInput struct {
	OnOrder
	Body struct {
		Text string `json:"text" doc:"At most 2,000 characters. An order has at most 100 notes."`
	}
}

func (h *handlers) createNote(ctx context.Context, rq operation.Request, in *createNoteInput) (*wire.Output[noteView], error) {
	n := order.Note{
		Project: rq.Caller.Project.ID,
		Order:   in.Order.ID,
		Text:    in.Body.Text,
	}
	if m := rq.Caller.Member; m != nil {
		n.Member = m.ID
	} else {
		n.Key = rq.Caller.Key.ID
	}
	n, err := h.Aftersales.In(rq.Stores).AddNote(ctx, n)
	if err != nil {
		return nil, err
	}
	views, err := toAPINotes(ctx, rq, []order.Note{n})
	if err != nil {
		return nil, err
	}
	return &wire.Output[noteView]{Body: views[0]}, nil
}

func toAPINotes(ctx context.Context, rq operation.Request, notes []order.Note) ([]noteView, error) {
	var members []id.Member
	for _, n := range notes {
		if !n.Member.IsZero() && !slices.Contains(members, n.Member) {
			members = append(members, n.Member)
		}
	}
	names, err := rq.Stores.Members.Names(ctx, rq.Caller.Account.ID, members)
	return wire.Each(notes, func(n order.Note) noteView {
		v := noteView{
			ID:        n.ID.String(),
			Text:      n.Text,
			CreatedAt: wire.ToTime(n.CreatedAt),
		}
		if n.Member.IsZero() {
			v.KeyID = n.Key.String()
		} else {
			v.Member = &noteMember{ID: n.Member.String(), Name: names[n.Member]}
		}
		return v
	}), err
}
