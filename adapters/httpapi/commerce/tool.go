package commerce

import "net/http"

// Tool is an operation that models can call. Models trust names and descriptions, so these contain no text of a shop.
type Tool struct {
	Name        string
	Description string
	// Method and Path are the operation's, relative to the address of a shop. {id} in the path is replaced by the argument id.
	Method, Path string
	// Body is the argument that is the operation's body; "": the body has all arguments except id and meta.
	Body     string
	NoBody   bool
	Schema   map[string]any // JSON Schema 2020-12 of the arguments
	NeedsKey bool           // the call is refused without an idempotency key
	ReadOnly bool
	// Destructive tools take money, or undo something that cannot be restored.
	Destructive bool
}

// Toolset are the tools at one address.
type Toolset struct {
	Prefix string // of the address, below the shop's
	Tools  []Tool
	// Vouch refuses a message that calls no tool if its credentials are invalid.
	Vouch func(w http.ResponseWriter, r *http.Request, body []byte) error
}
