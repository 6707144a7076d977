package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// scanner reads a result set. Scanners are used again.
type scanner struct {
	columns  []*column      // of the result set
	currency []int          // which of them has the currency of each; -1: none
	values   []driver.Value // of the row; bytes are the driver's
	code     string
	known    money.Currency // of the code
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func scan(ctx context.Context, rows driver.Rows, dest any) (n int, err error) {
	s := scanners.Get().(*scanner)
	n, err = s.scan(ctx, rows, dest)
	clear(s.values)
	scanners.Put(s)
	return n, err
}

// scan fills dest with the rows of a result set and returns how many there are: all of them where dest is a pointer to a
// slice, else the first. A pointer that dest points to is nil without a row, other values are zero.
func (s *scanner) scan(ctx context.Context, rows driver.Rows, dest any) (n int, err error) {
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
	for ; ; n++ {
		if more, err := s.next(ctx, rows); !more {
			return n, err
		}
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
		if err := s.row(row); err != nil {
			return n, err
		}
	}
}

// next reads the values of the next row, and reports whether there is one.
func (s *scanner) next(ctx context.Context, rows driver.Rows) (more bool, err error) {
	if err = ctx.Err(); err == nil {
		err = rows.Next(s.values)
	}
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// begin finds the columns of a result set.
func (s *scanner) begin(rows driver.Rows, of reflect.Type) error {
	names := rows.Columns()
	p := planOf(of)
	s.columns = slices.Grow(s.columns[:0], len(names))
	s.currency = slices.Grow(s.currency[:0], len(names))
	s.values = slices.Grow(s.values[:0], len(names))[:len(names)]
	for _, name := range names {
		c := p.names[name]
		if p.single && len(names) == 1 {
			c = p.columns[0]
		}
		if c == nil {
			return fmt.Errorf("a %s has no column %s", of, name)
		}
		s.columns = append(s.columns, c)
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

func (s *scanner) row(to reflect.Value) error {
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
		err = c.codec.read(s.values[i], currency, to)
	}
	if err != nil {
		return Unreadable("column "+c.String(), err)
	}
	return nil
}

func (s *scanner) currencyOf(i int) (money.Currency, error) {
	at := s.currency[i]
	if at < 0 || s.values[at] == nil {
		return money.Currency{}, nil
	}
	code, err := readText(s.values[at])
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
