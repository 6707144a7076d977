// Package fieldtest fills values field by field, changes them one field at a time and compares them, by reflection.
// Tests use it to check that every field of a type survives a round trip, including fields added later.
package fieldtest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Start is the time before all filled times.
var Start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// From is the number at which the values of a Fill start. Two fills that start far apart have no value in common.
type From int

// Fill returns a T in which every exported field, at any depth, has a distinct value that is not zero: slices have two
// elements, and maps one. known has values of types with private fields, and of types for which not every value is
// valid; the first value of a type is used. Fill panics if it cannot fill a type: pass a value of it.
func Fill[T any](known ...any) T {
	var filled T
	f := filler{known: byType(known)}
	if from := f.known[reflect.TypeFor[From]()]; len(from) > 0 {
		f.n = int(from[0].Int())
	}
	f.fill(reflect.ValueOf(&filled).Elem(), reflect.TypeFor[T]().String())
	return filled
}

// byType groups known values by type, in the order given.
func byType(known []any) map[reflect.Type][]reflect.Value {
	values := make(map[reflect.Type][]reflect.Value)
	for _, v := range known {
		values[reflect.TypeOf(v)] = append(values[reflect.TypeOf(v)], reflect.ValueOf(v))
	}
	return values
}

// ids numbers the IDs of filled values, which may be stored in one database.
var ids atomic.Int64

type filler struct {
	known map[reflect.Type][]reflect.Value
	n     int
}

func (f *filler) fill(v reflect.Value, path string) {
	f.n++
	if known := f.known[v.Type()]; len(known) > 0 {
		v.Set(known[0])
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(Start.Add(time.Duration(f.n) * (time.Minute + time.Millisecond))))
		return
	case money.Amount:
		v.Set(reflect.ValueOf(money.Of(int64(f.n), money.USD)))
		return
	case money.Currency:
		v.Set(reflect.ValueOf(money.USD))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		f.fillStruct(v, path)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			f.fill(v.Index(i), path+"[]")
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), path+"[]")
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, path+"[key]")
		f.fill(value, path+"[]")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("value " + strconv.Itoa(f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.n))
	default:
		panic(fmt.Sprintf("%s: fieldtest knows no value of %s: pass one to Fill", path, v.Type()))
	}
}

func (f *filler) fillStruct(v reflect.Value, path string) {
	if text, ok := idText(v); ok {
		text.SetString("id " + strconv.FormatInt(ids.Add(1), 10))
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			panic(fmt.Sprintf("%s: fieldtest knows no value of %s, whose fields are private: pass one to Fill", path, v.Type()))
		}
		f.fill(v.Field(i), path+"."+field.Name)
	}
}

// idText returns the settable text field of an id.ID.
func idText(v reflect.Value) (text reflect.Value, ok bool) {
	if v.Kind() != reflect.Struct || !strings.HasPrefix(v.Type().Name(), "ID[") || !v.CanAddr() {
		return text, false
	}
	text = v.FieldByName("text")
	return reflect.NewAt(text.Type(), unsafe.Pointer(text.UnsafeAddr())).Elem(), true
}
