package ucp

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"reflect"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// style is the form of transport errors. A request with missing or wrong fields is answered with 400.
func (h *handlers) style() *wire.Style {
	return &wire.Style{
		ErrorType: reflect.TypeFor[transportError](),
		Error:     h.toAPIError,
		Prefix:    "UCP",
		MaxBody:   wire.ACPBody,
		Lenient:   true,
		Public:    true,
	}
}

// transportError is an error that is not a business outcome.
type transportError struct {
	status  int
	Code    string `json:"code" doc:"Stable; branch on this code."`
	Content string `json:"content" doc:"For people; the text may change."`
}

func (e *transportError) Error() string  { return e.Code }
func (e *transportError) GetStatus() int { return e.status }

// toAPIError answers an agent that shares no capability with the shop with status 200, as a business outcome.
func (h *handlers) toAPIError(status int, e *fault.Error, _ string) huma.StatusError {
	if e.Code == capability.Incompatible {
		made := h.fail(e.Code, content(e))
		var to handoff
		if errors.As(e, &to) {
			made.ContinueURL = to.url
		}
		return &made
	}
	if status == http.StatusUnprocessableEntity && e.Code == "validation_error" {
		status = http.StatusBadRequest
	}
	return &transportError{
		status:  status,
		Code:    codeOfFault(e),
		Content: content(e),
	}
}

// handoff says why an agent cannot continue, and where its buyer can continue without it.
type handoff struct{ url string }

func (h handoff) Error() string { return "the buyer can continue at " + h.url }

// shortestKey and longestKey bound idempotency keys (adapters/httpapi/ucp/README.md).
const (
	shortestKey = 22
	longestKey  = 255
)

// keyRules returns the protocol's rules: keys cannot be guessed, belong to the agent that sends them, and are reused only with
// the same bytes.
func (h *handlers) keyRules() wire.KeyRules[commerce.Buyer] {
	return wire.KeyRules[commerce.Buyer]{
		Owner:       h.keyOwner,
		Repeat:      h.repeat,
		Check:       checkKey,
		Fingerprint: func(body []byte) ([sha256.Size]byte, bool) { return sha256.Sum256(body), true },
		Reused: fault.New(fault.Conflict, "idempotency_conflict",
			"The Idempotency-Key was sent before with another request. Use a new one."),
	}
}

// keyOwner returns the verified agent, or else the claimed agent together with the client's address.
func (h *handlers) keyOwner(e entry, _ []byte) string {
	owner := e.Caller.Shop.ID.String() + " agent " + e.Caller.Agent.Profile
	if !e.Caller.Agent.Verified {
		owner += " at " + wire.AddressKey(h.ClientAddress(e.Request))
	}
	return owner
}

func checkKey(_ *huma.Operation, key string) error {
	if n := utf8.RuneCountInString(key); key == "" || n >= shortestKey && n <= longestKey {
		return nil
	}
	return fault.New(fault.Malformed, "invalid_request", "The Idempotency-Key is too short or too long.").
		With(wire.KeyHeader, "must have 22 to 255 random characters")
}
