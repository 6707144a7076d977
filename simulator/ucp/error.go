package ucp

import (
	"encoding/json"
	"fmt"
	"time"
)

// Error is a failed request: the transport refused it, or the answer is an error envelope.
type Error struct {
	HTTPStatus int
	RPC        int      // code of the JSON-RPC error over MCP; 0 if there is none
	Code       string   // of the transport's error, or of the first error message
	Content    string   // the text of the same
	Messages   Messages // of an error envelope
	RetryAfter time.Duration
}

// Error returns the error on one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s", e.HTTPStatus, e.Code, e.Content)
}

// Outcome reports whether the shop processed the request and answered with an error envelope.
func (e *Error) Outcome() bool { return len(e.Messages) > 0 }

// outcomeOf decodes an error envelope. It returns nil for any other answer.
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
