package demo_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/demo"
)

func get(method, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	demo.Images().ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer
}

func TestImages(t *testing.T) {
	t.Parallel()
	for _, p := range products(t) {
		answer := get(http.MethodGet, p.Images[0].URL)
		if answer.Code != http.StatusOK {
			t.Fatalf("%s: %d", p.Images[0].URL, answer.Code)
		}
		if shown := textOf(t, answer.Body); !strings.Contains(shown, p.Name) {
			t.Errorf("%s shows %q, want the name %q", p.SKU, shown, p.Name)
		}
	}
}

// textOf returns the text of an XML document. It fails the test unless body is well-formed.
func textOf(t *testing.T, body io.Reader) string {
	t.Helper()
	var text strings.Builder
	for tokens := xml.NewDecoder(body); ; {
		token, err := tokens.Token()
		if err == io.EOF {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok {
			text.Write(chars)
		}
	}
}

func TestImages_headers(t *testing.T) {
	t.Parallel()
	answer := get(http.MethodGet, "/demo/images/KETTLE-GOOSE.svg")
	for name, want := range map[string]string{
		"Content-Type":            "image/svg+xml",
		"Cache-Control":           "public, max-age=86400",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
	} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if again := get(http.MethodGet, "/demo/images/KETTLE-GOOSE.svg"); again.Body.String() != answer.Body.String() {
		t.Error("the same picture came out differently")
	}
}

func TestImages_otherPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{
		"/demo/images/NOBODY.svg":           http.StatusNotFound,
		"/demo/images/KETTLE-GOOSE":         http.StatusNotFound,
		"/demo/images/KETTLE-GOOSE.png":     http.StatusNotFound,
		"/demo/images/":                     http.StatusNotFound,
		"/demo/images/a/KETTLE-GOOSE.svg":   http.StatusNotFound,
		"/demo/images/%3Cscript%3E.svg":     http.StatusNotFound,
		"/elsewhere/KETTLE-GOOSE.svg":       http.StatusNotFound,
		"/demo/images/KETTLE-GOOSE.svg?v=1": http.StatusOK,
	} {
		if got := get(http.MethodGet, path).Code; got != want {
			t.Errorf("GET %s: %d, want %d", path, got, want)
		}
	}
	if got := get(http.MethodPost, "/demo/images/KETTLE-GOOSE.svg").Code; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d, want 405", got)
	}
}
