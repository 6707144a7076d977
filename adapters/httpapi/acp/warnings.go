package acp

import "github.com/haggle-commerce/haggle/adapters/httpapi/wire"

// warning tells of something in a request that had no effect, or not the one that its sender may have meant.
type warning struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty" doc:"Path of the request's field."`
	Message string `json:"message"`

	QuoteID     string      `json:"quote_id,omitempty" doc:"Of an agreement that the warning is about."`
	AgreedPrice *wire.Money `json:"agreed_price,omitempty" minimum:"0" doc:"For one piece, that the agreement is about."`
}
