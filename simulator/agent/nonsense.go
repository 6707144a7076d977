package agent

import (
	"net/http"
	"strconv"
	"strings"
)

// Kinds is the number of kinds of nonsense.
const Kinds = 20

// broken are answers to each event with one mistake. Other nonsense is the same for all events.
var broken = map[string][]string{
	"acp.quote": {
		`{"status": "counter_offer", "price": "82.00"}`, `{"status": "counter_offer", "price": -82}`,
		`{"status": "counter_offer", "price": 1e400}`, `{"status": "counter_offer", "price": 82.000001}`,
		`{"status": "counter_offer"}`, `{"status": "sold", "price": 82}`,
		`{"status": "counter_offer", "price": 0}`, `{"status": "counter_offer", "price": {"amount": 82}}`,
		`{"status": "accept", "status": "reject", "price": 82}`, `{"STATUS": "accept"}`,
	},
	"acp.search": {
		`{"results": [{"product_id": "prod_00000000000000000000000000"}]}`, `{"results": [{"product_id": 7}]}`,
		`{"results": [{"id": "x"}]}`, `{"results": null}`, `{"results": {}}`, `{"products": []}`,
		`{"results": [], "semantic_confidence": 7}`, `{"results": [], "semantic_confidence": "high"}`,
		`{"results": [], "results": []}`, `{"RESULTS": []}`,
	},
	"": {
		`{"approve": "yes"}`, `{"approve": 1}`, `{"approve": null}`, `{"approved": true}`, `{"reason": "no"}`, `{"approve": {}}`,
		`{"approve": true, "approve": false}`, `{"APPROVE": false}`, `{"approve": []}`, `{"approve": false, "reason": 7}`,
	},
}

// tooLong would be a valid answer to every event if it were shorter.
var tooLong = `{"status": "accept", "results": [], "approve": true, "message": "` + strings.Repeat("long ", 14_000) + `"}`

// writeNonsense writes nonsense of the turn-th kind.
func writeNonsense(w http.ResponseWriter, asked request, turn int) {
	texts, ok := broken[asked.Type]
	if !ok {
		texts = broken[""]
	}
	bodies := append([]string{
		"", "null", tooLong, "[]", `{}`, `{"status": "counter_offer", "price": 82`, "<!doctype html><title>Welcome</title>",
		`{"status": "counter_offer", "price": NaN, "approve": NaN, "results": NaN}`, "{\"message\": \"\xff\xfe\"}",
		strings.Repeat("[", 2000),
	}, texts...)
	w.Header().Set("Content-Type", "application/json")
	body := bodies[turn%Kinds]
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write([]byte(body))
}
