package ucp

import (
	"errors"
	"net/http"

	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// envelope is the protocol's part of every answer.
type envelope struct {
	Version      string                     `json:"version"`
	Status       string                     `json:"status" enum:"success,error"`
	Capabilities map[string][]entity        `json:"capabilities,omitzero"`
	Handlers     map[string][]handlerEntity `json:"payment_handlers,omitzero"`
	Constraints  *constraint                `json:"request_constraints,omitempty"`
}

// entity is a capability that an answer belongs to.
type entity struct {
	Version string `json:"version"`
}

// message is a message to the agent or its buyer.
type message struct {
	Type     string `json:"type" enum:"error,warning,info"`
	Code     string `json:"code"`
	Path     string `json:"path,omitempty" doc:"JSONPath (RFC 9535) from the root of the response."`
	Content  string `json:"content"`
	Severity string `json:"severity,omitempty" enum:"recoverable,requires_buyer_input,requires_buyer_review,unrecoverable" doc:"The severity of an error."`

	Presentation string `json:"presentation,omitempty" enum:"disclosure" doc:"Of a warning that must be shown next to what path names."`
}

// The severities of errors.
const (
	recoverable   = "recoverable"
	buyerInput    = "requires_buyer_input"
	buyerReview   = "requires_buyer_review"
	unrecoverable = "unrecoverable"
)

// failure is an answer without a resource.
type failure struct {
	UCP         envelope  `json:"ucp"`
	Messages    []message `json:"messages"`
	ContinueURL string    `json:"continue_url,omitempty" format:"uri"`
}

func (f *failure) Error() string  { return f.Messages[0].Code }
func (f *failure) GetStatus() int { return http.StatusOK }

// success returns the envelope of an answer with a resource.
func (h *handlers) success(rq Request, of capability.Name) envelope {
	e := envelope{
		Version:      h.version.date,
		Status:       "success",
		Capabilities: map[string][]entity{},
	}
	for _, c := range rq.Caller.Platform.Active.For(of) {
		e.Capabilities[c.Name.String()] = []entity{{c.Version.String()}}
	}
	return e
}

// fail returns the answer to a request that a business refuses altogether.
func (h *handlers) fail(code, content string) failure {
	return failure{
		UCP: envelope{Version: h.version.date, Status: "error"},
		Messages: []message{{
			Type:     "error",
			Code:     code,
			Content:  content,
			Severity: unrecoverable,
		}},
	}
}

// reply is an answer with its status. With RetryAfter it is not stored under the request's idempotency key, because the same
// request may soon get another answer.
type reply struct {
	Status     int
	RetryAfter string `header:"Retry-After"`
	Body       any
}

// completion answers complete_checkout. While the outcome of the payment is unknown it has RetryAfter, so that it is not stored
// under the request's idempotency key, and the same request may find the order later.
type completion struct {
	Status     int
	RetryAfter string `header:"Retry-After"`
	Body       any
}

// askAgain is the Retry-After, in seconds, while the outcome of a payment is unknown.
const askAgain = "1"

// missing answers the error that a cart, checkout or order does not exist. It returns any other error.
func (h *handlers) missing(err error) (*reply, error) {
	var e *fault.Error
	if errors.As(err, &e) && e.Kind == fault.NotFound {
		return h.found(h.notFound(e))
	}
	return nil, err
}

// notFound answers a request about something that does not exist or belongs to another agent. The two answers must be the same.
func (h *handlers) notFound(e *fault.Error) failure {
	text, known := absent[e.Code]
	if !known {
		text = e.Message
	}
	return h.fail("not_found", text)
}

// absent has the texts about missing things, by fault code.
var absent = map[string]string{
	"session_not_found":  noCart,
	"checkout_not_found": noCheckout,
	"order_not_found":    noOrder,
	"quote_not_found":    noNegotiation,
	"project_not_found":  "There is no such shop.",
}
