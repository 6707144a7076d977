package db

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// A row type's fields are columns. A column's name is that of the tag db, else the field's in snake case, and of an id
// with _id after it: Project id.Project is project_id. Options follow the name: `db:"due_at,null"`, or `db:",null"`.
//
//	null         the zero value is NULL
//	json         the value is JSON text
//	empty        no bytes are empty ones, not NULL
//	none         the amount may be in no currency, if it is 0
//	read         the column is only read: a statement other than the table's writes it
//	currency=x   the column x has the currency of the amount; without the option it is the column currency
//	-            the field is not stored
//
// A currency column needs no field: it has the currency of the amounts. A field of a struct that is not one value
// (codec) stands for its fields.

// Columns has the tags of a domain type, which has none itself, by the paths of its fields: "Route.Provider".
type Columns map[string]string

// Decoded is a part of a row that may be unreadable while the rest is not. Err says why.
type Decoded[T any] struct {
	Value T
	Err   error
}

func (*Decoded[T]) tried() {}

type options struct {
	name, currency       string
	null, json, readOnly bool
	empty, none          bool
}

func optionsOf(tag string) options {
	o := options{currency: "currency"}
	for i, part := range strings.Split(tag, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch {
		case i == 0:
			o.name = part
		case name == "null":
			o.null = true
		case name == "json":
			o.json = true
		case name == "empty":
			o.empty = true
		case name == "none":
			o.none = true
		case name == "read":
			o.readOnly = true
		case name == "currency":
			o.currency = value
		default:
			panic("db: unknown option " + part)
		}
	}
	return o
}

type column struct {
	codec
	options
	of    string // the table, or the row type if it is of none
	index []int
	// tried is the index path of the error's field if the column is in a Decoded.
	tried []int
	// amounts are the amounts whose currency the column has, if no field has it.
	amounts [][]int
}

func (c *column) String() string {
	if c.of == "" {
		return c.name
	}
	return c.of + "." + c.name
}

// plan is how rows of a type are read and written.
type plan struct {
	of      reflect.Type
	single  bool // each row is one value
	columns []*column
	names   map[string]*column
}

var plans sync.Map // reflect.Type to *plan

// declared are the Columns of domain types, and tables the names of their tables, from when the program starts.
var (
	declared = map[reflect.Type]Columns{}
	tables   = map[reflect.Type]string{}
)

// planOf panics if a field cannot be stored.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	p := &plan{of: t, names: map[string]*column{}}
	if c, ok := codecOf(t, options{}); ok {
		p.single = true
		p.columns = []*column{{codec: c}}
	} else {
		p.add(t, place{of: t.String()})
		p.addCurrencies()
	}
	known, _ := plans.LoadOrStore(t, p)
	return known.(*plan)
}

// place is the position of a struct in a row.
type place struct {
	of           string
	index, tried []int
	scopes       []scope
}

// scope is the path of a struct from a type that has Columns. The scope of the outermost type comes first.
type scope struct {
	tags Columns
	path string
}

func (at place) in(i int) place {
	at.index = append(slices.Clip(at.index), i)
	return at
}

// named returns the place of a field of the struct, and its tag.
func (at place) named(i int, f reflect.StructField) (place, string) {
	here, tag := at.in(i), ""
	here.scopes = slices.Clone(at.scopes)
	for i, s := range at.scopes {
		here.scopes[i].path = strings.TrimPrefix(s.path+"."+f.Name, ".")
		tag = cmp.Or(tag, s.tags[here.scopes[i].path])
	}
	return here, cmp.Or(tag, f.Tag.Get("db"))
}

func (p *plan) add(t reflect.Type, at place) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ tried() }]()) {
		failure := at.in(1).index
		t, at = t.Field(0).Type, at.in(0)
		at.tried = failure
	}
	at.of = cmp.Or(tables[t], at.of)
	if tags, ok := declared[t]; ok {
		at.scopes = append(slices.Clip(at.scopes), scope{tags: tags})
	}
	for i := range t.NumField() {
		f := t.Field(i)
		here, tag := at.in(i), f.Tag.Get("db")
		if !f.Anonymous {
			here, tag = at.named(i, f)
		}
		if tag != "-" && (f.IsExported() || f.Anonymous) {
			p.field(f, optionsOf(tag), here)
		}
	}
}

func (p *plan) field(f reflect.StructField, o options, at place) {
	c, ok := codecOf(f.Type, o)
	switch {
	case ok:
		o.name = cmp.Or(o.name, columnName(f))
		p.column(&column{
			codec:   c,
			options: o,
			of:      at.of,
			index:   at.index,
			tried:   at.tried,
		})
	case f.Type.Kind() == reflect.Struct && o.name == "":
		p.add(f.Type, at)
	default:
		panic(fmt.Sprintf("db: %s: a %s is not stored", f.Name, f.Type))
	}
}

// column adds a column. Of two fields of a name the one that is nested less counts, as in Go.
func (p *plan) column(c *column) {
	known := p.names[c.name]
	switch {
	case known == nil:
		p.columns = append(p.columns, c)
		p.names[c.name] = c
	case len(c.index) < len(known.index):
		*known = *c
	}
}

// addCurrencies adds the columns of currencies that no field has.
func (p *plan) addCurrencies() {
	for _, c := range p.columns {
		if !c.inCurrency || c.json {
			continue
		}
		known := p.names[c.currency]
		if known == nil {
			known = &column{options: options{name: c.currency}}
			p.column(known)
		}
		if known.read == nil {
			known.amounts = append(known.amounts, c.index)
		}
	}
}

func columnName(f reflect.StructField) string {
	name := stored.Snake(f.Name)
	if f.Type.PkgPath() == reflect.TypeFor[id.Project]().PkgPath() && name != "id" && !strings.HasSuffix(name, "_id") {
		name += "_id"
	}
	return name
}

// value returns the value to write to the column of a row.
func (c *column) value(row reflect.Value) any {
	if c.amounts == nil {
		return c.codec.write(row.FieldByIndex(c.index))
	}
	for _, index := range c.amounts {
		at := row.FieldByIndex(index)
		if at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		if !at.IsValid() {
			continue
		}
		if of := at.Addr().Interface().(*money.Amount).Currency(); of != (money.Currency{}) {
			return of.Code()
		}
	}
	return ""
}
