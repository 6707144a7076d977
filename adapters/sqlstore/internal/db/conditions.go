package db

import (
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
func (c *Conditions) After(time, id string, lastTime int64, lastID string) {
	c.Text += "\n  AND (" + time + ", " + id + ") < " + c.Args.Row(lastTime, lastID)
}

// Page ends a list.
func (a *Args) Page(p ports.Page) string {
	return "\nLIMIT " + a.Add(p.Limit) + " OFFSET " + a.Add(p.Offset)
}

// InParts reads a list in parts of as many rows as a list has at most, until one is not full.
func InParts(read func() (rows int, err error)) error {
	for {
		if rows, err := read(); err != nil || rows < Listed {
			return err
		}
	}
}
