package negotiations

import (
	"context"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

type listInput struct {
	operation.Period
	After    string               `query:"after" maxLength:"200" doc:"meta.next of the previous page."`
	Limit    int                  `query:"limit" minimum:"1" maximum:"100" default:"20"`
	State    string               `query:"state" enum:"deal,left,open"`
	Product  wire.Ref[id.Product] `query:"product_id"`
	Protocol string               `query:"protocol" enum:"haggle,ucp,mcp" doc:"The protocol that opened the session; only sessions that are kept match."`
	IDs      []string             `query:"ids" maxItems:"100" doc:"Only these negotiations. Unknown ids are ignored."`
}

// threadRowView is a negotiation in the list. A session in which several items were negotiated has several rows.
type threadRowView struct {
	ID       string  `json:"id" doc:"The public id of the session, as orders, events and analytics show it."`
	Protocol *string `json:"protocol" nullable:"true" enum:"haggle,ucp,mcp" doc:"The protocol that opened the session. Null: the session was deleted."`
	ThreadItemView
}

type listOutput struct {
	Body struct {
		Data []threadRowView  `json:"data"`
		Meta negotiationsMeta `json:"meta"`
	}
}

type negotiationsMeta struct {
	Limit int     `json:"limit"`
	Next  *string `json:"next" nullable:"true" doc:"Send it as after to get the next page. A page may have fewer items than limit, or none, although there are more, because a call reads at most 20,000 steps. Null: this is the last one."`
}

func (h *handlers) list(ctx context.Context, rq operation.Request, in *listInput) (*listOutput, error) {
	out := &listOutput{}
	out.Body.Data, out.Body.Meta.Limit = []threadRowView{}, in.Limit
	after, err := parsePlace(in.After)
	if err != nil || in.Product.Unknown() {
		return out, err
	}
	filter := ports.ThreadFilter{State: negotiation.ThreadStates[in.State], Product: in.Product.ID}
	if p, given := agentid.Protocols[in.Protocol]; given {
		filter.Protocol = &p
	}
	filter.From, filter.To = in.Span(rq)
	for _, text := range in.IDs {
		if n, err := id.Parse[id.Negotiation](text); err == nil {
			filter.Named = append(filter.Named, n)
		}
	}
	if len(in.IDs) > 0 && len(filter.Named) == 0 {
		return out, nil
	}
	found, next, err := rq.Stores.Threads.Newest(ctx, rq.Caller.Project.ID, filter, after, in.Limit)
	if err != nil {
		return nil, err
	}
	out.Body.Data = wire.Each(found, readerOf(rq).row)
	if next != nil {
		out.Body.Meta.Next = new(formatPlace(*next))
	}
	return out, nil
}

func (r reader) row(t ports.Thread) threadRowView {
	return threadRowView{
		ID:             id.NegotiationOf(t.Item.Session).String(),
		Protocol:       toAPIProtocol(t.Protocol),
		ThreadItemView: r.item(t),
	}
}

func formatPlace(p ports.ThreadPlace) string {
	return operation.FormatCursor(p.At, p.Negotiation.String(), strconv.Itoa(p.Seq))
}

func parsePlace(text string) (*ports.ThreadPlace, error) {
	if text == "" {
		return nil, nil
	}
	invalid := fault.Field("after", "must be meta.next of a list of negotiations")
	at, parts, ok := operation.ParseCursor(text, 2)
	if !ok {
		return nil, invalid
	}
	of, err := id.Parse[id.Negotiation](parts[0])
	seq, notNumber := strconv.ParseInt(parts[1], 10, 32)
	if err != nil || notNumber != nil || seq < 1 {
		return nil, invalid
	}
	return &ports.ThreadPlace{
		At:          at,
		Negotiation: of,
		Seq:         int(seq),
	}, nil
}
