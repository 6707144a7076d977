// Package openapi judges HTTP responses by the OpenAPI 3.1 document their server publishes: is the status documented,
// is the content type, does the body fit the schema. It does not look at requests, and it follows local references only.
package openapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	keptViolations = 100 // the rest is only counted
	keptLeaves     = 5
	documentLimit  = 32 << 20
	fetchTimeout   = 60 * time.Second
	fetchTries     = 3
)

// Answer is one response, as a client got it.
type Answer struct {
	Method string
	Path   string // below the server's base URL, without the query: /p/demo/acp/search
	Status int
	Header http.Header
	Body   []byte
	// Value is Body decoded with json.Number for numbers, if the caller has it already; else nil.
	Value any
}

// Violation is one response that breaks the document, or another written promise of the server.
type Violation struct {
	Method, Path string
	Status       int
	Reason       string
	RequestID    string
}

// String is the violation on one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s -> %d: %s (request %s)", v.Method, v.Path, v.Status, v.Reason, v.RequestID)
}

// Validator holds the documents of any number of servers and what broke them. It is safe for concurrent use.
type Validator struct {
	client *http.Client

	mu         sync.Mutex
	documents  map[string]*loading
	violations []Violation
	count      atomic.Int64
	checked    atomic.Int64
}

// loading is the one attempt to fetch a server's document.
type loading struct {
	once sync.Once
	doc  *document
	err  error
}

// NewValidator makes a validator that fetches documents with its own client.
func NewValidator() *Validator {
	return &Validator{client: &http.Client{Timeout: fetchTimeout}, documents: map[string]*loading{}}
}

// Check judges one answer of the server at base by {base}/openapi.json and keeps what it finds.
// It reports whether the answer kept to the document.
func (v *Validator) Check(base string, answer Answer) bool {
	v.checked.Add(1)
	reason := v.judge(base, answer)
	if reason == "" {
		return true
	}
	v.Report(Violation{
		Method:    answer.Method,
		Path:      answer.Path,
		Status:    answer.Status,
		Reason:    reason,
		RequestID: answer.Header.Get("X-Request-Id"),
	})
	return false
}

// Report keeps a violation that somebody else found.
func (v *Validator) Report(violation Violation) {
	v.count.Add(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.violations) < keptViolations {
		v.violations = append(v.violations, violation)
	}
}

// Violations returns the first hundred violations.
func (v *Validator) Violations() []Violation {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Violation(nil), v.violations...)
}

// Count is the number of violations, those not kept included.
func (v *Validator) Count() int { return int(v.count.Load()) }

// Checked is the number of answers judged.
func (v *Validator) Checked() int { return int(v.checked.Load()) }

// judge says what is wrong with an answer, or nothing.
func (v *Validator) judge(base string, answer Answer) string {
	doc, err := v.document(base)
	if err != nil {
		return "no document to judge by: " + err.Error()
	}
	item, found := doc.pathItem(answer.Path)
	operation, described := item.child(strings.ToLower(answer.Method))
	switch {
	case !found && answer.Status == http.StatusNotFound:
		return "" // an address that does not exist, and says so
	case !found:
		return "the path is not documented"
	case !described && (answer.Status == http.StatusMethodNotAllowed || answer.Status == http.StatusNotFound):
		return ""
	case !described:
		return "the method is not documented for this path"
	}
	response, documented := doc.response(operation, answer.Status)
	if !documented {
		return "the status is not documented"
	}
	return doc.judgeBody(response, answer)
}

func (d *document) judgeBody(response node, answer Answer) string {
	if _, hasContent := response.value["content"]; !hasContent {
		if len(answer.Body) > 0 {
			return "a body where none is documented"
		}
		return ""
	}
	contentType := answer.Header.Get("Content-Type")
	kind, documented := media(response, contentType)
	if !documented {
		return fmt.Sprintf("the content type %q is not documented", contentType)
	}
	if !isJSON(contentType) {
		return ""
	}
	value := answer.Value
	if value == nil {
		decoded, err := decode(answer.Body)
		if err != nil {
			return "the body is not JSON: " + err.Error()
		}
		value = decoded
	}
	return d.judgeValue(kind, value)
}

func (d *document) judgeValue(kind node, value any) string {
	if _, has := kind.value["schema"]; !has {
		return ""
	}
	schema, err := d.schema(kind.pointer + "/schema")
	if err != nil {
		return err.Error()
	}
	if err := schema.Validate(value); err != nil {
		return explain(err)
	}
	return ""
}

// explain shortens a validation error to its first few leaves, each with the place it is about.
func explain(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	leaves := leavesOf(invalid, nil)
	return strings.Join(leaves[:min(len(leaves), keptLeaves)], "; ")
}

func leavesOf(invalid *jsonschema.ValidationError, leaves []string) []string {
	for _, cause := range invalid.Causes {
		leaves = leavesOf(cause, leaves)
	}
	if len(invalid.Causes) == 0 {
		leaves = append(leaves, invalid.Error())
	}
	return leaves
}

// document returns the server's document, fetched on first use. A failed fetch is not remembered.
func (v *Validator) document(base string) (*document, error) {
	v.mu.Lock()
	entry, known := v.documents[base]
	if !known {
		entry = &loading{}
		v.documents[base] = entry
	}
	v.mu.Unlock()
	entry.once.Do(func() { entry.doc, entry.err = v.fetch(base) })
	if entry.err != nil {
		v.forget(base, entry)
	}
	return entry.doc, entry.err
}

func (v *Validator) forget(base string, failed *loading) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.documents[base] == failed {
		delete(v.documents, base)
	}
}

// fetch reads a server's document. A busy server may close a new connection before it answers: that is tried again.
func (v *Validator) fetch(base string) (*document, error) {
	address := strings.TrimSuffix(base, "/") + "/openapi.json"
	response, err := v.client.Get(address)
	for tries := 1; errors.Is(err, io.EOF) && tries < fetchTries; tries++ {
		response, err = v.client.Get(address)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, documentLimit))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s/openapi.json answered %d", base, response.StatusCode)
	}
	return parseDocument(raw)
}
