package judge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// StructuredContent returns the answer in the result of an MCP tool, and the problems of its envelope: the answer must be
// in structuredContent, and a text must be the same JSON.
func StructuredContent(result []byte) (json.RawMessage, error) {
	var wrapped struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(result, &wrapped); err != nil {
		return nil, schema.Problems{{Path: "$", Reason: "the result cannot be read: " + err.Error()}}
	}
	var found schema.Problems
	if len(wrapped.StructuredContent) == 0 {
		return nil, schema.Problems{{Path: "$.structuredContent", Reason: "the answer belongs there"}}
	}
	if wrapped.IsError {
		found = append(found, schema.Problem{Path: "$.isError", Reason: "a business outcome is no error of the tool"})
	}
	for i, part := range wrapped.Content {
		if part.Type == "text" && !sameJSON([]byte(part.Text), wrapped.StructuredContent) {
			found = append(found, schema.Problem{Path: at("$.content", i) + ".text", Reason: "it is not the JSON of structuredContent"})
		}
	}
	return wrapped.StructuredContent, found.Err()
}

func sameJSON(one, other []byte) bool {
	a, err := decode(one)
	b, otherErr := decode(other)
	return err == nil && otherErr == nil && reflect.DeepEqual(a, b)
}

// statuses are the statuses of transport errors, with the codes that belong to some of them (overview, error codes).
var statuses = map[string][]int{
	"invalid_profile_url":   {400},
	"profile_unreachable":   {424},
	"profile_malformed":     {422},
	"version_unsupported":   {422},
	"signature_missing":     {401},
	"signature_invalid":     {401},
	"key_not_found":         {401},
	"digest_mismatch":       {400},
	"algorithm_unsupported": {400},
}

// TransportError checks a REST answer whose status is neither 200 nor 201. It may have no body; a body must have code and
// content.
func TransportError(status int, body []byte) error {
	allowed := []int{400, 401, 403, 404, 405, 409, 413, 415, 422, 424, 429, 500, 503}
	var found schema.Problems
	if !slices.Contains(allowed, status) {
		found = append(found, schema.Problem{Path: "$", Reason: fmt.Sprintf("status %d is none of UCP's", status)})
	}
	if len(strings.TrimSpace(string(body))) == 0 {
		return found.Err()
	}
	value, err := decode(body)
	if err != nil {
		return err
	}
	said := object(value)
	for _, name := range []string{"code", "content"} {
		if text(said[name]) == "" {
			found = append(found, schema.Problem{Path: "$." + name, Reason: "a transport error has one"})
		}
	}
	if want := statuses[text(said["code"])]; want != nil && !slices.Contains(want, status) {
		found = append(found, schema.Problem{Path: "$.code", Reason: fmt.Sprintf("%s is not answered with %d", text(said["code"]), status)})
	}
	return found.Err()
}
