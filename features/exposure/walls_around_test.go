package exposure

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// intruder is a tenant that tries to access a victim's data with malformed requests.
type intruder struct {
	*tenant
	victim *tenant
}

func intrude(t *testing.T, engine boottest.Engine) intruder {
	t.Helper()
	app := boottest.Start(t, engine.URL(t), behindProxy)
	i := intruder{openTenant(t, app, app.URL()), openTenant(t, app, app.URL()).trade()}
	for _, s := range []*tenant{i.tenant, i.victim} {
		if err := s.complete(); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

// raw sends a request line and headers unchanged, and returns the response. {} stands for the intruder's project, {victim} for
// the victim's.
func (i intruder) raw(t *testing.T, line string, headers ...string) reply {
	t.Helper()
	address := strings.TrimPrefix(i.url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	text := line + " HTTP/1.1\r\nHost: " + address + "\r\nConnection: close\r\n"
	for _, h := range headers {
		text += h + "\r\n"
	}
	if _, err := io.WriteString(conn, i.fill(text)+"\r\n"); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(line, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

func (i intruder) fill(text string) string {
	return strings.NewReplacer(
		"{}", i.ids["project_id"], "{victim}", i.victim.ids["project_id"], "{slug}", i.victim.ids["slug"],
		"{key}", i.secret, "{victim's key}", i.victim.secret, "{product}", i.victim.ids["product_id"],
	).Replace(text)
}

// holds returns what a response contains of the victim that the request did not name, or "".
func (i intruder) holds(r reply, line string) string {
	for kind, value := range i.victim.ids {
		text := fmt.Sprint(r.body, r.header)
		if strings.Contains(text, value) && !strings.Contains(i.fill(line), value) {
			return kind
		}
	}
	return ""
}

// A repeated header is refused, and an unusual spelling of a header is either read as one header or ignored.
func TestHeadersAreReadOneWay(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		i := intrude(t, engine)
		const products = "GET /v1/catalog/products"
		const key, own, victims = "Authorization: Bearer {key}", "X-Project-ID: {}", "X-Project-ID: {victim}"
		for _, c := range []struct {
			line    string
			headers []string
			status  int
			code    string
		}{
			{products, []string{key, own}, 200, ""},
			{products, []string{"authorization: bearer {key}", "x-project-id: {}"}, 200, ""},
			{products, []string{"AUTHORIZATION: BEARER {key}", "X-PROJECT-ID: {}"}, 200, ""},
			{products, []string{key, own, victims}, 400, "invalid_request"},
			{products, []string{key, victims, own}, 400, "invalid_request"},
			{products, []string{key, "X-Project-ID: {},{victim}"}, 404, "project_not_found"},
			{products, []string{key, "X-Project-ID: {} "}, 200, ""}, // HTTP trims the space
			{products, []string{key, "X_Project_ID: {}"}, 400, "project_required"},
			{products, []string{key, "X-Project-ID:"}, 400, "project_required"},
			{products, []string{"Authorization: Bearer nobody", key, own}, 400, "invalid_request"},
			{products, []string{key, "Authorization: Bearer {victim's key}", victims}, 400, "invalid_request"},
			{products, []string{"Authorization: Bearer {key},Bearer {victim's key}", victims}, 401, "unauthenticated"},
			{products, []string{"Authorization: Token {victim's key}", victims}, 401, "unauthenticated"},
			{products, []string{"Proxy-Authorization: Bearer {victim's key}", victims}, 401, "unauthenticated"},
			{products, []string{"X-API-Key: {victim's key}", victims}, 401, "unauthenticated"},
			{products, []string{"Cookie: api_key={victim's key}; Authorization=Bearer {victim's key}", victims}, 401, "unauthenticated"},
			{products + "?api_key={victim's key}", []string{victims}, 401, "unauthenticated"},
			{products + "?access_token={victim's key}", []string{victims}, 401, "unauthenticated"},
			{products + "?authorization=Bearer%20{victim's key}", []string{victims}, 401, "unauthenticated"},
			{products + "?X-Project-ID={victim}", []string{key, own}, 400, "invalid_request"},
			{products + "?project_id={victim}", []string{key, own}, 400, "invalid_request"},
			{"GET /v1/projects/{}?project_id={victim}", []string{key, victims}, 400, "invalid_request"},
			{"GET /v1/projects/{}", []string{key, victims}, 200, ""},
			{"GET /v1/projects/{victim}", []string{key, own}, 404, "project_not_found"},
			{"GET /v1/audit-events?project_id={}&project_id={victim}", []string{key}, 200, ""},
			{"GET /v1/audit-events?project_id={victim}&project_id={}", []string{key}, 200, ""},
		} {
			if r := i.raw(t, c.line, c.headers...); r.status != c.status || r.code() != c.code || r.status == 200 && i.shows(r) {
				t.Errorf("%s %v: %d %s, want %d %q and nothing of the victim", c.line, c.headers, r.status, r.body, c.status, c.code)
			}
		}
	})
}

// shows reports whether a response contains anything of the victim.
func (i intruder) shows(r reply) bool { return i.holds(r, "") != "" }

// Paths that a proxy, a mux and a handler might parse differently lead nowhere.
func TestPathsAreReadOneWay(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		i := intrude(t, engine)
		for _, path := range []string{
			"//v1/projects", "/v1//projects", "/v1/./projects", "/v1/projects/", "/v1/projects//", "/V1/projects", "/v1/Projects",
			"/v1/projects/..", "//v1/projects/..", "/v1/projects/%2e%2e/projects", "/v1/%2e/projects", "/%76%31/projects", "/v1%2fprojects",
			"/v1/projects/{}/../{victim}", "/v1/projects/{}%2f..%2f{victim}", "/v1/projects/{}/%2e%2e/{victim}", "/v1/projects/{}/..;/{victim}",
			"/v1/projects/{victim}/", "/v1/projects/{victim}%00", "/v1/projects/{victim}%20", "/v1/projects/{victim};a=b", "/v1/projects/{victim}.json",
			"/v1/projects/%7bproject_id%7d", "/v1/projects/*", "/v1/projects/{victim}%2fsettings", "/v1/projects/{}/settings/../../{victim}/settings",
			"/p/{slug}/../../v1/projects", "/p/{slug}/%2e%2e/%2e%2e/v1/projects", "/p/{slug}/v1/projects", "/p/..%2f..%2fv1%2fprojects",
			"/p/x/..//../v1/catalog/products/{product}", `/v1\projects`, "/v1/catalog/products/{product}/..", "/v1/catalog/products/..%2f..%2fprojects",
			"/metrics", "/readyz", "/debug/pprof/", "/demo/images/../../v1/projects", "/demo/images/%2e%2e/%2e%2e/v1/projects",
			"http://elsewhere/v1/projects/{victim}", "//elsewhere.example/%2e%2e", `/\elsewhere.example/../x/..`,
		} {
			for _, authorization := range []string{"X: none", "Authorization: Bearer {key}"} {
				r := i.raw(t, "GET "+path, authorization, "X-Project-ID: {}")
				anonymous := authorization == "X: none"
				location := r.header.Get("Location")
				switch {
				case r.status >= 500, anonymous && r.status == 200, i.holds(r, path) != "":
					t.Errorf("%s with %s: %d %s", path, authorization, r.status, r.body)
				case location != "" && (!strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//") || strings.HasPrefix(location, `/\`)):
					t.Errorf("%s leads elsewhere: %s", path, location)
				case r.status == 200 && !strings.Contains(r.body, i.ids["project_id"]):
					t.Errorf("%s with %s: 200 %s", path, authorization, r.body)
				}
			}
		}
	})
}

// Every method is guarded like its operation, and no header overrides the method.
func TestMethodsAreWhatTheyAre(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		i := intrude(t, engine)
		const key, project, product = "Authorization: Bearer {key}", "/v1/projects/{victim}", "/v1/catalog/products/{product}"
		for _, c := range []struct {
			line    string
			headers []string
			status  int
		}{
			{"HEAD /v1/projects", []string{key}, 200},
			{"HEAD /v1/projects", nil, 401},
			{"HEAD " + project, nil, 401},
			{"HEAD " + project, []string{key}, 404},
			{"HEAD /v1/projects/proj_x", []string{key}, 404},
			{"HEAD " + product, []string{key, "X-Project-ID: {}"}, 404},
			{"HEAD " + product, []string{key, "X-Project-ID: {victim}"}, 404},
			{"OPTIONS " + project, []string{key}, 405},
			{"OPTIONS " + product, nil, 405},
			{"OPTIONS *", []string{key}, 200}, // net/http's own response, which is empty
			{"TRACE " + project, []string{"Authorization: Bearer {victim's key}"}, 405},
			{"PROPFIND " + project, []string{key}, 405},
			{"get " + project, []string{key}, 405},
			{"PUT " + project, []string{key}, 405},
			{"CONNECT " + project, []string{key}, 405},
			{"POST " + project, []string{key, "X-HTTP-Method-Override: DELETE", "X-Confirm-Delete: {victim}"}, 405},
			{"GET " + project + "?_method=DELETE", []string{key, "X-HTTP-Method-Override: DELETE", "X-Confirm-Delete: {victim}"}, 404},
			{"GET /v1/projects", []string{"X-Original-URL: " + project, "X-Rewrite-URL: " + project}, 401},
			{"GET /docs", []string{"X-Original-URL: /v1/projects", "X-Forwarded-Prefix: /v1"}, 200},
		} {
			r := i.raw(t, c.line, c.headers...)
			head := strings.HasPrefix(c.line, "HEAD")
			if r.status != c.status || head && r.body != "" || i.holds(r, c.line) != "" || strings.Contains(r.body, i.victim.secret) {
				t.Errorf("%s %v: %d %s, want %d", c.line, c.headers, r.status, r.body, c.status)
			}
		}
		own := i.raw(t, "DELETE /v1/catalog/products/"+i.ids["product_id"], key, "X-Project-ID: {}", "X-HTTP-Method-Override: GET")
		if own.status != 204 {
			t.Errorf("DELETE that claims to be GET: %d %s", own.status, own.body)
		}
	})
}
