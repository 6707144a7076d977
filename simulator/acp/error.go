package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// Error is a failed request (features/PROTOCOL.md#errors). Outcomes such as reject or payment_failed are not errors.
type Error struct {
	HTTPStatus int           `json:"-"`
	Status     string        `json:"status"` // always "error"
	Code       string        `json:"error"`
	Message    string        `json:"message"`
	Details    []FieldDetail `json:"details"`
	RetryAfter int           `json:"retry_after"` // seconds
	RequestID  string        `json:"request_id"`

	NextActions []string `json:"next_actions"` // empty if no action helps

	// Items are the items that are not in stock, with code out_of_stock.
	Items json.RawMessage `json:"items"`
}

// FieldDetail is the problem with one field.
type FieldDetail struct {
	Field   string `json:"field"` // dotted path: items.0.quantity
	Message string `json:"message"`
}

// Error returns the error on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s %v (request %s)", e.HTTPStatus, e.Code, e.Message, e.Details, e.RequestID)
}

// Wait returns how long the server asks to wait.
func (e *Error) Wait() time.Duration { return time.Duration(e.RetryAfter) * time.Second }

// Field returns the message about a field, or "".
func (e *Error) Field(name string) string {
	for _, detail := range e.Details {
		if detail.Field == name {
			return detail.Message
		}
	}
	return ""
}

// CodeOf returns the error code in err, or "" if err is not an *Error.
func CodeOf(err error) string {
	var problem *Error
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}

// ErrorOf decodes an error body. If the body cannot be decoded, the error has the status and the start of the text.
func ErrorOf(response exchange.Response) *Error {
	problem := &Error{}
	if err := json.Unmarshal(response.Body, problem); err != nil {
		problem = &Error{Message: fmt.Sprintf("unreadable error: %.200q", response.Body)}
	}
	problem.HTTPStatus = response.Status
	return problem
}
