package wire

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Style is the form of an API's errors, and what its requests may contain. It depends on the API that registers an operation, not
// on the operation's path.
type Style struct {
	// ErrorType is the type of the API's errors in the OpenAPI document; Error makes one.
	ErrorType reflect.Type
	Error     func(status int, e *fault.Error, requestID string) huma.StatusError
	// Prefix is the prefix of the API's response names in the components of the OpenAPI document.
	Prefix string
	// Errors lists statuses that every operation of the API may answer, in addition to those of all APIs.
	Errors []int
	// RetryInternal is the Retry-After of an internal error; 0: none.
	RetryInternal time.Duration
	// MaxBody is the limit of request bodies, in bytes.
	MaxBody int64
	// Lenient APIs ignore unknown fields and query parameters.
	Lenient bool
	// Public APIs need no credentials, unless an operation says otherwise.
	Public bool
}

// Plain is the style of the Management API, and of routes outside of any API.
var Plain = &Style{
	ErrorType: reflect.TypeFor[ManagementError](),
	Error:     toManagementError,
	Errors:    []int{http.StatusUnauthorized, http.StatusForbidden},
	MaxBody:   ManagementBody,
}

const styleKey = "style"

// On sets the style of an operation. Call it before the operation is registered.
func (s *Style) On(op *huma.Operation) { setMetadata(op, styleKey, s) }

// styleOf is an operation's style.
func styleOf(op *huma.Operation) *Style {
	if s, ok := op.Metadata[styleKey].(*Style); ok {
		return s
	}
	return Plain
}

func setMetadata(op *huma.Operation, key string, value any) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[key] = value
}

// WriteError answers a request with an error, outside of a handler.
func (s *Style) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	answer := s.answer(r.Context(), fromHandler(err), r.Pattern, w.Header().Set)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.GetStatus())
	if r.Method != http.MethodHead {
		_ = encode(w, answer) // the client may have gone
	}
}

// WriteError answers a request outside of any API with an error.
func WriteError(w http.ResponseWriter, r *http.Request, err error) { Plain.WriteError(w, r, err) }

// answer converts a fault to the style's form, sets its headers, and logs internal errors.
func (s *Style) answer(ctx context.Context, e *fault.Error, operation string, setHeader func(name, value string)) huma.StatusError {
	if e.Kind == fault.Internal && s.RetryInternal > 0 {
		e = e.After(s.RetryInternal)
	}
	if e.Kind == fault.Internal && !errors.Is(e, context.Canceled) { // the client has gone
		LoggerOf(ctx).LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("operation", operation), slog.Any("error", e))
	}
	if e.RetryAfter > 0 {
		setHeader("Retry-After", strconv.Itoa(Seconds(e.RetryAfter)))
	}
	if e.Kind == fault.Unauthenticated {
		setHeader("WWW-Authenticate", "Bearer")
	}
	return s.Error(statuses[e.Kind], e, RequestID(ctx))
}
