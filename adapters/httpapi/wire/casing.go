package wire

import (
	"bytes"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// shape has the known field names of a type's JSON objects. A nil shape knows none and refuses none.
type shape struct {
	fields  map[string]*shape // of a struct
	element *shape            // of a list's or a map's elements
}

var shapes sync.Map // reflect.Type -> *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := newShape(t, map[reflect.Type]*shape{})
	shapes.Store(t, s)
	return s
}

// wrapper is a type that is encoded as another one.
type wrapper interface{ wrapped() reflect.Type }

func newShape(t reflect.Type, known map[reflect.Type]*shape) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := known[t]; ok {
		return s
	}
	if w, ok := reflect.Zero(t).Interface().(wrapper); ok {
		return newShape(w.wrapped(), known)
	}
	s := &shape{}
	known[t] = s
	switch t.Kind() {
	case reflect.Struct:
		s.fields = map[string]*shape{}
		s.addFields(t, known)
	case reflect.Slice, reflect.Array, reflect.Map:
		s.element = newShape(t.Elem(), known)
	}
	return s
}

func (s *shape) addFields(t reflect.Type, known map[reflect.Type]*shape) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case options == "embed": // it has the fields without a struct field
		case field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct:
			s.addFields(field.Type, known)
		case !field.IsExported() || name == "-":
		case name == "":
			s.fields[field.Name] = newShape(field.Type, known)
		default:
			s.fields[name] = newShape(field.Type, known)
		}
	}
}

// checkCase finds fields that differ from known ones in case alone. The body was parsed before, so it is well formed.
func checkCase(body []byte, s *shape) error {
	c := caseChecker{Decoder: jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))}
	if err := c.value(s); err != nil {
		return err
	}
	if len(c.found) > 0 {
		return c.found
	}
	return nil
}

type caseChecker struct {
	*jsontext.Decoder
	found problems
}

func (c *caseChecker) value(s *shape) error {
	kind := c.PeekKind()
	if s == nil || kind != '{' && kind != '[' {
		return c.SkipValue()
	}
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	for next := c.PeekKind(); next != '}' && next != ']'; next = c.PeekKind() {
		child := s.element
		if kind == '{' {
			name, err := c.ReadToken()
			if err != nil {
				return err
			}
			if s.fields != nil {
				child = c.field(s, name.String())
			}
		}
		if err := c.value(child); err != nil {
			return err
		}
	}
	_, err := c.ReadToken()
	return err
}

func (c *caseChecker) field(s *shape, name string) *shape {
	child, known := s.fields[name]
	if known {
		return child
	}
	for exact := range s.fields {
		if strings.EqualFold(exact, name) {
			c.found = append(c.found, fault.Detail{Field: dotted(c.StackPointer()), Message: "must be written " + exact})
		}
	}
	return nil
}
