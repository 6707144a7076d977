package wire

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// StatusOf returns the HTTP status of a kind.
func StatusOf(k fault.Kind) int { return statuses[k] }

// statuses maps kinds to HTTP statuses, for all APIs.
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
	fault.Unfulfilled:     http.StatusFailedDependency,
	methodNotAllowed:      http.StatusMethodNotAllowed,
}

// Detail is one field's problem.
type Detail struct {
	Field   string `json:"field" doc:"Dotted path of the field, such as items.0.quantity."`
	Message string `json:"message"`
}

// ManagementError is an error of the Management API (features/MANAGEMENT.md#errors).
type ManagementError struct {
	status int
	Err    struct {
		Code      string   `json:"code" doc:"Stable; branch on this code."`
		Message   string   `json:"message" doc:"For people; the text may change."`
		Details   []Detail `json:"details"`
		RequestID string   `json:"request_id"`
	} `json:"error"`
}

func (e *ManagementError) Error() string  { return e.Err.Code }
func (e *ManagementError) GetStatus() int { return e.status }

// newError tells Huma the type of errors. It is not called for requests.
func newError(status int, message string, errs ...error) huma.StatusError {
	e := fromHuma(status, message, errs)
	return toManagementError(statuses[e.Kind], e, "")
}

// newErrorWithContext converts every error of an operation, Huma's own and the handlers'.
func newErrorWithContext(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	op, e := ctx.Operation(), fromHuma(status, message, errs)
	if status == http.StatusUnprocessableEntity {
		nameParameters(e, op)
		nameKnownFields(e, op, errs)
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

// Seconds rounds up, so that a client that waits that long is not early.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// documentErrors adds the error responses of an operation: those that it names, those of all operations, and a default.
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

// These bound what an error repeats from the request.
const (
	maxDetails = 100
	maxText    = 300
)

// internal returns the error that a client gets for an internal error.
func internal(cause error) *fault.Error {
	return fault.New(fault.Internal, "internal_error", "Something went wrong on our side.").Because(cause)
}

// fromHuma converts an error that Huma reports to a fault: a handler's error, or a refusal of the request.
func fromHuma(status int, message string, errs []error) *fault.Error {
	switch {
	case len(errs) == 0:
		return fromStatus(status, message)
	case status == http.StatusInternalServerError && message == "cannot read request body":
		return fault.New(fault.Malformed, "invalid_request", "The body could not be read.").Because(errs[0])
	case status == http.StatusInternalServerError:
		return fromHandler(errs[0])
	}
	return fromValidation(status, errs)
}

func fromHandler(err error) *fault.Error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, context.DeadlineExceeded):
		return overloaded().Because(err)
	default:
		return internal(err)
	}
	if known.Kind == fault.Internal {
		return internal(err)
	}
	return known
}

func invalidParameters() *fault.Error {
	return fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.")
}

// BadParameter returns the error for a parameter or header with an invalid value.
func BadParameter(name, problem string) *fault.Error { return invalidParameters().With(name, problem) }

func fromStatus(status int, message string) *fault.Error {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "body_too_large", "The body is too large.")
	case http.StatusBadRequest:
		return fault.New(fault.Malformed, "invalid_request", "A JSON body is required.")
	case http.StatusRequestTimeout:
		return fault.New(fault.Malformed, "invalid_request", "The body took too long to arrive.")
	}
	return internal(errors.New(message))
}

// fromValidation distinguishes malformed bodies (400) and invalid parameters (400) from bodies with invalid values (422). It
// sorts the fields, because Huma reports them in random order.
func fromValidation(status int, errs []error) *fault.Error {
	parameters := invalidParameters()
	values := fault.New(fault.Invalid, "validation_error", "The request has invalid values.")
	for _, err := range errs {
		var detail *huma.ErrorDetail
		if !errors.As(err, &detail) {
			return internal(err)
		}
		where, rest, _ := strings.Cut(detail.Location, ".")
		found, decoded := parseProblems(detail.Message)
		switch {
		case decoded:
			values.Details = append(values.Details, found...)
		case detail.Location == "body" && status == http.StatusBadRequest:
			return fault.New(fault.Malformed, "invalid_request", "The body is not valid JSON: "+
				cut(strings.TrimPrefix(detail.Message, "jsontext: "))+".")
		case strings.HasPrefix(where, "body"):
			values.Details = append(values.Details, fieldProblem(detail))
		default:
			parameters = parameters.With(rest, parameterMessage(detail.Message))
		}
	}
	e := values
	if len(parameters.Details) > 0 {
		e = parameters
		e.Details = append(e.Details, values.Details...)
	}
	slices.SortStableFunc(e.Details, func(a, b fault.Detail) int { return strings.Compare(a.Field, b.Field) })
	e.Details = bound(e.Details)
	return e
}

// parameterMessage returns Huma's message, or that of When for times.
func parameterMessage(message string) string { return strings.TrimPrefix(message, "invalid value: ") }

var index = regexp.MustCompile(`\[(\d+)\]`)

// fieldProblem converts the name of a body's field to the contract's form: body.items[0].sku is items.0.sku.
func fieldProblem(d *huma.ErrorDetail) fault.Detail {
	field := index.ReplaceAllString(d.Location, ".$1")
	message := d.Message
	if name, missing := strings.CutPrefix(message, requiredMark); missing {
		field, message = field+"."+name, "is required"
	}
	field = strings.TrimPrefix(strings.TrimPrefix(field, "body"), ".")
	return fault.Detail{Field: field, Message: message}
}

func bound(details []fault.Detail) []fault.Detail {
	details = details[:min(len(details), maxDetails)]
	for i, d := range details {
		details[i] = fault.Detail{Field: cut(d.Field), Message: cut(d.Message)}
	}
	return details
}

func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
