package wire

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/patch"
)

// Optional is a field of a merge patch (RFC 7396): left out, null, or a value. Its field needs the
// option omitzero, which makes it optional in the schema.
type Optional[T any] struct {
	given, null bool
	value       T
}

func (o *Optional[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*o = Optional[T]{given: true, null: d.PeekKind() == 'n'}
	if o.null {
		return d.SkipValue()
	}
	return json.UnmarshalDecode(d, &o.value)
}

// Given reports whether the field is there at all, null included.
func (o Optional[T]) Given() bool { return o.given }

// Null reports whether the field is there and null.
func (o Optional[T]) Null() bool { return o.null }

// Value is the value, and whether there is one.
func (o Optional[T]) Value() (T, bool) { return o.value, o.given && !o.null }

// Field is the field as the domain has it.
func (o Optional[T]) Field() patch.Field[T] {
	return MapField(o, func(value T) T { return value })
}

// Group is the value of a field that is an object of Optionals. Null stands for an object in which each of them is null.
func (o Optional[T]) Group() T {
	group := o.value
	if o.null {
		for _, field := range reflect.ValueOf(&group).Elem().Fields() {
			field.Addr().Interface().(interface{ setNull() }).setNull()
		}
	}
	return group
}

func (o *Optional[T]) setNull() { *o = Optional[T]{given: true, null: true} }

// MapField converts the value of a field, if it has one.
func MapField[T, U any](o Optional[T], convert func(T) U) patch.Field[U] {
	switch {
	case o.null:
		return patch.Null[U]()
	case o.given:
		return patch.To(convert(o.value))
	}
	return patch.Field[U]{}
}

// Schema is the value's, and nullable.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(o.wrapped(), false, "")
	s.Nullable = true
	return &s
}

func (Optional[T]) wrapped() reflect.Type { return reflect.TypeFor[T]() }
