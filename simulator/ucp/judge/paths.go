package judge

import (
	"maps"
	"slices"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// path checks that an RFC 9535 query selects something in the answer. A query for a missing value cannot: then its
// existing part must be right, and its first name must be one that the answer may have.
func (r *report) path(where, query string) {
	parsed, err := jsonpath.Parse(query)
	if err != nil {
		r.add(where, "%q is no RFC 9535 path: %v", query, err)
		return
	}
	if len(parsed.Select(r.root)) > 0 {
		return
	}
	if parsed.Query().Singular() == nil {
		r.add(where, "%q selects nothing", query)
		return
	}
	var here any = r.root
	for depth, segment := range parsed.Query().Segments() {
		switch step := segment.Selectors()[0].(type) {
		case spec.Name:
			members, isObject := here.(map[string]any)
			child, found := members[string(step)]
			if !found {
				r.require(isObject, where, "%q: what is before %q is no object", query, string(step))
				r.require(depth > 0 || r.mayHave(string(step)), where, "%q: there is no %q in such an answer", query, string(step))
				return
			}
			here = child
		case spec.Index:
			items, isList := here.([]any)
			if !isList || int(step) >= len(items) || int(step) < -len(items) {
				r.add(where, "%q: there is no element %d", query, int(step))
				return
			}
			here = items[(int(step)+len(items))%len(items)]
		}
	}
}

// mayHave reports whether the answer's composed schema has the top-level member.
func (r *report) mayHave(name string) bool {
	kind := kinds[r.operation]
	if kind.base == "" {
		return true
	}
	document, err := schema.Document(r.judge.version, kind.base)
	if err != nil {
		return true
	}
	names := slices.Collect(maps.Keys(object(object(document)["properties"])))
	if r.lenient {
		names = append(names, "discounts", "fulfillment")
	}
	for _, extension := range r.active {
		switch {
		case !extends(extension, kind.parent, r.judge.version):
		case extension == Discount:
			names = append(names, "discounts")
		case extension == Fulfillment:
			names = append(names, "fulfillment")
		}
	}
	return slices.Contains(names, name)
}
