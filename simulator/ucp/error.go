package ucp

import (
	"encoding/json"
	"fmt"
	"time"
)

// Error is a request that got no resource: refused by the transport, or answered with an error envelope.
type Error struct {
	HTTPStatus int
	RPC        int      // code of the JSON-RPC error over MCP; 0 where there is none
	Code       string   // of the transport's error, or of the first error message
	Content    string   // what it says
	Messages   Messages // of an error envelope
	RetryAfter time.Duration
}

// Error is the error on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.HTTPStatus, e.Code, e.Content)
}

// Outcome reports whether the shop read the request and said no, in an error envelope.
func (e *Error) Outcome() bool { return len(e.Messages) > 0 }

// outcomeOf reads an error envelope; nil for any other answer.
func outcomeOf(status int, body []byte) *Error {
	var envelope struct {
		UCP      Envelope `json:"ucp"`
		Messages Messages `json:"messages"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.UCP.Status != "error" {
		return nil
	}
	problem := &Error{HTTPStatus: status, Messages: envelope.Messages}
	if errors := envelope.Messages.Errors(); len(errors) > 0 {
		problem.Code, problem.Content = errors[0].Code, errors[0].Content
	}
	return problem
}
