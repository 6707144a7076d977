package schema

import (
	"maps"
	"slices"
)

// The annotations of a property (schema-authoring).
const (
	omit     = "omit"
	required = "required"
	optional = "optional"
)

// Resolve returns a copy of a schema document for a direction and an operation. It removes properties that are annotated
// omit, and adds or removes required by the annotation. It does not follow references, because the documents that they
// point to are resolved as well.
func Resolve(document any, direction Direction, operation string) any {
	return resolver{annotation: "ucp_" + string(direction), operation: operation}.schema(document)
}

type resolver struct {
	annotation string
	operation  string
}

// schema copies a schema, or an object that holds schemas under names that are not keywords.
func (r resolver) schema(value any) any {
	switch value := value.(type) {
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = r.schema(item)
		}
		return copied
	case map[string]any:
		return r.object(value)
	}
	return value
}

func (r resolver) object(from map[string]any) map[string]any {
	to := make(map[string]any, len(from))
	for keyword, value := range from {
		switch keyword {
		case "const", "enum", "default", "examples", "required": // data, not schemas
			to[keyword] = value
		case "properties":
		case r.annotation:
		default:
			to[keyword] = r.schema(value)
		}
	}
	if properties, found := from["properties"].(map[string]any); found {
		r.properties(properties, to)
	} else if odd, found := from["properties"]; found {
		to["properties"] = odd
	}
	return to
}

// properties copies the properties of from and adapts the list of required ones in to.
func (r resolver) properties(from map[string]any, to map[string]any) {
	names, _ := to["required"].([]any)
	names = slices.Clone(names)
	copied := make(map[string]any, len(from))
	for _, name := range slices.Sorted(maps.Keys(from)) {
		level := r.level(from[name])
		if level == omit || level == optional {
			names = slices.DeleteFunc(names, func(listed any) bool { return listed == any(name) })
		}
		if level == required && !slices.Contains(names, any(name)) {
			names = append(names, name)
		}
		if level != omit {
			copied[name] = r.schema(from[name])
		}
	}
	to["properties"] = copied
	delete(to, "required")
	if len(names) > 0 {
		to["required"] = names
	}
}

// level returns the annotation of a property for the operation, or "" if there is none.
func (r resolver) level(property any) string {
	object, _ := property.(map[string]any)
	switch annotation := object[r.annotation].(type) {
	case string:
		return annotation
	case map[string]any:
		level, _ := annotation[r.operation].(string)
		return level
	}
	return ""
}

// Omitted returns the top-level properties of an object schema that a request of the operation must not have.
func Omitted(document any, operation string) []string {
	r := resolver{annotation: "ucp_" + string(Request), operation: operation}
	object, _ := document.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	var names []string
	for name, property := range properties {
		if r.level(property) == omit {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
