package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// Six operations repeat a response, a header and a parameter; one is of the ACP API, and one differs. The shared document has
// each definition once, and is equivalent to the original.
func TestDocument_shared(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{
		Title:   "Test",
		Version: "1",
	})
	for i := range 6 {
		register(api, fmt.Sprintf("/v1/things/%d", i), "Which page.")
	}
	register(api, "/v1/things/other", "Another page.")
	register(api, "/p/shop", "Which page.")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	response, err := http.Get(server.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var served map[string]any
	if err := json.NewDecoder(response.Body).Decode(&served); err != nil {
		t.Fatal(err)
	}
	for path, refs := range map[string][3]any{
		"/v1/things/3":     {"#/components/parameters/page", "#/components/responses/BadRequest", "#/components/headers/RateLimit-Limit"},
		"/v1/things/other": {nil, "#/components/responses/BadRequest", "#/components/headers/RateLimit-Limit"},
		"/p/shop":          {"#/components/parameters/page", nil, "#/components/headers/RateLimit-Limit"},
	} {
		op := at(served, "paths", path, "get")
		parameter := op.(map[string]any)["parameters"].([]any)[0]
		got := [3]any{
			at(parameter, "$ref"),
			at(op, "responses", "400", "$ref"),
			at(op, "responses", "200", "headers", "RateLimit-Limit", "$ref"),
		}
		if got != refs {
			t.Errorf("%s refers to %v, want %v", path, got, refs)
		}
	}
	text, err := json.Marshal(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	var original map[string]any
	if err := json.Unmarshal(text, &original); err != nil {
		t.Fatal(err)
	}
	if got := resolved(served, served["paths"]); !reflect.DeepEqual(got, original["paths"]) {
		t.Errorf("the document says something else:\n%v\n%v", got, original["paths"])
	}
}

func register(api huma.API, path, doc string) {
	op := huma.Operation{
		OperationID: path,
		Method:      http.MethodGet,
		Path:        path,
		Parameters: []*huma.Param{{
			Name:        "page",
			In:          "query",
			Description: doc,
			Schema:      &huma.Schema{Type: huma.TypeInteger},
		}},
	}
	if path == "/p/shop" {
		buyers.On(&op)
	}
	huma.Register(api, op, func(context.Context, *struct{}) (*struct{ Body struct{ Name string } }, error) { return nil, nil })
}

func at(node any, steps ...string) any {
	for _, step := range steps {
		object, _ := node.(map[string]any)
		node = object[step]
	}
	return node
}

// resolved replaces references to responses, headers and parameters.
func resolved(doc, node any) any {
	switch n := node.(type) {
	case map[string]any:
		for _, section := range []string{"responses", "headers", "parameters"} {
			var name string
			if _, err := fmt.Sscanf(fmt.Sprint(n["$ref"]), "#/components/"+section+"/%s", &name); err == nil {
				return resolved(doc, at(doc, "components", section, name))
			}
		}
		copied := map[string]any{}
		for key, v := range n {
			copied[key] = resolved(doc, v)
		}
		return copied
	case []any:
		copied := make([]any, len(n))
		for i, v := range n {
			copied[i] = resolved(doc, v)
		}
		return copied
	}
	return node
}
