package wire

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// statuses is the one table from kinds to HTTP.
var statuses = map[fault.Kind]int{
	fault.Internal:        http.StatusInternalServerError,
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Limited:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	methodNotAllowed:      http.StatusMethodNotAllowed,
}

// Detail is one field's problem.
type Detail struct {
	Field   string `json:"field" doc:"Dotted path of the field, such as items.0.quantity."`
	Message string `json:"message"`
}

// ManagementError is an error of the Management API (spec 7).
type ManagementError struct {
	status int
	Err    struct {
		Code      string   `json:"code" doc:"Stable; switch on this."`
		Message   string   `json:"message" doc:"For people."`
		Details   []Detail `json:"details"`
		RequestID string   `json:"request_id"`
	} `json:"error"`
}

func (e *ManagementError) Error() string  { return e.Err.Code }
func (e *ManagementError) GetStatus() int { return e.status }

// ACPError is an error of the ACP API (spec 2.11, decisions 4).
type ACPError struct {
	status     int
	Status     string   `json:"status" enum:"error"`
	Code       string   `json:"error" doc:"Stable; switch on this."`
	Message    string   `json:"message" doc:"For people."`
	Details    []Detail `json:"details,omitempty"`
	RetryAfter int      `json:"retry_after,omitzero" doc:"Seconds after which trying again may help."`
	RequestID  string   `json:"request_id"`
}

func (e *ACPError) Error() string  { return e.Code }
func (e *ACPError) GetStatus() int { return e.status }

// newError is how Huma learns the type of errors; it serves no request.
func newError(status int, message string, errs ...error) huma.StatusError {
	return toManagementError(fromHuma(status, message, errs), "")
}

// newErrorWithContext is the way of every error of an operation: Huma's own and the handlers'.
func newErrorWithContext(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	op, e := ctx.Operation(), fromHuma(status, message, errs)
	if status == http.StatusUnprocessableEntity {
		nameParameters(e, op)
	}
	return answerError(ctx.Context(), e, isACP(op.Path), op.OperationID, ctx.SetHeader)
}

// answerError gives a fault the shape of its API, sets its headers, and logs it if it is our failure.
func answerError(ctx context.Context, e *fault.Error, acp bool, operation string, setHeader func(name, value string)) huma.StatusError {
	if acp && e.Kind == fault.Internal {
		e = e.After(time.Minute) // spec 7: retry_after 60
	}
	if e.Kind == fault.Internal && !errors.Is(e, context.Canceled) { // a client that has gone is no failure
		LoggerOf(ctx).LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("operation", operation), slog.Any("error", e))
	}
	if e.RetryAfter > 0 {
		setHeader("Retry-After", strconv.Itoa(seconds(e.RetryAfter)))
	}
	if e.Kind == fault.Unauthenticated {
		setHeader("WWW-Authenticate", "Bearer")
	}
	if acp {
		return toACPError(e, RequestID(ctx))
	}
	return toManagementError(e, RequestID(ctx))
}

func toManagementError(e *fault.Error, requestID string) *ManagementError {
	m := &ManagementError{status: statuses[e.Kind]}
	m.Err.Code, m.Err.Message, m.Err.Details, m.Err.RequestID = e.Code, e.Message, toDetails(e.Details), requestID
	return m
}

func toACPError(e *fault.Error, requestID string) *ACPError {
	return &ACPError{
		status: statuses[e.Kind], Status: "error",
		Code: e.Code, Message: e.Message, Details: toDetails(e.Details),
		RetryAfter: seconds(e.RetryAfter), RequestID: requestID,
	}
}

func toDetails(details []fault.Detail) []Detail {
	list := make([]Detail, len(details))
	for i, d := range details {
		list[i] = Detail(d)
	}
	return list
}

// seconds rounds up, so that a client that waits as told is not early.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// documentErrors gives an operation its error responses: those that it names, those that any request
// may meet, and a default.
func documentErrors(r huma.Registry, op *huma.Operation, acp bool) {
	shape := reflect.TypeFor[ManagementError]()
	codes := append(slices.Clone(op.Errors), http.StatusBadRequest, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable)
	if acp {
		shape = reflect.TypeFor[ACPError]()
	} else {
		codes = append(codes, http.StatusUnauthorized, http.StatusForbidden)
	}
	if op.RequestBody != nil {
		codes = append(codes, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	answer := func(description string) *huma.Response {
		return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
			"application/json": {Schema: r.Schema(shape, true, "")},
		}}
	}
	for _, code := range codes {
		op.Responses[strconv.Itoa(code)] = answer(http.StatusText(code))
	}
	op.Responses["default"] = answer("Any other error")
}
