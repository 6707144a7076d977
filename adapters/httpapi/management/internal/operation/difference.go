package operation

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// difference is what differs between two things of one type, as JSON objects. A thing without another
// to compare it with is told whole; nil is "".
func difference(before, after any) (was, is string) {
	old, young := object(before), object(after)
	if old != nil && young != nil {
		old, young = differing(old, young)
	}
	return objectText(old), objectText(young)
}

func differing(old, young map[string]any) (was, is map[string]any) {
	was, is = map[string]any{}, map[string]any{}
	names := maps.Clone(old)
	maps.Copy(names, young)
	for name := range names {
		inner, nested := old[name].(map[string]any)
		other, both := young[name].(map[string]any)
		switch {
		case reflect.DeepEqual(old[name], young[name]):
		case nested && both:
			was[name], is[name] = differing(inner, other)
		default:
			was[name], is[name] = old[name], young[name]
		}
	}
	return was, is
}

// object is a response's value as plain JSON values, with its numbers as they are written.
func object(v any) map[string]any {
	if v == nil {
		return nil
	}
	text, err := wire.Marshal(v)
	if err != nil {
		return nil
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	var plain map[string]any
	if reader.Decode(&plain) != nil {
		return nil
	}
	return plain
}

func objectText(o map[string]any) string {
	if o == nil {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		return ""
	}
	return string(text)
}
