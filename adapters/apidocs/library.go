package apidocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// library is the content of all pages, at one time.
type library struct {
	books []*book
	demo  bool

	mutex sync.Mutex
	pages map[string]*rendered // by what follows Path
}

// libraryCache caches the library of the demo shop's current document.
type libraryCache struct {
	mutex sync.Mutex
	now   *library
	made  time.Time
	tag   string // of the demo shop's document
	at    string // the demo shop's project
}

// freshFor is how long a library is used before the demo shop is checked for changes.
const freshFor = time.Minute

// library returns the current library. It is rebuilt when the demo shop's document changes.
func (h *handler) library(r *http.Request) (*library, error) {
	s := &h.cache
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.now != nil && time.Since(s.made) < freshFor {
		return s.now, nil
	}
	project, shop, tag := h.demo(r)
	if s.now != nil && project == s.at && (tag == s.tag || shop == nil && project != "") {
		s.made = time.Now()
		return s.now, nil
	}
	l, err := h.newLibrary(r, project, shop)
	if err != nil {
		return nil, err
	}
	s.now, s.made, s.at, s.tag = l, time.Now(), project, tag
	return l, nil
}

// demo returns the demo shop's document, nil if there is no such shop or the request fails.
func (h *handler) demo(r *http.Request) (project string, document []byte, tag string) {
	project = h.DemoProject(r.Context())
	if project == "" {
		return "", nil, ""
	}
	answer := h.ask(r, "GET", "/p/"+h.DemoSlug+"/acp/openapi.json", "")
	if answer.status != http.StatusOK {
		return project, nil, ""
	}
	return project, answer.body.Bytes(), answer.header.Get("ETag")
}

// newLibrary reads all documents.
func (h *handler) newLibrary(r *http.Request, project string, shop []byte) (*library, error) {
	whole := h.ask(r, "GET", "/openapi.json", "")
	if whole.status != http.StatusOK {
		return nil, fmt.Errorf("the OpenAPI document is answered %d", whole.status)
	}
	merchants, err := read(whole.body.Bytes())
	if err != nil {
		return nil, err
	}
	buyers, err := read(whole.body.Bytes())
	if err != nil {
		return nil, err
	}
	address := strings.TrimSuffix(h.Address, "/")
	shops, sample := address+"/p/{slug}", placeholders
	l := &library{demo: shop != nil, pages: map[string]*rendered{}}
	if shop != nil {
		if buyers, err = read(shop); err != nil {
			return nil, err
		}
		shops, sample = address+"/p/"+h.DemoSlug, h.samples(r, project, buyers)
	}
	l.books = []*book{
		newBook(bookOfMerchants, merchants, address, sample, func(op *operation) bool {
			return op.Method == eventMethod || strings.HasPrefix(op.Path, "/v1")
		}),
		newBook(bookOfBuyers, buyers, shops, sample, func(op *operation) bool {
			if rest, whole := strings.CutPrefix(op.Path, "/p/{slug}"); whole {
				op.Path = rest
			}
			return op.Method != eventMethod && !strings.HasPrefix(op.Path, "/v1") && op.Path != ""
		}),
	}
	if offers := h.ask(r, "GET", "/ucp/schemas/negotiation.openapi.json", ""); offers.status == http.StatusOK {
		d, err := read(offers.body.Bytes())
		if err != nil {
			return nil, err
		}
		b := newBook(bookOfProtocols, d, shops+"/ucp", sample, func(*operation) bool { return true })
		if shop != nil {
			b.addTools(h.tools(r), shops+"/mcp")
		}
		l.books = append(l.books, b)
	}
	return l, nil
}

// samples returns the ids that the shop's document uses in its own examples.
func (h *handler) samples(r *http.Request, project string, d *document) samples {
	s := placeholders
	s.project = project
	for _, op := range d.operations() {
		if op.ID != "acp-quote" || op.RequestBody == nil {
			continue
		}
		_, m := body(op.RequestBody.Content)
		for _, example := range m.Examples {
			fields, _ := example.Value.(map[string]any)
			if product, ok := fields["product_id"].(string); ok {
				s.product = product
			}
			if variant, ok := fields["variant_id"].(string); ok {
				s.variant = variant
			}
		}
	}
	var product struct {
		Variants []struct {
			ID  string `json:"id"`
			SKU string `json:"sku"`
		} `json:"variants"`
	}
	found := h.ask(r, "GET", "/p/"+h.DemoSlug+"/acp/products/"+s.product, "")
	if found.status == http.StatusOK && json.Unmarshal(found.body.Bytes(), &product) == nil {
		for _, v := range product.Variants {
			if v.ID == s.variant {
				s.sku = v.SKU
			}
		}
	}
	return s
}

// tools returns the demo shop's MCP tools.
func (h *handler) tools(r *http.Request) []tool {
	var listed struct {
		Result struct {
			Tools []tool `json:"tools"`
		} `json:"result"`
	}
	answer := h.ask(r, "POST", "/p/"+h.DemoSlug+"/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`)
	if answer.status != http.StatusOK || json.Unmarshal(answer.body.Bytes(), &listed) != nil {
		return nil
	}
	return listed.Result.Tools
}

// asked is an http.ResponseWriter that records the response to an in-process request.
type asked struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (a *asked) Header() http.Header { return a.header }
func (a *asked) WriteHeader(s int) {
	if a.status == 0 {
		a.status = s
	}
}
func (a *asked) Write(text []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(text)
}

// ask handles a request in process on behalf of the client that reads the documentation, whose rate limits apply.
func (h *handler) ask(r *http.Request, method, path, body string) *asked {
	inner := r.Clone(r.Context())
	inner.Method, inner.URL.Path, inner.URL.RawPath, inner.URL.RawQuery, inner.Pattern = method, path, "", "", ""
	inner.RequestURI = path
	inner.Header = http.Header{"Accept": {"application/json, text/event-stream"}}
	inner.Body, inner.ContentLength = http.NoBody, 0
	if body != "" {
		inner.Header.Set("Content-Type", "application/json")
		inner.Body, inner.ContentLength = readCloser{strings.NewReader(body)}, int64(len(body))
	}
	answer := &asked{header: http.Header{}}
	h.API.ServeHTTP(answer, inner)
	return answer
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func (l *library) book(slug string) *book {
	for _, b := range l.books {
		if b.slug == slug {
			return b
		}
	}
	return nil
}

// page renders a page once.
func (l *library) page(path string, view func() (any, string)) (*rendered, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if p := l.pages[path]; p != nil {
		return p, nil
	}
	data, name := view()
	p, err := render(name, data)
	if err == nil {
		l.pages[path] = p
	}
	return p, err
}
