package wire

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Item is an element of a list whose elements succeed or fail one by one. The body is acceptable
// whatever its items hold; Read tells what is wrong with each. It is for lists of the Management API,
// whose objects know all of their fields: so a field in another case is refused as unknown.
type Item[T any] struct{ raw jsontext.Value }

// notRead is a problem that no item has, because the body was read before it.
const notRead = "cannot be read"

func (i *Item[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	i.raw = value.Clone()
	return err
}

// Schema reads as T's in the document and refuses nothing: Huma writes extensions as they are, and
// follows only the references that are none.
func (Item[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{"$ref": itemSchema[T](r).Ref}}
}

func itemSchema[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// Read is the item as far as it can be read. What is wrong with it, by its schema in r or because its
// type cannot hold it, becomes a problem of the field, named from the item on; a field whose value
// cannot be read is left out.
func (i Item[T]) Read(r huma.Registry, check fault.Check) T {
	for _, d := range bound(i.validate(r)) {
		check.That(false, d.Field, d.Message)
	}
	return i.decode(check)
}

func (i Item[T]) validate(r huma.Registry) []fault.Detail {
	plain, err := readPlain(i.raw)
	if err != nil {
		return []fault.Detail{{Message: notRead}}
	}
	path, result := huma.NewPathBuffer(nil, 0), &huma.ValidateResult{}
	path.Push("body")
	huma.Validate(r, itemSchema[T](r), path, huma.ModeWriteToServer, plain, result)
	var found []fault.Detail
	for _, err := range result.Errors {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			found = append(found, fieldProblem(detail))
		}
	}
	slices.SortFunc(found, func(a, b fault.Detail) int { return cmp.Compare(a.Field, b.Field) })
	return found
}

// decode leaves out one field after the other until the rest can be decoded.
func (i Item[T]) decode(check fault.Check) T {
	for raw := i.raw; ; {
		var value, none T
		var semantic *json.SemanticError
		switch err := json.Unmarshal(raw, &value, reading); {
		case err == nil:
			return value
		case !errors.As(err, &semantic):
			check.That(false, "", notRead)
			return none
		}
		check.That(false, cut(dotted(semantic.JSONPointer)), semanticMessage(semantic))
		if raw = without(raw, semantic.JSONPointer); raw == nil {
			return none
		}
	}
}

// without is an object without the field that the pointer leads through, and nil if there is none.
func without(object jsontext.Value, p jsontext.Pointer) jsontext.Value {
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil
	}
	for name := range p.Tokens() {
		delete(fields, name)
		smaller, err := json.Marshal(fields)
		if err != nil {
			return nil
		}
		return smaller
	}
	return nil
}
