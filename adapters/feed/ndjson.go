package feed

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

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
		product := n.line(read)
		if !yield(product, problems(product.Problems).err()) {
			return
		}
	}
}

func (n *ndjson) columns() []string { return nil }

// line parses a line into a product with its problems.
func (n *ndjson) line(read line) Line {
	raw := read.text
	l := Line{
		Number: read.number,
		Rows:   []catalog.FileRow{{Number: read.number, Text: strings.ToValidUTF8(string(raw), "\ufffd")}},
		locate: func(field string) (int, string, string) { return 0, field, valueIn(raw, field) },
	}
	var found []fault.Detail
	switch {
	case read.tooLong:
		found = wholeLine(errTooLong)
	case !utf8.Valid(raw):
		found = wholeLine(errNotUTF8)
	default:
		l.Draft, found = n.product(raw)
		l.SKU = catalog.Shown(valueIn(raw, "sku"))
	}
	for _, d := range found {
		(*problems)(&l.Problems).add(catalog.LineProblem{
			Line:    read.number,
			SKU:     l.SKU,
			Field:   d.Field,
			Value:   valueIn(raw, d.Field),
			Message: d.Message,
		})
	}
	return l
}

// wholeLine is a problem of the line as a whole.
func wholeLine(err error) []fault.Detail { return []fault.Detail{{Message: err.Error()}} }

// strict complements the library's defaults (case-sensitive, no repeated names, UTF-8).
var strict = json.RejectUnknownMembers(true)

func (n *ndjson) product(text []byte) (catalog.Draft, []fault.Detail) {
	var p product
	if err := json.Unmarshal(text, &p, strict); err != nil {
		return catalog.Draft{}, badJSON(err)
	}
	draft, err := p.draft(n.currency)
	bad, _ := err.(*fault.Error)
	if bad == nil {
		return draft, nil
	}
	return draft, bad.Details
}

// valueIn returns the value at a dotted path of a JSON text: a string without its quotes, any other value as written, and
// "" if there is none.
func valueIn(text []byte, path string) string {
	value := jsontext.Value(text)
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, ".")
		var next jsontext.Value
		switch value.Kind() {
		case jsontext.KindBeginObject:
			var members map[string]jsontext.Value
			_ = json.Unmarshal(value, &members, jsontext.AllowDuplicateNames(true)) // an unreadable object has no value
			next = members[name]
		case jsontext.KindBeginArray:
			var elements []jsontext.Value
			_ = json.Unmarshal(value, &elements)
			if i, err := strconv.Atoi(name); err == nil && i < len(elements) {
				next = elements[i]
			}
		}
		if value = next; value == nil {
			return ""
		}
	}
	var said string
	if json.Unmarshal(value, &said) == nil {
		return said
	}
	return string(value)
}

// badJSON converts the library's error to a problem of the feed, with the field as a dotted path.
func badJSON(err error) []fault.Detail {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		field := dotted(semantic.JSONPointer)
		if field == "" {
			return wholeLine(errors.New("is not a JSON object"))
		}
		return []fault.Detail{{Field: field, Message: problem(semantic, field)}}
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case ok && errors.Is(err, jsontext.ErrDuplicateName):
		return []fault.Detail{{Field: dotted(syntactic.JSONPointer), Message: "is given twice"}}
	case ok:
		return wholeLine(fmt.Errorf("is not JSON: %w at byte %d", syntactic.Err, syntactic.ByteOffset+1))
	}
	return wholeLine(errors.New("is not JSON"))
}

// dotted turns /variants/0/sku into variants.0.sku.
func dotted(pointer jsontext.Pointer) string {
	var path []string
	for token := range pointer.Tokens() {
		path = append(path, token)
	}
	return strings.Join(path, ".")
}

func problem(found *json.SemanticError, field string) string {
	switch {
	case found.Err == json.ErrUnknownName:
		if meant := fault.Nearest(field, productFields); meant != "" {
			return "is unknown; did you mean " + meant + "?"
		}
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

// records reads a product as NDJSON from each row's record column.
func (t *table) records(yield func(Line, error) bool) {
	from := &ndjson{t.lines, t.currency}
	for {
		r, err := t.next()
		var l Line
		switch {
		case err == nil:
			l = from.line(line{number: r.number, text: []byte(r.cell(recordColumn))})
		case lineOnly(err):
			l = Line{
				Number:   r.number,
				Problems: problems{{Line: r.number, Message: err.Error()}},
				Rows:     []catalog.FileRow{r.source()},
			}
		case err == io.EOF:
			return
		default:
			yield(Line{Number: r.number}, err)
			return
		}
		if !yield(l, problems(l.Problems).err()) {
			return
		}
	}
}
