package apidiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// document is a flattened document: it has no $ref. Written out, each of its values has its own line.
type document struct {
	root    map[string]any
	schemas map[string]string // the name of the schema that a $ref at a path named
	text    []byte
	lines   map[int][]string // the path of the value at a line
}

func read(text []byte) (map[string]any, error) {
	var root map[string]any
	if json.Unmarshal(text, &root) == nil { // much faster than as YAML
		return root, nil
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		return nil, err
	}
	again, err := json.Marshal(plain) // so that numbers and keys have one type each
	if err != nil {
		return nil, err
	}
	return root, json.Unmarshal(again, &root)
}

// align writes what both documents have of oneOf and of parameters in the same places, because the
// library compares the first alternative with the first, and judge looks a place up in both.
func align(left, right any) {
	l, ok := left.(map[string]any)
	r, both := right.(map[string]any)
	if !ok || !both {
		return
	}
	for key := range l {
		before, isList := l[key].([]any)
		after, areLists := r[key].([]any)
		if isList && areLists && (key == "oneOf" || key == "parameters") {
			l[key], r[key] = sharedFirst(before, after), sharedFirst(after, before)
		}
		align(l[key], r[key])
	}
}

// sharedFirst sorts a list, with what the other list has too in front.
func sharedFirst(list, other []any) []any {
	shared := map[string]bool{}
	for _, v := range other {
		shared[identity(v)] = true
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int {
		if shared[identity(a)] != shared[identity(b)] {
			return map[bool]int{true: -1, false: 1}[shared[identity(a)]]
		}
		return strings.Compare(identity(a), identity(b))
	})
}

// identity is what makes a parameter or an alternative the same one as in the other document.
func identity(v any) string {
	object, _ := v.(map[string]any)
	if object["name"] != nil {
		return fmt.Sprint(object["name"], " ", object["in"])
	}
	return fmt.Sprint(v) // maps print sorted
}

// flatten puts the schemas where they are used. The rest of the components has no effect of its own,
// save how keys are shown.
func flatten(root map[string]any) *document {
	d := &document{root: map[string]any{}, schemas: map[string]string{}}
	named, _ := lookup(root, []string{"components", "schemas"}).(map[string]any)
	for _, key := range []string{"openapi", "info", "security", "paths"} {
		if root[key] != nil {
			d.root[key] = d.inline(root[key], named, []string{key}, nil)
		}
	}
	if keys := lookup(root, []string{"components", "securitySchemes"}); keys != nil {
		d.root["components"] = map[string]any{"securitySchemes": keys}
	}
	return d
}

// inline copies a value with each $ref replaced by the schema that it names. What is within itself is
// cut where it comes again. Discriminators go: they repeat, by schemas' names, what the enums say.
func (d *document) inline(node any, named map[string]any, path, within []string) any {
	switch node := node.(type) {
	case map[string]any:
		out := map[string]any{}
		if ref, ok := node["$ref"].(string); ok {
			name := ref[strings.LastIndex(ref, "/")+1:]
			d.schemas[strings.Join(path, "\n")] = name
			if !slices.Contains(within, name) {
				out, _ = d.inline(named[name], named, path, append(slices.Clip(within), name)).(map[string]any)
			}
		}
		for key, value := range node {
			if key != "$ref" && key != "discriminator" {
				out[key] = d.inline(value, named, append(slices.Clip(path), key), within)
			}
		}
		return out
	case []any:
		out := make([]any, len(node))
		for i, value := range node {
			out[i] = d.inline(value, named, append(slices.Clip(path), strconv.Itoa(i)), within)
		}
		return out
	}
	return node
}

// render writes the document out and notes what is on each line.
func (d *document) render() error {
	var err error
	if d.text, err = json.MarshalIndent(d.root, "", " "); err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(d.text, &node); err != nil {
		return err
	}
	d.lines = map[int][]string{}
	d.note(node.Content[0], nil)
	return nil
}

func (d *document) note(n *yaml.Node, path []string) {
	d.lines[n.Line] = path
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			d.note(n.Content[i+1], append(slices.Clip(path), n.Content[i].Value))
		}
	case yaml.SequenceNode:
		for i, element := range n.Content {
			d.note(element, append(slices.Clip(path), strconv.Itoa(i)))
		}
	}
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// operations are the paths of all operations.
func (d *document) operations() [][]string {
	var all [][]string
	paths, _ := d.root["paths"].(map[string]any)
	for _, address := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range methods {
			at := []string{"paths", address, method}
			if lookup(d.root, at) != nil {
				all = append(all, at)
			}
		}
	}
	return all
}

// prune takes out the operations that are equal or on one side only, so that the library's work is as
// small as the change.
func prune(l, r *document) {
	for _, at := range append(l.operations(), r.operations()...) {
		left, right := lookup(l.root, at), lookup(r.root, at)
		if left == nil || right == nil || reflect.DeepEqual(left, right) {
			for _, d := range []*document{l, r} {
				if item, ok := lookup(d.root, at[:2]).(map[string]any); ok {
					delete(item, at[2])
				}
			}
		}
	}
	for _, d := range []*document{l, r} {
		paths, _ := d.root["paths"].(map[string]any)
		maps.DeleteFunc(paths, func(_ string, item any) bool { return len(item.(map[string]any)) == 0 })
	}
}

// lookup is what is at a path, or nil.
func lookup(node any, path []string) any {
	for _, key := range path {
		switch n := node.(type) {
		case map[string]any:
			node = n[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(n) {
				return nil
			}
			node = n[i]
		default:
			return nil
		}
	}
	return node
}
