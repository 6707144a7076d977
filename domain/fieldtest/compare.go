package fieldtest

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Pair is a value before and after a round trip. Each is a T or a pointer to one.
type Pair struct{ Sent, Got any }

// Reasons are fields that a test leaves out, with the reasons. A field stands for all fields below it.
type Reasons map[string]string

// Survive reports each field that differs after a round trip, and each that is zero in every value sent, because
// nothing was tested for it. Elements of a slice are one field ("order.Order.Lines[].Unit"). except lists fields to
// leave out; Survive also reports a field in except that does survive.
func Survive(t testing.TB, except Reasons, pairs ...Pair) {
	t.Helper()
	differ, set, all := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, p := range pairs {
		sent, got := reflect.ValueOf(p.Sent), reflect.ValueOf(p.Got)
		sent, got = reflect.Indirect(sent), reflect.Indirect(got)
		if !got.IsValid() {
			t.Errorf("%s did not arrive", sent.Type())
			continue
		}
		path := sent.Type().String()
		compare(sent, got, path, differ)
		paths(sent.Type(), path, all, nil)
		setPaths(sent, path, set)
	}
	left, stale := except.use()
	for _, path := range slices.Sorted(maps.Keys(differ)) {
		if !left(path) {
			t.Errorf("%s: %s", path, differ[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if !set[path] && differ[path] == "" && !left(path) {
			t.Errorf("%s: nothing was sent", path)
		}
	}
	for _, name := range stale() {
		t.Errorf("%s survives, or is no field: take it off the exceptions", name)
	}
}

// use returns a function that reports whether to leave out a path, and one that returns the unused reasons.
func (r Reasons) use() (left func(path string) bool, stale func() []string) {
	unused := maps.Clone(r)
	left = func(path string) bool {
		for name := range r {
			if rest, below := strings.CutPrefix(path, name); below && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
				delete(unused, name)
				return true
			}
		}
		return false
	}
	return left, func() []string { return slices.Sorted(maps.Keys(unused)) }
}

// compare records the first difference at each path.
func compare(sent, got reflect.Value, path string, differ map[string]string) {
	note := func(path string) {
		differ[path] = cmp.Or(differ[path], fmt.Sprintf("sent %s, got %s", show(sent), show(got)))
	}
	if at, isTime := sent.Interface().(time.Time); isTime {
		if !at.Equal(got.Interface().(time.Time)) {
			note(path)
		}
		return
	}
	switch sent.Kind() {
	case reflect.Struct:
		if opaque(sent.Type()) {
			break
		}
		for i := range sent.NumField() {
			compare(sent.Field(i), got.Field(i), path+"."+sent.Type().Field(i).Name, differ)
		}
		return
	case reflect.Pointer:
		if sent.IsNil() || got.IsNil() {
			break
		}
		compare(sent.Elem(), got.Elem(), path, differ)
		return
	case reflect.Slice, reflect.Array:
		if sent.Len() != got.Len() || sent.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		for i := range sent.Len() {
			compare(sent.Index(i), got.Index(i), path+"[]", differ)
		}
		return
	}
	if !reflect.DeepEqual(sent.Interface(), got.Interface()) {
		note(path)
	}
}

func show(v reflect.Value) string {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return fmt.Sprintf("%.120q", fmt.Sprint(v.Interface()))
}

// opaque reports whether a struct has private fields, so that it is compared and set as a whole.
func opaque(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return t.NumField() == 0
}

// paths collects the paths of all leaf fields of a type.
func paths(t reflect.Type, path string, all map[string]bool, within []reflect.Type) {
	switch {
	case slices.Contains(within, t):
		return
	case t.Kind() == reflect.Pointer:
		paths(t.Elem(), path, all, within)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() != reflect.Uint8:
		paths(t.Elem(), path+"[]", all, within)
	case t.Kind() == reflect.Struct && !opaque(t):
		for i := range t.NumField() {
			paths(t.Field(i).Type, path+"."+t.Field(i).Name, all, append(within, t))
		}
	default:
		all[path] = true
	}
}

// setPaths collects the paths of fields that are not zero.
func setPaths(v reflect.Value, path string, set map[string]bool) {
	switch {
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			setPaths(v.Elem(), path, set)
		}
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Type().Elem().Kind() != reflect.Uint8:
		for i := range v.Len() {
			setPaths(v.Index(i), path+"[]", set)
		}
	case v.Kind() == reflect.Struct && !opaque(v.Type()):
		for i := range v.NumField() {
			setPaths(v.Field(i), path+"."+v.Type().Field(i).Name, set)
		}
	case !v.IsZero():
		set[path] = true
	}
}
