// Package patch is one field of a partial change: left out, null, or a value (RFC 7396).
package patch

// Field is a field that a request may leave out. The zero Field was left out.
type Field[T any] struct {
	given, null bool
	value       T
}

// To is a field given with a value.
func To[T any](value T) Field[T] { return Field[T]{given: true, value: value} }

// Null is a field given as null, which restores the default.
func Null[T any]() Field[T] { return Field[T]{given: true, null: true} }

// Given reports whether the field is there at all, null included.
func (f Field[T]) Given() bool { return f.given }

// IsNull reports whether the field was given as null.
func (f Field[T]) IsNull() bool { return f.null }

// Value is the value, and whether there is one.
func (f Field[T]) Value() (T, bool) { return f.value, f.given && !f.null }

// Apply writes the field's value, or the fallback for null, into target. Left out, it does nothing.
func (f Field[T]) Apply(target *T, fallback T) {
	switch {
	case f.null:
		*target = fallback
	case f.given:
		*target = f.value
	}
}
