// Package apidiff tells what changed between two OpenAPI documents, and which of it breaks clients. It
// is for tests: it judges documents, it does not serve or make them.
//
// # How it works
//
// libopenapi finds the changes. It compares schemas apart from the operations that use them, so it can
// neither know whether a field is read or written nor name who is affected. Therefore both documents are
// first flattened: every $ref gives way to what it names. A change then has a place within an operation,
// from which its line names the operation and the field, and judge decides by direction.
//
// # What breaks
//
// In requests, whatever refuses or ignores what was accepted: a field or value taken away, a narrower
// type or bound, an input that becomes required. In responses, whatever takes away what was promised: a
// field, that a field is always there, a status, a type. A new enum value or a new form of an answer
// does not: clients of v1 must expect them (spec 9.2). Renaming a schema changes nothing.
package apidiff

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/what-changed/model"
)

// Change is one change, with every operation that it reaches.
type Change struct {
	Breaking   bool
	What       string   // such as "Product.sku: removed from the response"
	Operations []string // such as "GET /v1/products 200"; none: the document as a whole
}

// mostShown is how many operations a line names: a change of something shared reaches all of them.
const mostShown = 4

func (c Change) String() string {
	if len(c.Operations) == 0 {
		return c.What
	}
	shown, more := c.Operations, ""
	if len(shown) > mostShown {
		more = fmt.Sprintf(", and %d more", len(shown)-mostShown)
		shown = shown[:mostShown]
	}
	return c.What + " (" + strings.Join(shown, ", ") + more + ")"
}

// Changes are sorted, those that break clients first.
type Changes []Change

// Breaking are those that break clients.
func (c Changes) Breaking() Changes {
	return slices.DeleteFunc(slices.Clone(c), func(c Change) bool { return !c.Breaking })
}

// String has a line for each change.
func (c Changes) String() string {
	var b strings.Builder
	for _, change := range c {
		fmt.Fprintf(&b, "  %s\n", change)
	}
	return b.String()
}

// Compare tells what changed from one document to the next. Both are OpenAPI 3.1 as YAML or JSON. The
// servers' addresses are no part of the contract.
func Compare(before, after []byte) (Changes, error) {
	left, err := read(before)
	if err != nil {
		return nil, fmt.Errorf("reading the document before: %w", err)
	}
	right, err := read(after)
	if err != nil {
		return nil, fmt.Errorf("reading the document after: %w", err)
	}
	align(left, right)
	l, r := flatten(left), flatten(right)
	whole := wholeOperations(l, r)
	prune(l, r)
	found, err := detect(l, r)
	if err != nil {
		return nil, err
	}
	return group(append(append(whole, found...), missed(l, r, found)...)), nil
}

// finding is a change at a place.
type finding struct {
	place
	breaking bool
	what     string
}

// library guards libopenapi's caches, which each comparison clears while another may read them.
var library sync.Mutex

// detect has libopenapi find the changes, and places and judges each.
func detect(l, r *document) ([]finding, error) {
	if err := l.render(); err != nil {
		return nil, err
	}
	if err := r.render(); err != nil {
		return nil, err
	}
	left, err := libopenapi.NewDocument(l.text)
	if err != nil {
		return nil, err
	}
	right, err := libopenapi.NewDocument(r.text)
	if err != nil {
		return nil, err
	}
	library.Lock()
	defer library.Unlock()
	all, err := libopenapi.CompareDocuments(left, right)
	if err != nil || all == nil {
		return nil, err
	}
	var found []finding
	for _, c := range all.GetAllChanges() {
		found = append(found, locate(l, r, c))
	}
	return found, nil
}

// locate finds a change's place by its line. Of what was removed the library sometimes gives the old
// line as the new one.
func locate(l, r *document, c *model.Change) finding {
	doc, line := l, c.Context.OriginalLine
	switch {
	case c.ChangeType == model.PropertyAdded || c.ChangeType == model.ObjectAdded:
		doc, line = r, c.Context.NewLine
	case line == nil && (c.ChangeType == model.ObjectRemoved || c.ChangeType == model.PropertyRemoved):
		line = c.Context.NewLine
	}
	if line == nil {
		return finding{breaking: c.Breaking, what: c.Property + ": " + deed(c)}
	}
	at := place{path: doc.lines[*line], doc: doc}
	return finding{at, judge(l, r, at, c), describe(at, c)}
}

// wholeOperations are the operations that came and went. They leave the documents, for the library
// would tell of a removed path without its operations.
func wholeOperations(l, r *document) []finding {
	var found []finding
	for _, side := range []struct {
		of, other *document
		breaking  bool
		what      string
	}{{l, r, true, "operation removed"}, {r, l, false, "operation added"}} {
		for _, at := range side.of.operations() {
			if lookup(side.other.root, at) == nil {
				found = append(found, finding{place{path: at, doc: side.of}, side.breaking, side.what})
			}
		}
	}
	return found
}

// missed are operations that differ though no change was found in them, so that a blind spot of the
// library cannot hide a change.
func missed(l, r *document, found []finding) []finding {
	seen := map[string]bool{}
	for _, f := range found {
		seen[f.operation()] = true
	}
	var more []finding
	for _, at := range l.operations() {
		p := place{path: at, doc: l}
		if !seen[p.operation()] && !reflect.DeepEqual(lookup(l.root, at), lookup(r.root, at)) {
			more = append(more, finding{p, true, "changed in a way that is not understood"})
		}
	}
	return more
}

// group makes one change of what is the same in many operations.
func group(found []finding) Changes {
	type key struct {
		what     string
		breaking bool
	}
	operations := map[key]map[string]bool{}
	for _, f := range found {
		k := key{f.what, f.breaking}
		if operations[k] == nil {
			operations[k] = map[string]bool{}
		}
		if name := f.part(); name != "" {
			operations[k][name] = true
		}
	}
	var changes Changes
	for k, names := range operations {
		changes = append(changes, Change{k.breaking, k.what, slices.Sorted(maps.Keys(names))})
	}
	slices.SortFunc(changes, func(a, b Change) int {
		if a.Breaking != b.Breaking {
			return map[bool]int{true: -1, false: 1}[a.Breaking]
		}
		return cmp.Compare(a.String(), b.String())
	})
	return changes
}
