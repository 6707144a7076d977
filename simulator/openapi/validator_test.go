package openapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/openapi"
)

const shopDocument = `{
  "openapi": "3.1.0",
  "info": {"title": "shop", "version": "1"},
  "paths": {
    "/p/{slug}/acp/quote": {"post": {"responses": {
      "200": {"description": "answer", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Quote"}}}},
      "429": {"$ref": "#/components/responses/Limited"},
      "default": {"description": "error", "content": {"application/json": {"schema": {"type": "object", "required": ["error"]}}}}
    }}},
    "/v1/things/{id}": {"delete": {"responses": {"204": {"description": "gone"}}}},
    "/v1/things/special": {"get": {"responses": {"200": {"description": "text", "content": {"text/plain": {}}}}}}
  },
  "components": {
    "responses": {"Limited": {"description": "slow down", "content": {"application/problem+json": {"schema": {"type": "object", "required": ["retry_after"]}}}}},
    "schemas": {"Quote": {"type": "object", "required": ["price", "valid_until"], "additionalProperties": false, "properties": {
      "price": {"type": "number", "exclusiveMinimum": 0},
      "valid_until": {"type": "string", "format": "date-time"}
    }}}
  }
}`

func serve(t *testing.T, document string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/openapi.json" || document == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, document)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const asJSON, quote = "application/json; charset=utf-8", "/p/demo/acp/quote"
	const fine = `{"price": 10.5, "valid_until": "2026-01-02T03:04:05Z"}`
	tests := map[string]struct {
		method, path, contentType, body string
		status                          int
		reason                          string // empty: no violation
	}{
		"a body that fits":           {"POST", quote, asJSON, fine, 200, ""},
		"a wrong type":               {"POST", quote, asJSON, `{"price": "10", "valid_until": "2026-01-02T03:04:05Z"}`, 200, "/price"},
		"a missing field":            {"POST", quote, asJSON, `{"price": 10}`, 200, "valid_until"},
		"a field too many":           {"POST", quote, asJSON, `{"price": 1, "valid_until": "2026-01-02T03:04:05Z", "floor": 3}`, 200, "floor"},
		"a wrong format":             {"POST", quote, asJSON, `{"price": 1, "valid_until": "tomorrow"}`, 200, "date-time"},
		"not JSON at all":            {"POST", quote, asJSON, `{"price": 1`, 200, "not JSON"},
		"two JSON values":            {"POST", quote, asJSON, fine + fine, 200, "not JSON"},
		"another content type":       {"POST", quote, "text/html", "<p>", 200, "content type"},
		"default covers the rest":    {"POST", quote, asJSON, `{"error": "x"}`, 503, ""},
		"default is judged":          {"POST", quote, asJSON, `{"oops": "x"}`, 503, "error"},
		"a response by reference":    {"POST", quote, "application/problem+json", `{"retry_after": 1}`, 429, ""},
		"a reference is judged":      {"POST", quote, "application/problem+json", `{}`, 429, "retry_after"},
		"an undocumented path":       {"GET", "/p/demo/acp/secrets", asJSON, `{}`, 200, "path is not documented"},
		"an unknown path says so":    {"GET", "/p/demo/acp/secrets", asJSON, `{}`, 404, ""},
		"an undocumented method":     {"PUT", quote, asJSON, `{}`, 200, "method is not documented"},
		"a method that is refused":   {"PUT", quote, asJSON, `{}`, 405, ""},
		"an empty answer":            {"DELETE", "/v1/things/t1", "", "", 204, ""},
		"a body where none belongs":  {"DELETE", "/v1/things/t1", asJSON, `{}`, 204, "a body"},
		"an undocumented status":     {"DELETE", "/v1/things/t1", asJSON, `{}`, 500, "status is not documented"},
		"a concrete path goes first": {"GET", "/v1/things/special", "text/plain", "hi", 200, ""},
	}
	base := serve(t, shopDocument)
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			validator := openapi.NewValidator()
			validator.Check(base, openapi.Answer{
				Method: c.method,
				Path:   c.path,
				Status: c.status,
				Body:   []byte(c.body),
				Header: http.Header{"Content-Type": {c.contentType}, "X-Request-Id": {"r1"}},
			})
			found := validator.Violations()
			switch {
			case c.reason == "" && len(found) > 0:
				t.Errorf("unexpected: %s", found[0])
			case c.reason != "" && (len(found) != 1 || !strings.Contains(found[0].Reason, c.reason)):
				t.Errorf("got %v, want one about %q", found, c.reason)
			}
		})
	}
}

func TestValidator_Violations_bounded(t *testing.T) {
	t.Parallel()
	base, validator := serve(t, shopDocument), openapi.NewValidator()
	for range 250 {
		validator.Check(base, openapi.Answer{
			Method: "PUT",
			Path:   "/nowhere",
			Status: 200,
		})
	}
	if len(validator.Violations()) != 100 || validator.Count() != 250 || validator.Checked() != 250 {
		t.Errorf("kept %d, counted %d of %d", len(validator.Violations()), validator.Count(), validator.Checked())
	}
}

func TestValidator_Check_noDocument(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"", "{", `{"openapi": "3.0.3"}`} {
		validator := openapi.NewValidator()
		if validator.Check(serve(t, document), openapi.Answer{
			Method: "GET",
			Path:   "/x",
			Status: 200,
		}) {
			t.Errorf("document %q was good enough", document)
		}
	}
}

func TestValidator_Check_readsTheDocumentAgainAfterALostConnection(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			panic(http.ErrAbortHandler) // which closes the connection
		}
		fmt.Fprint(w, shopDocument)
	}))
	t.Cleanup(server.Close)
	validator := openapi.NewValidator()
	validator.Check(server.URL, openapi.Answer{
		Method: "GET",
		Path:   "/absent",
		Status: 404,
	})
	if found := validator.Violations(); len(found) != 0 {
		t.Errorf("%v after %d requests", found, asked.Load())
	}
}

func TestValidator_Transport(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.json" {
			fmt.Fprint(w, shopDocument)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"price": -1}`)
	}))
	t.Cleanup(server.Close)
	validator := openapi.NewValidator()
	client := &http.Client{Transport: validator.Transport(server.URL, http.DefaultTransport)}
	response, err := client.Post(server.URL+"/p/demo/acp/quote?x=1", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != `{"price": -1}` {
		t.Errorf("body %q, %v", body, err)
	}
	if found := validator.Violations(); len(found) != 1 || found[0].Path != "/p/demo/acp/quote" {
		t.Errorf("violations %v", found)
	}
}

func BenchmarkCheck(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, shopDocument) }))
	defer server.Close()
	validator := openapi.NewValidator()
	answer := openapi.Answer{
		Method: "POST",
		Path:   "/p/demo/acp/quote",
		Status: 200,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   []byte(`{"price": 10.5, "valid_until": "2026-01-02T03:04:05Z"}`),
	}
	for b.Loop() {
		if !validator.Check(server.URL, answer) {
			b.Fatal(validator.Violations())
		}
	}
}
