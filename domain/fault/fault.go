// Package fault defines the errors of every layer: a kind that determines the HTTP status, a stable code that clients
// switch on, a message for people, and details by field. It does not render them.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind determines the HTTP status. The zero Kind is Internal, because an unclassified error is a defect of ours.
type Kind uint8

const (
	Internal        Kind = iota // 500, the cause is never shown
	Malformed                   // 400, the request could not be read
	Unauthenticated             // 401
	Forbidden                   // 403
	NotFound                    // 404, also for objects of others
	Conflict                    // 409, the state does not allow it
	TooLarge                    // 413
	Unsupported                 // 415
	Invalid                     // 422, well-formed but not acceptable
	Limited                     // 429
	Unavailable                 // 503, try again after RetryAfter
	Unfulfilled                 // 424, an external resource that the request names is not available
)

// Detail is the problem of one field. Field is a dotted path: "items.0.quantity".
type Detail struct{ Field, Message string }

// Error is the one error type that crosses layers.
type Error struct {
	Kind       Kind
	Code       string // stable, e.g. "product_not_found"
	Message    string // a sentence for people, safe to show
	Details    []Detail
	RetryAfter time.Duration // 0: none
	About      any           // the conflicting object, for adapters that show more than the message; nil: none
	cause      error
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	for _, d := range e.Details {
		text += fmt.Sprintf(" [%s %s]", d.Field, d.Message)
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.cause }

// Description returns the problems for people: "price must be more than zero; sku is required", or the message if no
// field has a problem.
func (e *Error) Description() string {
	if len(e.Details) == 0 {
		return e.Message
	}
	problems := make([]string, len(e.Details))
	for i, d := range e.Details {
		problems[i] = d.Field + " " + d.Message
	}
	return strings.Join(problems, "; ")
}

// New returns an error of this kind and code.
func New(kind Kind, code, message string) *Error {
	return &Error{
		Kind:    kind,
		Code:    code,
		Message: message,
	}
}

// After sets when to try again.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// Because sets the cause, for logs. It is never shown to a client.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// On sets the conflicting object, which adapters may show to the client.
func (e *Error) On(about any) *Error {
	e.About = about
	return e
}

// With adds a field's problem.
func (e *Error) With(field, message string) *Error {
	e.Details = append(e.Details, Detail{field, message})
	return e
}

// Missing returns the 404 of a thing: Missing("product") has code product_not_found.
func Missing(thing string) *Error {
	return New(NotFound, thing+"_not_found", "No such "+strings.ReplaceAll(thing, "_", " ")+".")
}

// Field returns a validation_error with one detail.
func Field(field, message string) *Error {
	return New(Invalid, "validation_error", "The request has invalid values.").With(field, message)
}

// AddField adds a field's problem to an error that lists problems, or to a nil error, unless the field has one already.
// It returns every other error unchanged.
func AddField(err error, field, message string) error {
	var known *Error
	switch {
	case err == nil:
		return Field(field, message)
	case !errors.As(err, &known), known.Kind != Invalid, slices.ContainsFunc(known.Details, func(d Detail) bool { return d.Field == field }):
		return err
	}
	return known.With(field, message)
}

// KindOf returns the kind of an error. It is Internal for a nil error and for every error that is not a fault.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is a fault with this code.
func Is(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
