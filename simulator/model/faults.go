package model

import (
	"io"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Fault is what the next questions meet. It matches their bodies, and the text of an error repeats their keys.
type Fault = script.Fault

// Kinds of faults of a model's own.
const (
	truncated = "truncated" // half of the body, whose length is right
	broken    = "broken"    // half of the body that was announced, and the connection is cut
	empty     = "empty"     // an answer without a text
	blank     = "blank"     // a text of spaces
	hollow    = "hollow"    // a body without an answer
	cut       = "cut"       // half of the text, and it says that it reached its limit
	prose     = "prose"     // a text that is no JSON
	schema    = "schema"    // JSON of another form
	null      = "null"      // JSON without anything
)

// Kinds are all there are.
var Kinds = script.Kinds(truncated, broken, empty, blank, hollow, cut, prose, schema, null)

// befalls does what a fault does to a question that gets no answer, and reports whether it is one.
func befalls(f Fault, w http.ResponseWriter, r *http.Request, a api) bool {
	if f.Kind == broken {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"id":"`)
		_ = http.NewResponseController(w).Flush() // or nothing is sent
		panic(http.ErrAbortHandler)
	}
	return f.Befalls(w, r, script.Replies{
		Failure:   a.refusal("api_error", "The server had an error: "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")),
		Throttled: a.refusal("rate_limit_error", "Rate limit reached."),
		Elsewhere: "http://127.0.0.1:1/v1",
		Begin:     `{"choices":[{"message":{"content":"`, Pad: "and more ",
	})
}
