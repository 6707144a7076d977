package commerce_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// A signature covers the address that the sender knows, even if proxies between them change it.
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

// fakeProfiles has the profile of an agent that can check out, for Services.Identity.
type fakeProfiles struct{ profile agentid.Profile }

func (k fakeProfiles) Profile(_ ports.Outbound, url, _ string) (agentid.Profile, error) {
	if url != k.profile.URL {
		return agentid.Profile{}, fault.New(fault.Unfulfilled, "profile_unreachable", "")
	}
	return k.profile, nil
}

func (k fakeProfiles) Renew(ctx ports.Outbound, url, _ string) (agentid.Profile, error) {
	return k.Profile(ctx, url, "")
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// An agent that signs its requests to the shop's address is identified through net/http, a proxy and the mux.
func TestIdentify(t *testing.T) {
	t.Parallel()
	key, err := signing.ParsePrivate(bytes.Repeat([]byte{1}, signing.PrivateSize))
	if err != nil {
		t.Fatal(err)
	}
	served := capability.Served(capability.V20260825, capability.Name{})
	agent := agentid.Profile{
		URL:      "https://agent.example/p",
		Declares: served,
		Keys:     []agentid.Key{{ID: key.Public().Thumbprint(), Public: key.Public(), Signs: true}},
	}
	services := &commerce.Services{
		Identity: &identity.Service{
			Profiles:   fakeProfiles{agent},
			Signatures: httpsig.Requests{},
			Clock:      systemClock{},
		},
		ClientAddress: func(*http.Request) netip.Addr { return netip.MustParseAddr("198.51.100.7") },
	}
	op := &huma.Operation{MaxBodyBytes: 100, RequestBody: &huma.RequestBody{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/p/{slug}/ucp/carts/{id}", func(w http.ResponseWriter, r *http.Request) {
		e := &wire.Entry[commerce.Buyer]{
			Writer:    w,
			Request:   r,
			Operation: op,
		}
		e.Caller.Shop = &project.Project{Slug: "demo"}
		caller, err := services.Identify(e, func(asking *identity.Request) error {
			asking.Business, asking.Needs = []capability.Set{served}, capability.Cart
			return nil
		})
		rest, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%+v %t %v %d", e.Caller.Agent, caller.Agent == e.Caller.Agent, err, len(rest))
	})
	inner := httptest.NewServer(mux)
	t.Cleanup(inner.Close)
	target, _ := url.Parse(inner.URL)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}) // it changes the host
	t.Cleanup(proxy.Close)
	services.PublicURL = proxy.URL
	services.Address = func(slug string) string { return proxy.URL + "/p/" + slug }
	send := func(body string, change func(*http.Request)) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, proxy.URL+"/p/demo/ucp/carts/a%20b?x=%2F&y", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("UCP-Agent", `profile="https://agent.example/p"`)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Content-Digest", httpsig.Digest([]byte(body)))
		covered := []string{"@method", "@authority", "@path", "@query", "ucp-agent", "content-digest", "content-type"}
		if err := httpsig.Sign(httpsig.Request(r.Method, r.URL, r.Header), "sig1", covered, time.Now(), key); err != nil {
			t.Fatal(err)
		}
		change(r)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	verified := fmt.Sprintf("%+v true <nil> 2", agentid.Agent{
		Profile:  agent.URL,
		Verified: true,
		Key:      key.Public().Thumbprint(),
	})
	if got := send(`{}`, func(*http.Request) {}); got != verified {
		t.Errorf("signed: %s", got)
	}
	op.RequestBody = nil // as in a cancellation: the body is signed, and ignored
	if got := send(`{}`, func(*http.Request) {}); got != verified {
		t.Errorf("signed, with a body that the operation does not take: %s", got)
	}
	op.RequestBody = &huma.RequestBody{}
	for name, test := range map[string]struct {
		body   string
		change func(*http.Request)
		want   string
	}{
		"unsigned": {`{}`, func(r *http.Request) { r.Header.Del("Signature"); r.Header.Del("Signature-Input") },
			fmt.Sprintf("%+v true <nil> 2", agentid.Agent{Profile: agent.URL})},
		"another query":     {`{}`, func(r *http.Request) { r.URL.RawQuery = "x=/&y" }, "signature_invalid"},
		"another path":      {`{}`, func(r *http.Request) { r.URL.RawPath, r.URL.Path = "", "/p/demo/ucp/carts/b" }, "signature_invalid"},
		"another agent's":   {`{}`, func(r *http.Request) { r.Header.Set("UCP-Agent", `profile="https://other.example/p"`) }, "profile_unreachable"},
		"without an agent":  {`{}`, func(r *http.Request) { r.Header.Del("UCP-Agent") }, "invalid_profile_url"},
		"too large":         {strings.Repeat(" ", 200), func(*http.Request) {}, "body_too_large"},
		"without signature": {`{}`, func(r *http.Request) { r.Header.Del("Signature") }, "signature_missing"},
	} {
		if got := send(test.body, test.change); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
