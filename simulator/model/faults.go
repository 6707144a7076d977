package model

import (
	"io"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Fault changes the answers to the next questions. It matches questions whose body contains Match. The text of an error
// echoes the API key.
type Fault = script.Fault

// The kinds of faults that only models have.
const (
	truncated = "truncated" // half of the body, with the matching Content-Length
	broken    = "broken"    // half of the body, after which the connection is cut
	empty     = "empty"     // an answer without a text
	blank     = "blank"     // a text of spaces
	hollow    = "hollow"    // a body without an answer
	cut       = "cut"       // half of the text, with the reason that the token limit was reached
	prose     = "prose"     // a text that is not JSON
	schema    = "schema"    // JSON of another form
	null      = "null"      // JSON null
)

// Kinds are all kinds of faults.
var Kinds = script.Kinds(truncated, broken, empty, blank, hollow, cut, prose, schema, null)

// applyFault applies a fault that leaves a question without an answer, and reports whether f is one.
func applyFault(f Fault, w http.ResponseWriter, r *http.Request, a api) bool {
	if f.Kind == broken {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"id":"`)
		_ = http.NewResponseController(w).Flush() // otherwise the headers are not sent
		panic(http.ErrAbortHandler)
	}
	return f.Befalls(w, r, script.Replies{
		Failure:   a.refusal("api_error", "The server had an error: "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")),
		Throttled: a.refusal("rate_limit_error", "Rate limit reached."),
		Elsewhere: "http://127.0.0.1:1/v1",
		Begin:     `{"choices":[{"message":{"content":"`, Pad: "and more ",
	})
}
