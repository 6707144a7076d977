package wire

import (
	"net/http"
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

// newError is how Huma learns the type of errors; it serves no request.
func newError(status int, message string, errs ...error) huma.StatusError {
	e := fromHuma(status, message, errs)
	return toManagementError(statuses[e.Kind], e, "")
}

// newErrorWithContext is the way of every error of an operation: Huma's own and the handlers'.
func newErrorWithContext(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	op, e := ctx.Operation(), fromHuma(status, message, errs)
	if status == http.StatusUnprocessableEntity {
		nameParameters(e, op)
	}
	return styleOf(op).answer(ctx.Context(), e, op.OperationID, ctx.SetHeader)
}

func toManagementError(status int, e *fault.Error, requestID string) huma.StatusError {
	m := &ManagementError{status: status}
	m.Err.Code, m.Err.Message, m.Err.Details, m.Err.RequestID = e.Code, e.Message, ToDetails(e.Details), requestID
	return m
}

// ToDetails converts an error's details.
func ToDetails(details []fault.Detail) []Detail {
	list := make([]Detail, len(details))
	for i, d := range details {
		list[i] = Detail(d)
	}
	return list
}

// Seconds rounds up, so that a client that waits as told is not early.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// documentErrors gives an operation its error responses: those that it names, those that any request
// may meet, and a default.
func documentErrors(r huma.Registry, op *huma.Operation, style *Style) {
	codes := append(slices.Clone(op.Errors), http.StatusBadRequest, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable)
	codes = append(codes, style.Errors...)
	if op.RequestBody != nil {
		codes = append(codes, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	answer := func(description string) *huma.Response {
		return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
			"application/json": {Schema: r.Schema(style.ErrorType, true, "")},
		}}
	}
	for _, code := range codes {
		op.Responses[strconv.Itoa(code)] = answer(http.StatusText(code))
	}
	op.Responses["default"] = answer("Any other error")
}
