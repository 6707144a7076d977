package embeddings

import "github.com/haggle-commerce/haggle/simulator/script"

// Fault is what the next requests meet. It matches a request if one of its texts has the match in it.
type Fault = script.Fault

// Kinds of faults of an embeddings endpoint's own.
const (
	wrongSize  = "wrong_size"  // vectors of half the length
	uneven     = "uneven"      // one vector is shorter than the others
	wrongCount = "wrong_count" // one vector is missing
	wrongIndex = "wrong_index" // all have the index 0
	reversed   = "reversed"    // in the opposite order, with the right indexes: nothing is wrong with it
	zeros      = "zeros"       // vectors of nothing but 0
	notNumber  = "nan"         // NaN, which is no JSON
	huge       = "huge"        // numbers that no float32 holds
	empty      = "empty"       // vectors without numbers
	garbage    = "garbage"     // half of the JSON
)

var kinds = script.Kinds(wrongSize, uneven, wrongCount, wrongIndex, reversed, zeros, notNumber, huge, empty, garbage)

// replies are the endpoint's where it gives no vectors.
var replies = script.Replies{
	Failure:   refusal("server_error", "The server had an error while processing your request."),
	Throttled: refusal("rate_limit_exceeded", "Rate limit reached."),
	Elsewhere: "http://127.0.0.1:1/v1/embeddings",
	Begin:     `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1`, Pad: ",0.5",
}

// refusal is an error in the endpoint's form.
func refusal(code, text string) map[string]any {
	return map[string]any{"error": map[string]any{"message": text, "type": code, "code": code, "param": nil}}
}
