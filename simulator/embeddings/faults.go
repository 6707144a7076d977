package embeddings

import "github.com/haggle-commerce/haggle/simulator/script"

// Fault changes the answers to the next requests. It matches a request if one of its texts contains Match.
type Fault = script.Fault

// The kinds of faults that only embeddings endpoints have.
const (
	wrongSize  = "wrong_size"  // vectors of half the length
	uneven     = "uneven"      // one vector is shorter than the others
	wrongCount = "wrong_count" // one vector is missing
	wrongIndex = "wrong_index" // all have the index 0
	reversed   = "reversed"    // in the opposite order with the right indexes, which is valid
	zeros      = "zeros"       // vectors of zeros
	notNumber  = "nan"         // NaN, which is not JSON
	huge       = "huge"        // numbers beyond float32
	empty      = "empty"       // vectors without numbers
	garbage    = "garbage"     // half of the JSON
)

var kinds = script.Kinds(wrongSize, uneven, wrongCount, wrongIndex, reversed, zeros, notNumber, huge, empty, garbage)

// replies are the endpoint's error answers.
var replies = script.Replies{
	Failure:   refusal("server_error", "The server had an error while processing your request."),
	Throttled: refusal("rate_limit_exceeded", "Rate limit reached."),
	Elsewhere: "http://127.0.0.1:1/v1/embeddings",
	Begin:     `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1`, Pad: ",0.5",
}

// refusal returns an error in the endpoint's format.
func refusal(code, text string) map[string]any {
	return map[string]any{"error": map[string]any{"message": text, "type": code, "code": code, "param": nil}}
}
