package wire

import (
	"cmp"
	"encoding"
	"reflect"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Ref names a T by its id, in a path or a query. A malformed id counts as unknown: in a path the answer is 404.
type Ref[T any] struct {
	ID      T // zero: none was given, or it is malformed
	unknown bool
}

func (r *Ref[T]) UnmarshalText(text []byte) error {
	r.unknown = any(&r.ID).(encoding.TextUnmarshaler).UnmarshalText(text) != nil
	return nil
}

// Unknown reports whether a malformed id was given.
func (r *Ref[T]) Unknown() bool { return r.unknown }

// Refs are the Refs of an input.
type Refs []ref

type ref struct {
	index []int
	thing string
}

// RefsOf returns the Refs in the path or in the query of I. In errors a Ref is called by its tag thing, or else by its parameter's
// name without _id.
func RefsOf[I any](place string) (refs Refs) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[I]()) {
		name := field.Tag.Get(place)
		if name != "" && reflect.PointerTo(field.Type).Implements(reflect.TypeFor[unknowner]()) {
			refs = append(refs, ref{field.Index, cmp.Or(field.Tag.Get("thing"), strings.TrimSuffix(name, "_id"))})
		}
	}
	return refs
}

type unknowner interface{ Unknown() bool }

// Unknown returns the error for the first Ref with a malformed id, or nil.
func (r Refs) Unknown(in any) error {
	for _, ref := range r {
		if reflect.ValueOf(in).Elem().FieldByIndex(ref.index).Addr().Interface().(unknowner).Unknown() {
			return fault.Missing(ref.thing)
		}
	}
	return nil
}
