package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// Error is a request that was not answered (decisions 4). Outcomes such as reject or payment_failed are not errors.
type Error struct {
	HTTPStatus int           `json:"-"`
	Status     string        `json:"status"` // always "error"
	Code       string        `json:"error"`
	Message    string        `json:"message"`
	Details    []FieldDetail `json:"details"`
	RetryAfter int           `json:"retry_after"` // seconds
	RequestID  string        `json:"request_id"`

	NextActions []string `json:"next_actions"` // none where nothing helps

	// Items is what is not in stock, with code out_of_stock.
	Items json.RawMessage `json:"items"`
}

// FieldDetail is what is wrong with one field.
type FieldDetail struct {
	Field   string `json:"field"` // dotted path: items.0.quantity
	Message string `json:"message"`
}

// Error is the error on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s %v (request %s)", e.HTTPStatus, e.Code, e.Message, e.Details, e.RequestID)
}

// Wait is how long the server asks to wait.
func (e *Error) Wait() time.Duration { return time.Duration(e.RetryAfter) * time.Second }

// Field is the detail about a field, or "".
func (e *Error) Field(name string) string {
	for _, detail := range e.Details {
		if detail.Field == name {
			return detail.Message
		}
	}
	return ""
}

// CodeOf is the error code inside err, or "" if err is no *Error.
func CodeOf(err error) string {
	var problem *Error
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}

// ErrorOf reads an error body; one that cannot be read keeps its status and the start of its text.
func ErrorOf(response exchange.Response) *Error {
	problem := &Error{}
	if err := json.Unmarshal(response.Body, problem); err != nil {
		problem = &Error{Message: fmt.Sprintf("unreadable error: %.200q", response.Body)}
	}
	problem.HTTPStatus = response.Status
	return problem
}
