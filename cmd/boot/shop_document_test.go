package boot_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/openapi"
)

// shopDocument is a shop's own OpenAPI document, with which an agent can call the shop without other knowledge.
type shopDocument struct {
	t          *testing.T
	address    string // of the shop
	validator  *openapi.Validator
	operations map[string]describedOperation
	etag       string
}

type describedOperation struct {
	method, path string
	OperationID  string `json:"operationId"`
	Parameters   []struct {
		Name     string `json:"name"`
		In       string `json:"in"`
		Required bool   `json:"required"`
		Example  any    `json:"example"`
	} `json:"parameters"`
	RequestBody *struct {
		Content map[string]struct {
			Example  any `json:"example"`
			Examples map[string]struct {
				Value any `json:"value"`
			} `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`
}

func readShopDocument(t *testing.T, address string) *shopDocument {
	t.Helper()
	answer := get(t, address+"/acp/openapi.json").expect(t, 200)
	if len(answer.body) >= 100_000 {
		t.Errorf("the document has %d bytes, more than an agent should have to read", len(answer.body))
	}
	var text struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]describedOperation
	}
	if err := json.Unmarshal([]byte(answer.body), &text); err != nil {
		t.Fatal(err)
	}
	if len(text.Servers) != 1 || text.Servers[0].URL != address {
		t.Errorf("servers %+v, want %s", text.Servers, address)
	}
	d := &shopDocument{
		t:          t,
		address:    address,
		validator:  openapi.NewValidator(),
		operations: map[string]describedOperation{},
		etag:       answer.Header.Get("ETag"),
	}
	for path, methods := range text.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			d.operations[o.OperationID] = o
		}
	}
	return d
}

// examples returns an operation's example bodies by name. An operation without a body has one example, nil.
func (o describedOperation) examples() map[string]any {
	if o.RequestBody == nil {
		return map[string]any{"": nil}
	}
	media := o.RequestBody.Content["application/json"]
	if media.Example != nil {
		return map[string]any{"": media.Example}
	}
	bodies := map[string]any{}
	for name, one := range media.Examples {
		bodies[name] = one.Value
	}
	return bodies
}

// call sends one example, after the operations whose responses it refers to, and returns the decoded response.
func (d *shopDocument) call(id, name string) any {
	d.t.Helper()
	o, ok := d.operations[id]
	body, shown := o.examples()[name]
	if !ok || !shown {
		d.t.Fatalf("no operation %s with example %q", id, name)
	}
	path, given := o.path, map[string]any{} // responses by operation
	for _, p := range o.Parameters {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", fmt.Sprint(d.resolve(p.Example, given)))
		}
	}
	query := url.Values{}
	for _, p := range o.Parameters {
		if p.In == "query" && p.Required {
			query.Set(p.Name, fmt.Sprint(d.resolve(p.Example, given)))
		}
	}
	text := ""
	if body != nil {
		encoded, err := json.Marshal(d.resolve(body, given))
		if err != nil {
			d.t.Fatal(err)
		}
		text = string(encoded)
	}
	sent := path
	if len(query) > 0 {
		sent += "?" + query.Encode()
	}
	answer := send(d.t, request(d.t, o.method, d.address+sent, text))
	d.validator.Check(d.address+"/acp", openapi.Answer{
		Method: o.method,
		Path:   path,
		Status: answer.StatusCode,
		Header: answer.Header,
		Body:   []byte(answer.body),
	})
	var value any
	if strings.Contains(answer.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal([]byte(answer.body), &value); err != nil {
			d.t.Fatal(err)
		}
	}
	if answer.StatusCode >= http.StatusBadRequest {
		d.t.Errorf("%s %q: %d %s", id, name, answer.StatusCode, answer.body)
	}
	return value
}

var responseReference = regexp.MustCompile(`^\$([a-z-]+)\.response\.body#(/.+)$`)

// resolve replaces references to responses of other operations. It calls each of those operations once for an example.
func (d *shopDocument) resolve(value any, given map[string]any) any {
	switch v := value.(type) {
	case string:
		parts := responseReference.FindStringSubmatch(v)
		if parts == nil {
			return v
		}
		if given[parts[1]] == nil {
			given[parts[1]] = d.call(parts[1], slices.Sorted(maps.Keys(d.operations[parts[1]].examples()))[0])
		}
		answer := given[parts[1]]
		for name := range strings.SplitSeq(parts[2][1:], "/") {
			if n, err := strconv.Atoi(name); err == nil {
				list, _ := answer.([]any)
				answer = nil
				if n < len(list) {
					answer = list[n]
				}
				continue
			}
			object, _ := answer.(map[string]any)
			answer = object[name]
		}
		if answer == nil {
			d.t.Fatalf("%s is nowhere", v)
		}
		return answer
	case map[string]any:
		object := map[string]any{}
		for name, element := range v {
			object[name] = d.resolve(element, given)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = d.resolve(element, given)
		}
		return list
	}
	return value
}

// Every example of a shop's document runs unchanged.
func TestHandler_shopDocumentExamples(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t))
	if _, err := app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := readShopDocument(t, app.URL()+"/p/demo")
	if n := len(d.operations); n < 17 || n > 25 {
		t.Errorf("%d operations", n)
	}
	for _, id := range slices.Sorted(maps.Keys(d.operations)) {
		examples := d.operations[id].examples()
		if len(examples) == 0 {
			t.Errorf("%s has no example", id)
		}
		for _, p := range d.operations[id].Parameters {
			if (p.In == "path" || p.Required) && p.Example == nil {
				t.Errorf("%s: the parameter %s has no example", id, p.Name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(examples)) {
			d.call(id, name)
		}
	}
	if found := d.validator.Violations(); len(found) > 0 {
		t.Errorf("answers break the shop's document: %v", found)
	}
	if d.validator.Checked() < 30 {
		t.Errorf("only %d answers were judged", d.validator.Checked())
	}
}

// The document's ETag changes when the shop's products change.
func TestHandler_shopDocumentETag(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, sqlite(t))
	address := openShop(t, app.URL(), boottest.Key, "jackets")["acp"]
	before := readShopDocument(t, address)
	ask := func() int {
		r := request(t, "GET", address+"/acp/openapi.json", "")
		r.Header.Set("If-None-Match", before.etag)
		return send(t, r).StatusCode
	}
	if got := ask(); got != http.StatusNotModified {
		t.Errorf("unchanged: %d", got)
	}
	var manifest struct{ Merchant struct{ ID string } }
	if err := json.Unmarshal([]byte(get(t, address+"/.well-known/acp/manifest.json").body), &manifest); err != nil {
		t.Fatal(err)
	}
	r := request(t, "POST", app.URL()+"/v1/catalog/products", `{"name": "Jacket", "sku": "J-1", "price": 80}`)
	r.Header.Set("Authorization", "Bearer "+boottest.Key)
	r.Header.Set("X-Project-ID", manifest.Merchant.ID)
	send(t, r).expect(t, 201)
	if got := ask(); got != http.StatusOK {
		t.Errorf("with a product: %d", got)
	}
}
