package apidiff_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// edit changes a document.
type edit func(t *testing.T, doc map[string]any)

func all(edits ...edit) edit {
	return func(t *testing.T, doc map[string]any) {
		for _, e := range edits {
			e(t, doc)
		}
	}
}

// set sets the value, given as YAML, at a path. The path's steps are separated by spaces; [name] is the element of a list with
// that name. All steps but the last must exist.
func set(path, value string) edit {
	return func(t *testing.T, doc map[string]any) {
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		at(t, doc, path)(v)
	}
}

// drop removes the value at a path, which must exist.
func drop(path string) edit {
	return func(t *testing.T, doc map[string]any) {
		at(t, doc, path)(nil)
	}
}

// push appends a value to a list, and pull removes one, which must exist.
func push(path, value string) edit { return relist(path, value, true) }
func pull(path, value string) edit { return relist(path, value, false) }

func relist(path, value string, add bool) edit {
	return func(t *testing.T, doc map[string]any) {
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		list, _ := find(doc, strings.Fields(path)).([]any)
		i := slices.IndexFunc(list, func(one any) bool { return reflect.DeepEqual(one, v) })
		switch {
		case add:
			list = append(slices.Clone(list), v)
		case i < 0:
			t.Fatalf("no %s in %s: %v", value, path, list)
		default:
			list = slices.Delete(slices.Clone(list), i, i+1)
		}
		at(t, doc, path)(list)
	}
}

// at returns a function that sets the value at a path, or removes it if the argument is nil.
func at(t *testing.T, doc map[string]any, path string) func(any) {
	t.Helper()
	steps := strings.Fields(path)
	last := steps[len(steps)-1]
	switch parent := find(doc, steps[:len(steps)-1]).(type) {
	case map[string]any:
		return func(v any) {
			if v != nil {
				parent[last] = v
				return
			}
			if parent[last] == nil {
				t.Fatalf("nothing at %s", path)
			}
			delete(parent, last)
		}
	case []any:
		return func(v any) {
			i := named(parent, last)
			if i < 0 || v != nil {
				t.Fatalf("no %s in %s", last, path)
			}
			at(t, doc, strings.Join(steps[:len(steps)-1], " "))(slices.Delete(slices.Clone(parent), i, i+1))
		}
	}
	t.Fatalf("nothing at %s", path)
	return nil
}

func find(node any, steps []string) any {
	for _, step := range steps {
		switch n := node.(type) {
		case map[string]any:
			node = n[step]
		case []any:
			i := named(n, step)
			if i < 0 {
				return nil
			}
			node = n[i]
		}
	}
	return node
}

func named(list []any, step string) int {
	if i, err := strconv.Atoi(step); err == nil && i < len(list) {
		return i
	}
	return slices.IndexFunc(list, func(one any) bool {
		object, _ := one.(map[string]any)
		return object["name"] == strings.Trim(step, "[]")
	})
}

// load reads a document and returns it as JSON, which parses faster. It inlines shared responses, headers and parameters, so
// that an edit of one operation changes no other.
func load(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return encode(t, inlined(doc, doc).(map[string]any))
}

// inlined replaces all references except those to schemas.
func inlined(doc map[string]any, node any) any {
	switch n := node.(type) {
	case map[string]any:
		if ref, _ := n["$ref"].(string); ref != "" && !strings.HasPrefix(ref, "#/components/schemas/") {
			return inlined(doc, find(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")))
		}
		copied := map[string]any{}
		for key, v := range n {
			copied[key] = inlined(doc, v)
		}
		return copied
	case []any:
		copied := make([]any, len(n))
		for i, v := range n {
			copied[i] = inlined(doc, v)
		}
		return copied
	}
	return node
}

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func encode(t *testing.T, doc map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
