package acp_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas validates responses against the OpenAPI document that the API publishes.
type schemas struct {
	compiler *jsonschema.Compiler
	paths    map[string]*regexp.Regexp
	document map[string]any
}

const documentURL = "urn:openapi"

func compile(t *testing.T, api huma.API) *schemas {
	t.Helper()
	text, err := json.Marshal(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	s := &schemas{
		compiler: jsonschema.NewCompiler(),
		paths:    map[string]*regexp.Regexp{},
		document: document.(map[string]any),
	}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	s.compiler.AssertFormat()
	if err := s.compiler.AddResource(documentURL, document); err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	for path := range s.document["paths"].(map[string]any) {
		s.paths[path] = regexp.MustCompile("^" + parameter.ReplaceAllString(path, "[^/]+") + "$")
	}
	return s
}

func (s *schemas) check(t *testing.T, r *http.Request, a answer) {
	t.Helper()
	for path, form := range s.paths {
		if !form.MatchString(r.URL.Path) {
			continue
		}
		operation, ok := s.document["paths"].(map[string]any)[path].(map[string]any)[strings.ToLower(r.Method)].(map[string]any)
		if !ok { // from another path that matches
			continue
		}
		status := strconv.Itoa(a.status)
		if _, documented := operation["responses"].(map[string]any)[status]; !documented {
			status = "default"
		}
		at := []string{"", "paths", path, strings.ToLower(r.Method), "responses", status, "content", "application/json", "schema"}
		for i, part := range at {
			at[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
		}
		schema, err := s.compiler.Compile(documentURL + "#" + (&url.URL{Fragment: strings.Join(at, "/")}).EscapedFragment())
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(decoded(t, a.text)); err != nil {
			t.Errorf("%s %s breaks the document: %v\n%s", r.Method, r.URL.Path, err, a.text)
		}
		return
	}
	t.Errorf("%s is not documented", r.URL.Path)
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestRegister_documentsEveryOperation(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	want := map[string]string{
		"/p/{slug}/.well-known/acp/manifest.json": "get", "/p/{slug}/acp/search": "post", "/p/{slug}/acp/products/{id}": "get",
		"/p/{slug}/acp/availability": "post", "/p/{slug}/acp/quote": "post", "/p/{slug}/acp/checkout/init": "post",
		"/p/{slug}/acp/checkout/finalize": "post", "/p/{slug}/acp/sessions/{id}": "get", "/p/{slug}/acp/sessions/{id}/extend": "post",
		"/p/{slug}/acp/orders/{id}": "get", "/p/{slug}/acp/orders/{id}/receipt": "get", "/p/{slug}/acp/orders/{id}/receipt/{code}": "get", "/p/{slug}/acp/returns": "post",
		"/p/{slug}/acp/returns/{id}": "get", "/p/{slug}/acp/orders/{id}/cancel": "post", "/p/{slug}/acp/checkout/cancel": "post",
		"/p/{slug}/acp/checkout/{id}": "put", "/p/{slug}/acp/checkout/{id}/page": "get", "/p/{slug}/acp/openapi.json": "get", "/p/{slug}": "get", "/p/{slug}/llms.txt": "get",
		"/p/{slug}/acp/cart":              "put",
		"/p/{slug}/.well-known/jwks.json": "get",
	}
	for path, method := range want {
		item, _ := s.document(path)[method].(map[string]any)
		if item == nil {
			t.Errorf("%s %s is missing", method, path)
			continue
		}
		for _, field := range []string{"operationId", "summary", "description", "tags"} {
			if item[field] == nil {
				t.Errorf("%s %s has no %s", method, path, field)
			}
		}
		for _, status := range []string{"400", "404", "500", "default"} {
			if item["responses"].(map[string]any)[status] == nil {
				t.Errorf("%s %s does not document %s", method, path, status)
			}
		}
	}
	if got := len(s.schema.paths); got != len(want) {
		t.Errorf("%d paths, want %d", got, len(want))
	}
}

func (s *shop) document(path string) map[string]any {
	item, _ := s.schema.document["paths"].(map[string]any)[path].(map[string]any)
	return item
}
