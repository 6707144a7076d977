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

// Item is an element of a list whose elements succeed or fail one by one. The body is accepted whatever its items contain, and
// Read reports the problems of each item. It is for lists of the Management API, where unknown fields are refused, including
// known names in another case.
type Item[T any] struct{ raw jsontext.Value }

// notRead is a problem that cannot occur, because the body was parsed before.
const notRead = "cannot be read"

func (i *Item[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	i.raw = value.Clone()
	return err
}

// Schema is that of T in the document, but accepts anything: Huma writes extensions unchanged, and does not follow references in
// them.
func (Item[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Extensions: map[string]any{"$ref": itemSchema[T](r).Ref}}
}

func itemSchema[T any](r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }

// Read returns the item as far as it can be read. A value that violates the schema in r, or that the type
// cannot hold, becomes a problem of its field, with a path that begins at the item. Fields whose values cannot
// be read are left out.
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

// decode removes one invalid field after another until the rest can be decoded.
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

// without returns an object without the field at the beginning of the pointer, or nil if there is none.
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
