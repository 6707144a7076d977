package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// maxDepth is how deep a body may nest (features/MANAGEMENT.md#limits).
const maxDepth = 32

var (
	reading = json.WithUnmarshalers(json.UnmarshalFromFunc(readInt))
	writing = json.Deterministic(true)
)

// Marshal encodes a value as in a response.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, writing) }

func encode(w io.Writer, v any) error { return json.MarshalWrite(w, v, writing) }

// decode reads a body: into plain values when v is an *any, else into a request's struct.
func decode(body []byte, v any) error {
	if plain, ok := v.(*any); ok {
		value, err := readPlain(body)
		*plain = value
		return err
	}
	if err := checkCase(body, shapeOf(reflect.TypeOf(v))); err != nil {
		return err
	}
	err := json.Unmarshal(body, v, reading)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return problems{{Field: dotted(semantic.JSONPointer), Message: semanticMessage(semantic)}}
	}
	return err
}

func semanticMessage(e *json.SemanticError) string {
	if e.GoType != nil && e.GoType.Kind() >= reflect.Int && e.GoType.Kind() <= reflect.Uint64 {
		return "must be a whole number within range"
	}
	return "has a value of the wrong type"
}

// readInt also takes whole numbers written as 2.0 or 1e2, which JSON Schema calls integers.
func readInt(d *jsontext.Decoder, n *int) error {
	value, err := d.ReadValue()
	if err != nil || value.Kind() == 'n' {
		return err
	}
	whole, err := strconv.ParseInt(string(value), 10, strconv.IntSize)
	if err != nil {
		whole, err = money.ParseDecimal(string(value), 0)
	}
	*n = int(whole)
	return err
}

// plainReader reads JSON into the values that Huma validates. It refuses what no field may hold.
type plainReader struct{ *jsontext.Decoder }

func readPlain(body []byte) (any, error) {
	r := plainReader{jsontext.NewDecoder(bytes.NewBuffer(body))}
	value, err := r.value()
	if err != nil {
		return nil, err
	}
	if _, err := r.ReadToken(); err == nil {
		return nil, errors.New("there is more than one JSON value")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return value, nil
}

func (r plainReader) value() (any, error) {
	token, err := r.ReadToken()
	if err != nil {
		return nil, err
	}
	if r.StackDepth() > maxDepth {
		return nil, errors.New("it nests too deep")
	}
	switch token.Kind() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.text(token.String())
	case '0':
		// A number beyond float64 becomes infinite, so that it violates the field's bounds instead of making the whole body
		// malformed.
		n, err := strconv.ParseFloat(token.String(), 64)
		if errors.Is(err, strconv.ErrRange) {
			err = nil
		}
		return n, err
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (r plainReader) object() (any, error) {
	object := make(map[string]any)
	for r.PeekKind() != '}' {
		name, err := r.ReadToken()
		if err != nil {
			return nil, err
		}
		key, err := r.text(name.String())
		if err != nil {
			return nil, err
		}
		if object[key], err = r.value(); err != nil {
			return nil, err
		}
	}
	_, err := r.ReadToken()
	return object, err
}

func (r plainReader) array() (any, error) {
	array := []any{}
	for r.PeekKind() != ']' {
		element, err := r.value()
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	_, err := r.ReadToken()
	return array, err
}

// text refuses NUL, which no text column of PostgreSQL can hold.
func (r plainReader) text(s string) (string, error) {
	if strings.IndexByte(s, 0) >= 0 {
		field := strings.ReplaceAll(dotted(r.StackPointer()), "\x00", "")
		return "", problems{{Field: field, Message: "must not contain a NUL character"}}
	}
	return s, nil
}

// dotted writes a JSON pointer as the path of a field: /items/0/sku is items.0.sku.
func dotted(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}

// problems has the problems of fields found while decoding. Huma keeps only an error's text, so the text carries them to the
// error mapping.
type problems []fault.Detail

const fieldMark, problemMark = "\x1f", "\x1e"

func (p problems) Error() string {
	var lines []string
	for _, d := range p {
		lines = append(lines, d.Field+fieldMark+d.Message)
	}
	return strings.Join(lines, problemMark)
}

// parseProblems reads what problems.Error wrote.
func parseProblems(text string) (problems, bool) {
	if !strings.Contains(text, fieldMark) {
		return nil, false
	}
	var p problems
	for line := range strings.SplitSeq(text, problemMark) {
		field, message, _ := strings.Cut(line, fieldMark)
		p = append(p, fault.Detail{Field: field, Message: message})
	}
	return p, true
}
