package exposure

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// careless is a server that adds operations with security holes to those of a real one.
type careless struct {
	real  *httputil.ReverseProxy
	mu    sync.Mutex
	known map[string]string // ids that the real server created, and the key that created each
}

// plant is an operation with a hole, and what the walk must report about it.
type plant struct {
	scope, parameters, body string
	serve                   func(*careless, http.ResponseWriter, *http.Request)
	finding                 string
}

const (
	inProject = `{"name":"X-Project-ID","in":"header"}`
	inPath    = `{"name":"product_id","in":"path","required":true}`
	aName     = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`
)

var plants = map[string]plant{
	"GET /v1/catalog/unguarded": {"catalog:read", inProject, "", (*careless).answer, "without a key: <nil> 200"},
	"GET /v1/undeclared":        {"", "", "", (*careless).answer, "names no scope"},
	"POST /v1/catalog/reader": {"catalog:write", inProject, aName, (*careless).lists,
		"with catalog:read alone: <nil> 200"},
	"GET /v1/catalog/stranger": {"finance:read", inProject, "", (*careless).lists, "with every scope but finance:read: <nil> 200"},
	"GET /v1/catalog/anyones/{product_id}": {"catalog:read", inProject + "," + inPath, "", (*careless).showsAnyones,
		"[path product_id] of another account: 200"},
	"GET /v1/catalog/telling/{product_id}": {"catalog:read", inProject + "," + inPath, "", (*careless).revealsExistence,
		"it is told from an unknown one"},
	"GET /v1/catalog/defaulting": {"catalog:read", inProject, "", (*careless).defaults, "without a project: <nil> 200"},
	"GET /v1/catalog/widgets/{widget_id}": {"catalog:read", inProject + `,{"name":"widget_id","in":"path","required":true}`, "",
		(*careless).lists, "no value for the path parameter widget_id"},
	"GET /v1/catalog/filtered": {"catalog:read", inProject + `,{"name":"widget_id","in":"query"}`, "", (*careless).lists,
		"knows no value for query widget_id"},
	"POST /v1/catalog/empty": {"catalog:write", inProject, `{"type":"object"}`, (*careless).lists, "nothing to put into the body"},
	"POST /v1/catalog/named": {"catalog:write", inProject,
		`{"type":"object","required":["widget_ids"],"properties":{"widget_ids":{"type":"array","items":{"type":"string"}}}}`,
		(*careless).lists, "knows no value for body widget_ids"},
	"POST /v1/catalog/eager": {"catalog:write", inProject, aName, (*careless).renamesFirst, ""}, // see renamesFirst
}

func TestTheWalkFindsHoles(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t), behindProxy)
	target, err := url.Parse(app.URL())
	if err != nil {
		t.Fatal(err)
	}
	c := &careless{real: httputil.NewSingleHostReverseProxy(target), known: map[string]string{}}
	c.real.ModifyResponse = c.remember
	server := httptest.NewServer(c.handler(t, app.URL()))
	t.Cleanup(server.Close)
	findings, _ := walk(t, app, server.URL)
	found := func(prefix, text string) bool {
		return slices.ContainsFunc(findings, func(f string) bool { return strings.HasPrefix(f, prefix) && strings.Contains(f, text) })
	}
	for name, p := range plants {
		if !found(name, p.finding) && p.finding != "" {
			t.Errorf("%s: the walk did not find %q", name, p.finding)
		}
	}
	if !found("GET /v1/projects/{project_id} of tenant", "the victim's data changed") {
		t.Error("the walk did not find that a refused request took effect")
	}
	if found("GET /v1/catalog/products", "") {
		t.Error("the walk found a hole where none is")
	}
	if t.Failed() {
		t.Log(strings.Join(findings, "\n"))
	}
}

// handler serves the plants, a document with them and two real operations, and all real operations.
func (c *careless) handler(t *testing.T, realURL string) http.Handler {
	paths := map[string]map[string]json.RawMessage{}
	real, err := operations(realURL)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range real {
		if o.name() == "GET /v1/projects/{project_id}" || o.name() == "GET /v1/catalog/products" {
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			paths[o.path] = map[string]json.RawMessage{"get": text}
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", c.real)
	for _, name := range slices.Sorted(maps.Keys(plants)) {
		p := plants[name]
		method, path, _ := strings.Cut(name, " ")
		paths[path] = map[string]json.RawMessage{strings.ToLower(method): json.RawMessage(p.document())}
		mux.HandleFunc(name, func(w http.ResponseWriter, r *http.Request) { p.serve(c, w, r) })
	}
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"paths": paths})
	})
	return mux
}

func (p plant) document() string {
	text := `{"parameters":[` + p.parameters + `],"responses":{"200":{}}`
	if p.scope != "" {
		text += `,"security":[{"api_key":["` + p.scope + `"]}]`
	}
	if p.body != "" {
		text += `,"requestBody":{"content":{"application/json":{"schema":` + p.body + `}}}`
	}
	return text + "}"
}

// remember records the ids of projects and products.
func (c *careless) remember(r *http.Response) error {
	if r.Request.Method != http.MethodPost || r.StatusCode != http.StatusCreated {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[reply{body: string(body)}.field("id")] = r.Request.Header.Get("Authorization")
	return nil
}

func (c *careless) maker(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[id]
}

// answer checks nothing.
func (c *careless) answer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{}`)
}

// lists does what a real operation does that requires catalog:read.
func (c *careless) lists(w http.ResponseWriter, r *http.Request) {
	c.forward(w, r, "/v1/catalog/products", r.Header)
}

func (c *careless) forward(w http.ResponseWriter, r *http.Request, path string, h http.Header) {
	r = r.Clone(r.Context())
	r.Method, r.URL.Path, r.Header, r.Body, r.ContentLength = http.MethodGet, path, h, http.NoBody, 0
	c.real.ServeHTTP(w, r)
}

// showsAnyones checks the key and the project, and then shows any tenant's product.
func (c *careless) showsAnyones(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("product_id")
	if c.maker(id) == "" {
		c.forward(w, r, "/v1/catalog/products/"+id, r.Header)
		return
	}
	c.lists(w, r)
}

// revealsExistence refuses another tenant's product like an unknown one, but with an extra header.
func (c *careless) revealsExistence(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("product_id")
	if c.maker(id) != "" {
		w.Header().Set("X-Cache", "hit")
	}
	c.forward(w, r, "/v1/catalog/products/"+id, r.Header)
}

// defaults uses some project if none is named.
func (c *careless) defaults(w http.ResponseWriter, r *http.Request) {
	h := r.Header.Clone()
	if h.Get("X-Project-ID") == "" {
		c.mu.Lock()
		for id, maker := range c.known {
			if maker == h.Get("Authorization") && strings.HasPrefix(id, "proj_") {
				h.Set("X-Project-ID", id)
			}
		}
		c.mu.Unlock()
	}
	c.forward(w, r, "/v1/catalog/products", h)
}

// renamesFirst changes the project before it checks the key.
func (c *careless) renamesFirst(w http.ResponseWriter, r *http.Request) {
	project := r.Header.Get("X-Project-ID")
	if maker := c.maker(project); maker != "" {
		rename := r.Clone(r.Context())
		text := `{"name":"Renamed"}`
		rename.Method, rename.URL.Path = http.MethodPatch, "/v1/projects/"+project
		rename.Header = http.Header{"Authorization": {maker}, "Content-Type": {"application/json"}}
		rename.Body, rename.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		c.real.ServeHTTP(httptest.NewRecorder(), rename)
	}
	c.lists(w, r)
}
