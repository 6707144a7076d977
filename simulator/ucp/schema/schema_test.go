package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

func TestCompile_everySchemaInEveryDirection(t *testing.T) {
	for _, version := range schema.Versions {
		documents, err := schema.Documents(version)
		if err != nil || len(documents) < 78 {
			t.Fatalf("%d schemas of %s, %v", len(documents), version, err)
		}
		for id := range documents {
			for _, ref := range []schema.Ref{
				{version, schema.Response, "read", id},
				{version, schema.Request, "create", id},
				{version, schema.Request, "update", id},
				{version, schema.Request, "complete", id},
			} {
				if _, err := schema.Compile(ref); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestDocuments_unknownVersion(t *testing.T) {
	if _, err := schema.Documents("2020-01-01"); err == nil {
		t.Error("2020-01-01 was found")
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func TestResolve(t *testing.T) {
	const document = `{"required": ["a", "b"], "properties": {
		"a": {"type": "string", "ucp_request": "omit"},
		"b": {"ucp_request": {"create": "optional", "update": "omit"}, "items": {"required": ["x"], "properties": {"x": {"ucp_request": "omit"}}}},
		"c": {"ucp_request": "required", "ucp_response": "omit"},
		"d": {"properties": {"properties": {"const": {"ucp_request": "omit"}}}}}}`
	tests := []struct {
		name      string
		direction schema.Direction
		operation string
		want      string
	}{
		{"create", schema.Request, "create", `{"required": ["c"], "properties": {
			"b": {"items": {"properties": {}}},
			"c": {"ucp_response": "omit"},
			"d": {"properties": {"properties": {"const": {"ucp_request": "omit"}}}}}}`},
		{"update", schema.Request, "update", `{"required": ["c"], "properties": {
			"c": {"ucp_response": "omit"},
			"d": {"properties": {"properties": {"const": {"ucp_request": "omit"}}}}}}`},
		{"answer", schema.Response, "create", `{"required": ["a", "b"], "properties": {
			"a": {"type": "string", "ucp_request": "omit"},
			"b": {"ucp_request": {"create": "optional", "update": "omit"}, "items": {"required": ["x"], "properties": {"x": {"ucp_request": "omit"}}}},
			"d": {"properties": {"properties": {"const": {"ucp_request": "omit"}}}}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			from := decode(t, document)
			got := schema.Resolve(from, test.direction, test.operation)
			if !reflect.DeepEqual(got, decode(t, test.want)) {
				text, _ := json.MarshalIndent(got, "", " ")
				t.Errorf("%s", text)
			}
			if !reflect.DeepEqual(from, decode(t, document)) {
				t.Error("the original was changed")
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	f.Add(`{"properties": {"a": {"ucp_request": "omit"}}, "required": ["a"]}`, "create")
	f.Add(`{"properties": [], "required": {}}`, "update")
	f.Add(`{"allOf": [{"properties": {"a": {"ucp_request": {"x": 1}}}}], "required": [1, null, {}]}`, "")
	f.Fuzz(func(t *testing.T, text, operation string) {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Skip()
		}
		schema.Resolve(document, schema.Request, operation)
		schema.Omitted(document, operation)
	})
}

func TestValidate_readablePaths(t *testing.T) {
	ref := schema.Ref{
		Version:   schema.V20260825,
		Direction: schema.Request,
		Operation: "create",
		Location:  "shopping/checkout.json",
	}
	found, err := schema.Validate(ref, decode(t, `{"line_items": [{"item": {"id": "x"}, "quantity": 0}]}`))
	if err != nil || len(found) != 1 || found[0].Path != "$.line_items[0].quantity" || !strings.Contains(found[0].Reason, "minimum") {
		t.Error(found, err)
	}
	if found, err := schema.Validate(ref, decode(t, `{"line_items": [{"item": {"id": "x"}, "quantity": 1}]}`)); err != nil || len(found) > 0 {
		t.Error(found, err)
	}
}
