package judge

import "strings"

// The severities of error messages.
const (
	unrecoverable       = "unrecoverable"
	requiresBuyerInput  = "requires_buyer_input"
	requiresBuyerReview = "requires_buyer_review"
)

// messages checks the paths of messages and the required parts of disclosures. It returns the number of errors by
// severity.
func (r *report) messages() map[string]int {
	severities := map[string]int{}
	for i, message := range list(r.root["messages"]) {
		where := at("$.messages", i)
		said := object(message)
		if text(said["type"]) == "error" {
			severities[text(said["severity"])]++
		}
		if path, anchored := said["path"].(string); anchored {
			r.path(where+".path", path)
		}
		r.require(strings.TrimSpace(text(said["content"])) != "", where+".content", "there is nothing to read")
		if r.judge.house {
			r.require(text(said["type"]) == "error" || said["severity"] == nil, where+".severity", "only an error has one")
		}
	}
	return severities
}

// errorEnvelope checks that an answer without a resource has an error message.
func (r *report) errorEnvelope() {
	r.version()
	errors := 0
	for i, message := range list(r.root["messages"]) {
		said := object(message)
		if text(said["type"]) == "error" {
			errors++
			r.require(!strings.HasPrefix(text(said["severity"]), "requires_") || r.root["continue_url"] != nil,
				at("$.messages", i)+".severity", "a hand-off needs a continue_url")
		}
		if path, anchored := said["path"].(string); anchored {
			r.require(strings.HasPrefix(path, "$"), at("$.messages", i)+".path", "%q is no RFC 9535 path", path)
		}
	}
	r.require(errors > 0, "$.messages", "none is an error, and there is no resource")
	r.https("continue_url", r.root["continue_url"])
}
