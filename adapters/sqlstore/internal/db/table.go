package db

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Table defines the columns that are written to a table: the fields of R (see Columns), in their order. Statements are
// built from it once, when the program starts.
type Table[R any] struct {
	name    string
	names   []string
	columns []*column
}

// NewTable panics if a field of R cannot be stored. Columns are the tags of R if it is a domain type; other rows that
// have an R as a part have them too.
func NewTable[R any](name string, columns ...Columns) *Table[R] {
	of := reflect.TypeFor[R]()
	for _, c := range columns {
		if declared[of] != nil {
			panic("db: the columns of " + of.String() + " are declared twice")
		}
		declared[of] = c
	}
	tables[of] = name
	t := &Table[R]{name: name}
	for _, c := range planOf(of).columns {
		if !c.readOnly {
			t.names = append(t.names, c.name)
			t.columns = append(t.columns, c)
		}
	}
	definitions = append(definitions, func() (string, []string, []any) {
		var none R
		return name, t.names, t.Args(none)
	})
	return t
}

var definitions []func() (table string, columns []string, zero []any)

// Definitions calls show for each table of the program, with the stored values of a zero row. A test compares them with
// the schema.
func Definitions(show func(table string, columns []string, zero []any)) {
	for _, d := range definitions {
		show(d())
	}
}

// Select is the beginning of a statement that reads rows, without a condition.
func (t *Table[R]) Select() string { return "\nSELECT " + t.Columns() + "\nFROM " + t.name }

// Columns lists the columns.
func (t *Table[R]) Columns() string { return strings.Join(t.names, ", ") }

// ColumnsBut lists the columns without one of them, which reading leaves zero.
func (t *Table[R]) ColumnsBut(column string) string {
	i := t.index(column)
	return strings.Join(slices.Concat(t.names[:i], t.names[i+1:]), ", ")
}

// ColumnsOf lists the columns of an alias of the table.
func (t *Table[R]) ColumnsOf(alias string) string {
	return alias + "." + strings.Join(t.names, ", "+alias+".")
}

// Param is the parameter of a column, as Args has its value.
func (t *Table[R]) Param(column string) string { return parameterAt(t.index(column) + 1) }

// After is the n-th parameter after those of the columns.
func (t *Table[R]) After(n int) string { return parameterAt(len(t.columns) + n) }

func (t *Table[R]) index(column string) int {
	i := slices.Index(t.names, column)
	if i < 0 {
		panic(fmt.Sprintf("db: %s has no column %s", t.name, column))
	}
	return i
}

// Values are the parameters of the columns: $1, $2, and so on.
func (t *Table[R]) Values() string { return t.ValuesBut(nil) }

// ValuesBut has expressions in the places of some columns' parameters.
func (t *Table[R]) ValuesBut(expressions map[string]string) string {
	values := make([]string, len(t.names))
	for i, c := range t.names {
		values[i] = cmp.Or(expressions[c], parameterAt(i+1))
	}
	return strings.Join(values, ", ")
}

// Insert writes a row, and values of more columns after it.
func (t *Table[R]) Insert(more ...string) string {
	values := t.Values()
	for i := range more {
		values += ", " + t.After(i+1)
	}
	return "\nINSERT INTO " + t.name + " (" + strings.Join(append(slices.Clone(t.names), more...), ", ") + ")\nVALUES (" + values + ")"
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

// Args are a row's values, in the order of the columns, and what comes after them.
func (t *Table[R]) Args(row R, more ...any) []any { return valuesOf(&row, t.columns, more) }

func valuesOf[R any](row *R, columns []*column, more []any) []any {
	args := make([]any, 0, len(columns)+len(more))
	of := reflect.ValueOf(row).Elem()
	for _, c := range columns {
		args = append(args, c.value(of))
	}
	return append(args, more...)
}

// Update changes columns of one row.
type Update[R any] struct {
	// Text is the statement. More conditions may follow, with parameters from After on.
	Text    string
	columns []*column
}

// Update changes the columns set in the row that the key names, two columns or more.
func (t *Table[R]) Update(key []string, set ...string) Update[R] {
	u := Update[R]{}
	param := func(column string) string {
		u.columns = append(u.columns, t.columns[t.index(column)])
		return column + " = $" + strconv.Itoa(len(u.columns))
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

// But is the update with an expression of the parameter in the place of a column's.
func (u Update[R]) But(column string, expression func(param string) string) Update[R] {
	before, after, found := strings.Cut(u.Text, column+" = $")
	if !found {
		panic("db: an update sets no " + column)
	}
	digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
	u.Text = before + column + " = " + expression("$"+after[:digits]) + after[digits:]
	return u
}

// After is the n-th parameter after those of Text; 0 is the last column that is set.
func (u Update[R]) After(n int) string { return parameterAt(len(u.columns) + n) }

// Args are the values of the key and of the columns set, and what comes after them.
func (u Update[R]) Args(row R, more ...any) []any { return valuesOf(&row, u.columns, more) }

// Excluded assigns the values of a conflicting INSERT to columns, as in its DO UPDATE.
func Excluded(columns ...string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c + " = excluded." + c
	}
	return strings.Join(list, ", ")
}
