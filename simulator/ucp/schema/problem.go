package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Problem is one problem with a value.
type Problem struct {
	Path   string // RFC 9535, from the value's root: $.line_items[0].quantity
	Reason string
}

func (p Problem) String() string { return p.Path + ": " + p.Reason }

// Problems are all problems with a value. They implement error.
type Problems []Problem

// Error lists the problems, one a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns nil if there is no problem.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Validate returns the problems of a decoded value (numbers as json.Number). It returns an error if the schema cannot be
// used.
func Validate(ref Ref, value any) (Problems, error) {
	ready, err := Compile(ref)
	if err != nil {
		return nil, err
	}
	var invalid *jsonschema.ValidationError
	if err := ready.Validate(value); !errors.As(err, &invalid) {
		return nil, err
	}
	var found Problems
	collect(value, invalid, &found)
	slices.SortFunc(found, func(a, b Problem) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(found), nil
}

var english = message.NewPrinter(language.English)

// collect keeps the innermost causes, because outer ones only say that something inside is invalid.
func collect(value any, invalid *jsonschema.ValidationError, found *Problems) {
	name, aboutName := invalid.ErrorKind.(*kind.PropertyNames) // causes about a name have no location
	if !aboutName && len(invalid.Causes) > 0 {
		for _, cause := range invalid.Causes {
			collect(value, cause, found)
		}
		return
	}
	locations := [][]string{invalid.InstanceLocation}
	if aboutName {
		locations = named(value, name.Property, len(invalid.InstanceLocation), nil)
	}
	_, file, _ := strings.Cut(invalid.SchemaURL, "/schemas/")
	for _, location := range locations {
		*found = append(*found, Problem{
			Path:   PathOf(location),
			Reason: fmt.Sprintf("%s (%s)", invalid.ErrorKind.LocalizedString(english), file),
		})
	}
}

// named finds the members with a name at a depth. jsonschema v6.0.3 reports the depth of an invalid name, but later steps
// of the validation overwrite its location.
func named(value any, name string, depth int, location []string) (found [][]string) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if depth > 0 {
				found = append(found, named(item, name, depth-1, append(slices.Clone(location), strconv.Itoa(i)))...)
			}
		}
	case map[string]any:
		if _, has := value[name]; has && depth == 0 {
			return [][]string{append(slices.Clone(location), name)}
		}
		for member, child := range value {
			if depth > 0 {
				found = append(found, named(child, name, depth-1, append(slices.Clone(location), member))...)
			}
		}
	}
	return found
}

// PathOf returns a location as an RFC 9535 path.
func PathOf(location []string) string {
	var path strings.Builder
	path.WriteByte('$')
	for _, step := range location {
		switch _, err := strconv.Atoi(step); {
		case err == nil:
			fmt.Fprintf(&path, "[%s]", step)
		case plain(step):
			path.WriteString("." + step)
		default:
			fmt.Fprintf(&path, "['%s']", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(step))
		}
	}
	return path.String()
}

func plain(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	}) < 0
}
