package db

import (
	"reflect"
	"time"

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

// Equal keeps what has a value in a column; the zero value keeps all.
func (c *Conditions) Equal(column string, value any) {
	if !reflect.ValueOf(value).IsZero() {
		c.And(column+" = ", value)
	}
}

// During keeps what is at a time from, and before; zero times keep all.
func (c *Conditions) During(column string, from, before time.Time) {
	if !from.IsZero() {
		c.And(column+" >= ", Millis(from))
	}
	if !before.IsZero() {
		c.And(column+" < ", Millis(before))
	}
}

// After keeps what comes after a row in a list that is newest first.
func (c *Conditions) After(time, id string, lastTime, lastID any) {
	c.Text += "\n  AND (" + time + ", " + id + ") < " + c.Args.Row(lastTime, lastID)
}

// Page ends a list.
func (a *Args) Page(p ports.Page) string {
	return "\nLIMIT " + a.Add(p.Limit) + " OFFSET " + a.Add(p.Offset)
}
