package operation

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

// Lists answers with the views of one page of a list, of which find also returns the length. A filter that is no id of what
// it names finds nothing.
func Lists[I any, P interface {
	*I
	Page() ports.Page
}, T, V any](find func(context.Context, Request, P) ([]T, int, error), view func(T) V) func(context.Context, Request, *I) (*ListOutput[V], error) {
	filters := wire.RefsOf[I]("query")
	return func(ctx context.Context, rq Request, in *I) (*ListOutput[V], error) {
		if filters.Unknown(in) != nil {
			return ToAPIList(nil, view, P(in).Page(), 0), nil
		}
		page, total, err := find(ctx, rq, in)
		if err != nil {
			return nil, err
		}
		return ToAPIList(page, view, P(in).Page(), total), nil
	}
}

// Changes answers with the view of what was changed, and notes the view before and after it for the audit log.
func Changes[I, T, V any](change func(context.Context, Request, *I) (before, after T, err error), view func(T) V) func(context.Context, Request, *I) (*wire.Output[V], error) {
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
