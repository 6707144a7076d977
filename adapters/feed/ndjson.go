package feed

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// ndjson reads a product from each line.
type ndjson struct {
	lines    *lines
	currency money.Currency
}

func (n *ndjson) all(yield func(Line, error) bool) {
	for {
		read, err := n.lines.next()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			yield(Line{Number: n.lines.number}, err)
			return
		case read.blank():
			continue
		}
		product := Line{Number: read.number}
		product.Draft, err = n.product(read)
		if !yield(product, err) {
			return
		}
	}
}

// strict is what the library's defaults (case-sensitive, no repeated names, UTF-8) still lack.
var strict = json.RejectUnknownMembers(true)

func (n *ndjson) product(read line) (catalog.Draft, error) {
	if read.tooLong {
		return catalog.Draft{}, errTooLong
	}
	var p product
	if err := json.Unmarshal(read.text, &p, strict); err != nil {
		return catalog.Draft{}, badJSON(err)
	}
	return p.draft(n.currency)
}

// badJSON says in the words of the feed what the library found, with the field as a dotted path.
func badJSON(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		field := dotted(semantic.JSONPointer)
		if field == "" {
			return unreadable("The line is not a JSON object.")
		}
		return fault.Field(field, problem(semantic))
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case ok && errors.Is(err, jsontext.ErrDuplicateName):
		return fault.Field(dotted(syntactic.JSONPointer), "is given twice")
	case ok:
		return unreadable(fmt.Sprintf("The line is not JSON: %v at byte %d.", syntactic.Err, syntactic.ByteOffset+1))
	}
	return unreadable("The line is not JSON.").Because(err)
}

// dotted turns /variants/0/sku into variants.0.sku.
func dotted(pointer jsontext.Pointer) string {
	var path []string
	for token := range pointer.Tokens() {
		path = append(path, token)
	}
	return strings.Join(path, ".")
}

func problem(found *json.SemanticError) string {
	switch {
	case found.Err == json.ErrUnknownName:
		return "is unknown"
	case found.Err == errNoNumber:
		return errNoNumber.Error()
	case found.GoType == nil:
		return "has the wrong type"
	}
	switch found.GoType.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Slice:
		return "must be a list"
	}
	return "must be an object"
}
