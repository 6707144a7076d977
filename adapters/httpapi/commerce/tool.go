package commerce

import "net/http"

// Tool is an operation as a model calls it. Names and descriptions are trusted by models: nothing of a shop's is in them.
type Tool struct {
	Name        string
	Description string
	// Method and Path are the operation's, below the address of a shop. A {id} in the path is the argument id.
	Method, Path string
	// Body is the argument that is the operation's body; "": all arguments are, but for id and meta.
	Body     string
	NoBody   bool
	Schema   map[string]any // JSON Schema 2020-12 of the arguments
	NeedsKey bool           // the call is refused without an idempotency key
	ReadOnly bool
	// Destructive tools take money, or undo what cannot be had back.
	Destructive bool
}

// Toolset are the tools at one address.
type Toolset struct {
	Prefix string // of the address, below the shop's
	Tools  []Tool
	// Vouch refuses a message that calls none of them, if it is sent with credentials that are not valid.
	Vouch func(w http.ResponseWriter, r *http.Request, body []byte) error
}
