package wire_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The answer to an internal error does not show its cause.
func TestInternal_hidesCause(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for _, note := range []string{"panic", "plain"} {
		r := post(t, server.URL+management, "application/json", `{"offer_price":1,"note":"`+note+`"}`)
		r.is(t, 500, "internal_error")
		if strings.Contains(r.text, "secret cause") || strings.Contains(r.text, "EOF") {
			t.Errorf("%s shows its cause: %s", note, r.text)
		}
		r = post(t, server.URL+acp, "application/json", `{"offer_price":1,"note":"`+note+`"}`)
		r.is(t, 500, "internal_error")
		if !strings.Contains(r.text, `"retry_after":60`) || r.header.Get("Retry-After") != "60" {
			t.Errorf("%s: %s %v, want retry_after 60", note, r.text, r.header)
		}
	}
}

// An internal error is logged once, with its cause and the id of its request.
func TestHandler_logsInternalErrorOnce(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	handler := newHandler(slog.New(slog.NewTextHandler(&log, nil)))
	for note, cause := range map[string]string{"panic": "the secret cause", "plain": "unexpected EOF"} {
		log.Reset()
		r := httptest.NewRequest("POST", management, strings.NewReader(`{"offer_price":1,"note":"`+note+`"}`))
		r.Header.Set("X-Request-Id", "id-of-"+note)
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if strings.Count(log.String(), "level=ERROR") != 1 || !strings.Contains(log.String(), cause) ||
			!strings.Contains(log.String(), "request_id=id-of-"+note) {
			t.Errorf("%s: %s", note, log.String())
		}
	}
}

func TestErrorHeaders(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	r := post(t, server.URL+acp, "application/json", `{"offer_price":1,"note":"busy"}`)
	r.is(t, 503, "payment_unresolved")
	if r.header.Get("Retry-After") != "2" || !strings.Contains(r.text, `"status":"error"`) {
		t.Errorf("%v %s", r.header, r.text)
	}
	r = post(t, server.URL+management, "application/json", `{"offer_price":1,"note":"who"}`)
	r.is(t, 401, "unauthenticated")
	if r.header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(r.text, `"details":[]`) {
		t.Errorf("%v %s", r.header, r.text)
	}
}

func TestUnrouted(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for _, c := range []struct {
		method, path, code string
		status             int
		allow              string
	}{
		{"GET", "/v1/nothing", "route_not_found", 404, ""},
		{"GET", "/p/demo/nothing", "route_not_found", 404, ""},
		{"DELETE", management, "method_not_allowed", 405, "POST"},
		{"GET", acp, "method_not_allowed", 405, "POST"},
		{"POST", "/openapi.json", "method_not_allowed", 405, "GET, HEAD"},
	} {
		r := do(t, request(t, c.method, server.URL+c.path, ""))
		r.is(t, c.status, c.code)
		if r.header.Get("Allow") != c.allow {
			t.Errorf("%s %s allows %q, want %q", c.method, c.path, r.header.Get("Allow"), c.allow)
		}
		if isACP := strings.HasPrefix(c.path, "/p/"); strings.Contains(r.text, `"status":"error"`) != isACP {
			t.Errorf("%s has the wrong shape: %s", c.path, r.text)
		}
	}
}

func TestInvalidParameters(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "limit=1.5": "limit",
		"limit=%00": "", "limit=%ff": "", "limit=%zz": "",
	} {
		r := post(t, server.URL+management+"?"+query, "application/json", `{"offer_price":1}`)
		fields := strings.Fields(field)
		r.is(t, 400, "invalid_request", fields...)
	}
	post(t, server.URL+"/p/%00/offers", "application/json", `{"offer_price":1}`).is(t, 400, "invalid_request")
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for given, kept := range map[string]bool{
		"mine-1": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false, "": false, "caf\u00e9": false,
	} {
		r := request(t, "GET", server.URL+"/v1/nothing", "")
		r.Header.Set("X-Request-Id", given)
		got := do(t, r)
		id := got.header.Get("X-Request-Id")
		if (id == given) != kept || id == "" || !strings.Contains(got.text, `"request_id":"`+id+`"`) {
			t.Errorf("%q became %q: %s", given, id, got.text)
		}
	}
}

func TestCheckEncoding(t *testing.T) {
	t.Parallel()
	r := request(t, "POST", newServer(t).URL+management, "not really compressed")
	r.Header.Set("Content-Encoding", "gzip")
	do(t, r).is(t, 415, "unsupported_media_type")
}

// A chunked body has no Content-Length by which it could be refused.
func TestReadBody_chunked(t *testing.T) {
	t.Parallel()
	url := newServer(t).URL
	for path, limit := range map[string]int{management: 1 << 20, acp: 64 << 10} {
		r := request(t, "POST", url+path, "")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", limit+1))), -1
		do(t, r).is(t, 413, "body_too_large")
	}
}

func TestServeDocument(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	for path, want := range map[string]string{
		"/openapi.json": `"openapi":"3.1.0"`,
		"/openapi.yaml": "openapi: 3.1.0",
	} {
		r := do(t, request(t, "GET", server.URL+path, ""))
		if r.status != 200 || !strings.Contains(r.text, want) {
			t.Errorf("%s: %d without %s", path, r.status, want)
		}
	}
}

// The documented errors have the schema of their API.
func TestDocumentErrors_schema(t *testing.T) {
	t.Parallel()
	r := do(t, request(t, "GET", newServer(t).URL+"/openapi.json", ""))
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(r.text), &doc); err != nil {
		t.Fatal(err)
	}
	for path, shape := range map[string]string{management: "ManagementError", "/p/{slug}/offers": "ACPError"} {
		responses := doc.Paths[path]["post"].Responses
		for _, status := range []string{"400", "413", "415", "422", "500", "default"} {
			if ref := responses[status].Content["application/json"].Schema.Ref; ref != "#/components/schemas/"+shape {
				t.Errorf("%s %s: %q", path, status, ref)
			}
		}
	}
}

func request(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func do(t *testing.T, r *http.Request) reply {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, response)
}
