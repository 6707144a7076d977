package db

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// Table is the one definition of what is written to a table: its columns are the fields of R, in their order, by the
// names that sqlx reads them by. Statements are built from it once, when the program starts.
type Table[R any] struct {
	name    string
	columns []string
	fields  [][]int
}

// NewTable panics where R has no such column. Columns that are only read, or that other statements write, are except.
func NewTable[R any](name string, except ...string) *Table[R] {
	t := &Table[R]{name: name}
	mapper := reflectx.NewMapperFunc("db", sqlx.NameMapper)
	for _, f := range mapper.TypeMap(reflect.TypeFor[R]()).Index {
		switch {
		case f.Embedded, f.Path != f.Name:
		case slices.Contains(except, f.Name):
			except = slices.DeleteFunc(slices.Clone(except), func(c string) bool { return c == f.Name })
		default:
			t.columns = append(t.columns, f.Name)
			t.fields = append(t.fields, f.Index)
		}
	}
	if len(except) > 0 {
		panic(fmt.Sprintf("db: rows of %s have no columns %v", name, except))
	}
	return t
}

// Columns lists the columns.
func (t *Table[R]) Columns() string { return strings.Join(t.columns, ", ") }

// ColumnsOf lists the columns of an alias of the table.
func (t *Table[R]) ColumnsOf(alias string) string {
	return alias + "." + strings.Join(t.columns, ", "+alias+".")
}

// Param is the parameter of a column, as Args has its value.
func (t *Table[R]) Param(column string) string { return parameterAt(t.index(column) + 1) }

// After is the n-th parameter after those of the columns.
func (t *Table[R]) After(n int) string { return parameterAt(len(t.columns) + n) }

func (t *Table[R]) index(column string) int {
	i := slices.Index(t.columns, column)
	if i < 0 {
		panic(fmt.Sprintf("db: %s has no column %s", t.name, column))
	}
	return i
}

// Values are the parameters of the columns: $1, $2, and so on.
func (t *Table[R]) Values() string { return t.ValuesBut("", "") }

// ValuesBut has an expression in the place of one column's parameter.
func (t *Table[R]) ValuesBut(column, expression string) string {
	values := make([]string, len(t.columns))
	for i, c := range t.columns {
		values[i] = parameterAt(i + 1)
		if c == column {
			values[i] = expression
		}
	}
	return strings.Join(values, ", ")
}

// Insert writes a row, and values of more columns after it.
func (t *Table[R]) Insert(more ...string) string {
	values := t.Values()
	for i := range more {
		values += ", " + t.After(i+1)
	}
	return "\nINSERT INTO " + t.name + " (" + strings.Join(append(slices.Clone(t.columns), more...), ", ") + ")\nVALUES (" + values + ")"
}

// Set assigns parameters to columns, for an UPDATE in a batch. Outside of one PostgreSQL refuses arguments that a
// statement does not use: see Update.
func (t *Table[R]) Set(columns ...string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c + " = " + t.Param(c)
	}
	return strings.Join(list, ", ")
}

// Args are a row's values, in the order of the columns, and what comes after them. No bytes are NULL.
func (t *Table[R]) Args(row R, more ...any) []any { return valuesOf(&row, t.fields, more) }

func valuesOf[R any](row *R, fields [][]int, more []any) []any {
	args := make([]any, 0, len(fields)+len(more))
	of := reflect.ValueOf(row).Elem()
	for _, f := range fields {
		value := of.FieldByIndex(f).Interface()
		if b, ok := value.([]byte); ok && len(b) == 0 {
			value = nil
		}
		args = append(args, value)
	}
	return append(args, more...)
}

// Update changes columns of one row.
type Update[R any] struct {
	// Text is the statement. More conditions may follow, with parameters from After on.
	Text   string
	fields [][]int
}

// Update changes the columns set in the row that the key names, two columns or more.
func (t *Table[R]) Update(key []string, set ...string) Update[R] {
	u := Update[R]{}
	param := func(column string) string {
		u.fields = append(u.fields, t.fields[t.index(column)])
		return column + " = $" + strconv.Itoa(len(u.fields))
	}
	var where, assigned []string
	for _, c := range key {
		where = append(where, param(c))
	}
	for _, c := range set {
		assigned = append(assigned, param(c))
	}
	u.Text = "\nUPDATE " + t.name + "\nSET " + strings.Join(assigned, ", ") + "\nWHERE " + strings.Join(where, "\n  AND ")
	return u
}

// After is the n-th parameter after those of Text; 0 is the last column that is set.
func (u Update[R]) After(n int) string { return parameterAt(len(u.fields) + n) }

// Args are the values of the key and of the columns set, and what comes after them.
func (u Update[R]) Args(row R, more ...any) []any { return valuesOf(&row, u.fields, more) }

// Excluded assigns the values of a refused INSERT to columns, for its DO UPDATE.
func Excluded(columns ...string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c + " = excluded." + c
	}
	return strings.Join(list, ", ")
}
