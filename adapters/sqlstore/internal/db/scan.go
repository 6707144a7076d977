package db

import (
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// scanner reads a result set. Scanners are used again.
type scanner struct {
	columns  []*column // of the result set
	currency []int     // which of them has the currency of each; -1: none
	cells    []cell
	into     []any // pointers to the cells
	code     string
	known    money.Currency // of the code
}

// cell is what the driver returned for a column of the row. Bytes are the driver's.
type cell struct{ value any }

func (c *cell) Scan(from any) error {
	c.value = from
	return nil
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func scan(rows *sql.Rows, dest any) (n int, err error) {
	s := scanners.Get().(*scanner)
	n, err = s.scan(rows, dest)
	clear(s.cells)
	scanners.Put(s)
	return n, err
}

// scan fills dest with the rows of a result set and returns how many there are: all of them where dest is a pointer to a
// slice, else the first. A pointer that dest points to is nil without a row, other values are zero.
func (s *scanner) scan(rows *sql.Rows, dest any) (n int, err error) {
	to := reflect.ValueOf(dest).Elem()
	to.SetZero()
	list := to.Kind() == reflect.Slice && to.Type().Elem().Kind() != reflect.Uint8
	of := to.Type()
	if list {
		of = of.Elem()
	}
	optional := of.Kind() == reflect.Pointer && !planOf(of.Elem()).single
	if optional {
		of = of.Elem()
	}
	if err := s.begin(rows, of); err != nil {
		return 0, err
	}
	for ; rows.Next(); n++ {
		row := to
		switch {
		case list:
			to.Grow(1)
			to.SetLen(n + 1)
			row = to.Index(n)
		case n > 0:
			continue
		}
		if optional {
			row.Set(reflect.New(of))
			row = row.Elem()
		}
		if err := s.row(rows, row); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}

// begin finds the columns of a result set.
func (s *scanner) begin(rows *sql.Rows, of reflect.Type) error {
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	p := planOf(of)
	s.columns = slices.Grow(s.columns[:0], len(names))
	s.currency = slices.Grow(s.currency[:0], len(names))
	s.into = slices.Grow(s.into[:0], len(names))
	s.cells = slices.Grow(s.cells[:0], len(names))[:len(names)]
	for i, name := range names {
		c := p.names[name]
		if p.single && len(names) == 1 {
			c = p.columns[0]
		}
		if c == nil {
			return fmt.Errorf("a %s has no column %s", of, name)
		}
		s.columns = append(s.columns, c)
		s.into = append(s.into, &s.cells[i])
		at := -1
		if c.inCurrency {
			at = slices.Index(names, c.currency)
			if at < 0 && !c.json {
				return fmt.Errorf("the column %s is read without %s", name, c.currency)
			}
		}
		s.currency = append(s.currency, at)
	}
	return nil
}

func (s *scanner) row(rows *sql.Rows, to reflect.Value) error {
	if err := rows.Scan(s.into...); err != nil {
		return err
	}
	for i, c := range s.columns {
		switch {
		case c.amounts != nil: // the amounts have it
		case c.tried != nil:
			failure := to.FieldByIndex(c.tried).Addr().Interface().(*error)
			if err := fault.Survive(func() error { return s.decode(i, to) }); err != nil && *failure == nil {
				*failure = err
			}
		default:
			if err := s.decode(i, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// decode reads the i-th column of a row.
func (s *scanner) decode(i int, to reflect.Value) error {
	c := s.columns[i]
	if len(c.index) > 0 {
		to = to.FieldByIndex(c.index)
	}
	currency, err := s.currencyOf(i)
	if err == nil {
		err = c.codec.read(s.cells[i].value, currency, to)
	}
	if err != nil {
		return Unreadable("column "+c.String(), err)
	}
	return nil
}

func (s *scanner) currencyOf(i int) (money.Currency, error) {
	at := s.currency[i]
	if at < 0 || s.cells[at].value == nil {
		return money.Currency{}, nil
	}
	code, err := readText(s.cells[at].value)
	if err != nil || code == s.code {
		return s.known, err
	}
	c, err := money.ParseCurrency(code)
	if code == "" {
		err = nil
	}
	if err != nil {
		return c, fmt.Errorf("currency %s: %w", code, err)
	}
	s.code, s.known = code, c
	return c, nil
}
