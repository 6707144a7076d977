package commerce_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// What a signature covers is the address that the sender knows, whatever is between.
func TestSignedRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		public, domain  string
		host, target    string
		authority       string
		wantPath, wantQ string
	}{
		"as it is":                    {"http://127.0.0.1:8080", "", "127.0.0.1:8080", "/p/demo/ucp/carts?a=%20b&c", "127.0.0.1:8080", "/p/demo/ucp/carts", "a=%20b&c"},
		"behind a proxy":              {"https://shops.example.com", "", "10.0.0.7:8080", "/p/demo/ucp/carts", "shops.example.com", "/p/demo/ucp/carts", ""},
		"behind a proxy, with a port": {"https://shops.example.com:8443", "", "inner", "/p/demo/ucp/carts", "shops.example.com:8443", "/p/demo/ucp/carts", ""},
		"with the scheme's port":      {"https://shops.example.com:443", "", "inner", "/p/demo/ucp/carts", "shops.example.com", "/p/demo/ucp/carts", ""},
		"a shop of its own host":      {"https://shops.example.com", "acp.example.com", "Demo.acp.example.com", "/ucp/carts", "demo.acp.example.com", "/ucp/carts", ""},
		"its host with the port":      {"https://shops.example.com", "acp.example.com", "demo.acp.example.com:443", "/ucp/carts", "demo.acp.example.com", "/ucp/carts", ""},
		"its host with another port":  {"https://shops.example.com", "acp.example.com", "demo.acp.example.com:8443", "/ucp/carts", "demo.acp.example.com:8443", "/ucp/carts", ""},
		"the host of all shops":       {"https://shops.example.com", "acp.example.com", "shops.example.com", "/p/demo/ucp/carts", "shops.example.com", "/p/demo/ucp/carts", ""},
		"a host that is none of ours": {"https://shops.example.com", "acp.example.com", "evil.example", "/p/demo/ucp/carts", "shops.example.com", "/p/demo/ucp/carts", ""},
		"another shop's host":         {"https://shops.example.com", "acp.example.com", "other.acp.example.com", "/p/demo/ucp/carts", "shops.example.com", "/p/demo/ucp/carts", ""},
		"escapes":                     {"https://shops.example.com", "", "inner", "/p/demo/ucp/carts/a%2Fb%20", "shops.example.com", "/p/demo/ucp/carts/a%2Fb%20", ""},
		"a path of the public URL":    {"https://example.com/haggle", "", "inner", "/p/demo/ucp/carts", "example.com", "/haggle/p/demo/ucp/carts", ""},
		"which the proxy leaves":      {"https://example.com/haggle/", "", "inner", "/haggle/p/demo/ucp/carts", "example.com", "/haggle/p/demo/ucp/carts", ""},
		"in absolute form":            {"https://shops.example.com", "", "inner", "http://inner/p/demo/ucp/carts?x=1", "shops.example.com", "/p/demo/ucp/carts", "x=1"},
	} {
		s := &commerce.Services{PublicURL: test.public, Address: func(slug string) string {
			if test.domain != "" {
				return "https://" + slug + "." + test.domain
			}
			return test.public + "/p/" + slug
		}}
		r := httptest.NewRequest(http.MethodPut, "/", nil)
		r.Host, r.RequestURI = test.host, test.target
		r.URL.Path = "/p/demo/ucp/carts" // as it is routed
		got := s.SignedRequest(r, "demo", []byte("{}"))
		if got.Method != http.MethodPut || got.Authority != test.authority || got.Path != test.wantPath || got.Query != test.wantQ || string(got.Body) != "{}" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAsking(t *testing.T) {
	t.Parallel()
	s := &commerce.Services{PublicURL: "https://shops.example.com", Address: func(slug string) string { return "https://shops.example.com/p/" + slug }}
	ask := func(body string) *wire.Entry[commerce.Buyer] {
		r := httptest.NewRequest(http.MethodPost, "/p/demo/ucp/carts", strings.NewReader(body))
		r.SetPathValue("slug", "demo")
		r.Header.Set("UCP-Agent", `profile="https://agent.example/p"`)
		return &wire.Entry[commerce.Buyer]{Request: r, Operation: &huma.Operation{MaxBodyBytes: 20, RequestBody: &huma.RequestBody{}}}
	}
	got, ok, err := s.Asking(ask(`{}`))
	if err != nil || !ok || got.Profile != "https://agent.example/p" || string(got.Signed.Body) != `{}` || got.Signed.Path != "/p/demo/ucp/carts" {
		t.Errorf("%+v, %t, %v", got, ok, err)
	}
	if got, ok, err := s.Asking(ask(strings.Repeat("x", 30))); err != nil || ok || got.Profile != "" {
		t.Errorf("%+v, %t, %v", got, ok, err)
	}
}
