// Package openapi checks HTTP responses against the OpenAPI 3.1 document that their server publishes: status, content
// type and schema of the body. It does not check requests and follows only local references.
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
	keptViolations = 100 // further ones are only counted
	keptLeaves     = 5
	documentLimit  = 32 << 20
	fetchTimeout   = 60 * time.Second
	fetchTries     = 3
)

// Answer is one response.
type Answer struct {
	Method string
	Path   string // below the server's base URL, without the query: /p/demo/acp/search
	Status int
	Header http.Header
	Body   []byte
	// Value is the decoded Body with json.Number for numbers, if the caller has decoded it already.
	Value any
}

// Violation is a response that breaks the document or another documented rule.
type Violation struct {
	Method, Path string
	Status       int
	Reason       string
	RequestID    string
}

// String returns the violation on one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s -> %d: %s (request %s)", v.Method, v.Path, v.Status, v.Reason, v.RequestID)
}

// Validator has the documents of any number of servers, and the violations found. It is safe for concurrent use.
type Validator struct {
	client *http.Client

	mu         sync.Mutex
	documents  map[string]*loading
	violations []Violation
	count      atomic.Int64
	checked    atomic.Int64
}

// loading is one fetch of a server's document, which concurrent callers share.
type loading struct {
	once sync.Once
	doc  *document
	err  error
}

// NewValidator returns a validator that fetches documents with its own client.
func NewValidator() *Validator {
	return &Validator{client: &http.Client{Timeout: fetchTimeout}, documents: map[string]*loading{}}
}

// Check checks an answer of the server at base against {base}/openapi.json and records violations. It reports whether
// there are none.
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

// Report records a violation that the caller found.
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

// Count returns the number of violations, including those that were not kept.
func (v *Validator) Count() int { return int(v.count.Load()) }

// Checked returns the number of checked answers.
func (v *Validator) Checked() int { return int(v.checked.Load()) }

// judge returns what is wrong with an answer, or "".
func (v *Validator) judge(base string, answer Answer) string {
	doc, err := v.document(base)
	if err != nil {
		return "no document to judge by: " + err.Error()
	}
	item, found := doc.pathItem(answer.Path)
	operation, described := item.child(strings.ToLower(answer.Method))
	switch {
	case !found && answer.Status == http.StatusNotFound:
		return "" // an undocumented address that answers 404
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

// explain returns the first few causes of a validation error, each with its location.
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

// document returns the server's document, which it fetches on first use. It does not remember a failed fetch.
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

// fetch fetches a server's document. It tries again if the server closes the connection without an answer, as busy
// servers do.
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
