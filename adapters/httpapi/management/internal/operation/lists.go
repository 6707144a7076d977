package operation

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

// Paging is the query of every list (features/MANAGEMENT.md#values).
type Paging struct {
	Limit  int `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Offset int `query:"offset" minimum:"0" default:"0" maximum:"1000000000"`
}

// Page is the part of the list that a store is asked for.
func (p Paging) Page() ports.Page { return ports.Page{Limit: p.Limit, Offset: p.Offset} }

// List is the answer to every list.
type List[T any] struct {
	Data []T  `json:"data"`
	Meta Meta `json:"meta"`
}

// Meta describes which part of a list was sent.
type Meta struct {
	Total  int `json:"total"`
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

// ListOutput is the response with a list.
type ListOutput[T any] = wire.Output[List[T]]

// ToAPIList converts one page of a list of total items.
func ToAPIList[T, U any](from []T, convert func(T) U, p ports.Page, total int) *ListOutput[U] {
	return &ListOutput[U]{Body: List[U]{wire.Each(from, convert), Meta{total, p.Limit, p.Offset}}}
}

// Part returns one page of a list that is in memory.
func Part[T any](all []T, p Paging) []T {
	first := min(p.Offset, len(all))
	return all[first:min(first+p.Limit, len(all))]
}

// Period is a part of time.
type Period struct {
	From wire.When `query:"from" doc:"At or after this time. A date is the start of that day in the project's time zone."`
	To   wire.When `query:"to" doc:"Before this time; a date as in from."`
}

// Span is the period by the time zone of the request's project.
func (p Period) Span(rq Request) (from, to time.Time) {
	zone := rq.Caller.Project.Settings.Location()
	return p.From.In(zone), p.To.In(zone)
}

// HandleList returns a handler that answers with the views of one page of a list. find returns the page and the length of the
// list. A filter with a malformed id finds nothing, but find is called first, because an unknown id in the path is an error.
func HandleList[I any, P interface {
	*I
	Page() ports.Page
}, T, V any](find func(context.Context, Request, P) ([]T, int, error), view func(T) V) func(context.Context, Request, *I) (*ListOutput[V], error) {
	named, filters := wire.RefsOf[I]("path"), wire.RefsOf[I]("query")
	return func(ctx context.Context, rq Request, in *I) (*ListOutput[V], error) {
		nothing := filters.Unknown(in) != nil
		if nothing && len(named) == 0 {
			return ToAPIList(nil, view, P(in).Page(), 0), nil
		}
		page, total, err := find(ctx, rq, in)
		if err != nil {
			return nil, err
		}
		if nothing {
			page, total = nil, 0
		}
		return ToAPIList(page, view, P(in).Page(), total), nil
	}
}

// HandleUpdate returns a handler that answers with the view of the changed object, and notes the views before and after the
// change for the audit log.
func HandleUpdate[I, T, V any](change func(context.Context, Request, *I) (before, after T, err error), view func(T) V) func(context.Context, Request, *I) (*wire.Output[V], error) {
	return func(ctx context.Context, rq Request, in *I) (*wire.Output[V], error) {
		before, after, err := change(ctx, rq, in)
		if err != nil {
			return nil, err
		}
		out := &wire.Output[V]{Body: view(after)}
		NoteChange(rq, view(before), out.Body)
		return out, nil
	}
}
