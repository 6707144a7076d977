package fieldtest

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Changes sets each field of a filled value to another value, one at a time, and calls try with the field's path while
// only that field differs. In a slice it changes each element, and also removes the last one. For types that Fill got a
// value for, it uses the next value in known, so pass two.
func Changes[T any](value *T, try func(path string), known ...any) {
	c := changer{byType(known), try}
	c.change(reflect.ValueOf(value).Elem(), reflect.TypeFor[T]().String())
}

// Matter reports each field of a filled value whose change does not change the result of sees. except lists the fields
// that do not matter, with the reasons. Matter also reports a field in except that does matter.
func Matter[T any](t testing.TB, value *T, sees func(*T) any, except Reasons, known ...any) {
	t.Helper()
	before := sees(value)
	left, stale := except.use()
	reported := map[string]bool{}
	Changes(value, func(path string) {
		path = index.ReplaceAllString(path, "[]")
		if reflect.DeepEqual(sees(value), before) && !left(path) && !reported[path] {
			reported[path] = true
			t.Errorf("%s: a change of it is not seen", path)
		}
	}, known...)
	for _, name := range stale() {
		t.Errorf("%s is seen, or is no field: take it off the exceptions", name)
	}
}

var index = regexp.MustCompile(`\[\d+\]`)

type changer struct {
	known map[reflect.Type][]reflect.Value
	try   func(path string)
}

func (c changer) change(v reflect.Value, path string) {
	if v.Kind() == reflect.Struct && !opaque(v.Type()) && len(c.known[v.Type()]) == 0 {
		for i := range v.NumField() {
			c.change(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			c.with(v, reflect.New(v.Type().Elem()), path)
			return
		}
		c.change(v.Elem(), path)
		c.with(v, reflect.Zero(v.Type()), path)
		return
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			c.change(v.Index(i), path+"["+strconv.Itoa(i)+"]")
		}
		if v.Kind() == reflect.Slice && v.Len() > 0 {
			c.with(v, v.Slice(0, v.Len()-1), path)
		}
		return
	case reflect.Map:
		for _, key := range v.MapKeys() {
			c.changeElement(v, key, path)
		}
		return
	}
	c.with(v, c.other(v, path), path)
}

// changeElement changes the value of a map's element, and then its key.
func (c changer) changeElement(v, key reflect.Value, path string) {
	was, value := v.MapIndex(key), reflect.New(v.Type().Elem()).Elem()
	value.Set(was)
	changer{c.known, func(path string) {
		v.SetMapIndex(key, value)
		c.try(path)
		v.SetMapIndex(key, was)
	}}.change(value, path+"[]")
	other := reflect.MakeMap(v.Type())
	other.SetMapIndex(c.other(key, path+"[key]"), was)
	c.with(v, other, path+"[key]")
}

// with calls try while v has the value other.
func (c changer) with(v, other reflect.Value, path string) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	v.Set(other)
	c.try(path)
	v.Set(before)
}

func (c changer) other(v reflect.Value, path string) reflect.Value {
	for _, known := range c.known[v.Type()] {
		if !reflect.DeepEqual(known.Interface(), v.Interface()) {
			return known
		}
	}
	switch was := v.Interface().(type) {
	case time.Time:
		return reflect.ValueOf(was.Add(25 * time.Hour))
	case money.Amount:
		return reflect.ValueOf(money.Of(was.Minor()+1, was.Currency()))
	}
	next := reflect.New(v.Type()).Elem()
	if text, ok := idText(next); ok {
		text.SetString(v.FieldByName("text").String() + "x")
		return next
	}
	switch v.Kind() {
	case reflect.String:
		next.SetString(v.String() + "x")
	case reflect.Bool:
		next.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		next.SetInt(v.Int() + 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		next.SetUint(v.Uint() + 1)
	default:
		panic(fmt.Sprintf("%s: fieldtest knows no second value of %s: pass two to Changes", path, v.Type()))
	}
	return next
}
