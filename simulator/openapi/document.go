package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resourceURL is the document's name in the schema compiler. Nothing is fetched from it.
const resourceURL = "urn:openapi"

// document is one parsed OpenAPI 3.1 document. It compiles schemas on first use and keeps them.
type document struct {
	root      map[string]any
	templates []template

	mu       sync.RWMutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// template is one path of the document, split at the slashes.
type template struct {
	path     string
	segments []string
	literals int
}

func parseDocument(raw []byte) (*document, error) {
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	root, _ := decoded.(map[string]any)
	version, _ := root["openapi"].(string)
	if !strings.HasPrefix(version, "3.1") {
		return nil, fmt.Errorf("not an OpenAPI 3.1 document: openapi is %q", version)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(resourceURL, decoded); err != nil {
		return nil, err
	}
	return &document{
		root:      root,
		templates: templatesOf(root),
		compiler:  compiler,
		compiled:  map[string]*jsonschema.Schema{},
	}, nil
}

// templatesOf lists the paths, those with most literal segments first: OpenAPI prefers a concrete path over a templated one.
func templatesOf(root map[string]any) []template {
	paths, _ := root["paths"].(map[string]any)
	templates := make([]template, 0, len(paths))
	for path := range paths {
		t := template{path: path, segments: strings.Split(path, "/")}
		for _, segment := range t.segments {
			if !strings.Contains(segment, "{") {
				t.literals++
			}
		}
		templates = append(templates, t)
	}
	slices.SortFunc(templates, func(a, b template) int {
		if a.literals != b.literals {
			return b.literals - a.literals
		}
		return strings.Compare(a.path, b.path)
	})
	return templates
}

func (t template) matches(segments []string) bool {
	if len(segments) != len(t.segments) {
		return false
	}
	for i, segment := range t.segments {
		parameter := strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
		if !parameter && segment != segments[i] || parameter && segments[i] == "" {
			return false
		}
	}
	return true
}

// node is a value in the document with its JSON pointer.
type node struct {
	value   map[string]any
	pointer string
}

func (n node) child(names ...string) (node, bool) {
	for _, name := range names {
		value, found := n.value[name].(map[string]any)
		if !found {
			return node{}, false
		}
		n = node{value, n.pointer + "/" + escape(name)}
	}
	return n, true
}

// resolve follows a local $ref, which responses may have.
func (d *document) resolve(n node) node {
	ref, _ := n.value["$ref"].(string)
	pointer, local := strings.CutPrefix(ref, "#/")
	if !local {
		return n
	}
	target, found := node{value: d.root}.child(strings.Split(pointer, "/")...)
	if !found {
		return n
	}
	return target
}

// pathItem returns the most concrete path that matches.
func (d *document) pathItem(path string) (node, bool) {
	segments := strings.Split(path, "/")
	for _, t := range d.templates {
		if t.matches(segments) {
			return node{value: d.root}.child("paths", t.path)
		}
	}
	return node{}, false
}

// response returns the response object for a status: by exact code, by range (4XX), or the default.
func (d *document) response(operation node, status int) (node, bool) {
	code := strconv.Itoa(status)
	for _, name := range []string{code, code[:1] + "XX", "default"} {
		if found, ok := operation.child("responses", name); ok {
			return d.resolve(found), true
		}
	}
	return node{}, false
}

// media returns the media type object for a content type: by exact type, by range, or by */*.
func media(response node, contentType string) (node, bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return node{}, false
	}
	major, _, _ := strings.Cut(kind, "/")
	for _, name := range []string{kind, major + "/*", "*/*"} {
		if found, ok := response.child("content", name); ok {
			return found, true
		}
	}
	return node{}, false
}

// schema compiles the schema at a pointer, once.
func (d *document) schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.RLock()
	schema, known := d.compiled[pointer]
	d.mu.RUnlock()
	if known {
		return schema, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, err := d.compiler.Compile(resourceURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment())
	if err != nil {
		return nil, fmt.Errorf("the document's schema %s does not compile: %w", pointer, err)
	}
	d.compiled[pointer] = schema
	return schema, nil
}

// isJSON reports whether a content type holds JSON.
func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// decode decodes a body for the schema library. Numbers keep their digits.
func decode(body []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("something follows the JSON value")
	}
	return value, nil
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
