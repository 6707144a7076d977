// Package patch represents one field of a partial change: left out, null, or a value (RFC 7396). It does not decode
// JSON objects.
package patch

// Field is a field that a request may leave out. The zero Field is left out.
type Field[T any] struct {
	given, null bool
	value       T
}

// To returns a field with a value.
func To[T any](value T) Field[T] { return Field[T]{given: true, value: value} }

// Null returns a null field, which restores the default.
func Null[T any]() Field[T] { return Field[T]{given: true, null: true} }

// Given reports whether the field is present, including null.
func (f Field[T]) Given() bool { return f.given }

// IsNull reports whether the field is null.
func (f Field[T]) IsNull() bool { return f.null }

// Value returns the value, and whether there is one.
func (f Field[T]) Value() (T, bool) { return f.value, f.given && !f.null }

// Apply writes the value, or fallback for null, to target. It does nothing if the field is left out.
func (f Field[T]) Apply(target *T, fallback T) {
	switch {
	case f.null:
		*target = fallback
	case f.given:
		*target = f.value
	}
}
