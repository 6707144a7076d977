package stored

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/money"
)

var (
	amount    = reflect.TypeFor[money.Amount]()
	instant   = reflect.TypeFor[time.Time]()
	elsewhere = reflect.TypeFor[struct{}]() // in the place of a field that is not stored
)

// taggedType is a type like t, with the tags that encoding/json needs.
func taggedType(t reflect.Type, tags, used Tags) reflect.Type {
	if _, isText := spelling.For(t); isText {
		return reflect.TypeFor[string]()
	}
	if t == amount || t == instant {
		return reflect.TypeFor[int64]()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.PointerTo(taggedType(t.Elem(), tags, used))
	case reflect.Slice:
		return reflect.SliceOf(taggedType(t.Elem(), tags, used))
	case reflect.Map:
		return reflect.MapOf(taggedType(t.Key(), tags, used), taggedType(t.Elem(), tags, used))
	case reflect.Struct:
		fields := make([]reflect.StructField, t.NumField())
		for i := range fields {
			fields[i] = taggedField(t.Name(), t.Field(i), tags, used)
		}
		return reflect.StructOf(fields)
	}
	return t
}

func taggedField(of string, f reflect.StructField, tags, used Tags) reflect.StructField {
	at := of + "." + f.Name
	tag, own := tags[at]
	if own {
		used[at] = tag
	}
	if tag == "" || tag[0] == ',' {
		tag = Snake(f.Name) + tag
	}
	tag, null := strings.CutSuffix(tag, ",null")
	tag, zoned := strings.CutSuffix(tag, ",format:RFC3339")
	member := elsewhere
	switch {
	case tag == "-":
	case zoned:
		member = f.Type
	case f.Type == instant && (null || strings.HasSuffix(tag, ",omitempty")), f.Type == amount && strings.HasSuffix(tag, ",omitzero"):
		member = reflect.TypeFor[*int64]()
	default:
		member = taggedType(f.Type, tags, used)
	}
	if f.Anonymous && !own || strings.HasSuffix(tag, ",inline") {
		return reflect.StructField{
			Name:      f.Name,
			Type:      member,
			Anonymous: true,
		}
	}
	return reflect.StructField{
		Name: f.Name,
		Type: member,
		Tag:  reflect.StructTag(`json:"` + tag + `"`),
	}
}

// assign copies a value to one of the tagged type, or back.
func assign(to, from reflect.Value, c money.Currency) error {
	switch elsewhere {
	case to.Type(), from.Type():
		return nil
	}
	if to.Type() == from.Type() {
		to.Set(from)
		return nil
	}
	if text, isText := spelling.For(to.Type()); isText {
		return text.Read(from.String(), to.Addr().Interface())
	}
	if text, isText := spelling.For(from.Type()); isText {
		to.SetString(text.Write(from.Addr().Interface()))
		return nil
	}
	switch {
	case (to.Type() == amount || to.Type() == instant) && from.Kind() == reflect.Pointer:
		to.SetZero()
		if !from.IsNil() {
			return assign(to, from.Elem(), c)
		}
	case (from.Type() == amount || from.Type() == instant) && to.Kind() == reflect.Pointer:
		to.SetZero()
		if !IsZero(from) {
			to.Set(reflect.New(to.Type().Elem()))
			return assign(to.Elem(), from, c)
		}
	case to.Type() == amount && c == (money.Currency{}):
		return fmt.Errorf("%d in no currency", from.Int())
	case to.Type() == amount:
		*to.Addr().Interface().(*money.Amount) = money.Of(from.Int(), c)
	case from.Type() == amount:
		to.SetInt(from.Addr().Interface().(*money.Amount).Minor())
	case to.Type() == instant:
		*to.Addr().Interface().(*time.Time) = time.UnixMilli(from.Int()).UTC()
	case from.Type() == instant:
		to.SetInt(from.Addr().Interface().(*time.Time).UnixMilli())
	case to.Kind() == reflect.Struct:
		for i := range to.NumField() {
			if err := assign(to.Field(i), from.Field(i), c); err != nil {
				return err
			}
		}
	default:
		return assignList(to, from, c)
	}
	return nil
}

// assignList copies a pointer, a slice or a map. Nil stays nil.
func assignList(to, from reflect.Value, c money.Currency) error {
	to.SetZero()
	if from.IsNil() {
		return nil
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Elem(), from.Elem(), c)
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			if err := assign(to.Index(i), from.Index(i), c); err != nil {
				return err
			}
		}
		return nil
	}
	to.Set(reflect.MakeMap(to.Type()))
	for k, v := range from.Seq2() {
		key, value := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
		if err := assign(key, addressable(k), c); err != nil {
			return err
		}
		if err := assign(value, addressable(v), c); err != nil {
			return err
		}
		to.SetMapIndex(key, value)
	}
	return nil
}

// IsZero reports whether an addressable value is the zero value of its type. The zero time may have a zone; an amount of 0
// in a currency is not the zero value.
func IsZero(v reflect.Value) bool {
	if v.Type() == instant {
		return v.Addr().Interface().(*time.Time).IsZero()
	}
	return v.IsZero()
}

// addressable copies an entry of a map.
func addressable(entry reflect.Value) reflect.Value {
	v := reflect.New(entry.Type()).Elem()
	v.Set(entry)
	return v
}
