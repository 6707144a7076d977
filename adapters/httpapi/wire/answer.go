package wire

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Input is a request with a body and nothing else; Output is a response with one.
type Input[T any] struct{ Body T }

type Output[T any] struct{ Body T }

// HandleOne returns a handler that answers with the view of what find returns.
func HandleOne[C, S, I, T, V any](find func(context.Context, Request[C, S], *I) (T, error), view func(T) V) func(context.Context, Request[C, S], *I) (*Output[V], error) {
	return func(ctx context.Context, rq Request[C, S], in *I) (*Output[V], error) {
		found, err := find(ctx, rq, in)
		if err != nil {
			return nil, err
		}
		return &Output[V]{view(found)}, nil
	}
}

// Identity returns the view itself. It is the converter of handlers whose use case returns views.
func Identity[V any](view V) V { return view }

// Each converts every element.
func Each[T, U any](from []T, convert func(T) U) []U {
	to := make([]U, len(from))
	for i, element := range from {
		to[i] = convert(element)
	}
	return to
}

// ToOptional is nil for the zero value.
func ToOptional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// ToOptionalID is nil for the zero id.
func ToOptionalID[K id.Kind](i id.ID[K]) *string { return ToOptional(i.String()) }

// ToOptionalTime is nil for nil.
func ToOptionalTime(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	return &Time{*t}
}

// ToKnownTime returns nil for the zero time.
func ToKnownTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return &Time{t}
}
