package acp

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Style is the form of the API's errors, and what its requests may contain (features/PROTOCOL.md#errors).
var Style = &wire.Style{
	ErrorType:     reflect.TypeFor[Error](),
	Error:         toAPIError,
	Prefix:        "ACP",
	RetryInternal: time.Minute, // features/MANAGEMENT.md#errors
	MaxBody:       wire.ACPBody,
	Lenient:       true,
	Public:        true,
}

// Error is an error of the API (features/PROTOCOL.md#quotes, features/PROTOCOL.md#errors).
type Error struct {
	status     int
	Status     string        `json:"status" enum:"error"`
	Code       string        `json:"error" doc:"Stable; branch on this code."`
	Message    string        `json:"message" doc:"For people."`
	Details    []wire.Detail `json:"details,omitempty"`
	RetryAfter int           `json:"retry_after,omitzero" doc:"Seconds to wait before trying again."`
	RequestID  string        `json:"request_id"`

	Deal        *errorDeal  `json:"deal,omitempty" doc:"Of quote_accepted: the state of the deal."`
	NextActions nextActions `json:"next_actions,omitempty"`
}

// errorDeal is the agreement of a quote that accepts no further offers.
type errorDeal struct {
	QuoteID    string     `json:"quote_id"`
	Status     string     `json:"status" enum:"open,expired,redeemed" doc:"open: the checkout_token that you received opens a checkout until valid_until."`
	FinalPrice wire.Money `json:"final_price" minimum:"0"`
	Currency   string     `json:"currency" example:"USD"`
	ValidUntil wire.Time  `json:"valid_until"`
}

func (e *Error) Error() string  { return e.Code }
func (e *Error) GetStatus() int { return e.status }

func toAPIError(status int, e *fault.Error, requestID string) huma.StatusError {
	made := &Error{
		status:     status,
		Status:     "error",
		Code:       e.Code,
		Message:    e.Message,
		Details:    wire.ToDetails(e.Details),
		RetryAfter: wire.Seconds(e.RetryAfter),
		RequestID:  requestID,

		NextActions: afterError(e),
	}
	if d, ok := e.About.(negotiation.Deal); ok {
		made.NextActions = afterDeal(d)
		made.Deal = &errorDeal{
			QuoteID:    d.Quote.String(),
			Status:     d.Status.String(),
			FinalPrice: wire.ToMoney(d.Price),
			Currency:   d.Price.Currency().Code(),
			ValidUntil: wire.ToTime(d.ValidUntil),
		}
	}
	return made
}
