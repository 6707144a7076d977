package db

import (
	"reflect"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/ports"
)

// Conditions narrow a statement whose first parameters are given.
type Conditions struct {
	Text string
	Args Args
}

// And adds a comparison with a value: and("kind = ", "sale").
func (c *Conditions) And(comparison string, value any) {
	c.Text += "\n  AND " + comparison + c.Args.Add(value)
}

// Equal keeps rows with a value in a column; the zero value keeps all.
func (c *Conditions) Equal(column string, value any) {
	if !reflect.ValueOf(value).IsZero() {
		c.And(column+" = ", value)
	}
}

// Is keeps rows with a value of a closed set in a column; the zero value keeps all. The value is in the text, because a
// prepared statement has one plan for all its arguments, and few rows have one value where many have another.
func (c *Conditions) Is(column string, value any) {
	text, known := spelling.For(reflect.TypeOf(value))
	if reflect.ValueOf(value).IsZero() || !known || !isWord(text.Word(value)) {
		c.Equal(column, value)
		return
	}
	c.Text += "\n  AND " + column + " = '" + text.Word(value) + "'"
}

func isWord(text string) bool { return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") == "" }

// During keeps rows from a time, and before another; zero times keep all.
func (c *Conditions) During(column string, from, before time.Time) {
	if !from.IsZero() {
		c.And(column+" >= ", Millis(from))
	}
	if !before.IsZero() {
		c.And(column+" < ", Millis(before))
	}
}

// Page ends a list.
func (a *Args) Page(p ports.Page) string {
	return "\nLIMIT " + a.Add(p.Limit) + " OFFSET " + a.Add(p.Offset)
}
